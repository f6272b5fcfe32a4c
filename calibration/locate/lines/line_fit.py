"""Fit equally spaced lines with a fractional pitch to an edge profile.

All positions are in pixels of the frame. Pixel 0 covers 0 to 1, so that a line between pixels 9
and 10 lies at 10.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""An edge profile (the number of line pixels in each column), or other numbers."""

Mask = NDArray[Any]
"""A picture of 0 and one other value, uint8."""

CLUSTER_REACH, SYMMETRY_REACH = 0.27, 0.06
"""How far the lines of a border may lie from it, and the border from their middle, in tiles."""

LINE_REACH, FOLLOW_REACH = 0.15, 0.35
"""How far from its position a line is looked for, in tiles: alone, or followed line by line."""

MOST_CHANGE_PX = 2
"""Largest change of the shift from one line to the next; the widths of columns differ by 1 px."""


@dataclass(frozen=True)
class LineFit:
    """Equally spaced lines: line ``k`` lies at ``start + k * pitch``, in pixels."""

    start: float
    pitch: float

    def position(self, k: float) -> float:
        """Return the position of line ``k``."""
        return self.start + k * self.pitch

    def positions(self, ks: range) -> Floats:
        """Return the positions of the lines ``ks``."""
        return self.start + np.arange(ks.start, ks.stop) * self.pitch

    def counted_from(self, position: float) -> LineFit:
        """Return the same lines, with the one nearest to ``position`` as line 0."""
        return self.shifted(round((position - self.start) / self.pitch))

    def shifted(self, lines: float) -> LineFit:
        """Return the fit with line 0 moved by a number of lines, also by half a one."""
        return LineFit(self.start + lines * self.pitch, self.pitch)


def rough_pitch(
    profile: Floats, span: tuple[float, float], pitch: float, slack: float
) -> float | None:
    """Return the pitch of the lines in a span, within ``slack`` of ``pitch``; None without lines.

    At this pitch the first four harmonics of the spectrum hold the most energy. ``profile[x]`` is
    the number of line pixels in column ``x``.
    """
    first, last = _within(profile, span)
    part = profile[first:last]
    if part.size < 2 * pitch or not part.any():
        return None
    size = 1 << int(np.ceil(np.log2(part.size * 6)))
    energy = np.abs(np.fft.rfft(part - part.mean(), size)) ** 2
    pitches = np.arange(pitch - slack, pitch + slack, pitch * pitch / (12 * part.size))
    total = np.zeros(pitches.size)
    for harmonic in range(1, 5):
        total += energy[
            np.minimum(np.round(size * harmonic / pitches).astype(int), energy.size - 1)
        ]
    return float(pitches[int(total.argmax())])


def fit_lines(profile: Floats, span: tuple[float, float], pitch: float) -> LineFit | None:
    """Fit equally spaced lines of about this pitch to the peaks of ``profile`` in a span.

    A regression over the single lines makes the pitch exact; `cluster_phase` gives the offset.
    Returns None where there are no lines.
    """
    first, last = _within(profile, span)
    part = profile[first:last]
    if part.size < 2 * pitch or not part.any():
        return None
    x = np.arange(first, last) + 0.5
    fit = LineFit(cluster_phase(part, x, pitch), pitch)
    for _ in range(2):
        fit = _regression(part, first, fit)
    return LineFit(cluster_phase(part, x, fit.pitch), fit.pitch)


def _within(profile: Floats, span: tuple[float, float]) -> tuple[int, int]:
    return max(0, int(span[0])), min(profile.size, int(np.ceil(span[1])))


def _regression(part: Floats, first: int, fit: LineFit) -> LineFit:
    """Refine the fit by a weighted regression over the shifts of the single lines."""
    k0 = int(np.ceil((first - fit.start) / fit.pitch))
    k1 = int(np.floor((first + part.size - 1 - fit.start) / fit.pitch))
    if k1 - k0 < 2:
        return fit
    found = line_shifts(part, first, fit, range(k0, k1 + 1))
    k, weights = np.arange(k0, k1 + 1), (found.weights + 1e-9) ** 2
    total = float(weights.sum())
    middle, usual = float(weights @ k) / total, float(weights @ found.shifts) / total
    off = weights * (k - middle)
    slope = float(off @ found.shifts) / float(off @ k)
    return LineFit(fit.start + usual - slope * middle, fit.pitch + slope)


class LineShifts(NamedTuple):
    """How far each line lies from its fitted position, in pixels, and with which weight.

    ``middle`` is the centre of mass of the lines' mean profile, as an offset from the line.
    """

    shifts: NDArray[np.float64]
    weights: NDArray[np.float64]
    middle: float


def line_shifts(
    part: Floats, first: int, fit: LineFit, lines: range, *, follow: bool = False
) -> LineShifts:
    """Measure how far each line lies from its fitted position.

    Each line is looked for alone, within `LINE_REACH` tiles. With ``follow`` the lines are
    followed from one to the next, up to `FOLLOW_REACH` tiles from the fit.
    """
    template, scores, fitted_offsets = _match_lines(part, first, fit, lines, follow)
    near = template.size // 2
    offsets = np.arange(-near, near + 1)
    weights = template * np.cos(offsets * (0.5 * np.pi / (near + 1))) ** 2
    middle = float(weights @ offsets / max(weights.sum(), 1e-9))
    best = _best_path(scores) if follow else scores.argmax(axis=1)
    return LineShifts(
        _subpixel_peaks(scores, best) - fitted_offsets, np.sqrt(scores.max(axis=1).clip(0)), middle
    )


def cluster_phase(part: Floats, x: Floats, pitch: float) -> float:
    """Return the phase of the centre of the strongest cluster of lines within a period, in pixels.

    Bevels and gaps draw several lines around each border; the border is their middle, whichever
    line is the strongest. The search window holds a gap of a quarter tile, but not the strokes of
    digits, which are further away from the border.
    """
    weight, times = _fold_periods(part, x, pitch)
    bins = weight.size
    folded = weight / np.maximum(times, 1)
    half = round(CLUSTER_REACH * bins)
    offsets = np.arange(-half, half + 1)
    window = np.cos(offsets * (0.5 * np.pi / (half + 1))) ** 2
    smooth = np.convolve(_smoothed(weight, times, half), window, "valid")
    centre = int(smooth.argmax())
    weights = folded[(centre + offsets) % bins] * window
    return float((centre + weights @ offsets / weights.sum() + 0.5) / bins * pitch)


def symmetry_phase(part: Floats, x: Floats, pitch: float) -> float:
    """Return the phase near that of `cluster_phase` around which the profile is most symmetric.

    A bevel draws as much before the border as behind it. Open tiles, and hidden tiles beside open
    ones, draw lines on one side only, which pull the middle of the cluster to that side.
    """
    weight, times = _fold_periods(part, x, pitch)
    bins = weight.size
    about = cluster_phase(part, x, pitch) / pitch * bins - 0.5
    around, away = round(SYMMETRY_REACH * bins), np.arange(round(CLUSTER_REACH * bins))
    smoothed = _smoothed(weight, times, 0)
    sums = np.arange(2 * (int(about) - around), 2 * (int(about) + around + 1) + 1)  # 2 * middle
    low, high = (sums // 2)[:, None] - away, (sums - sums // 2)[:, None] + away
    window = np.cos((high - low) * (0.25 * np.pi / (away.size + 1))) ** 2
    alike = (np.minimum(smoothed[low % bins], smoothed[high % bins]) * window).sum(axis=1)
    middle = 0.5 * float(sums[alike >= 0.995 * alike.max()].mean())
    return (middle + 0.5) / bins * pitch


def _fold_periods(part: Floats, x: Floats, pitch: float) -> tuple[Floats, Floats]:
    """Sum all periods in bins of a quarter pixel; return the sums and the columns in each bin."""
    bins = round(pitch * 4)
    at = ((x % pitch) / pitch * bins).astype(int) % bins
    weight, times = np.bincount(at, weights=part, minlength=bins), np.bincount(at, minlength=bins)
    return np.asarray(weight, np.float64), np.asarray(times, np.float64)


def _smoothed(weight: Floats, times: Floats, beyond: int) -> Floats:
    """Return the mean of five bins around each, for one period and ``beyond`` bins on both sides.

    A single bin holds few columns, so that one line of a window's frame could decide it.
    """
    around, five = np.arange(-beyond - 2, weight.size + beyond + 2) % weight.size, np.ones(5)
    sums = np.convolve(weight[around], five, "valid")
    return np.asarray(sums / np.maximum(np.convolve(times[around], five, "valid"), 1), np.float64)


def _best_path(scores: Floats) -> NDArray[np.intp]:
    """Return the shifts of the best total score that change by at most `MOST_CHANGE_PX` a line."""
    total = np.array(scores)
    for line in range(1, len(total)):
        total[line] += cv2.dilate(total[line - 1 : line], np.ones((1, 2 * MOST_CHANGE_PX + 1)))[0]
    best = [int(total[-1].argmax())]
    for before in total[-2::-1]:
        low = max(0, best[-1] - MOST_CHANGE_PX)
        best.append(low + int(before[low : best[-1] + MOST_CHANGE_PX + 1].argmax()))
    return np.array(best[::-1])


def _subpixel_peaks(scores: Floats, best: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the shift of the best score in each row; a parabola finds it between the pixels."""
    reach = scores.shape[1] // 2
    row = np.arange(len(scores))
    best = np.clip(best, 1, 2 * reach - 1)
    left, mid, right = scores[row, best - 1], scores[row, best], scores[row, best + 1]
    bend = left - 2 * mid + right
    peak = np.where(bend < 0, 0.5 * (left - right) / np.where(bend < 0, bend, 1), 0)
    return np.asarray(best - reach + np.clip(peak, -0.5, 0.5), np.float64)


def _match_lines(
    part: Floats, first: int, fit: LineFit, lines: range, follow: bool
) -> tuple[Floats, Floats, Floats]:
    """Match the surroundings of each line with the mean of all, at every whole shift.

    Returns the mean, the scores ``(lines, 2 * reach + 1)``, and how far the fitted position of
    each line lies from the pixel that a shift of 0 stands for.
    """
    reach, near = (
        max(2, round((FOLLOW_REACH if follow else LINE_REACH) * fit.pitch)),
        max(2, round(0.25 * fit.pitch)),
    )
    at = fit.positions(lines) - first - 0.5
    whole = np.round(at).astype(int)
    padded = np.zeros(part.size + 2 * (near + reach))
    padded[near + reach : near + reach + part.size] = part
    starts = whole.clip(0, part.size - 1)[:, None]
    windows = padded[starts + np.arange(2 * (near + reach) + 1)]
    template = windows[:, reach : reach + 2 * near + 1].mean(axis=0)
    for _ in range(2):
        matches = cv2.filter2D(windows, cv2.CV_64F, template[None])
        scores = np.asarray(matches, np.float64)[:, near : near + 2 * reach + 1]
        best = _best_path(scores) if follow else scores.argmax(axis=1)
        template = padded[starts + best[:, None] + np.arange(2 * near + 1)].mean(axis=0)
    return template, scores, at - whole

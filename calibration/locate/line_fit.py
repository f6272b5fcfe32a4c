"""Equally spaced lines of fractional pitch, fitted to a profile of edges.

All positions are pixels of the frame, counted so that pixel 0 covers 0 to 1; a line that runs
between pixels 9 and 10 therefore lies at 10.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Profile = NDArray[np.floating[Any]]
"""How much line there is in each column, or places in pixels."""

Mask = NDArray[Any]
"""A picture of 0 and another value, uint8."""

REACH, MIRROR = 0.27, 0.06
"""How far from a border its lines may lie, and from their middle the border, in tiles."""

NEAR, FAR = 0.15, 0.35
"""How far from its place a line is looked for, in tiles: by itself, and from line to line."""

BEND_PX = 2
"""Most that one line is shifted beyond the one before; columns differ by a pixel."""


@dataclass(frozen=True)
class Comb:
    """Equally spaced lines: line ``k`` lies at ``start + k * pitch``."""

    start: float
    pitch: float

    def line(self, k: float) -> float:
        """Return where line ``k`` lies."""
        return self.start + k * self.pitch

    def lines(self, ks: range) -> Profile:
        """Return where some lines lie."""
        return self.start + np.arange(ks.start, ks.stop) * self.pitch

    def near(self, place: float) -> Comb:
        """Return the same comb with line 0 nearest to ``place``."""
        return self.shifted(round((place - self.start) / self.pitch))

    def shifted(self, lines: float) -> Comb:
        """Return the comb with line 0 moved by a number of lines."""
        return Comb(self.start + lines * self.pitch, self.pitch)


def rough_pitch(
    profile: Profile, span: tuple[float, float], pitch: float, slack: float
) -> float | None:
    """Return the pitch of the lines in a span, within ``slack`` of ``pitch``; None without lines.

    It is the one at which the first harmonics hold the most energy. ``profile[x]`` is how much
    line there is in column ``x``.
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


def fit_comb(profile: Profile, span: tuple[float, float], pitch: float) -> Comb | None:
    """Fit equally spaced lines of nearly this pitch to the peaks of ``profile`` in a span.

    The pitch is made exact by a regression over the single lines; the phase is the middle of the
    strongest cluster of lines in a period. None where there are no lines.
    """
    first, last = _within(profile, span)
    part = profile[first:last]
    if part.size < 2 * pitch or not part.any():
        return None
    x = np.arange(first, last) + 0.5
    comb = Comb(cluster_middle(part, x, pitch), pitch)
    for _ in range(2):
        comb = _regress(part, first, comb)
    return Comb(cluster_middle(part, x, comb.pitch), comb.pitch)


def _within(profile: Profile, span: tuple[float, float]) -> tuple[int, int]:
    return max(0, int(span[0])), min(profile.size, int(np.ceil(span[1])))


def _regress(part: Profile, first: int, comb: Comb) -> Comb:
    """Fit the comb to the places of the single lines."""
    k0 = int(np.ceil((first - comb.start) / comb.pitch))
    k1 = int(np.floor((first + part.size - 1 - comb.start) / comb.pitch))
    if k1 - k0 < 2:
        return comb
    found = line_shifts(part, first, comb, range(k0, k1 + 1))
    k, weights = np.arange(k0, k1 + 1), (found.weights + 1e-9) ** 2
    total = float(weights.sum())
    middle, usual = float(weights @ k) / total, float(weights @ found.shifts) / total
    off = weights * (k - middle)
    slope = float(off @ found.shifts) / float(off @ k)
    return Comb(comb.start + usual - slope * middle, comb.pitch + slope)


class LineShifts(NamedTuple):
    """How far each line lies from its place on a comb, and how sure that is.

    ``middle`` is where the middle of the lines' common surroundings lies, from that place.
    """

    shifts: NDArray[np.float64]
    weights: NDArray[np.float64]
    middle: float


def line_shifts(
    part: Profile, first: int, comb: Comb, lines: range, *, follow: bool = False
) -> LineShifts:
    """Measure how far each line lies from its place on the comb.

    Each is looked for on its own within `NEAR` tiles; or ``follow`` the lines from one to the
    next, `FAR` tiles from the comb at most.
    """
    template, scores, at_zero = _slide(part, first, comb, lines, follow)
    near = template.size // 2
    offsets = np.arange(-near, near + 1)
    weights = template * np.cos(offsets * (0.5 * np.pi / (near + 1))) ** 2
    middle = float(weights @ offsets / max(weights.sum(), 1e-9))
    best = _followed(scores) if follow else scores.argmax(axis=1)
    return LineShifts(_peaks(scores, best) - at_zero, np.sqrt(scores.max(axis=1)), middle)


def cluster_middle(part: Profile, x: Profile, pitch: float) -> float:
    """Return the phase of the middle of the strongest cluster of lines within a period.

    Bevels and gaps draw several lines around each border; their middle is the border, whichever
    of them is the strongest. The window that seeks it takes in a gap of a quarter tile, but not
    the strokes of digits, which stand further from the border.
    """
    weight, times = _fold(part, x, pitch)
    bins = weight.size
    folded = weight / np.maximum(times, 1)
    half = round(REACH * bins)
    offsets = np.arange(-half, half + 1)
    window = np.cos(offsets * (0.5 * np.pi / (half + 1))) ** 2
    smooth = np.convolve(_evened(weight, times, half), window, "valid")
    centre = int(smooth.argmax())
    weights = folded[(centre + offsets) % bins] * window
    return float((centre + weights @ offsets / weights.sum() + 0.5) / bins * pitch)


def mirror_middle(part: Profile, x: Profile, pitch: float) -> float:
    """Return the phase, near that of `cluster_middle`, around which the lines lie most alike.

    A bevel draws as much before the border as behind it. The lines of open tiles, or of hidden
    ones beside open ones, draw on one side only and pull the middle of the cluster there.
    """
    weight, times = _fold(part, x, pitch)
    bins = weight.size
    about = cluster_middle(part, x, pitch) / pitch * bins - 0.5
    around, away = round(MIRROR * bins), np.arange(round(REACH * bins))
    evened = _evened(weight, times, 0)
    sums = np.arange(2 * (int(about) - around), 2 * (int(about) + around + 1) + 1)  # 2 * middle
    low, high = (sums // 2)[:, None] - away, (sums - sums // 2)[:, None] + away
    window = np.cos((high - low) * (0.25 * np.pi / (away.size + 1))) ** 2
    alike = (np.minimum(evened[low % bins], evened[high % bins]) * window).sum(axis=1)
    middle = 0.5 * float(sums[alike >= 0.995 * alike.max()].mean())
    return (middle + 0.5) / bins * pitch


def _fold(part: Profile, x: Profile, pitch: float) -> tuple[Profile, Profile]:
    """Lay all periods over each other: a sum for each quarter pixel, and of how many columns."""
    bins = round(pitch * 4)
    at = ((x % pitch) / pitch * bins).astype(int) % bins
    weight, times = np.bincount(at, weights=part, minlength=bins), np.bincount(at, minlength=bins)
    return np.asarray(weight, np.float64), np.asarray(times, np.float64)


def _evened(weight: Profile, times: Profile, beyond: int) -> Profile:
    """Return the mean over five bins around each, for one period and some bins ``beyond`` it.

    Few columns fall into one bin; the line of a window's frame alone in one would win there.
    """
    around, five = np.arange(-beyond - 2, weight.size + beyond + 2) % weight.size, np.ones(5)
    sums = np.convolve(weight[around], five, "valid")
    return np.asarray(sums / np.maximum(np.convolve(times[around], five, "valid"), 1), np.float64)


def _followed(scores: Profile) -> NDArray[np.intp]:
    """Return the shifts with the best score in all that change by `BEND_PX` at most a line."""
    total = np.array(scores)
    for line in range(1, len(total)):
        total[line] += cv2.dilate(total[line - 1 : line], np.ones((1, 2 * BEND_PX + 1)))[0]
    best = [int(total[-1].argmax())]
    for before in total[-2::-1]:
        low = max(0, best[-1] - BEND_PX)
        best.append(low + int(before[low : best[-1] + BEND_PX + 1].argmax()))
    return np.array(best[::-1])


def _peaks(scores: Profile, best: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the shift of the best score in each row, between pixels by a parabola."""
    reach = scores.shape[1] // 2
    row = np.arange(len(scores))
    best = np.clip(best, 1, 2 * reach - 1)
    left, mid, right = scores[row, best - 1], scores[row, best], scores[row, best + 1]
    bend = left - 2 * mid + right
    peak = np.where(bend < 0, 0.5 * (left - right) / np.where(bend < 0, bend, 1), 0)
    return np.asarray(best - reach + np.clip(peak, -0.5, 0.5), np.float64)


def _slide(
    part: Profile, first: int, comb: Comb, lines: range, follow: bool
) -> tuple[Profile, Profile, Profile]:
    """Slide the surroundings of each line along the mean of all.

    Returns that mean, the match of each line at each whole shift around its own pixel,
    ``(lines, 2 * reach + 1)``, and how far its place on the comb lies from that pixel.
    """
    reach, near = (
        max(2, round((FAR if follow else NEAR) * comb.pitch)),
        max(2, round(0.25 * comb.pitch)),
    )
    at = comb.lines(lines) - first - 0.5
    whole = np.round(at).astype(int)
    padded = np.zeros(part.size + 2 * (near + reach))
    padded[near + reach : near + reach + part.size] = part
    starts = whole.clip(0, part.size - 1)[:, None]
    windows = padded[starts + np.arange(2 * (near + reach) + 1)]
    template = windows[:, reach : reach + 2 * near + 1].mean(axis=0)
    for _ in range(2):
        matches = cv2.filter2D(windows, cv2.CV_64F, template[None])
        scores = np.asarray(matches, np.float64)[:, near : near + 2 * reach + 1]
        best = _followed(scores) if follow else scores.argmax(axis=1)
        template = padded[starts + best[:, None] + np.arange(2 * near + 1)].mean(axis=0)
    return template, scores, at - whole

"""Fit equally spaced lines with a fractional pitch to an edge profile, and refine the pitch.

Positions are in pixels of the frame. Pixel 0 covers 0 to 1, so that a line between pixels 9 and 10
lies at 10.0.
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

CLUSTER_REACH = 0.27
"""How far the lines of a border may lie from the border, in tiles."""

SYMMETRY_REACH = 0.06
"""How far the border may lie from the middle of its lines, in tiles."""

LINE_REACH, FOLLOW_REACH = 0.15, 0.35
"""How far from its position a line is searched, in tiles: by itself, or following its neighbour."""

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

    At this pitch the first four harmonics of the spectrum have the most energy. ``profile[x]`` is
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

    A regression over the single lines makes the pitch exact; `cluster_phase` gives the offset. None
    if there are no lines.
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
    """The distance of each line from its fitted position, in pixels, and its weight.

    ``middle`` is the centre of mass of the lines' mean profile, as an offset from the line.
    """

    shifts: NDArray[np.float64]
    weights: NDArray[np.float64]
    middle: float


def line_shifts(
    part: Floats, first: int, fit: LineFit, lines: range, *, follow: bool = False
) -> LineShifts:
    """Measure how far each line lies from its fitted position.

    Each line is searched by itself, within `LINE_REACH` tiles. With ``follow`` the lines are
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
    line is the strongest. The search window covers a gap of a quarter tile, but not the strokes of
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

    A bevel draws lines on both sides of the border. Open tiles, and hidden tiles beside open ones,
    draw lines on one side only, which pull the middle of the cluster to that side.
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


# ---- the exact pitch, from harmonics of the lines and from tiles that repeat ---------------------

Levels = NDArray[np.uint16]
"""Steps between pixels, plus 256 so that none is negative, or their sizes: ``(n, width)``."""

MOST_DRIFT = 0.2
"""Largest error of a fit over the whole board that is corrected, in tiles."""

SAME_DRIFT_PX = 0.3
"""A fit that is off by less than this over the whole board needs no correction."""

CLEAR_GAIN = 1.1
"""Least factor by which another pitch must have more energy to replace the fitted one."""

CLEAR_SCATTER_PX = 0.3
"""Largest scatter (root mean square) of the lags of repeating tiles that gives one clear pitch."""

PRIOR_SHARE = 0.001
"""Weight of the fitted pitch against the matches: both count the same if this share of the steps
matches at every lag. Of 822 axes of real screens, scaled or not, 3 were off by more than 0.3 %
without this weight, and none with it."""


def refine_by_harmonics(profile: Floats, fit: LineFit, cells: int) -> LineFit:
    """Replace the pitch by one at which the lines clearly repeat better.

    Lines between open tiles and lines around hidden tiles have different offsets. If one half of a
    board is open and the other half hidden, the fitted pitch is therefore wrong. Each kind of line
    still repeats at the true pitch, where the energy of all harmonics together is greatest. The
    middle of the fit stays where it is.
    """
    lo, hi = (max(0, int(fit.position(k))) for k in (0.5, cells - 0.5))
    part = np.sqrt(profile[lo:hi])
    if not part.any():
        return fit
    size = 1 << int(np.ceil(np.log2(part.size * 8)))
    energy = np.abs(np.fft.rfft(part - part.mean(), size)) ** 2
    drift = np.arange(-MOST_DRIFT * fit.pitch, MOST_DRIFT * fit.pitch, 0.25)
    pitches = fit.pitch + drift / cells
    at = size * np.arange(1, max(4, int(fit.pitch / 3) + 1))[:, None] / pitches
    total = np.interp(at, np.arange(energy.size), energy).sum(axis=0)
    if total.max() <= CLEAR_GAIN * total[np.abs(drift) <= SAME_DRIFT_PX].max():
        return fit
    pitch = float(pitches[int(total.argmax())])
    return LineFit(fit.start + 0.5 * cells * (fit.pitch - pitch), pitch)


def refine_by_repetition(rows: NDArray[np.int16], fit: LineFit, cells: int) -> LineFit:
    """Make the pitch exact by comparing the board with itself, shifted by whole tiles.

    ``rows`` are rows of grey pixels across the board, ``(n, width)``. Equal tiles match sharply if
    the shift is a whole number of pitches; different tiles hardly match at any shift. Unlike a fit
    to the lines, this is not misled by columns of open tiles beside columns of hidden ones. If too
    few tiles are equal, the lags scatter: the new pitch is then averaged with the fitted one, or
    not used. The middle of the fit stays where it is.
    """
    steps = rows[:, 2:] - rows[:, :-2]
    levels, size = (steps + 256).astype(np.uint16), np.abs(steps).astype(np.uint16)
    found = [
        (tiles, *match)
        for tiles in _distances(cells)
        if (match := _best_lag(levels, size, float(tiles * fit.pitch))) is not None
    ]
    most = max((weight for *_, weight in found), default=0.0)
    found = [match for match in found if match[2] >= 0.03 * most > 0]
    if len(found) < 2:
        return fit
    tiles, lags, weights = np.array(found).T
    use, pitch = weights.copy(), fit.pitch
    for _ in range(4):
        if use @ tiles**2 <= 0:
            return fit
        pitch = float((use * tiles) @ lags / (use @ tiles**2))
        off = np.abs(lags - pitch * tiles)
        use = weights * (off < max(0.35, 1.5 * float(np.median(off))))
    spread = float(np.sqrt(np.mean((lags - pitch * tiles) ** 2)))
    if spread > 2 * CLEAR_SCATTER_PX or abs(pitch - fit.pitch) * cells > 3:
        return fit
    if spread > CLEAR_SCATTER_PX:
        pitch = 0.5 * (pitch + fit.pitch)
    matched = float(use @ tiles**2)
    prior = PRIOR_SHARE * cv2.sumElems(size)[0] * float(tiles @ tiles)
    pitch = (matched * pitch + prior * fit.pitch) / (matched + prior)
    return LineFit(fit.start + 0.5 * cells * (fit.pitch - pitch), pitch)


def _distances(cells: int) -> list[int]:
    """List up to nine distances in tiles, mostly even: a checkerboard repeats only at these."""
    if cells <= 10:
        return list(range(1, cells))
    return [
        1,
        *dict.fromkeys((2 * np.linspace(1, (cells - 1) // 2, 8).round()).astype(int).tolist()),
    ]


def _best_lag(levels: Levels, size: Levels, about: float) -> tuple[float, float] | None:
    """Return the lag within 3 pixels at which the steps repeat best, and its weight."""
    base = round(about)
    lags = [lag for lag in range(base - 3, base + 4) if 0 < lag < levels.shape[1] - 4]
    if len(lags) < 3:
        return None
    least = size * 3 >> 3
    match = []
    for lag in lags:
        off = cv2.absdiff(levels[:, :-lag], levels[:, lag:])
        repeated = cv2.subtract(cv2.max(least[:, :-lag], least[:, lag:]), off)  # at least 0
        match.append(cv2.sumElems(repeated)[0])
    best = int(np.clip(np.argmax(match), 1, len(lags) - 2))
    left, mid, right = match[best - 1 : best + 2]
    bend = left - 2 * mid + right
    peak = float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < 0 else 0.0
    lag = lags[best]
    whole = cv2.sumElems(cv2.max(size[:, :-lag], size[:, lag:]))[0]
    weight = max(0.0, mid - sorted(match)[len(match) // 2]) * mid / max(1.0, whole)
    return lag + peak, weight

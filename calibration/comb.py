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

Levels = NDArray[np.uint16]
"""Steps between pixels, 256 higher to be above 0, or their sizes: ``(rows, width)``."""

Mask = NDArray[Any]
"""A picture of 0 and another value, uint8."""

CLEAR_SPREAD_PX = 0.3
"""Scatter of the lags at which equal tiles repeat (root mean square) that still is one pitch."""

LITTLE_MATCH = 0.001
"""Share of the steps that must match at every lag for the matches to count as much as the lines.
Of 822 axes of real screens, scaled or not, 3 were off by more than 0.3 % without it, none with."""

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
    bins = round(pitch * 4)
    at = ((x % pitch) / pitch * bins).astype(int) % bins
    weight, times = np.bincount(at, weights=part, minlength=bins), np.bincount(at, minlength=bins)
    folded = weight / np.maximum(times, 1)
    half = round(0.27 * bins)
    offsets = np.arange(-half, half + 1)
    window = np.cos(offsets * (0.5 * np.pi / (half + 1))) ** 2
    # Few columns fall into one bin; the line of a window's frame alone in one would win there.
    around, five = np.arange(-half - 2, bins + half + 2) % bins, np.ones(5)
    evened = np.convolve(weight[around], five, "valid") / np.maximum(
        np.convolve(times[around], five, "valid"), 1
    )
    smooth = np.convolve(evened, window, "valid")
    centre = int(smooth.argmax())
    weights = folded[(centre + offsets) % bins] * window
    return float((centre + weights @ offsets / weights.sum() + 0.5) / bins * pitch)


def sharpen(rows: NDArray[np.int16], comb: Comb, cells: int) -> Comb:
    """Make the pitch exact by comparing the board with itself, some tiles further on.

    ``rows`` are rows of grey pixels across the board, ``(n, width)``. Equal tiles match sharply
    when the shift is a whole number of pitches, and unequal ones hardly match at any shift, so
    that columns of open tiles beside columns of hidden ones do not bend the pitch, as they do
    bend a fit to the lines. Where too few tiles are equal the matches scatter; they then count no
    more than the lines, or not at all. The middle of the comb stays in place.
    """
    steps = rows[:, 2:] - rows[:, :-2]
    levels, size = (steps + 256).astype(np.uint16), np.abs(steps).astype(np.uint16)
    found = [
        (tiles, *match)
        for tiles in _lags(cells)
        if (match := _best_lag(levels, size, float(tiles * comb.pitch))) is not None
    ]
    most = max((weight for *_, weight in found), default=0.0)
    found = [match for match in found if match[2] >= 0.03 * most > 0]
    if len(found) < 3:
        return comb
    tiles, lags, weights = np.array(found).T
    use, pitch = weights.copy(), comb.pitch
    for _ in range(4):
        if use @ tiles**2 <= 0:
            return comb
        pitch = float((use * tiles) @ lags / (use @ tiles**2))
        off = np.abs(lags - pitch * tiles)
        use = weights * (off < max(0.35, 1.5 * float(np.median(off))))
    spread = float(np.sqrt(np.mean((lags - pitch * tiles) ** 2)))
    if spread > 2 * CLEAR_SPREAD_PX or abs(pitch - comb.pitch) * cells > 3:
        return comb
    if spread > CLEAR_SPREAD_PX:
        pitch = 0.5 * (pitch + comb.pitch)
    matched = float(use @ tiles**2)
    doubt = LITTLE_MATCH * cv2.sumElems(size)[0] * float(tiles @ tiles)
    pitch = (matched * pitch + doubt * comb.pitch) / (matched + doubt)
    return Comb(comb.start + 0.5 * cells * (comb.pitch - pitch), pitch)


def _lags(cells: int) -> list[int]:
    """List up to nine distances in tiles, mostly even: a checkerboard repeats at every second."""
    if cells <= 10:
        return list(range(1, cells))
    return [
        1,
        *dict.fromkeys((2 * np.linspace(1, (cells - 1) // 2, 8).round()).astype(int).tolist()),
    ]


def _best_lag(levels: Levels, size: Levels, about: float) -> tuple[float, float] | None:
    """Return the lag within 3 pixels at which the steps repeat best, and how well they do."""
    base = round(about)
    lags = [lag for lag in range(base - 3, base + 4) if 0 < lag < levels.shape[1] - 4]
    if len(lags) < 3:
        return None
    least = size * 3 >> 3
    match = []
    for lag in lags:
        off = cv2.absdiff(levels[:, :-lag], levels[:, lag:])
        alike = cv2.subtract(cv2.max(least[:, :-lag], least[:, lag:]), off)  # at least 0
        match.append(cv2.sumElems(alike)[0])
    best = int(np.clip(np.argmax(match), 1, len(lags) - 2))
    left, mid, right = match[best - 1 : best + 2]
    bend = left - 2 * mid + right
    peak = float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < 0 else 0.0
    lag = lags[best]
    whole = cv2.sumElems(cv2.max(size[:, :-lag], size[:, lag:]))[0]
    weight = max(0.0, mid - sorted(match)[len(match) // 2]) * mid / max(1.0, whole)
    return lag + peak, weight


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

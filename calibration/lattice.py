"""Fit a lattice of fractional pitch to lines, and find where the board on it ends.

All positions are pixels of the frame, counted so that pixel 0 covers 0 to 1; a line that runs
between pixels 9 and 10 therefore lies at 10.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import PixelBox

MIN_SIDE = 4
"""Fewest rows or columns a board has; smaller lattices are keypads and tool bars."""
DRAWN = 0.55
"""Share of a lattice segment that must be line to count as drawn."""
NOT_SQUARE = 1.28
"""Longest side of a tile over its shortest."""

UNEVEN_PX = 1.2
"""Lines further than this from an even comb are followed one by one."""

Mask = NDArray[Any]
"""A picture of 0 and 255, uint8."""
Profile = NDArray[np.float64]


@dataclass(frozen=True)
class Comb:
    """Equally spaced lines: line ``k`` lies at ``start + k * pitch``."""

    start: float
    pitch: float

    def line(self, k: float) -> float:
        """Return where line ``k`` lies."""
        return self.start + k * self.pitch

    def lines(self, ks: range) -> NDArray[np.float64]:
        """Return where some lines lie."""
        return self.start + np.arange(ks.start, ks.stop) * self.pitch

    def near(self, place: float) -> Comb:
        """Return the same comb with line 0 nearest to ``place``."""
        return self.shifted(round((place - self.start) / self.pitch))

    def shifted(self, lines: float) -> Comb:
        """Return the comb with line 0 moved by a number of lines."""
        return Comb(self.start + lines * self.pitch, self.pitch)


@dataclass(frozen=True)
class Strokes:
    """Upright line pixels of a frame, summed down each column: ``sums`` is ``(height + 1, width)``.

    The lying lines of a frame are the upright ones of the transposed frame.
    """

    sums: NDArray[np.uint16]

    @classmethod
    def of(cls, mask: Mask) -> Strokes:
        """Sum a mask of 0 and 255."""
        sums = np.zeros((mask.shape[0] + 1, mask.shape[1]), np.uint16)
        np.cumsum(mask & 1, axis=0, dtype=np.uint16, out=sums[1:])
        return cls(sums)

    @property
    def height(self) -> int:
        """Height of the frame in pixels."""
        return self.sums.shape[0] - 1

    def profile(self, lo: float, hi: float) -> Profile:
        """Return how much upright line each column holds between rows ``lo`` and ``hi``."""
        first, last = max(0, int(lo)), min(self.height, int(hi))
        return (self.sums[last] - self.sums[first]).astype(np.float64)

    def support(
        self, along: Comb, rows: range, across: Comb, lines: range, reach: float = 0.12
    ) -> NDArray[np.float32]:
        """Measure how much of each lattice segment is drawn, 0 to 1: ``(len(rows), len(lines))``.

        Entry ``(j, k)`` is for line ``k`` of ``across`` (in x) between lines ``j`` and ``j + 1``
        of ``along`` (in y). The ends of a segment do not count, corners may be rounded. What
        lies outside of the frame is not drawn.
        """
        width = self.sums.shape[1]
        play = max(1, round(reach * across.pitch))
        starts = along.lines(rows)
        top = np.round(starts + 0.22 * along.pitch).astype(int)
        bottom = np.round(starts + 0.78 * along.pitch).astype(int)
        at = np.round(across.lines(lines) - 0.5).astype(int)
        left, right = max(0, at[0] - play), min(width, at[-1] + play + 1)
        if right <= left:
            return np.zeros((len(rows), len(lines)), np.float32)
        whole = (top >= 0) & (bottom <= self.height)
        top, bottom = np.clip(top, 0, self.height), np.clip(bottom, 0, self.height)
        band = (self.sums[bottom, left:right] - self.sums[top, left:right]).astype(np.float32)
        band = cv2.dilate(band, np.ones((1, 2 * play + 1), np.uint8))
        share = (
            band[:, np.clip(at - left, 0, right - left - 1)] / np.maximum(bottom - top, 1)[:, None]
        )
        share[~whole] = 0
        share[:, (at < 0) | (at >= width)] = 0
        return share


class Axis(NamedTuple):
    """A comb and the cells on it that belong to the board.

    ``shifts`` says how far each line around and between the cells lies from the comb, in
    pixels; it is empty where the lines are even.
    """

    comb: Comb
    cells: range
    shifts: tuple[float, ...] = ()

    @property
    def fence(self) -> range:
        """The lines around and between the cells."""
        return range(self.cells.start, self.cells.stop + 1)

    @property
    def inner(self) -> range:
        """The lines between the cells."""
        return range(self.cells.start + 1, self.cells.stop)


@dataclass(frozen=True)
class Lattice:
    """Rows and columns drawn in a frame; ``drawn`` is the share of its segments that are."""

    across: Axis
    down: Axis
    drawn: float


def fit_lattice(
    upright: Strokes, lying: Strokes, box: PixelBox, pitch: tuple[float, float]
) -> Lattice | None:
    """Fit a lattice to the lines in ``box`` and find its rows and columns.

    ``pitch`` (in x, in y) is right to two pixels. ``lying`` holds the strokes of the transposed
    frame. None where no lattice of tiles is drawn.
    """
    x_span, y_span, slack = (box.x0 - 4.0, box.x1 + 4.0), (box.y0 - 4.0, box.y1 + 4.0), 2.2
    for _ in range(2):
        in_x = fit_comb(upright.profile(*y_span), x_span, pitch[0], slack)
        in_y = fit_comb(lying.profile(*x_span), y_span, pitch[1], slack)
        if in_x is None or in_y is None:
            return None
        if not 1 / NOT_SQUARE < in_x.pitch / in_y.pitch < NOT_SQUARE:
            return None
        across = Axis(in_x.near(x_span[0]), range(round((x_span[1] - x_span[0]) / in_x.pitch)))
        down = Axis(in_y.near(y_span[0]), range(round((y_span[1] - y_span[0]) / in_y.pitch)))
        for _ in range(3):
            down = _extent(upright, lying, down, across)
            across = _extent(lying, upright, across, down)
            if min(len(down.cells), len(across.cells)) < MIN_SIDE:
                return None
        # The outermost lines often lack their outer half: fit again without them.
        pitch, slack = (in_x.pitch, in_y.pitch), 0.4
        x_span, y_span = _inside(across), _inside(down)
    if _is_multiple(upright, lying, across, down):
        return None
    drawn = np.concatenate(
        [
            upright.support(down.comb, down.cells, across.comb, across.fence).ravel(),
            lying.support(across.comb, across.cells, down.comb, down.fence).ravel(),
        ]
    )
    across = _uneven(upright.profile(*_outside(down)), across)
    down = _uneven(lying.profile(*_outside(across)), down)
    return Lattice(across, down, float((drawn > DRAWN).mean()))


def _uneven(profile: Profile, axis: Axis) -> Axis:
    """Follow the single lines where they leave the even comb by more than `UNEVEN_PX`.

    The comb is then laid through the outermost lines. These often lack their outer half, so
    they are placed by their neighbours.
    """
    found = line_shifts(profile, 0, axis.comb, axis.inner)
    if np.abs(found.shifts).max() <= UNEVEN_PX:
        return axis
    places = axis.comb.lines(axis.inner) + found.shifts + found.middle
    first, last = 2 * places[0] - places[1], 2 * places[-1] - places[-2]
    places = np.concatenate([[first], places, [last]])
    pitch = float(last - first) / len(axis.cells)
    comb = Comb(float(first) - axis.cells.start * pitch, pitch)
    return Axis(comb, axis.cells, tuple((places - comb.lines(axis.fence)).round(2).tolist()))


def _outside(axis: Axis) -> tuple[float, float]:
    """Return the span of the cells."""
    return axis.comb.line(axis.cells.start), axis.comb.line(axis.cells.stop)


def _is_multiple(upright: Strokes, lying: Strokes, across: Axis, down: Axis) -> bool:
    """Tell whether halves or thirds of the tiles are drawn as fully: they are the tiles then."""
    for part in (2, 3):
        finer = across.comb.shifted(1 / part), down.comb.shifted(1 / part)
        x = upright.support(down.comb, down.cells, finer[0], across.cells, 0.05) > DRAWN
        y = lying.support(across.comb, across.cells, finer[1], down.cells, 0.05) > DRAWN
        if min(x.mean(), y.mean()) > 0.8:
            return True
    return False


def _inside(axis: Axis) -> tuple[float, float]:
    """Return the span from the middle of the first cell to the middle of the last."""
    return axis.comb.line(axis.cells.start + 0.5), axis.comb.line(axis.cells.stop - 0.5)


def _extent(strokes: Strokes, turned: Strokes, along: Axis, across: Axis) -> Axis:
    """Grow or shrink ``along`` to the cells that are drawn.

    A row is drawn when the lines between its cells are, and the line that closes it. ``strokes``
    holds the lines that cross ``along``, ``turned`` the lines parallel to its cells' borders.
    """
    comb = along.comb
    first = -int(comb.start // comb.pitch) - 1
    every = range(first, int((strokes.height - comb.start) // comb.pitch) + 1)
    if len(across.inner) < MIN_SIDE - 1:
        return Axis(comb, range(0))
    on = _share(strokes, comb, every, across.comb, across.inner, 1)
    off = _share(strokes, comb, every, across.comb.shifted(0.5), across.inner, 1)
    lines = range(every.start, every.stop + 1)
    borders = _share(turned, across.comb, across.cells, comb, lines, 0)
    inside = slice(max(0, along.cells.start - first), max(0, along.cells.stop - first))
    if not on[inside].size:
        return Axis(comb, range(0))
    usual, usual_border = float(np.median(on[inside])), float(np.median(borders[inside]))
    contrast = on > np.minimum(off, 0.7)
    closed = borders >= max(0.2, 0.4 * usual_border)
    drawn = contrast & (on >= max(0.2, 0.5 * usual))
    sure = contrast & (on >= max(0.5, 0.85 * usual))
    seed = inside.start + int((on * drawn)[inside].argmax())
    if not drawn[seed]:
        return Axis(comb, range(0))
    last = start = seed
    while last + 1 < len(drawn) and (sure[last + 1] or (drawn[last + 1] and closed[last + 2])):
        last += 1
    while start > 0 and (sure[start - 1] or (drawn[start - 1] and closed[start - 1])):
        start -= 1
    return Axis(comb, range(start + first, last + 1 + first))


def _share(
    strokes: Strokes, along: Comb, rows: range, across: Comb, lines: range, axis: int
) -> NDArray[np.float64]:
    """Return the share of drawn segments, averaged over the lines (1) or the rows (0)."""
    drawn = strokes.support(along, rows, across, lines) > DRAWN
    return np.asarray(drawn.mean(axis=axis), np.float64)


def fit_comb(
    profile: Profile, span: tuple[float, float], pitch: float, slack: float
) -> Comb | None:
    """Fit equally spaced lines to the peaks of ``profile`` in a span.

    ``profile[x]`` is how much line there is in column ``x``; ``pitch`` is right to ``slack``
    pixels. The pitch comes from the Fourier spectrum and is made exact by a regression over the
    single lines; the phase is the middle of the strongest cluster of lines in a period. None
    where there are no lines.
    """
    first, last = max(0, int(span[0])), min(profile.size, int(np.ceil(span[1])))
    part = profile[first:last]
    if part.size < 2 * pitch or not part.any():
        return None
    if slack > 1:
        pitch = _spectral_pitch(part, pitch, slack)
    x = np.arange(first, last) + 0.5
    comb = Comb(_cluster_middle(part, x, pitch), pitch)
    for _ in range(2):
        comb = _regress(part, first, comb)
    return Comb(_cluster_middle(part, x, comb.pitch), comb.pitch)


def _spectral_pitch(part: Profile, pitch: float, slack: float) -> float:
    """Return the pitch within ``slack`` at which the first harmonics hold the most energy."""
    size = 1 << int(np.ceil(np.log2(part.size * 6)))
    energy = np.abs(np.fft.rfft(part - part.mean(), size)) ** 2
    pitches = np.arange(pitch - slack, pitch + slack, pitch * pitch / (12 * part.size))
    total = np.zeros(pitches.size)
    for harmonic in range(1, 5):
        total += energy[
            np.minimum(np.round(size * harmonic / pitches).astype(int), energy.size - 1)
        ]
    return float(pitches[int(total.argmax())])


def _regress(part: Profile, first: int, comb: Comb) -> Comb:
    """Fit the comb to the places of the single lines."""
    k0 = int(np.ceil((first - comb.start) / comb.pitch))
    k1 = int(np.floor((first + part.size - 1 - comb.start) / comb.pitch))
    if k1 - k0 < 2:
        return comb
    found = line_shifts(part, first, comb, range(k0, k1 + 1))
    slope, start = np.polyfit(np.arange(k0, k1 + 1), found.shifts, 1, w=found.weights + 1e-9)
    return Comb(comb.start + float(start), comb.pitch + float(slope))


class LineShifts(NamedTuple):
    """How far each line lies from its place on a comb, and how sure that is.

    ``middle`` is where the middle of the lines' common surroundings lies, from that place.
    """

    shifts: NDArray[np.float64]
    weights: NDArray[np.float64]
    middle: float


def line_shifts(part: Profile, first: int, comb: Comb, lines: range) -> LineShifts:
    """Measure how far each line lies from its place on the comb.

    The surroundings of each line are slid along the mean of all surroundings; the best match,
    between pixels by a parabola, is the shift.
    """
    reach, near = max(2, round(0.15 * comb.pitch)), max(2, round(0.25 * comb.pitch))
    at = comb.lines(lines) - first - 0.5
    whole = np.round(at).astype(int)
    padded = np.pad(part, near + reach)
    windows = padded[np.clip(whole, 0, part.size - 1)[:, None] + np.arange(2 * (near + reach) + 1)]
    row = np.arange(len(lines))
    template = windows[:, reach:-reach].mean(axis=0)
    for _ in range(2):
        slid = np.lib.stride_tricks.sliding_window_view(windows, template.size, axis=1)
        scores = slid @ template
        best = np.clip(scores.argmax(axis=1), 1, 2 * reach - 1)
        template = slid[row, best].mean(axis=0)
    left, mid, right = scores[row, best - 1], scores[row, best], scores[row, best + 1]
    bend = left - 2 * mid + right
    peak = np.where(bend < 0, 0.5 * (left - right) / np.where(bend < 0, bend, 1), 0)
    shifts = best - reach + np.clip(peak, -0.5, 0.5) + whole - at
    offsets = np.arange(-near, near + 1)
    weights = template * np.cos(offsets * (0.5 * np.pi / (near + 1))) ** 2
    middle = float(weights @ offsets / max(weights.sum(), 1e-9))
    return LineShifts(shifts, np.sqrt(np.maximum(mid, 0)), middle)


def _cluster_middle(part: Profile, x: NDArray[np.float64], pitch: float) -> float:
    """Return the phase of the middle of the strongest cluster of lines within a period.

    Bevels and gaps draw several lines around each border; their middle is the border, whichever
    of them is the strongest. The window that seeks it takes in a gap of a quarter tile, but not
    the strokes of digits, which stand further from the border.
    """
    bins = round(pitch * 4)
    at = ((x % pitch) / pitch * bins).astype(int) % bins
    folded = np.bincount(at, weights=part, minlength=bins)
    folded /= np.maximum(np.bincount(at, minlength=bins), 1)
    half = round(0.27 * bins)
    offsets = np.arange(-half, half + 1)
    window = np.cos(offsets * (0.5 * np.pi / (half + 1))) ** 2
    smooth = np.convolve(np.concatenate([folded] * 3), window, "same")[bins : 2 * bins]
    centre = int(smooth.argmax())
    weights = folded[(centre + offsets) % bins] * window
    return float((centre + weights @ offsets / weights.sum() + 0.5) / bins * pitch)

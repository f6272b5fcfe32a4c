"""Fit a lattice to the lines of a frame, and find where the board on it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import Comb, Mask, Profile, cluster_middle, fit_comb, line_shifts, sharpen
from calibration.frame import Frame
from calibration.squares import STEP, Candidate

MIN_SIDE = 4
"""Fewest rows or columns a board has; smaller lattices are keypads and tool bars."""
DRAWN = 0.55
"""Share of a lattice segment that must be line to count as drawn."""
NOT_SQUARE = 1.28
"""Longest side of a tile over its shortest."""

LONG = 20
"""An axis of more cells than this needs no sharpening: its many lines fix the pitch."""
UNEVEN_PX = 0.4
"""Lines further than this from an even comb are followed one by one."""

COVERED = 8
"""Most rows of a board that may be hidden under a dialog with the board going on beyond."""


@dataclass(frozen=True)
class Strokes:
    """Upright line pixels of a frame, as sums over all pixels above and left of each.

    ``sums`` is ``(height + 1, width + 1)``: the line pixels in any rectangle are four look-ups.
    The lying lines of a frame are the upright ones of the transposed frame.
    """

    sums: NDArray[np.int32]

    @classmethod
    def of(cls, mask: Mask) -> Strokes:
        """Sum a mask of 0 and 255."""
        ones = cv2.threshold(mask, 0, 1, cv2.THRESH_BINARY)[1]
        return cls(np.asarray(cv2.integral(ones), np.int32))

    @property
    def height(self) -> int:
        """Height of the frame in pixels."""
        return int(self.sums.shape[0]) - 1

    @property
    def width(self) -> int:
        """Width of the frame in pixels."""
        return int(self.sums.shape[1]) - 1

    def profile(self, lo: float, hi: float) -> Profile:
        """Return how much upright line each column holds between rows ``lo`` and ``hi``."""
        first, last = max(0, int(lo)), min(self.height, int(hi))
        return np.asarray(np.diff(self.sums[last] - self.sums[first]), np.float64)

    def support(
        self, along: Comb, rows: range, across: Comb, lines: range, reach: float = 0.12
    ) -> NDArray[np.float32]:
        """Measure how much of each lattice segment is drawn, 0 to 1: ``(len(rows), len(lines))``.

        Entry ``(j, k)`` is for line ``k`` of ``across`` (in x) between lines ``j`` and ``j + 1``
        of ``along`` (in y). The ends of a segment do not count, corners may be rounded. What
        lies outside of the frame is not drawn.
        """
        play = max(1, round(reach * across.pitch))
        starts = along.lines(rows)
        top = np.round(starts + 0.22 * along.pitch).astype(int)
        bottom = np.round(starts + 0.78 * along.pitch).astype(int)
        at = np.round(across.lines(lines) - 0.5).astype(int)
        left, right = max(0, at[0] - play), min(self.width, at[-1] + play + 1)
        if right <= left:
            return np.zeros((len(rows), len(lines)), np.float32)
        whole = (top >= 0) & (bottom <= self.height)
        top, bottom = np.clip(top, 0, self.height), np.clip(bottom, 0, self.height)
        sums = self.sums[:, left : right + 1]
        drawn = np.diff(sums[bottom] - sums[top], axis=1).astype(np.float32)
        band = cv2.dilate(drawn, np.ones((1, 2 * play + 1), np.uint8))
        share = (
            band[:, np.clip(at - left, 0, right - left - 1)] / np.maximum(bottom - top, 1)[:, None]
        )
        share[~whole] = 0
        share[:, (at < 0) | (at >= self.width)] = 0
        return np.asarray(share, np.float32)


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

    @property
    def outside(self) -> tuple[float, float]:
        """Where the first cell begins and the last one ends."""
        return self.comb.line(self.cells.start), self.comb.line(self.cells.stop)

    @property
    def inside(self) -> tuple[float, float]:
        """The middles of the first and of the last cell."""
        return self.comb.line(self.cells.start + 0.5), self.comb.line(self.cells.stop - 0.5)

    def within(self, lo: float, hi: float) -> Axis:
        """Return the axis with only the cells that lie between two places, wholly or in part."""
        first = int(np.floor((lo - self.comb.start) / self.comb.pitch))
        last = int(np.ceil((hi - self.comb.start) / self.comb.pitch))
        cells = range(max(first, self.cells.start), min(last, self.cells.stop))
        return Axis(self.comb, cells)


@dataclass(frozen=True)
class Lattice:
    """Rows and columns drawn in a frame; ``drawn`` is the share of its segments that are."""

    across: Axis
    down: Axis
    drawn: float


def fit_lattice(upright: Strokes, lying: Strokes, candidate: Candidate) -> Lattice | None:
    """Fit a lattice to the lines of a candidate and find its rows and columns.

    ``lying`` holds the strokes of the transposed frame. None where no lattice is drawn.
    """
    box, pitch, slack = candidate.box, (candidate.across, candidate.down), STEP + 0.2
    x_span, y_span = (box.x0 - 4.0, box.x1 + 4.0), (box.y0 - 4.0, box.y1 + 4.0)
    x_ends: tuple[float, float] = (box.x0, box.x1)
    y_ends: tuple[float, float] = (box.y0, box.y1)
    for _ in range(2):
        in_x = fit_comb(upright.profile(*y_span), x_span, pitch[0], slack)
        in_y = fit_comb(lying.profile(*x_span), y_span, pitch[1], slack)
        if in_x is None or in_y is None:
            return None
        if not 1 / NOT_SQUARE < in_x.pitch / in_y.pitch < NOT_SQUARE:
            return None
        across = Axis(in_x.near(x_ends[0]), range(round((x_ends[1] - x_ends[0]) / in_x.pitch)))
        down = Axis(in_y.near(y_ends[0]), range(round((y_ends[1] - y_ends[0]) / in_y.pitch)))
        for _ in range(3):
            before = across.cells, down.cells
            down = _extent(upright, lying, down, across)
            across = _extent(lying, upright, across, down)
            if min(len(down.cells), len(across.cells)) < MIN_SIDE:
                return None
            if (across.cells, down.cells) == before:
                break
        # The outermost lines often lack their outer half: fit again without them.
        pitch, slack = (in_x.pitch, in_y.pitch), 0.4
        x_ends, y_ends = across.outside, down.outside
        x_span, y_span = across.inside, down.inside
    if _is_multiple(upright, lying, across, down):
        return None
    drawn = share_drawn(upright, lying, across, down)
    across = _uneven(upright.profile(*down.outside), across)
    down = _uneven(lying.profile(*across.outside), down)
    return Lattice(across, down, drawn)


def share_drawn(upright: Strokes, lying: Strokes, across: Axis, down: Axis) -> float:
    """Return the share of the segments around the cells that are drawn."""
    x = upright.support(down.comb, down.cells, across.comb, across.fence) > DRAWN
    y = lying.support(across.comb, across.cells, down.comb, down.fence) > DRAWN
    return float((np.count_nonzero(x) + np.count_nonzero(y)) / (x.size + y.size))


def _uneven(profile: Profile, axis: Axis) -> Axis:
    """Follow the single lines where they leave the even comb by more than `UNEVEN_PX`.

    The comb is then laid through the outermost lines. These often lack their outer half, so
    they are placed by their neighbours.
    """
    found = line_shifts(profile, 0, axis.comb, axis.inner)
    if np.abs(found.shifts).max() <= UNEVEN_PX or not _has_knee(found.shifts):
        return axis
    places = axis.comb.lines(axis.inner) + found.shifts + found.middle
    first, last = 2 * places[0] - places[1], 2 * places[-1] - places[-2]
    places = np.concatenate([[first], places, [last]])
    pitch = float(last - first) / len(axis.cells)
    comb = Comb(float(first) - axis.cells.start * pitch, pitch)
    return Axis(comb, axis.cells, tuple((places - comb.lines(axis.fence)).round(2).tolist()))


def _is_multiple(upright: Strokes, lying: Strokes, across: Axis, down: Axis) -> bool:
    """Tell whether halves or thirds of the tiles are drawn as fully: they are the tiles then."""
    for part in (2, 3):
        finer = across.comb.shifted(1 / part), down.comb.shifted(1 / part)
        x = upright.support(down.comb, down.cells, finer[0], across.cells, 0.05) > DRAWN
        y = lying.support(across.comb, across.cells, finer[1], down.cells, 0.05) > DRAWN
        if min(x.mean(), y.mean()) > 0.8:
            return True
    return False


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
    weakest = float(np.quantile(on[inside], 0.25))
    contrast = on > np.minimum(off, 0.7)
    closed = borders >= max(0.2, 0.4 * usual_border)
    drawn = contrast & (on >= max(0.2, 0.8 * weakest))
    sure = contrast & (on >= max(0.5, 0.95 * usual))
    seed = inside.start + int((on * drawn)[inside].argmax())
    if not drawn[seed]:
        return Axis(comb, range(0))
    framed = sure & (off < 0.5) & (borders[1:] > 0.8) & (borders[:-1] > 0.8) & (usual > 0.8)
    up, onward = drawn & closed[:-1] | sure, drawn & closed[1:] | sure
    after = seed + _run(onward[seed + 1 :], framed[seed + 1 :])
    before = seed - _run(up[:seed][::-1], framed[:seed][::-1])
    return Axis(comb, range(before + first, after + 1 + first))


def _run(drawn: NDArray[np.bool_], framed: NDArray[np.bool_]) -> int:
    """Count the rows that go on from here.

    A stretch of up to `COVERED` rows that are not drawn lies under something if a row follows
    that is drawn wholly, its borders too.
    """
    reached = 0
    for row in range(drawn.size):
        if (drawn[row] and row == reached) or (framed[row] and row - reached <= COVERED):
            reached = row + 1
    return reached


def _share(
    strokes: Strokes, along: Comb, rows: range, across: Comb, lines: range, axis: int
) -> NDArray[np.float64]:
    """Return the share of drawn segments, averaged over the lines (1) or the rows (0)."""
    drawn = strokes.support(along, rows, across, lines) > DRAWN
    return np.asarray(drawn.mean(axis=axis), np.float64)


def _has_knee(shifts: NDArray[np.float64]) -> bool:
    """Tell whether the lines are two even runs, the first a little wider.

    That is how a window shares out the pixels that are left over among its columns.
    """
    k = np.arange(shifts.size, dtype=np.float64)
    for knee in range(1, shifts.size - 1):
        model = np.stack([np.ones_like(k), k, np.maximum(k - knee, 0)], axis=1)
        bends, *_ = np.linalg.lstsq(model, shifts, rcond=None)
        if bends[2] < -0.5 and np.abs(model @ bends - shifts).max() < 0.22:
            return True
    return False


def sharpened(lattice: Lattice, frame: Frame, upright: Strokes, lying: Strokes) -> Lattice:
    """Return the lattice with its pitch made exact on the picture itself."""
    return Lattice(
        _sharpened(lattice.across, lattice.down, frame.pixels, upright),
        _sharpened(lattice.down, lattice.across, frame.pixels.swapaxes(0, 1), lying),
        lattice.drawn,
    )


def _sharpened(axis: Axis, other: Axis, pixels: Mask, strokes: Strokes) -> Axis:
    """Sharpen one axis. Long ones, and lines followed one by one, are exact already."""
    if axis.shifts or len(axis.cells) > LONG:
        return axis
    comb, cells = axis.comb.shifted(axis.cells.start), len(axis.cells)
    places = other.comb.start + other.comb.pitch * (
        np.arange(other.cells.start, other.cells.stop)[:, None] + np.linspace(0.15, 0.85, 7)
    )
    rows = np.unique(places.astype(int).clip(0, pixels.shape[0] - 1))
    rows = rows[:: max(1, rows.size // 48)]
    first, last = max(0, int(comb.start) - 4), int(comb.line(cells)) + 6
    grey = cv2.cvtColor(np.ascontiguousarray(pixels[rows, first:last]), cv2.COLOR_RGB2GRAY)
    comb = sharpen(grey.astype(np.int16), comb, cells)
    lo, hi = (int(v) for v in Axis(comb, range(cells)).inside)
    profile = strokes.profile(*other.outside)[lo:hi]
    if not profile.any():
        return axis
    middle = cluster_middle(profile, np.arange(lo, hi) + 0.5, comb.pitch)
    return Axis(Comb(middle, comb.pitch).near(comb.start), range(cells))

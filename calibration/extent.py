"""Where a board ends: the rows and columns of a lattice that are drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.comb import Comb
from calibration.strokes import Drawn, Strokes

MIN_SIDE = 4
"""Fewest rows or columns a board has; smaller lattices are keypads and tool bars."""

COVERED = 8
"""Most rows of a board that may be hidden under a dialog with the board going on beyond."""

PLAY = 0.12
"""How far a line may lie from its place on the lattice, in tiles."""

SAME_LINE = 0.1
"""How far lines may lie apart to be one, in tiles."""


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

    @property
    def play(self) -> float:
        """How far from its place a line may lie, in pixels."""
        return PLAY * self.comb.pitch

    def within(self, lo: float, hi: float) -> tuple[int, int]:
        """Count the cells before those that lie between two places, in part at least, and with."""
        first, last = ((place - self.outside[0]) / self.comb.pitch for place in (lo, hi))
        return max(0, int(np.floor(first))), min(len(self.cells), int(np.ceil(last)))

    def has_lines(self, other: Axis) -> bool:
        """Tell whether another axis has the same lines, as far as its cells reach."""
        off = (np.array(other.outside) - self.comb.start) / self.comb.pitch
        alike = abs(off[1] - off[0] - len(other.cells)) < SAME_LINE
        return bool(alike and abs(off - off.round()).max() < SAME_LINE)


def find_extent(
    upright: Strokes, lying: Strokes, across: Axis, down: Axis
) -> tuple[Axis, Axis] | None:
    """Grow or shrink both axes to the cells that are drawn; None where too few are.

    ``lying`` holds the strokes of the transposed frame. Only the surroundings are looked at, and
    more of them where the board runs on.
    """
    beside = COVERED + 2
    while True:
        xs = _Sight.around(across, upright.width, beside)
        ys = _Sight.around(down, lying.width, beside)
        crossing_y = _Segments.of(upright, ys.comb, ys.cells, xs.comb, xs.cells)
        crossing_x = _Segments.of(lying, xs.comb, xs.cells, ys.comb, ys.cells)
        cols, rows = xs.own, ys.own
        for _ in range(3):
            before = cols, rows
            rows = _extent(crossing_y, crossing_x.on, rows, cols)
            cols = _extent(crossing_x, crossing_y.on, cols, rows)
            if min(len(rows), len(cols)) < MIN_SIDE:
                return None
            if (cols, rows) == before:
                break
        if xs.shows_end(cols) and ys.shows_end(rows):
            return Axis(xs.comb, cols), Axis(ys.comb, rows)
        beside *= 4


class _Sight(NamedTuple):
    """The cells of an axis looked at, ``cells``: those thought to be its own and some beside.

    The comb is shifted so that they count from 0. ``whole`` says on which sides they reach the
    edge of the frame.
    """

    comb: Comb
    cells: range
    own: range
    whole: tuple[bool, bool]

    @classmethod
    def around(cls, axis: Axis, length: int, beside: int) -> _Sight:
        """Look at ``beside`` cells on both sides, but not beyond a frame of this length."""
        comb = axis.comb
        first, last = -int(comb.start // comb.pitch) - 1, int((length - comb.start) // comb.pitch)
        start = max(first, axis.cells.start - beside)
        stop = min(last + 1, axis.cells.stop + beside)
        own = range(max(axis.cells.start, start) - start, min(axis.cells.stop, stop) - start)
        whole = start == first, stop == last + 1
        return cls(comb.shifted(start), range(stop - start), own, whole)

    def shows_end(self, cells: range) -> bool:
        """Tell whether no more could be seen beyond the end of these cells."""
        before, after = cells.start > COVERED, self.cells.stop - cells.stop > COVERED
        return (before or self.whole[0]) and (after or self.whole[1])


class _Segments(NamedTuple):
    """Which lines across an axis are drawn, in each of its cells; ``off``: half a tile on."""

    on: Drawn
    off: Drawn

    @classmethod
    def of(
        cls, strokes: Strokes, along: Comb, cells: range, across: Comb, others: range
    ) -> _Segments:
        """Look up the lines of ``across`` around ``others``."""
        lines = across.lines(range(others.start, others.stop + 1))
        places = np.concatenate([lines, lines + 0.5 * across.pitch])
        return cls(*np.hsplit(strokes.drawn(along, cells, places, PLAY * across.pitch), 2))


def _extent(crossing: _Segments, bordering: Drawn, cells: range, others: range) -> range:
    """Grow or shrink ``cells`` of an axis to those that are drawn.

    A row is drawn when the lines between its cells are, and the line that closes it.
    ``crossing`` holds the lines that cross the axis, ``bordering`` those that border its cells;
    ``others`` are the cells of the other axis.
    """
    if len(others) < MIN_SIDE or not cells:
        return range(0)
    inner, inside = slice(others.start + 1, others.stop), slice(cells.start, cells.stop)
    on, off = crossing.on[:, inner].mean(axis=1), crossing.off[:, inner].mean(axis=1)
    borders = bordering[others.start : others.stop].mean(axis=0)
    usual, usual_border = _quantile(on[inside], 0.5), _quantile(borders[inside], 0.5)
    contrast = on > np.minimum(off, 0.7)
    closed = borders >= max(0.2, 0.4 * usual_border)
    drawn = contrast & (on >= max(0.2, 0.8 * _quantile(on[inside], 0.25)))
    sure = contrast & (on >= max(0.5, 0.95 * usual))
    seed = cells.start + int((on * drawn)[inside].argmax())
    if not drawn[seed]:
        return range(0)
    framed = sure & (off < 0.5) & (borders[1:] > 0.8) & (borders[:-1] > 0.8) & (usual > 0.8)
    up, onward = drawn & closed[:-1] | sure, drawn & closed[1:] | sure
    after = seed + _run(onward[seed + 1 :], framed[seed + 1 :])
    before = seed - _run(up[:seed][::-1], framed[:seed][::-1])
    return range(before, after + 1)


def _quantile(values: NDArray[np.float64], share: float) -> float:
    """Return a quantile of a few values; `numpy.quantile` takes ten times as long."""
    ordered = np.sort(values)
    place = share * (ordered.size - 1)
    low, high = ordered[int(place)], ordered[min(int(place) + 1, ordered.size - 1)]
    return float(low + (place - int(place)) * (high - low))


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

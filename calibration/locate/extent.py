"""Find where a board ends: the rows and columns of a lattice that are drawn or look like tiles.

A segment is the part of a line beside one cell. Whether it is drawn is looked up in an integral
image (summed-area table) of the line masks, which gives the number of line pixels in any rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import MOST_OFF, Grid
from calibration.locate.lines import Floats, LineFit, Mask
from calibration.locate.sides import Beside
from solver.board import MAX_SIDE

DrawnSegments = NDArray[np.bool_]
"""Whether each segment is drawn: one row for each cell along the lines, one column a line."""

DRAWN_SHARE = 0.55
"""Least share of line pixels along a drawn segment."""

MIN_SIDE = 3
"""Fewest rows or columns of a board; shorter rows of things are icons, buttons and tool bars."""

MIN_CELLS = 15
"""Fewest cells of a board; smaller lattices are keypads."""

LARGEST_LATTICE = 20_000
"""Cells above which a lattice counts as a texture: reading 20,000 takes 2 s. The largest board that
a program is known to offer has 14,400."""


def is_texture(rows: float, cols: float) -> bool:
    """Whether so many rows and columns are more than those of any board."""
    return max(rows, cols) > MAX_SIDE or rows * cols > LARGEST_LATTICE


MOST_COVERED = 8
"""Most rows or columns that a dialog may hide inside a board."""


@dataclass(frozen=True)
class LineSums:
    """The integral image of a mask of vertical lines.

    ``sums[y, x]`` counts the line pixels above ``y`` and left of ``x``; its shape is
    ``(height + 1, width + 1)``. Horizontal lines are kept as the vertical lines of the transposed
    frame.
    """

    sums: NDArray[np.int32]

    @classmethod
    def of_masks(cls, *masks: Mask) -> list[LineSums]:
        """Sum masks of 0 and 1 that have the same number of pixels; some may be transposed.

        They share one block of memory: two smaller blocks would be returned to the system after
        every frame, and fetching them again took 2.5 ms.
        """
        size = (masks[0].shape[0] + 1) * (masks[0].shape[1] + 1)
        block = np.empty((len(masks), size), np.int32)
        return [
            cls(np.asarray(cv2.integral(mask, out.reshape(mask.shape[0] + 1, -1))))
            for mask, out in zip(masks, block, strict=True)
        ]

    @property
    def height(self) -> int:
        """Height of the frame in pixels."""
        return int(self.sums.shape[0]) - 1

    @property
    def width(self) -> int:
        """Width of the frame in pixels."""
        return int(self.sums.shape[1]) - 1

    def profile(self, lo: float, hi: float) -> Floats:
        """Count the line pixels of each column between the rows ``lo`` and ``hi``."""
        first, last = max(0, int(lo)), min(self.height, int(hi))
        return np.asarray(np.diff(self.sums[last] - self.sums[first]), np.float64)

    def drawn_segments(
        self, along: LineFit, rows: range, positions: Floats, slack_px: float
    ) -> DrawnSegments:
        """Find which segments of vertical lines are drawn: ``(len(rows), len(positions))``.

        Entry ``(j, k)`` is the part of the line at x = ``positions[k]`` between the lines ``j`` and
        ``j + 1`` of ``along`` (in y). The line may lie up to ``slack_px`` pixels off, at least one.
        The ends of a segment do not count, because corners may be rounded. A segment outside the
        frame is not drawn.
        """
        reach = max(1, round(slack_px))
        starts = along.positions(rows)
        top = np.rint(starts + 0.22 * along.pitch).astype(np.intp)
        bottom = np.rint(starts + 0.78 * along.pitch).astype(np.intp)
        at = np.rint(positions - 0.5).astype(np.intp)
        left, right = max(0, int(at.min()) - reach), min(self.width, int(at.max()) + reach + 1)
        if right <= left:
            return np.zeros((len(rows), len(positions)), np.bool_)
        part = self.sums[:, left : right + 1]
        strip = part[bottom.clip(0, self.height)] - part[top.clip(0, self.height)]
        pixels = (strip[:, 1:] - strip[:, :-1]).astype(np.uint8)
        band = cv2.dilate(pixels, np.ones((1, 2 * reach + 1), np.uint8))
        drawn = (
            band[:, (at - left).clip(0, right - left - 1)] > DRAWN_SHARE * (bottom - top)[:, None]
        )
        drawn[(top < 0) | (bottom > self.height)] = False
        drawn[:, (at < 0) | (at >= self.width)] = False
        return np.asarray(drawn, np.bool_)


class Axis(NamedTuple):
    """The lines of a lattice in one direction, and which cells between them belong to the board.

    ``shifts`` says how far each line around and between the cells lies from the fit, in pixels; it
    is empty if the lines are evenly spaced.
    """

    fit: LineFit
    cells: range
    shifts: tuple[float, ...] = ()

    @property
    def all_lines(self) -> range:
        """Numbers of the lines around and between the cells."""
        return range(self.cells.start, self.cells.stop + 1)

    @property
    def inner_lines(self) -> range:
        """Numbers of the lines between the cells."""
        return range(self.cells.start + 1, self.cells.stop)

    @property
    def ends(self) -> tuple[float, float]:
        """Positions where the first cell begins and the last one ends."""
        return self.fit.position(self.cells.start), self.fit.position(self.cells.stop)

    @property
    def end_middles(self) -> tuple[float, float]:
        """Positions of the middles of the first and of the last cell."""
        return self.fit.position(self.cells.start + 0.5), self.fit.position(self.cells.stop - 0.5)

    @property
    def slack_px(self) -> float:
        """How far a line may lie from its fitted position, in pixels."""
        return MOST_OFF * self.fit.pitch

    def cells_between(self, lo: float, hi: float) -> tuple[int, int]:
        """Return the first cell between two positions and one past the last, parts included."""
        first, last = ((position - self.ends[0]) / self.fit.pitch for position in (lo, hi))
        return max(0, int(np.floor(first))), min(len(self.cells), int(np.ceil(last)))

    def has_same_lines(self, other: Axis) -> bool:
        """Whether another axis has the same lines around and between its cells."""
        off = (np.array(other.ends) - self.fit.start) / self.fit.pitch
        alike = abs(off[1] - off[0] - len(other.cells)) < MOST_OFF
        return bool(alike and abs(off - off.round()).max() < MOST_OFF)


def find_extent(
    vertical: LineSums, horizontal: LineSums, across: Axis, down: Axis
) -> tuple[Axis, Axis] | None:
    """Grow or shrink both axes to the cells that are drawn; None if too few are.

    ``horizontal`` holds the sums of the transposed frame. The search starts with some cells beside
    those given, and adds more as long as the board may continue.
    """
    beside = MOST_COVERED + 2
    while True:
        xs = _SearchRange.around(across, vertical.width, beside)
        ys = _SearchRange.around(down, horizontal.width, beside)
        crossing_y = _CrossingLines.of(vertical, ys.fit, ys.cells, xs.fit, xs.cells)
        crossing_x = _CrossingLines.of(horizontal, xs.fit, xs.cells, ys.fit, ys.cells)
        cols, rows = xs.board, ys.board
        for _ in range(3):
            before = cols, rows
            rows = _drawn_cells(crossing_y, crossing_x.on, rows, cols)
            cols = _drawn_cells(crossing_x, crossing_y.on, cols, rows)
            if min(len(rows), len(cols)) < MIN_SIDE:
                return None
            if (cols, rows) == before:
                break
        if xs.shows_ends(cols) and ys.shows_ends(rows):
            if len(cols) * len(rows) < MIN_CELLS:
                return None
            return Axis(xs.fit, cols), Axis(ys.fit, rows)
        beside *= 4


class _SearchRange(NamedTuple):
    """The cells of an axis that are searched: those of the board so far, and some beside them.

    ``cells`` are all of them, ``board`` those of the board; both count from the first cell
    searched, which is cell 0 of the fit. ``at_frame_edge``: do the first and the last cell reach
    the edge of the frame?
    """

    fit: LineFit
    cells: range
    board: range
    at_frame_edge: tuple[bool, bool]

    @classmethod
    def around(cls, axis: Axis, length: int, beside: int) -> _SearchRange:
        """Add ``beside`` cells on both sides, within a frame of this length."""
        fit = axis.fit
        first, last = -int(fit.start // fit.pitch) - 1, int((length - fit.start) // fit.pitch)
        start = max(first, axis.cells.start - beside)
        stop = min(last + 1, axis.cells.stop + beside)
        board = range(max(axis.cells.start, start) - start, min(axis.cells.stop, stop) - start)
        at_frame_edge = start == first, stop == last + 1
        return cls(fit.shifted(start), range(stop - start), board, at_frame_edge)

    def shows_ends(self, cells: range) -> bool:
        """Whether the range goes far enough beyond some cells to be sure of both ends."""
        before, after = cells.start > MOST_COVERED, self.cells.stop - cells.stop > MOST_COVERED
        return (before or self.at_frame_edge[0]) and (after or self.at_frame_edge[1])


class _CrossingLines(NamedTuple):
    """Which lines across an axis are drawn beside each of its cells.

    ``on`` describes the lines of the lattice, ``off`` those half a tile further, where none should
    be.
    """

    on: DrawnSegments
    off: DrawnSegments

    @classmethod
    def of(
        cls, sums: LineSums, along: LineFit, cells: range, across: LineFit, others: range
    ) -> _CrossingLines:
        """Look up the lines of ``across`` around and between the cells ``others``."""
        lines = across.positions(range(others.start, others.stop + 1))
        positions = np.concatenate([lines, lines + 0.5 * across.pitch])
        return cls(
            *np.hsplit(sums.drawn_segments(along, cells, positions, MOST_OFF * across.pitch), 2)
        )


def _drawn_cells(
    crossing: _CrossingLines, bordering: DrawnSegments, cells: range, others: range
) -> range:
    """Grow or shrink the ``cells`` of an axis to those that are drawn.

    A row is drawn if the lines between its cells are, and the line that closes it. ``crossing``
    holds the lines that cross the axis, ``bordering`` the lines between its cells; ``others`` are
    the cells of the other axis.
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
    drawn_upward, drawn_onward = drawn & closed[:-1] | sure, drawn & closed[1:] | sure
    after = seed + _rows_onward(drawn_onward[seed + 1 :], framed[seed + 1 :])
    before = seed - _rows_onward(drawn_upward[:seed][::-1], framed[:seed][::-1])
    return range(before, after + 1)


def _quantile(values: NDArray[np.float64], share: float) -> float:
    """Return a quantile of a short array; `numpy.quantile` takes ten times as long."""
    ordered = np.sort(values)
    position = share * (ordered.size - 1)
    low, high = ordered[int(position)], ordered[min(int(position) + 1, ordered.size - 1)]
    return float(low + (position - int(position)) * (high - low))


def _rows_onward(drawn: NDArray[np.bool_], framed: NDArray[np.bool_]) -> int:
    """Count the rows by which the board continues from here.

    Up to `MOST_COVERED` rows that are not drawn count as covered by a dialog, if a row follows that
    is drawn completely, with its borders.
    """
    reached = 0
    for row in range(drawn.size):
        if (drawn[row] and row == reached) or (framed[row] and row - reached <= MOST_COVERED):
            reached = row + 1
    return reached


# ---- rows and columns without lines --------------------------------------------------------------
# Many programs draw no lines between open tiles, so that the lines end with the hidden tiles. The
# next row still belongs to the board if its cells look like cells of the board and something is
# drawn in them, or if they end where the board does. Plain cells that continue all around are the
# surroundings.

CELL_PX = 6
"""Side of a cell in the scaled picture, in pixels."""

SAME_SHARE = 0.25
"""Largest mean difference of cells that look alike, as a share of the usual contrast within a cell
of the board."""

SAME_LEAST, SAME_MOST = 1.0, 4.0
"""Bounds of this difference, in colour steps."""

ALL = np.ones(CELL_PX * CELL_PX * 3, np.bool_)
RING = np.pad(
    np.zeros((CELL_PX - 2, CELL_PX - 2, 3), np.bool_),
    ((1, 1), (1, 1), (0, 0)),
    constant_values=True,
).ravel()
"""The edges of a cell, where no digit is, as a mask of its values."""

SURE_GLYPHS = 2
"""Fewest cells with something new in them from which their row belongs to the board."""

MOST_IN_A_PIXEL = 6
"""Largest difference of a single pixel of cells that look alike, as a multiple of their mean
difference."""

PLAIN_SHARE = 0.5
"""Largest contrast of a cell in which nothing is drawn, as a share of the usual one. On a page by
other people, lines and the frame of a panel had a contrast of 3."""

LEAST_PLAIN, MOST_PLAIN = 8, 24
"""Bounds of this contrast, in colour steps."""

KNOWN_SHARE = 0.9
"""Least share of a row beside a board that must look like the board's cells."""

CLOSED_SHARE = 0.95
"""Share of the outermost tiles with an edge from which a line closes the board there. Beside a row
of zeros no tile is covered: without lines between open tiles there is no edge."""

MOST_ADDED = 0.75
"""Largest part of a board that may have no lines: its open rows."""

LEAST_SIDE = 5
"""Rows and columns of the smallest grid that grows."""


def grown(frame: Frame, grid: Grid) -> Grid:
    """Return the grid with the board's rows and columns without lines added.

    Axes with uneven lines do not grow, because their further lines are not known. Nor do grids of
    fewer than `LEAST_SIDE` rows or columns, which have too few tiles to compare with.
    """
    if min(grid.rows, grid.cols) < LEAST_SIDE:
        return grid
    for side in ("left", "right", "top", "bottom"):
        along = side in ("left", "right")
        if (
            not (grid.x_shifts if along else grid.y_shifts)
            and _Outside.of(frame, grid, side, 1).goes_on()
        ):
            count = int(MOST_ADDED / (1 - MOST_ADDED) * (grid.cols if along else grid.rows))
            closed = Beside.of(frame, grid, side).edges().mean() >= CLOSED_SHARE
            outside = _Outside.of(frame, grid, side, count)
            grid = _with_added(grid, side, outside.rows_to_add(may_be_plain=not closed))
    return grid


def _with_added(grid: Grid, side: str, count: int) -> Grid:
    """Return the grid with some rows or columns added on one side."""
    if side in ("left", "right"):
        x0 = grid.x0 - count * grid.tile_w * (side == "left")
        return replace(grid, x0=x0, cols=grid.cols + count)
    y0 = grid.y0 - count * grid.tile_h * (side == "top")
    return replace(grid, y0=y0, rows=grid.rows + count)


class _Outside(NamedTuple):
    """The cells of a board and those beyond one of its sides, which is turned to the bottom.

    ``inside`` holds the cells of the board, ``(rows * cols, values)``. ``beyond`` holds the rows
    that follow, ``(rows, cols + 2, values)``, the first of them next to the board; each has one
    more cell on both sides. Cells that differ by at most ``same`` on average look alike; a cell
    with a contrast up to ``plain`` is empty.
    """

    inside: NDArray[np.float32]
    beyond: NDArray[np.float32]
    same: float
    plain: float

    @classmethod
    def of(cls, frame: Frame, grid: Grid, side: str, most: int) -> _Outside:
        """Scale the board and at most ``most`` rows that follow it on one side."""
        along = side in ("left", "right")
        lines, pitch, length = (
            (grid.x_lines, grid.tile_w, frame.width)
            if along
            else (grid.y_lines, grid.tile_h, frame.height)
        )
        room = lines[0] if side in ("left", "top") else length - lines[-1]
        count = max(0, min(int(room / pitch), most))
        around = _with_added(replace(grid, x_shifts=(), y_shifts=()), side, count)
        for other in ("top", "bottom") if along else ("left", "right"):
            around = _with_added(around, other, 1)
        cells = _cells(frame, around)
        if along:
            cells = cells.swapaxes(0, 1)
        if side in ("left", "top"):
            cells = cells[::-1]
        end = len(cells) - count
        inside = cells[:end, 1:-1].reshape(-1, cells.shape[2])
        contrast = float(np.median(_contrast(inside)))
        same = float(np.clip(SAME_SHARE * contrast, SAME_LEAST, SAME_MOST))
        plain = np.clip(PLAIN_SHARE * contrast, LEAST_PLAIN, MOST_PLAIN)
        return cls(inside, cells[end:], same, float(plain))

    @property
    def most(self) -> float:
        """How far a single value may differ between cells that look alike."""
        return MOST_IN_A_PIXEL * self.same

    def goes_on(self) -> bool:
        """Whether the first row may belong to the board."""
        return bool(len(self.beyond)) and self._framed(self.beyond[0])[1:-1].mean() >= KNOWN_SHARE

    def rows_to_add(self, *, may_be_plain: bool) -> int:
        """Count the rows after the board that belong to it, too.

        Empty rows count only if some ``may_be_plain``.
        """
        outside, added = self, 0
        for row, cells in enumerate(self.beyond):
            framed = outside._framed(cells)
            if framed[1:-1].mean() < KNOWN_SHARE:
                break
            drawn = framed[1:-1] & outside._have_glyphs(cells[1:-1])
            known = outside._look_alike(cells[1:-1], ALL)
            is_end = may_be_plain and not framed[[0, -1]].any() and outside._ends_after(row)
            if (drawn & known).any() or drawn.sum() >= SURE_GLYPHS or is_end:
                added = row + 1
                inside = np.concatenate([outside.inside, *self.beyond[:added, 1:-1]])
                outside = outside._replace(inside=inside)
        return added

    def _framed(self, cells: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Mark the cells of a row that have the edges of a tile: only their middle may differ.

        If some are tiles of a kind that the board has, the others may be of one more kind.
        """
        framed = self._look_alike(cells, RING)
        inner = cells[1:-1]
        tiles = self._look_alike(inner, ALL) & ~self._are_plain(inner)
        others = ~framed[1:-1]
        if others.any() and tiles.sum() >= SURE_GLYPHS:
            usual = np.median(inner[others][:, RING], axis=0)
            framed |= np.abs(cells[:, RING] - usual).max(axis=1) <= self.most
        return framed

    def _ends_after(self, row: int) -> bool:
        """Whether the row that follows shows nothing of the board."""
        following = self.beyond[row + 1 : row + 2]
        return bool(len(following) and not self._look_alike(following[0], RING).any())

    def _look_alike(self, cells: NDArray[np.float32], part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the cells that look like a cell of the board in some of their pixels.

        No pixel may differ much: text beside a board covers only a few pixels at the edges of a
        cell.
        """
        inside = self.inside[:, part]
        alike = np.zeros(len(cells), np.bool_)
        for index, cell in enumerate(cells):
            off = np.abs(inside - cell[part])
            alike[index] = ((off.mean(axis=1) <= self.same) & (off.max(axis=1) <= self.most)).any()
        return alike

    def _are_plain(self, cells: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Mark the cells in which nothing is drawn."""
        return np.asarray(_contrast(cells) <= self.plain)

    def _have_glyphs(self, cells: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Mark the cells in which something is drawn inside, not only at their edges."""
        return np.asarray(_contrast(cells[:, ~RING]) > self.plain)


def _contrast(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest range of a colour in each cell."""
    return np.asarray(np.ptp(cells.reshape(len(cells), -1, 3), axis=1).max(axis=1))


def _cells(frame: Frame, grid: Grid) -> NDArray[Any]:
    """Scale the cells of a grid to a few pixels each: ``(rows, cols, values)``, float32.

    The grid may reach beyond the frame; the frame's edge is repeated there.
    """
    x0, y0, x1, y1 = grid.bounds
    inside = frame.pixels[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)]
    padded = cv2.copyMakeBorder(
        inside,
        max(0, -y0),
        max(0, y1 - frame.height),
        max(0, -x0),
        max(0, x1 - frame.width),
        cv2.BORDER_REPLICATE,
    )
    size = grid.cols * CELL_PX, grid.rows * CELL_PX
    small = cv2.resize(padded, size, interpolation=cv2.INTER_AREA)
    split = small.reshape(grid.rows, CELL_PX, grid.cols, CELL_PX, 3).swapaxes(1, 2)
    return split.reshape(grid.rows, grid.cols, -1).astype(np.float32)

"""Points, boxes, and where a board lies in a frame: cells to pixels, and pixels to cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.board import Cell

FARTHEST_PX = 100_000
"""Larger than any screen."""


class PixelPoint(NamedTuple):
    """A point inside a frame, in pixels from its top-left corner."""

    x: float
    y: float


class ScreenPoint(NamedTuple):
    """A point on the screen, in the units the mouse driver takes."""

    x: int
    y: int

    def is_near(self, other: ScreenPoint, units: int) -> bool:
        """Whether another point is at most this many units away, along either axis."""
        return max(abs(self.x - other.x), abs(self.y - other.y)) <= units


Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle, for instance a `PixelBox`."""


class PixelBox(NamedTuple):
    """A rectangle inside a frame: ``x0 <= x < x1``, ``y0 <= y < y1``, in pixels."""

    x0: int
    y0: int
    x1: int
    y1: int

    def nearest_to(self, point: PixelPoint) -> PixelPoint:
        """Return the pixel of the rectangle that is nearest to a point."""
        x = min(max(point.x, self.x0), self.x1 - 1)
        return PixelPoint(x, min(max(point.y, self.y0), self.y1 - 1))


def shared_area(one: Box, two: Box) -> float:
    """Return the area of the rectangle that two boxes share, 0 if they share none."""
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    return max(0.0, width) * max(0.0, height)


def overlap(one: Box, two: Box) -> float:
    """Return the area two boxes share, as a share of the smaller box: 0 to 1."""
    smaller = min((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, two))
    return shared_area(one, two) / smaller


SMALLEST_TILE_PX = 3.0
"""Smallest tile of a grid from a file: smaller tiles cannot be read."""

MOST_OFF = 0.12
"""How far apart two positions of the same line may be, in tiles."""


@dataclass(frozen=True)
class Grid:
    """Frozen geometry of a board: origin and pitch in pixels of the frame, with fractions.

    ``x0, y0`` is the top-left corner of the first cell; ``tile_w, tile_h`` is the pitch.
    ``confidence`` (0..1) says how well the grid fits. ``gap_w, gap_h`` is the part of the pitch
    between two tiles, if that is known: each cell then has half a gap on each side.

    Some programs stretch a board over a window and give some columns a pixel more than others. If
    that adds up, ``x_shifts`` (``cols + 1`` entries, one a line) and ``y_shifts`` (``rows + 1``)
    say how far each line lies from its even position; otherwise they are empty. Raises `ValueError`
    for a grid without cells, with shifts of another length, or with gaps as wide as the pitch.

    >>> grid = Grid(10, 20, 16, 16, rows=9, cols=9)
    >>> grid.centre(Cell(0, 1))
    PixelPoint(x=34.0, y=28.0)
    >>> grid.cell_at(PixelPoint(34, 28))
    Cell(row=0, col=1)
    """

    x0: float
    y0: float
    tile_w: float
    tile_h: float
    rows: int
    cols: int
    confidence: float = 1.0
    x_shifts: tuple[float, ...] = ()
    y_shifts: tuple[float, ...] = ()
    gap_w: float = 0.0
    gap_h: float = 0.0

    def __post_init__(self) -> None:
        if min(self.rows, self.cols) < 1 or not min(self.tile_w, self.tile_h) > 0:
            raise ValueError("A grid needs cells of some size.")
        if not (0 <= self.gap_w < self.tile_w and 0 <= self.gap_h < self.tile_h):
            raise ValueError("The gap between tiles must be smaller than their distance.")
        if len(self.x_shifts) not in (0, self.cols + 1):
            raise ValueError("x_shifts needs one entry for each vertical line, or none.")
        if len(self.y_shifts) not in (0, self.rows + 1):
            raise ValueError("y_shifts needs one entry for each horizontal line, or none.")

    @property
    def x_lines(self) -> NDArray[np.floating[Any]]:
        """Positions of the ``cols + 1`` vertical lines, float64."""
        return _lines(self.x0, self.tile_w, self.cols, self.x_shifts)

    @property
    def y_lines(self) -> NDArray[np.floating[Any]]:
        """Positions of the ``rows + 1`` horizontal lines, float64."""
        return _lines(self.y0, self.tile_h, self.rows, self.y_shifts)

    def centre(self, cell: Cell) -> PixelPoint:
        """Return the centre of a cell."""
        return PixelPoint(
            0.5 * (self._x(cell.col) + self._x(cell.col + 1)),
            0.5 * (self._y(cell.row) + self._y(cell.row + 1)),
        )

    def box(self, cell: Cell) -> PixelBox:
        """Return the box of a cell, rounded to whole pixels."""
        return PixelBox(
            round(self._x(cell.col)),
            round(self._y(cell.row)),
            round(self._x(cell.col + 1)),
            round(self._y(cell.row + 1)),
        )

    @property
    def bounds(self) -> PixelBox:
        """The box of the whole board, rounded to whole pixels."""
        return PixelBox(
            round(self._x(0)),
            round(self._y(0)),
            round(self._x(self.cols)),
            round(self._y(self.rows)),
        )

    def cell_at(self, point: PixelPoint) -> Cell | None:
        """Return the cell that holds a point, None for a point beside the board."""
        col = int(np.searchsorted(self.x_lines, point.x, "right")) - 1
        row = int(np.searchsorted(self.y_lines, point.y, "right")) - 1
        return Cell(row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def moved(self, dx: float, dy: float) -> Grid:
        """Return the same grid shifted by ``dx, dy`` pixels."""
        return replace(self, x0=self.x0 + dx, y0=self.y0 + dy)

    def part(self, first: Cell, last: Cell) -> Grid:
        """Return the grid of the cells from ``first`` (top left) to ``last``, both included."""
        return replace(
            self,
            x0=self.x0 + first.col * self.tile_w,
            y0=self.y0 + first.row * self.tile_h,
            rows=last.row - first.row + 1,
            cols=last.col - first.col + 1,
            x_shifts=self.x_shifts[first.col : last.col + 2],
            y_shifts=self.y_shifts[first.row : last.row + 2],
        )

    def widened(self, left: int, right: int, top: int, bottom: int) -> Grid:
        """Return the grid with columns and rows added on each side; its axes must be even."""
        return replace(
            self,
            x0=self.x0 - left * self.tile_w,
            y0=self.y0 - top * self.tile_h,
            rows=self.rows + top + bottom,
            cols=self.cols + left + right,
            x_shifts=(),
            y_shifts=(),
        )

    def has_lines_of(self, other: Grid, most_off: float = MOST_OFF) -> bool:
        """Whether all lines of ``other`` are lines of this grid, within ``most_off`` tiles."""
        return all(
            np.abs(theirs[:, None] - mine).min(axis=1).max() <= most_off * pitch
            for mine, theirs, pitch in (
                (self.x_lines, other.x_lines, self.tile_w),
                (self.y_lines, other.y_lines, self.tile_h),
            )
        )

    def _x(self, line: int) -> float:
        return self.x0 + line * self.tile_w + (self.x_shifts[line] if self.x_shifts else 0.0)

    def _y(self, line: int) -> float:
        return self.y0 + line * self.tile_h + (self.y_shifts[line] if self.y_shifts else 0.0)


def _lines(
    start: float, pitch: float, cells: int, shifts: tuple[float, ...]
) -> NDArray[np.floating[Any]]:
    lines = start + pitch * np.arange(cells + 1)
    return lines + np.array(shifts) if shifts else lines

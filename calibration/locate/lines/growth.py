"""Add the rows and columns of a board that show no lines.

Where a program draws no lines between open tiles, a board that was opened along one side is found
too small: the lines end with the covered tiles. The next row still belongs to the board if its
cells look like cells of the board, and if something is drawn in them, or if they end where the
board does. Cells in one colour that go on around the board are its surroundings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.margins import Beside

CELL_PX = 6
"""Side of a cell in the scaled picture, in pixels."""

SAME_SHARE, SAME_LEAST, SAME_MOST = 0.25, 1.0, 4.0
"""Largest mean difference of cells that look alike: a share of the usual contrast within a cell of
the board, and its two bounds in colour steps."""

ALL = np.ones(CELL_PX * CELL_PX * 3, np.bool_)
RING = np.pad(
    np.zeros((CELL_PX - 2, CELL_PX - 2, 3), np.bool_),
    ((1, 1), (1, 1), (0, 0)),
    constant_values=True,
).ravel()
"""The values of a cell that are compared: all, or those at its edges, where no digit is."""

SURE_GLYPHS = 2
"""Fewest cells of a row with something new in them, if the row belongs to the board for it."""

MOST_IN_A_PIXEL = 6
"""Largest difference of a single pixel of such cells, as a multiple of that."""

PLAIN_SHARE, LEAST_PLAIN, MOST_PLAIN = 0.5, 8, 24
"""Largest contrast of a cell in which nothing is drawn: a share of the usual one, and its bounds.
The lines of a page by other people had a contrast of 3, and so had the frame of its panel."""

KNOWN_SHARE = 0.9
"""Least share of a row beside a board that looks like its cells, if the row belongs to it."""

CLOSED_SHARE = 0.95
"""Share of the outermost tiles with an edge, from which a line closes the board there. Beside
a row of zeros no tile is covered, so that without lines between open tiles there is no edge."""

MOST_ADDED = 0.75
"""Largest part of a board that may be without lines: its open rows, of all."""

LEAST_SIDE = 5
"""Rows and columns of the smallest grid that grows."""


def grown(frame: Frame, grid: Grid) -> Grid:
    """Return the grid with the rows and columns added that belong to the board without lines.

    An axis whose lines are uneven does not grow, because its further lines are not known. Nor does
    a grid of fewer than `LEAST_SIDE` rows or columns: it has too few tiles to compare with.
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
    """Return the grid with some rows or columns more on one side."""
    if side in ("left", "right"):
        x0 = grid.x0 - count * grid.tile_w * (side == "left")
        return replace(grid, x0=x0, cols=grid.cols + count)
    y0 = grid.y0 - count * grid.tile_h * (side == "top")
    return replace(grid, y0=y0, rows=grid.rows + count)


class _Outside(NamedTuple):
    """The cells of a board and those beyond one of its sides, which is turned to the bottom.

    ``inside`` holds the cells of the board, ``(rows * cols, values)``. ``beyond`` holds the rows
    that follow, ``(rows, cols + 2, values)``, the first of them next to the board; each has one
    cell more on both sides. Cells that differ by at most ``same`` on average look
    alike; one with a contrast up to ``plain`` has nothing drawn in it.
    """

    inside: NDArray[np.float32]
    beyond: NDArray[np.float32]
    same: float
    plain: float

    @classmethod
    def of(cls, frame: Frame, grid: Grid, side: str, most: int) -> _Outside:
        """Scale the board and the rows that follow it on one side, ``most`` at most."""
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
        """Tell whether the first row may belong to the board."""
        return bool(len(self.beyond)) and self._framed(self.beyond[0])[1:-1].mean() >= KNOWN_SHARE

    def rows_to_add(self, *, may_be_plain: bool) -> int:
        """Count the rows from the board on that belong to it, too.

        Rows in which nothing is drawn count only if some ``may_be_plain``.
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
        """Tell which cells of a row have the edges of a tile, so that only their middle may differ.

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
        """Tell whether the row that follows has nothing of the board any more."""
        following = self.beyond[row + 1 : row + 2]
        return bool(len(following) and not self._look_alike(following[0], RING).any())

    def _look_alike(self, cells: NDArray[np.float32], part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which cells look like one of the board in some of their pixels.

        No pixel may differ much: text beside a board covers only a few at the edges of a cell.
        """
        inside = self.inside[:, part]
        alike = np.zeros(len(cells), np.bool_)
        for index, cell in enumerate(cells):
            off = np.abs(inside - cell[part])
            alike[index] = ((off.mean(axis=1) <= self.same) & (off.max(axis=1) <= self.most)).any()
        return alike

    def _are_plain(self, cells: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Tell in which cells nothing is drawn."""
        return np.asarray(_contrast(cells) <= self.plain)

    def _have_glyphs(self, cells: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Tell in which cells something is drawn inside, not only at their edges."""
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

"""Where a board ends: which rows and columns of a lattice, in a grid and around it, are its tiles.

The lattice is easy to find; where it stops being the board is not: panels, frames and lines of a
page may fit it. The network says of each cell whether it is a tile of the board
(`calibration.read.network`). On 633 labelled boards whose grids were widened by a ring of cells,
98 of 100 have no side of the ring, and all of their own sides, by the rule here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.read.recognise import see_tiles
from calibration.views import cut_views
from solver.board import Cell

MOSTLY = 0.5
"""Share of the cells of a row or column from which it is one of the board."""

MORE = 0.8
"""The same for one beside a grid, by which it is widened: a row of buttons may look like tiles."""

MOST_ROUNDS = 6
"""How often a grid is widened or narrowed by what is seen."""

FEWEST = 3
"""Rows and columns that a board has at least."""


def board_ends(frame: Frame, grid: Grid) -> Grid:
    """Return the grid with the rows and columns that are of the board, and no others.

    A grid with uneven lines is only narrowed; so is one at the edge of the frame.
    """
    for _ in range(MOST_ROUNDS):
        here = _with_tiles_only(frame, grid)
        if here == grid:
            return grid
        grid = here
    return grid


def goes_beyond(ends: Grid, grid: Grid) -> bool:
    """Whether a board with these ends has cells outside of the grid."""
    one, other = ends.bounds, grid.bounds
    return (
        one.x0 < other.x0 - 0.5 * grid.tile_w
        or one.y0 < other.y0 - 0.5 * grid.tile_h
        or one.x1 > other.x1 + 0.5 * grid.tile_w
        or one.y1 > other.y1 + 0.5 * grid.tile_h
    )


def _with_tiles_only(frame: Frame, grid: Grid) -> Grid:
    """Leave out what is not of the board; if nothing is, widen the grid by what is."""
    left, right, top, bottom = _room(frame, grid)
    wider = grid.widened(left, right, top, bottom) if left + right + top + bottom else grid
    is_tile = see_tiles(cut_views(frame.pixels, wider)).is_tile > 0
    inside = is_tile[top : top + grid.rows, left : left + grid.cols]
    rows, cols = (_run(inside.mean(axis=axis) >= MOSTLY) for axis in (1, 0))
    if rows is None or cols is None:
        return grid
    if (rows, cols) != ((0, grid.rows - 1), (0, grid.cols - 1)):
        return grid.part(Cell(rows[0], cols[0]), Cell(rows[1], cols[1]))
    columns, lines = slice(left, left + grid.cols), slice(top, top + grid.rows)
    grows = [
        bool(room and is_tile[beside].mean() >= MORE)
        for room, beside in (
            (left, (lines, 0)),
            (right, (lines, -1)),
            (top, (0, columns)),
            (bottom, (-1, columns)),
        )
    ]
    return grid.widened(*map(int, grows)) if any(grows) else grid


def _run(marked: NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return the first and the last place that is marked; None if hardly any is."""
    places = np.flatnonzero(marked)
    if not len(places) or places[-1] - places[0] + 1 < FEWEST:
        return None
    return int(places[0]), int(places[-1])


def _room(frame: Frame, grid: Grid) -> tuple[int, int, int, int]:
    """Return whether another column or row is wholly in the frame: left, right, top, bottom."""
    if grid.x_shifts or grid.y_shifts:
        return 0, 0, 0, 0
    x_lines, y_lines = grid.x_lines, grid.y_lines
    return (
        int(x_lines[0] - grid.tile_w >= 0),
        int(x_lines[-1] + grid.tile_w <= frame.width),
        int(y_lines[0] - grid.tile_h >= 0),
        int(y_lines[-1] + grid.tile_h <= frame.height),
    )

"""Read a board by the network and the rules: a label for each tile, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.labels import LABELS, columns_of
from calibration.likeness import colour_steps
from calibration.read.decode import decode_board, groups_of, may_be, open_ground
from calibration.read.network import name_tiles
from calibration.read.views import cut_views
from calibration.rules import UNREAD, Mask, Tiles

ALIKE, A_STEP, DRAWN = 8.0, 0.5, 20
"""The mean colour steps by which a cell beside a grid may differ from a tile of it; the logarithm
of the odds for a tile that the network must give it for each of them; and the range of colours from
which a cell is more than the ground around a board."""

SURE_TILE, SEVERAL = 4.0, 3
"""The logarithm of the odds, and the number of cells, from which the network alone is enough."""


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """What the network and the rules say of a board; all arrays are ``(rows, cols)``.

    ``tiles`` int8 are as in `Board`, `UNREAD` for what is not a tile of the game. ``confidence`` is
    the probability of each, 0 for what is rather no tile, and ``rivals`` are the next likely tiles.
    ``open_ground`` marks zeros that are open by their look alone. ``is_possible`` says that a game
    can look so. ``chances`` float64 ``(rows, cols, 16)`` is the probability of each of `LABELS`.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    is_possible: bool
    chances: NDArray[np.float64]


def read_board(
    pixels: NDArray[np.uint8],
    grid: Grid,
    fresh: NDArray[np.uint8] | None = None,
    opened: Mask | None = None,
) -> NetworkReading:
    """Read the board on a grid of a picture, uint8 ``(height, width, 3)``.

    ``fresh`` are the views of the board before the first click (`cut_views`), ``opened`` marks the
    cells that were clicked to open them. Raises `BadNetwork`.
    """
    cut = cut_views(pixels, grid)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    logits, is_tile = name_tiles(cut, groups, fresh, opened)
    decoded = decode_board(logits, groups)
    tiles, chances = LABELS[decoded.columns][groups], decoded.chances[groups]
    columns = columns_of(tiles)[..., None].astype(np.intp)
    confidence = np.take_along_axis(chances, columns, 2)[..., 0]
    others = chances.copy()
    np.put_along_axis(others, columns, -1.0, 2)
    zeros = open_ground(logits, tiles)
    return NetworkReading(
        tiles=tiles,
        confidence=np.where((tiles == UNREAD) | (is_tile < 0), 0.0, confidence),
        rivals=np.asarray(LABELS[others.argmax(axis=2)], np.int8),
        open_ground=zeros,
        is_possible=may_be(tiles, zeros),
        chances=chances,
    )


def tiles_around(pixels: NDArray[np.uint8], grid: Grid) -> Mask:
    """Mark the cells around a grid that are tiles of its board, ``(rows + 2, cols + 2)``.

    One is enough if it looks like a tile of the grid, too; if not, the network must be sure of
    several. The board then continues there: it is larger, or something covers the rest of a row.
    Of 449 whole boards in pictures one seems to, of 260 grids that lack a row or a column 257 do,
    and of 567 that end where a dialog covers one to three of them 480. Raises `BadNetwork`.
    """
    wider = grid.widened(1, 1, 1, 1)
    cut = cut_views(pixels, wider)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    views = cut.views.reshape(*groups.shape, *cut.views.shape[1:])
    inner = np.s_[1:-1, 1:-1]
    beside = _within(pixels, wider) & (np.ptp(views, axis=(2, 3)).max(axis=2) >= DRAWN)
    beside[inner] = False
    odds = name_tiles(cut, groups)[1]
    # One tile of each group, and the outer ones, whose margins show the ground around the board.
    shown = np.zeros((grid.rows, grid.cols), np.bool_)
    shown[[0, -1]] = shown[:, [0, -1]] = True
    shown.ravel()[np.unique(groups[inner], return_index=True)[1]] = True
    own = np.stack(list({view.tobytes(): view for view in views[inner][shown]}.values()))
    off = np.full(groups.shape, np.inf)
    for row, col in np.argwhere(beside & (odds >= 0)):
        off[row, col] = colour_steps(own, views[row, col]).mean(axis=(1, 2)).min()
    alike = beside & (off <= ALIKE) & (odds >= A_STEP * off)
    sure = beside & (odds >= SURE_TILE)
    return np.asarray(alike | sure if sure.sum() >= SEVERAL else alike)


def _within(pixels: NDArray[np.uint8], grid: Grid) -> Mask:
    """Mark the cells of a grid that lie within a picture."""
    height, width = pixels.shape[:2]
    x_lines, y_lines = np.rint(grid.x_lines), np.rint(grid.y_lines)
    across = (x_lines[:-1] >= 0) & (x_lines[1:] <= width)
    down = (y_lines[:-1] >= 0) & (y_lines[1:] <= height)
    return np.asarray(down[:, None] & across)

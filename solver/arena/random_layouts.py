"""Draw a layout of mines that fits a board."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from solver.analysis import sample_layouts
from solver.board import Board, Cell, Tile
from solver.errors import BadMineTotal


def draw_layout(board: Board, *, safe: Cell | None = None, rng: random.Random) -> NDArray[np.bool_]:
    """Draw one of the layouts that fit ``board``, all equally likely.

    If ``safe`` is given, only layouts without a mine there are drawn. Returns a bool array ``(rows,
    cols)`` of the mines. Raises `InconsistentBoard` if no layout fits, `BadMineTotal` if the total
    is unknown.
    """
    if board.mines is None:
        raise BadMineTotal("Drawing a layout needs the mine total.")
    if safe is not None:
        tiles = board.tiles.copy()
        tiles[safe] = Tile.WRONG_FLAG
        board = Board(tiles, board.mines)
    layout: NDArray[np.bool_] = sample_layouts(board, 1, seed=rng.getrandbits(64))[0]
    return layout

"""Drawing whole layouts of mines that fit a board."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from solver.analysis import sample_layouts
from solver.board import Board, Cell, Tile
from solver.errors import BadMineTotal


def draw_world(board: Board, *, safe: Cell | None = None, dice: random.Random) -> NDArray[np.bool_]:
    """Draw one layout, each that fits ``board`` (and leaves ``safe`` free) alike.

    Returns a mask ``(rows, cols)`` of the mines. Raises `InconsistentBoard` when no layout fits
    and `BadMineTotal` when the total is unknown.
    """
    if board.mines is None:
        raise BadMineTotal("Drawing a layout needs the mine total.")
    if safe is not None:
        tiles = board.tiles.copy()
        tiles[safe] = Tile.WRONG_FLAG
        board = Board(tiles, board.mines)
    world: NDArray[np.bool_] = sample_layouts(board, 1, seed=dice.getrandbits(64))[0]
    return world

"""Drawing whole layouts of mines that fit a board."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from solver.analysis import field_of
from solver.board import Board, Cell, Tile
from solver.errors import BadMineTotal, InconsistentBoard


def draw_world(board: Board, *, safe: Cell | None = None, dice: random.Random) -> NDArray[np.bool_]:
    """Draw one layout, each that fits ``board`` (and leaves ``safe`` free) alike.

    Returns a mask ``(rows, cols)`` of the mines. Raises `InconsistentBoard` when no layout fits
    and `BadMineTotal` when the total is unknown.
    """
    from solver.play import begin, look  # noqa: PLC0415  numba loads when needed
    from solver.worlds import draw  # noqa: PLC0415

    if board.mines is None:
        raise BadMineTotal("Drawing a layout needs the mine total.")
    tiles = board.tiles.copy()
    if safe is not None:
        tiles[safe] = Tile.WRONG_FLAG
    play = begin(field_of(Board(tiles)), board.cols, board.mines)
    known = look(play)
    if not known.fits:
        raise InconsistentBoard(f"No layout of {board.mines} mines fits the numbers.")
    draw(play.field, known, np.array([dice.getrandbits(64)], np.uint64), play.mined)
    bordered: NDArray[np.bool_] = play.mined.reshape(board.rows + 2, board.cols + 2)
    return bordered[1:-1, 1:-1].copy()

"""Drawing whole layouts of mines that fit a board."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import BadMineTotal


def draw_world(board: Board, *, safe: Cell | None = None, dice: random.Random) -> NDArray[np.bool_]:
    """Draw one layout, each that fits ``board`` (and leaves ``safe`` free) alike.

    The cells beside a number are settled one after the other by their exact chance given the
    ones before; the rest of the mines fall anywhere else. Raises `InconsistentBoard` when no
    layout fits and `BadMineTotal` when the total is unknown.
    """
    if board.mines is None:
        raise BadMineTotal("Drawing a layout needs the mine total.")
    tiles = board.tiles.copy()
    if safe is not None:
        tiles[safe] = Tile.WRONG_FLAG
    beside = count_neighbours(board.open) > 0
    while True:
        analysis = analyse(Board(tiles, board.mines))
        _settle(tiles, analysis.safe, analysis.mines)
        unsure = np.argwhere(beside & Board(tiles).covered).tolist()
        if not unsure:
            break
        cell = Cell(*unsure[0])
        mined = dice.random() < analysis.probabilities[cell]
        tiles[cell] = Tile.MINE if mined else Tile.WRONG_FLAG
    free = [Cell(*place) for place in np.argwhere(Board(tiles).covered).tolist()]
    shown = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED)
    for cell in dice.sample(free, board.mines - int(shown.sum())):
        shown[cell] = True
    return np.asarray(shown)


def _settle(tiles: NDArray[np.int8], safe: tuple[Cell, ...], mines: tuple[Cell, ...]) -> None:
    for cell in safe:
        tiles[cell] = Tile.WRONG_FLAG
    for cell in mines:
        tiles[cell] = Tile.MINE

"""How a game ended, told from which tiles changed, where what they show cannot be read.

A program that draws its mines in a way of its own ends a game with tiles that look like nothing
known. But where they lie says what they are: an opening spreads from the clicked cell, and mines
fit all numbers at once.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from solver.board import Board, Cell, Tile, count_neighbours

LEAST_APART = 2
"""Changed cells that no opening can have reached, from which a loss is told."""

LEAST_NUMBERS = 3
"""Open numbers that must fit the revealed mines, unless the mine total is known and fits."""


def revealed_mines(
    board: Board, clicked: Collection[Cell], changed: Collection[Cell]
) -> Board | None:
    """Return the lost board if the ``changed`` tiles can only be the mines that a loss reveals.

    ``board`` is the one before the ``clicked`` cells were opened. Two signs are needed: tiles
    changed that no opening can have reached, and the changed tiles, taken as mines together with
    the flags, fit every open number and the mine total if it is known. Returns None otherwise.
    """
    exploded = [cell for cell in clicked if cell in changed]
    apart = set(changed) - _reached(board, clicked, changed)
    little = board.mines is None and int((board.tiles > 0).sum()) < LEAST_NUMBERS
    if len(exploded) != 1 or len(apart) < LEAST_APART or little:
        return None
    tiles = board.tiles.copy()
    for cell in changed:
        tiles[cell] = Tile.MINE
    tiles[exploded[0]] = Tile.EXPLODED
    mines = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED) | (tiles == Tile.FLAG)
    wrong = (board.tiles >= 0) & (count_neighbours(mines) != board.tiles)
    if wrong.any() or board.mines not in (None, int(np.count_nonzero(mines))):
        return None
    return Board(tiles, board.mines)


def _reached(board: Board, clicked: Collection[Cell], changed: Collection[Cell]) -> set[Cell]:
    """Return the changed cells that touch a clicked one, directly or over other changed cells."""
    reached = {cell for cell in clicked if cell in changed}
    stack = list(reached)
    while stack:
        beside = set(board.neighbours(stack.pop())) & set(changed) - reached
        reached |= beside
        stack.extend(beside)
    return reached

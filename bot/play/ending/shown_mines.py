"""Which tiles of a last board are the mines that a loss shows, and which may not be.

A program that draws its mines in a way of its own ends a game with tiles that look like nothing
known. But where they lie says what they are: an opening spreads from the clicked cell, and mines
fit all numbers at once. And a tile that is only half painted may look like a mine.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from bot.events import Turn
from calibration.rules import Tiles, signs_of_loss
from solver.agents.base import Action
from solver.board import Board, Cell, Tile, count_neighbours

MINES = (Tile.MINE, Tile.EXPLODED)

LEAST_SHOWN = 3
"""Fewest mines in sight beside what lies over a board that show a loss."""

LEAST_MARKED = 4
"""Fewest marks that appeared at once, from which they are mines."""

LEAST_APART = 2
"""Changed cells that no opening can have reached, from which a loss is told."""

LEAST_PLACES, MOST_MINES = 4, 0.35
"""Places in which tiles changed, from which they lie scattered, and the largest share of a board
that is mines."""

MOST_OPEN_CHANGED = 0.5
"""Share of the open tiles that may look different, above which the board is dimmed or covered."""

LEAST_NUMBERS = 3
"""Open numbers that must fit the revealed mines, unless the mine total is known and fits."""


def is_risky(turn: Turn) -> bool:
    """Whether a turn may hit a mine: a guess, or a first click, which not all programs spare."""
    return not turn.decision.certain or turn.number == 1


def revealed_mines(
    board: Board, clicked: Collection[Cell], changed: Collection[Cell], *, at_rest: bool = False
) -> Board | None:
    """Return the lost board if the ``changed`` tiles can only be the mines that a loss reveals.

    ``board`` is the one before the ``clicked`` cells were opened. Two signs are needed: tiles
    changed that no opening can have reached, and the changed tiles, taken as mines together with
    the flags, fit every open number and the mine total if it is known. Where both tell little, as
    at the first click, the changed tiles of a board ``at_rest`` must lie scattered. Returns None
    otherwise, and where most open tiles changed, too: then the board is dimmed, or covered.
    """
    opened = sum(bool(board.open[cell]) for cell in changed)
    if opened > MOST_OPEN_CHANGED * board.open.sum():
        return None
    changed = [cell for cell in changed if board[cell] == Tile.HIDDEN]
    exploded = [cell for cell in clicked if cell in changed]
    apart = set(changed) - _reached(board, clicked, changed)
    little = board.mines is None and int((board.tiles > 0).sum()) < LEAST_NUMBERS
    if len(exploded) != 1 or len(apart) < LEAST_APART:
        return None
    if little and not (at_rest and _lie_scattered(board, changed)):
        return None
    beside = any(board[cell] > 0 for cell in board.neighbours(exploded[0]))
    if set(changed) == set(board.hidden_cells()) and not beside and board.mines is None:
        return None  # the cell may as well be the last safe one, and the others be shown by a win
    tiles = board.tiles.copy()
    for cell in changed:
        tiles[cell] = Tile.MINE
    tiles[exploded[0]] = Tile.EXPLODED
    mines = are_mines(tiles) | (tiles == Tile.FLAG)
    wrong = (board.tiles >= 0) & (count_neighbours(mines) != board.tiles)
    if wrong.any() or board.mines not in (None, int(np.count_nonzero(mines))):
        return None
    return Board(tiles, board.mines)


def _lie_scattered(board: Board, changed: Collection[Cell]) -> bool:
    """Whether cells lie apart like mines, in many places, and are not too many."""
    left, places = set(changed), 0
    while left:
        left -= _reached(board, [next(iter(left))], changed)
        places += 1
    return places >= LEAST_PLACES and len(changed) <= MOST_MINES * board.tiles.size


def may_be_half_painted(turn: Turn, tiles: Tiles, mines: int | None) -> bool:
    """Whether the mines shown after a turn may be open tiles that are not wholly painted yet.

    Those after a first click may be parts of its opening, which hangs together, unless there are
    as many as the total of ``mines``. Later they are cells that were clicked and nothing else:
    several of them, though the first one ends a game, or one that was certainly safe.
    """
    board = turn.reading.board
    shown = [Cell(*map(int, place)) for place in np.argwhere(are_mines(tiles))]
    if not board.open.any():
        return not (len(shown) == mines or _lie_scattered(board, shown))
    new = {cell for cell in shown if board[cell] not in MINES}
    clicked = {move.cell for move in turn.decision.moves if move.action is Action.OPEN}
    return bool(new) and new <= clicked and (turn.decision.certain or len(new) > 1)


def _reached(board: Board, clicked: Collection[Cell], changed: Collection[Cell]) -> set[Cell]:
    """Return the changed cells that touch a clicked one, directly or over other changed cells."""
    reached = {cell for cell in clicked if cell in changed}
    stack = list(reached)
    while stack:
        beside = set(board.neighbours(stack.pop())) & set(changed) - reached
        reached |= beside
        stack.extend(beside)
    return reached


def marks_are_mines(turn: Turn, board: Board) -> bool:
    """Whether a guess, or a first click, left marks on its cell and on others that nobody flagged.

    They are the mines of a lost game, read as flags, since all of them look alike.
    """
    opened = [move.cell for move in turn.decision.moves if move.action is Action.OPEN]
    new = (board.tiles == Tile.FLAG) & (turn.reading.board.tiles == Tile.HIDDEN)
    alone = len(opened) == len(turn.decision.moves) == 1
    return is_risky(turn) and alone and bool(new[opened[0]]) and int(new.sum()) >= LEAST_MARKED


def is_lone_mine(board: Board, shown: Board, opened: Collection[Cell]) -> bool:
    """Whether nothing changed but one of the cells that were opened, which shows a mine now.

    Where a program shows no other mine, a loss far from every number looks like that. Mines that
    took lives before may look like the one that exploded, or no more; or they are taken for flags.
    """
    mined, flags = are_mines(shown.tiles), shown.tiles == Tile.FLAG
    changed = (shown.tiles != board.tiles) & ~((mined | flags) & are_mines(board.tiles))
    cells = [cell for cell in board.cells() if changed[cell]]
    return len(cells) == 1 and cells[0] in opened and bool(mined[cells[0]])


def shows_loss(labels: Tiles, turn: Turn, opened: Collection[Cell], mines: int | None) -> bool:
    """Whether what can be read of a board shows a loss: a clicked mine, and what tells one."""
    return has_clicked_mine(labels, turn, opened, mines) and signs_of_loss(labels) > 1


def has_clicked_mine(tiles: Tiles, turn: Turn, opened: Collection[Cell], mines: int | None) -> bool:
    """Whether tiles, some of which may be in doubt, show several mines, and one was opened."""
    shown = are_mines(tiles)
    several = int(shown.sum()) >= LEAST_SHOWN and not may_be_half_painted(turn, tiles, mines)
    return several and any(shown[cell] for cell in opened)


def are_mines(tiles: Tiles) -> NDArray[np.bool_]:
    """Mark the mines that are shown, exploded or not."""
    return np.isin(tiles, MINES)

"""What the last turn tells of the end of a game whose last board cannot be read.

Its clicks may have opened the last safe cells. And it tells which tiles changed since: a program
that draws its mines in a way of its own ends a game with tiles that look like nothing known. But
where they lie says what they are: an opening spreads from the clicked cell, and mines fit all
numbers at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.events import Outcome, Turn
from bot.mouse.plan import ClickEffect, PlannedClick, cells_of
from calibration.errors import StatusUnclear
from calibration.rules import UNREAD, Mask, Tiles, signs_of_loss, status_of
from solver.agents.base import Action
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.game import Status
from solver.mine_total import USUAL_TOTALS

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

BOARD_HIDDEN_NOTE = (
    "The board cannot be read as the game ended: something covers it (close it if it belongs to "
    "the program), or its end is drawn in a way that is not known."
)

REVEALED_NOTE = (
    "The end of the game is drawn in a way that is not known, but the tiles that changed can only "
    "be its mines."
)

SAID_NOTE = "The window says in words how the game ended."

FLAGS_CHANGED_NOTE = (
    "All mines are flagged, and the tiles look different from then on: the game is over."
)

OTHER_MARKS = (
    "All mines are marked, but the clock beside the board runs on: the marks may be no flags. Mark "
    "them by hand, or start a new game."
)

NO_FLAGS_HERE = (
    "All else is open, but the clock beside the board runs on, and a right click opens a menu: "
    "mark the mines by hand, or start a new game."
)

NO_FLAGS_NOTE = "The mines take no flags, and all else is open: the game is over."

SHOWN_NOTE = "All mines are shown in one look: whether one was clicked tells how the game ended."

LONE_NOTE = "Nothing but a mine appeared, on the cell that was clicked: the game is lost."


@dataclass(frozen=True)
class UnreadEnd:
    """The end of a game whose last board could not be read: how it ended, and ``note`` why.

    ``board`` is the last board as far as it is known; ``revealed`` says that it is still in sight.
    """

    outcome: Outcome
    board: Board
    note: str
    revealed: bool = False


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
    mines = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED) | (tiles == Tile.FLAG)
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


def may_be_half_painted(before: Board, tiles: Tiles) -> bool:
    """Whether the mines after a first click may be parts of an opening, which hangs together."""
    mines = [Cell(*map(int, place)) for place in np.argwhere(_are_mines(tiles))]
    return not (before.open.any() or len(mines) == before.mines or _lie_scattered(before, mines))


def _reached(board: Board, clicked: Collection[Cell], changed: Collection[Cell]) -> set[Cell]:
    """Return the changed cells that touch a clicked one, directly or over other changed cells."""
    reached = {cell for cell in clicked if cell in changed}
    stack = list(reached)
    while stack:
        beside = set(board.neighbours(stack.pop())) & set(changed) - reached
        reached |= beside
        stack.extend(beside)
    return reached


def is_risky(turn: Turn) -> bool:
    """Whether a turn may hit a mine: a guess, or a first click, which not all programs spare."""
    return not turn.decision.certain or turn.number == 1


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
    took lives before may look like the one that exploded, or no more.
    """
    mined = _are_mines(shown.tiles)
    changed = (shown.tiles != board.tiles) & ~(mined & _are_mines(board.tiles))
    cells = [cell for cell in board.cells() if changed[cell]]
    return len(cells) == 1 and cells[0] in opened and bool(mined[cells[0]])


def only_mines_left(board: Board, mines: int | None) -> bool:
    """Whether only mines are left covered, by the mine total and by every open number.

    The total alone is not enough: a person may have given a wrong one. If it is unknown, the usual
    one of the size takes its place, or the numbers alone tell. Mines that are shown took lives.
    """
    tiles = np.where(_are_mines(board.tiles), np.int8(Tile.FLAG), board.tiles)
    if mines is None and status_of(tiles, None) is Status.WON:
        return True
    total = USUAL_TOTALS.get((board.rows, board.cols)) if mines is None else mines
    unopened = ~board.open
    fits = (count_neighbours(unopened) == board.tiles) | unopened
    return int(unopened.sum()) == total and bool(fits.all())


def opened_unclicked(board: Board, shown: Board, clicked: Collection[Cell]) -> bool:
    """Whether ``shown`` has an open cell that ``board`` has not and that no click can have opened.

    A click opens its cell and, from zero to zero, those around it. A program that opens more shows
    its whole board after a loss, even if none of these clicks hit a mine: another one did.
    """
    reached = _flooded(shown, clicked, shown.open, shown.tiles == 0)
    new = shown.open & ~board.open
    return any(new[cell] for cell in shown.cells() if cell not in reached)


def _flooded(board: Board, clicked: Collection[Cell], opened: Mask, zeros: Mask) -> set[Cell]:
    """Return which of the cells marked as ``opened`` clicks open, themselves and from zero to zero.

    Both masks are ``(rows, cols)``.
    """
    reached = {cell for cell in clicked if opened[cell]}
    stack = [cell for cell in reached if zeros[cell]]
    while stack:
        beside = {cell for cell in board.neighbours(stack.pop()) if opened[cell]} - reached
        reached |= beside
        stack.extend(cell for cell in beside if zeros[cell])
    return reached


def opened_by(made: Sequence[PlannedClick]) -> list[Cell]:
    """Return the cells that clicks opened; others flagged some, or took a mark away."""
    effects = (ClickEffect.OPEN, ClickEffect.CHORD)
    return cells_of(one for one in made if one.effect in effects)


def opened_all_safe(turn: Turn, clicked: Sequence[Cell]) -> bool:
    """Whether these clicks, all certain, opened every safe cell that was left.

    Without a mine total, every cell that is left must be a certain mine. A cell that was not
    clicked counts as opened if flooding reaches it from one that was.
    """
    board, moves = turn.reading.board, turn.decision.moves
    safe = {move.cell for move in moves if move.action is Action.OPEN}
    if not turn.decision.certain or not safe:
        return False
    shown = int(_are_mines(board.tiles).sum())  # those that took lives
    mines = len(analyse(board).mines) if board.mines is None else board.mines - shown
    if int(board.covered.sum()) - mines != len(safe):
        return False
    to_open = np.zeros(board.tiles.shape, np.bool_)
    for cell in safe:
        to_open[cell] = True
    zeros = count_neighbours(~board.open & ~to_open) == 0
    return safe <= _flooded(board, clicked, to_open, zeros)


def leaves_safe_cells(board: Board, left: Collection[Cell]) -> bool:
    """Whether some of the hidden cells ``left`` are safe for sure; the others were opened.

    Without a mine total, they cannot all be mines if a number has too many of them around it, and a
    cell that touches no number, and none of the opened cells, cannot be known to be one.
    """
    if board.mines is not None:
        return len(left) > board.mines
    mined = board.tiles == Tile.FLAG
    for cell in left:
        mined[cell] = True
    too_many = board.open & (count_neighbours(mined) > board.tiles)
    opened = (board.tiles == Tile.HIDDEN) & ~mined
    numbers = count_neighbours((board.tiles > 0) | opened)
    return bool(too_many.any()) or any(numbers[cell] == 0 for cell in left)


def flagged_all_mines(turn: Turn, clicked: Sequence[Cell]) -> bool:
    """Whether only mines were left covered, and these clicks flagged those without a flag."""
    board, moves = turn.reading.board, turn.decision.moves
    flagged = {move.cell for move in moves if move.action is Action.FLAG} & set(clicked)
    left = {cell for cell in board.cells() if not board.open[cell] and board[cell] != Tile.FLAG}
    return bool(flagged) and flagged == left and left <= set(analyse(board).mines)


def end_of_unclear(
    trouble: StatusUnclear, board: Board, opened: Collection[Cell]
) -> UnreadEnd | None:
    """Return how a game ended of which the board does not tell enough, after cells were opened."""
    shown = trouble.board
    if not trouble.may_change:
        return _end_of_clicks(shown, board, opened)
    lost = shown is not None and is_lone_mine(board, shown, opened)
    return UnreadEnd(Outcome.LOST, shown, LONE_NOTE, revealed=True) if shown and lost else None


def _end_of_clicks(shown: Board | None, board: Board, opened: Collection[Cell]) -> UnreadEnd | None:
    """Return how a game ended whose mines are all shown, all alike, after cells were opened."""
    if shown is None or not opened or (shown.tiles != board.tiles)[board.open].any():
        return None
    lost = any(shown[cell] == Tile.MINE for cell in opened)
    if not lost and opened_unclicked(board, shown, opened):
        return None
    return UnreadEnd(Outcome.LOST if lost else Outcome.WON, shown, SHOWN_NOTE, revealed=True)


def with_open_below(labels: Tiles, board: Board) -> Tiles:
    """Return the labels of a board with the tiles in doubt that were open on ``board`` before.

    Whatever lies over an open cell, its number stays.
    """
    return np.where((labels == UNREAD) & board.open, board.tiles, labels).astype(np.int8)


def shows_loss(labels: Tiles, before: Board, opened: Collection[Cell]) -> bool:
    """Whether what can be read of a board shows a loss: a clicked mine, and what tells one."""
    return has_clicked_mine(labels, before, opened) and signs_of_loss(labels) > 1


def is_won(labels: Tiles, mines: int | None) -> bool:
    """Whether no tile of a board is in doubt, and all are open but the mines."""
    return UNREAD not in labels and status_of(labels, mines) is Status.WON


def has_clicked_mine(tiles: Tiles, before: Board, opened: Collection[Cell]) -> bool:
    """Whether tiles, some of which may be in doubt, show several mines, and one was opened."""
    mines = _are_mines(tiles)
    several = int(mines.sum()) >= LEAST_SHOWN and not may_be_half_painted(before, tiles)
    return several and any(mines[cell] for cell in opened)


def _are_mines(tiles: Tiles) -> NDArray[np.bool_]:
    """Mark the mines that are shown, exploded or not."""
    return np.isin(tiles, (Tile.MINE, Tile.EXPLODED))


def end_without_hidden(
    labels: Tiles | None, board: Board, opened: Collection[Cell]
) -> UnreadEnd | None:
    """Return how a game ended on whose last board only mines are not open, whatever they look like.

    ``labels`` are those of the last board, with `UNREAD` where a tile is in doubt. Tiles that
    are not open are mines if each number has as many of them around it as it says, and each touches
    a number. If a cell that was ``opened`` is one of them, it exploded.
    """
    if labels is None or (labels == Tile.HIDDEN).any():
        return None
    covered = np.where(labels < 0, np.int8(Tile.HIDDEN), labels)
    if status_of(covered, board.mines) is not Status.WON:
        return None
    shown = Board(np.where(labels < 0, np.int8(Tile.MINE), labels), board.mines)
    return _end_of_clicks(shown, board, opened)


def outcome_without_moves(board: Board, clicked: bool) -> Outcome:
    """Return WON if every unopened cell is a certain mine, STOPPED otherwise.

    This is for an agent that makes no move, which also happens if the total is unknown. A game in
    which the bot never ``clicked`` has no result.
    """
    done = int(board.covered.sum()) == len(analyse(board).mines)
    return Outcome.WON if done and clicked else Outcome.STOPPED

"""What the last turn tells of the end of a game whose last board cannot be read.

Its clicks may have opened the last safe cells, or flagged the last mines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from bot.events import Outcome, Turn
from bot.play.ending.shown_mines import are_mines, is_lone_mine
from calibration.errors import StatusUnclear
from calibration.rules import UNREAD, Tiles, status_of
from solver.agents.base import Action
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours, flooded, marked
from solver.game import Status
from solver.mine_total import USUAL_TOTALS

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


def only_mines_left(board: Board, mines: int | None) -> bool:
    """Whether only mines are left covered, by the mine total and by every open number.

    The total alone is not enough: a person may have given a wrong one. If it is unknown, the usual
    one of the size takes its place, or the numbers alone tell. Mines that are shown took lives.
    """
    tiles = np.where(are_mines(board.tiles), np.int8(Tile.FLAG), board.tiles)
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
    reached = flooded(marked(shown.tiles.shape, clicked) & shown.open, shown.tiles == 0)
    return bool((shown.open & ~board.open & ~reached).any())


def opened_all_safe(turn: Turn, clicked: Sequence[Cell]) -> bool:
    """Whether these clicks, all certain, opened every safe cell that was left.

    Without a mine total, every cell that is left must be a certain mine. A cell that was not
    clicked counts as opened if flooding reaches it from one that was.
    """
    board, moves = turn.reading.board, turn.decision.moves
    safe = {move.cell for move in moves if move.action is Action.OPEN}
    if not turn.decision.certain or not safe:
        return False
    shown = int(are_mines(board.tiles).sum())  # those that took lives
    mines = len(analyse(board).mines) if board.mines is None else board.mines - shown
    if int(board.covered.sum()) - mines != len(safe):
        return False
    to_open = marked(board.tiles.shape, safe)
    zeros = to_open & (count_neighbours(~board.open & ~to_open) == 0)
    reached = flooded(marked(board.tiles.shape, clicked) & to_open, zeros)
    return not bool((to_open & ~reached).any())


def leaves_safe_cells(board: Board, left: Collection[Cell]) -> bool:
    """Whether some of the hidden cells ``left`` are safe for sure; the others were opened.

    Without a mine total, they cannot all be mines if a number has too many of them around it, and a
    cell that touches no number, and none of the opened cells, cannot be known to be one.
    """
    if board.mines is not None:
        return len(left) > board.mines
    mined = (board.tiles == Tile.FLAG) | marked(board.tiles.shape, left)
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


def is_won(labels: Tiles, mines: int | None) -> bool:
    """Whether no tile of a board is in doubt, and all are open but the mines."""
    return UNREAD not in labels and status_of(labels, mines) is Status.WON


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

"""Whether a game is over and how it ended, even if a dialog hides the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.errors import WindowTrouble
from bot.events import Observer, Outcome, Turn
from bot.mouse.plan import PlannedClick
from bot.options import Limits
from bot.play.last_turn import (
    flagged_all_mines,
    is_lone_mine,
    marks_are_mines,
    opened_all_safe,
    opened_by,
    revealed_mines,
)
from bot.play.restart import Restarter
from bot.play.words import EndWords
from bot.tracking.observation import Observation, status_fits_board
from bot.tracking.waits import Waits
from calibration.errors import BoardCovered, StatusUnclear, UnreadableTiles
from calibration.frame import Frame
from calibration.rules import UNREAD, Tiles, shows_win_or_loss, status_of
from solver.agents.base import Action
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.game import Status
from solver.mine_total import USUAL_TOTALS

HIDDEN_BOARD_ERRORS = (WindowTrouble, BoardCovered, UnreadableTiles)
"""The errors that last while a dialog of the program hides its board."""

LEAST_MINES = 3
"""Fewest mines in sight beside what lies over a board that show a loss."""

BOARD_HIDDEN_NOTE = (
    "Something covered the board as the game ended: close it if it belongs to the program."
)

SHOWN_NOTE = "All mines are shown in one look: whether one was clicked tells how the game ended."

REVEALED_NOTE = (
    "The end of the game is drawn in a way that is not known, but the tiles that changed can only "
    "be its mines."
)

LONE_NOTE = "Nothing but a mine appeared, on the cell that was clicked: the game is lost."

SAID_NOTE = "The window says in words how the game ended."

FLAGS_CHANGED_NOTE = (
    "All mines are flagged, and the tiles look different from then on: the game is over."
)


@dataclass(frozen=True)
class UnreadEnd:
    """The end of a game whose last board could not be read: how it ended, and ``note`` why.

    ``board`` is the last board as far as it is known; ``revealed`` says that it is still in sight.
    """

    outcome: Outcome
    board: Board
    note: str
    revealed: bool = False


class EndDetector:
    """Detects the end of a game. ``words`` reads what the window says of it.

    ``mines`` is the mine total assumed at the moment. ``flags_to_win`` says whether the program
    wants all mines flagged; for an unknown program it is None until a first end has shown it.
    """

    def __init__(
        self,
        waits: Waits,
        restarter: Restarter,
        words: EndWords,
        *,
        observer: Observer,
        limits: Limits,
    ) -> None:
        self._waits = waits
        self._words = words
        self._restarter = restarter
        self._observer = observer
        self._limits = limits
        self.mines: int | None = None
        self.flags_to_win: bool | None = None
        self._to_open: set[Cell] = set()
        self._turn: Turn | None = None

    def note_turn(self, turn: Turn) -> None:
        """Remember which cells this turn is to open, as those before it of the same game."""
        if turn.number == 1:
            self._words.note_start()
            self._to_open.clear()
        self._turn, moves = turn, turn.decision.moves
        self._to_open |= {move.cell for move in moves if move.action is Action.OPEN}

    def detect(self, observation: Observation) -> tuple[Outcome, Observation] | None:
        """Return how the game ended, and its last observation; None while it is under way.

        The end must be read twice; once is enough if a dialog hides the board afterwards. A board
        on which all safe cells are open is won, even if the program does not show it in a way
        that can be read.
        """
        if self._turn and marks_are_mines(self._turn, observation.board):
            return Outcome.LOST, observation
        if not observation.over and (self.flags_to_win or not self.all_safe_open(observation)):
            return None
        lost = observation.reading.status is Status.LOST
        dialog = self._restarter.dialog_keys(may_win=not lost, may_lose=lost)
        try:
            last = self._waits.wait_end_confirmed(
                observation, after=observation.board, dialog=dialog
            )
            if self.flags_to_win is None and self.all_safe_open(last):
                last = self._waits.wait_final_board(last, dialog=dialog)
        except HIDDEN_BOARD_ERRORS:
            if not (observation.over and status_fits_board(observation)):
                raise
            self._observer.noticed(BOARD_HIDDEN_NOTE)
            lost = lost and not self._shows_mines_of_a_win(observation.board)
            return (Outcome.LOST if lost else self._win(observation.board)), observation
        if self.needs_flags(last):
            return None
        if last.reading.status is Status.LOST:
            return Outcome.WON if self._shows_mines_of_a_win(last.board) else Outcome.LOST, last
        if last.reading.status is Status.WON or self.all_safe_open(last):
            return self._win(last.board), last
        return None

    def _win(self, board: Board) -> Outcome:
        """Return WON, or LOST if a cell that was to be opened shows a flag: its mine looks so."""
        exploded = any(board[cell] == Tile.FLAG for cell in self._to_open)
        return Outcome.LOST if exploded else Outcome.WON

    def _shows_mines_of_a_win(self, board: Board) -> bool:
        """Whether the mines shown are those of a win: no cell that was clicked is one of them."""
        safe = all(board[cell] >= 0 for cell in self._to_open)
        shown = np.where(board.tiles == Tile.EXPLODED, Tile.MINE, board.tiles)  # as if covered
        return bool(self._to_open) and safe and shows_win_or_loss(shown)

    def unread_end(
        self,
        turn: Turn,
        made: Sequence[PlannedClick],
        frame: Frame | None,
        trouble: Exception | None = None,
    ) -> UnreadEnd | None:
        """Return the end of a game whose last board cannot be read; None if it is not known.

        ``trouble`` is why. Either it is only unclear whether the mines shown are those of a loss,
        or what all mines look like, and the cells clicked tell; or the board is covered.
        """
        board, opened = turn.reading.board.with_mines(self.mines), opened_by(made)
        if isinstance(trouble, StatusUnclear):
            return _end_of_unclear(trouble, board, opened) or self.said_end(turn, made)
        labels = trouble.labels if isinstance(trouble, UnreadableTiles) else None
        end = None if self.flags_to_win else _end_without_hidden(labels, board, opened)
        end = end or self._covered_end(turn, made, board, frame)
        return end or self.said_end(turn, made)

    def said_end(self, turn: Turn, made: Sequence[PlannedClick]) -> UnreadEnd | None:
        """Return the end that the window tells in words after a turn; None if it tells none.

        "Game over" is a loss only after a guess that cannot have opened all safe cells.
        """
        said = self._words.read()
        left = self._leaves_safe_cells(turn, [cell for one in made for cell in one.cells])
        if said is None or not (said.plain or (left and not turn.decision.certain)):
            return None
        outcome = Outcome.WON if said.status is Status.WON else Outcome.LOST
        return UnreadEnd(outcome, turn.reading.board.with_mines(self.mines), SAID_NOTE)

    def _covered_end(
        self, turn: Turn, made: Sequence[PlannedClick], board: Board, frame: Frame | None
    ) -> UnreadEnd | None:
        """Return the end of a game whose last board something covers; None if it is not known.

        Either the clicks opened the last safe cells or flagged the last mines; or ``frame`` can
        show nothing but the mines of a loss, or a frame before it showed the end until something
        covered it. A dimmed ``frame`` counts as bright as before.
        """
        clicked = [cell for planned_click in made for cell in planned_click.cells]
        lit = frame and self._waits.undimmed(turn.frame, frame, turn.reading.board)
        frame = lit or frame
        # A page that opens its dialog at the last click paints the last cells after the dialog.
        if lit or self._all_changed(turn, frame):
            if not self.flags_to_win and opened_all_safe(turn, clicked):
                return UnreadEnd(Outcome.WON, board, BOARD_HIDDEN_NOTE)
            if self.flags_to_win and flagged_all_mines(turn, clicked):
                return UnreadEnd(Outcome.WON, board, FLAGS_CHANGED_NOTE)
        if frame is not None and (lost := self._revealed_loss(turn, clicked, frame)):
            return UnreadEnd(Outcome.LOST, lost, REVEALED_NOTE, revealed=True)
        if lit and (end := self._end_on(lit, board)):
            return end
        for earlier in self._waits.look_back(turn.frame):
            if end := self._end_on(earlier, board):
                return end
            if lost := self._revealed_loss(turn, clicked, earlier):
                return UnreadEnd(Outcome.LOST, lost, BOARD_HIDDEN_NOTE)
        if frame is not None and self._shows_clicked_mine(frame, opened_by(made)):
            return UnreadEnd(Outcome.LOST, board, BOARD_HIDDEN_NOTE)
        if lit and not turn.decision.certain and self._leaves_safe_cells(turn, clicked, lit):
            return UnreadEnd(Outcome.LOST, board, BOARD_HIDDEN_NOTE)
        return None

    def _shows_clicked_mine(self, frame: Frame, opened: Sequence[Cell]) -> bool:
        """Whether a frame shows several mines, and one of them on a cell that was opened."""
        mines = self._waits.shown_mines(frame)
        shown = int((mines != UNREAD).sum()) >= LEAST_MINES
        return shown and any(mines[cell] != UNREAD for cell in opened)

    def _leaves_safe_cells(
        self, turn: Turn, clicked: Sequence[Cell], lit: Frame | None = None
    ) -> bool:
        """Whether safe cells are left for sure, so that a page that dims its board tells no win.

        After a guess it tells the loss then: an alert stops a page before it paints the mine. The
        clicked cells count as opened, and so do those that changed in ``lit``. Without a mine
        total, they cannot all be mines if a number has too many of them around it, and a cell that
        touches no number cannot be known to be one.
        """
        board = turn.reading.board
        hidden = [cell for cell in board.cells() if board[cell] == Tile.HIDDEN]
        left = {*hidden} - {*clicked}
        if lit is not None:
            left -= {*self._waits.changed_cells(turn.frame, lit, hidden)}
        if self.mines is not None:
            return len(left) > self.mines
        mined = board.tiles == Tile.FLAG
        for cell in left:
            mined[cell] = True
        too_many = board.open & (count_neighbours(mined) > board.tiles)
        numbers = count_neighbours(board.tiles > 0)
        return bool(too_many.any()) or any(numbers[cell] == 0 for cell in left)

    def _end_on(self, frame: Frame, board: Board) -> UnreadEnd | None:
        """Return the end that can be read on a frame, after ``board``; None if it shows none."""
        seen = self._waits.read_end(frame, board)
        if seen is None:
            return None
        outcome = Outcome.LOST if seen.reading.status is Status.LOST else Outcome.WON
        return UnreadEnd(outcome, seen.board, BOARD_HIDDEN_NOTE)

    def _all_changed(self, turn: Turn, frame: Frame | None) -> bool:
        """Whether no cell of the turn looks as before: the program may have missed a click."""
        cells = [move.cell for move in turn.decision.moves]
        return frame is None or set(cells) <= {*self._waits.changed_cells(turn.frame, frame, cells)}

    def told_unread(self, turn: Turn, made: Sequence[PlannedClick], frame: Frame) -> bool:
        """Whether ``frame`` tells a loss though its mines cannot be read."""
        clicked = [cell for planned_click in made for cell in planned_click.cells]
        return self._revealed_loss(turn, clicked, frame) is not None

    def _revealed_loss(self, turn: Turn, clicked: Sequence[Cell], frame: Frame) -> Board | None:
        board = turn.reading.board.with_mines(self.mines)
        covered = [cell for cell in board.cells() if board[cell] == Tile.HIDDEN]
        changed = self._waits.changed_cells(turn.frame, frame, covered)
        return revealed_mines(board, clicked, changed)

    def all_safe_open(self, observation: Observation) -> bool:
        """Whether only mines are left covered, by the mine total and by every open number.

        The total alone is not enough: a person may have given a wrong one. If it is unknown, the
        usual one of the size takes its place.
        """
        board = observation.board
        total = USUAL_TOTALS.get((board.rows, board.cols)) if self.mines is None else self.mines
        unopened = ~board.open
        fits = (count_neighbours(unopened) == board.tiles) | unopened
        return int(unopened.sum()) == total and bool(fits.all())

    def needs_flags(self, observation: Observation) -> bool:
        """Whether all safe cells are open, but the program still wants the mines flagged.

        A theme knows whether its program wants this. For an unknown program, a clock that keeps
        running shows it.
        """
        hidden = observation.board.tiles == Tile.HIDDEN
        if (
            not (self.all_safe_open(observation) and hidden.any())
            or observation.reading.status is Status.LOST
        ):
            return False
        if self.flags_to_win is None:
            self.flags_to_win = self._waits.wait_running_clock(self._limits.clock_s)
            if self.flags_to_win:
                self._observer.noticed("This program wants all mines flagged at the end of a game.")
        return self.flags_to_win

    def nothing_left(self, observation: Observation) -> bool:
        """Whether the game on the board was over before the bot came."""
        over = observation.over or self.all_safe_open(observation)
        return over and not self.needs_flags(observation)

    def outcome_without_moves(self, board: Board, clicked: bool) -> Outcome:
        """Return WON if every unopened cell is a certain mine, STOPPED otherwise.

        This is for an agent that makes no move, which also happens if the total is unknown. A
        game in which the bot never ``clicked`` has no result.
        """
        done = int((~board.open).sum()) == len(analyse(board).mines)
        return Outcome.WON if done and clicked else Outcome.STOPPED


def _end_of_unclear(
    trouble: StatusUnclear, board: Board, opened: Sequence[Cell]
) -> UnreadEnd | None:
    """Return how a game ended of which the board does not tell enough, after cells were opened."""
    shown = trouble.board
    if not trouble.may_change:
        return _end_of_clicks(shown, board, opened)
    lost = shown is not None and is_lone_mine(board, shown, opened)
    return UnreadEnd(Outcome.LOST, shown, LONE_NOTE, revealed=True) if shown and lost else None


def _end_of_clicks(shown: Board | None, board: Board, opened: Sequence[Cell]) -> UnreadEnd | None:
    """Return how a game ended whose mines are all shown, all alike, after cells were opened."""
    if shown is None or not opened or (shown.tiles != board.tiles)[board.open].any():
        return None
    lost = any(shown[cell] == Tile.MINE for cell in opened)
    return UnreadEnd(Outcome.LOST if lost else Outcome.WON, shown, SHOWN_NOTE, revealed=True)


def _end_without_hidden(
    labels: Tiles | None, board: Board, opened: Sequence[Cell]
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

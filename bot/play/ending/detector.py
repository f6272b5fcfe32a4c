"""Whether a game is over and how it ended, even if a dialog hides the board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bot.errors import ScreenGone, WindowTrouble
from bot.events import Observer, Outcome, Turn
from bot.mouse.plan import PlannedClick, cells_of, opened_by
from bot.options import Limits
from bot.play.ending.last_flags import LastFlags
from bot.play.ending.last_turn import (
    BOARD_HIDDEN_NOTE,
    FLAGS_CHANGED_NOTE,
    REVEALED_NOTE,
    SAID_NOTE,
    UnreadEnd,
    end_of_unclear,
    end_without_hidden,
    flagged_all_mines,
    is_won,
    leaves_safe_cells,
    only_mines_left,
    opened_all_safe,
    opened_unclicked,
    with_open_below,
)
from bot.play.ending.lives import Lives
from bot.play.ending.shown_mines import (
    has_clicked_mine,
    is_risky,
    marks_are_mines,
    may_be_half_painted,
    revealed_mines,
    shows_loss,
)
from bot.play.restart import Restarter
from bot.tracking.end_words import EndWords
from bot.tracking.observation import Observation, status_fits_board
from bot.tracking.waits import Waits
from calibration.calibration import Calibration
from calibration.errors import (
    BoardCovered,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.rules import Tiles, shows_win_or_loss, status_of
from solver.agents.base import Action
from solver.board import Board, Cell, Tile
from solver.game import Status

HIDDEN_BOARD_ERRORS = (WindowTrouble, BoardCovered, UnreadableTiles)
"""The errors that last while a dialog of the program hides its board."""


class EndDetector:
    """Detects the end of a game. ``words`` reads what the window says of it.

    ``mines`` is the mine total assumed at the moment; ``flags`` knows whether the program wants
    all mines flagged.
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
        self._waits, self._frames = waits, waits.frames
        self._words, self._restarter = words, restarter
        self._observer = observer
        self._limits = limits
        self.mines: int | None = None
        self.flags = LastFlags(waits, words, observer=observer, limits=limits)
        self._lives = Lives(waits, words, observer=observer, limits=limits)
        self._to_open: set[Cell] = set()
        self._opened: set[Cell] = set()
        self._turn: Turn | None = None

    def use_program_profile(self, calibration: Calibration) -> None:
        """Use the mine total and, of a known program, the profile of a calibration."""
        self.mines = calibration.mines
        self.flags.use_profile(calibration.theme)

    def note_turn(self, turn: Turn) -> None:
        """Remember which cells this turn is to open, as those before it of the same game."""
        if turn.number == 1:
            self.flags.on_trial = False
            self._words.note_start()
            self._lives.begin_game()
            self._to_open.clear()
            self._opened.clear()
        self._turn, moves = turn, turn.decision.moves
        to_open = {move.cell for move in moves if move.action is Action.OPEN}
        self._to_open |= to_open - self._lives.survived

    def note_clicks(self, made: Sequence[PlannedClick]) -> None:
        """Remember which cells were clicked to open them: a slow page answers in the next turn."""
        self._opened |= {*opened_by(made)} - self._lives.survived

    def detect(self, observation: Observation) -> tuple[Outcome | None, Observation] | None:
        """Return how the game ended, and its last observation; None while it is under way.

        After a mine that took only a life, or what only looked like an end, the outcome is None,
        and the observation a new one. The end must be read twice; once is enough if a dialog hides
        the board afterwards. A board on which all safe cells are open is won, even if the program
        does not show it in a way that can be read.
        """
        if self._turn and marks_are_mines(self._turn, observation.board):
            return Outcome.LOST, observation
        if not observation.over and (self.flags.wanted or not self.all_safe_open(observation)):
            return None
        turn, board, lost = self._turn, observation.board, observation.reading.status is Status.LOST
        painting = lost and self._may_be_half_painted(board)
        dialog = self._restarter.dialog_keys(may_win=not lost, may_lose=lost)
        try:
            last = self._waits.wait_end_confirmed(
                observation,
                after=turn.reading.board if turn and painting else board,
                dialog=dialog,
                hang_s=painting * self._limits.frozen_s,
            )
            if self.flags.wanted is None and self.all_safe_open(last):
                last = self._waits.wait_final_board(last, dialog=dialog)
        except HIDDEN_BOARD_ERRORS:
            if painting or not (observation.over and status_fits_board(observation)):
                raise
            self._observer.noticed(BOARD_HIDDEN_NOTE)
            lost = lost and not self._shows_mines_of_a_win(board)
            return (Outcome.LOST if lost else self._win(board)), observation
        if self.needs_flags(last):
            return None
        if last.reading.status is Status.LOST:
            if self._shows_mines_of_a_win(last.board):
                return Outcome.WON, last
            if self._took_life(self._turn, last.board, last.frame):
                return None, self._waits.wait_readable(after=last.board)
            return Outcome.LOST, last
        if last.reading.status is Status.WON or self.all_safe_open(last):
            self.flags.check_taken()
            return self._win(last.board), last
        return None, last

    def _took_life(self, turn: Turn | None, board: Board, frame: Frame | None) -> bool:
        """Whether the mine that ``board`` shows in ``frame`` after a turn took only a life."""
        if turn is None or self.flags.wanted is not None:
            return False
        taken = self._lives.is_taken(board, turn.frame, frame)
        self._to_open -= self._lives.survived
        self._opened -= self._lives.survived
        return taken

    def _win(self, board: Board) -> Outcome:
        """Return WON, or LOST if a cell that was to be opened shows a flag: its mine looks so.

        Or if one stayed hidden while cells were opened that no click can have opened: a program may
        open all safe cells of a lost board before it shows the mines. Plain words count more.
        """
        exploded = any(board[cell] == Tile.FLAG for cell in self._to_open)
        if self._turn and any(board[cell] == Tile.HIDDEN for cell in self._opened):
            exploded |= opened_unclicked(self._turn.reading.board, board, self._to_open)
        if exploded and (said := self._words.read()) is not None:
            exploded = not said.plain or said.status is not Status.WON
        return Outcome.LOST if exploded else Outcome.WON

    def _may_be_half_painted(self, board: Board) -> bool:
        """Whether the mines that ``board`` shows after the last turn may be tiles half painted."""
        return bool(self._turn and may_be_half_painted(self._turn, board.tiles, self.mines))

    def _shows_mines_of_a_win(self, board: Board) -> bool:
        """Whether the mines shown are those of a win: no click hit one, and the rest is opened."""
        turn = self._turn
        if turn is None or opened_unclicked(turn.reading.board, board, self._to_open):
            return False
        shown = np.where(board.tiles == Tile.EXPLODED, Tile.MINE, board.tiles)  # as if covered
        won = status_of(np.where(board.open, board.tiles, Tile.HIDDEN), board.mines) is Status.WON
        won &= Tile.WRONG_FLAG not in board.tiles
        safe = bool(self._to_open) and all(board[cell] >= 0 for cell in self._to_open)
        return safe and (won or shows_win_or_loss(shown))

    def unread_end(
        self,
        turn: Turn,
        made: Sequence[PlannedClick],
        frame: Frame | None,
        trouble: Exception | None = None,
    ) -> UnreadEnd | Observation | None:
        """Return the end of a game whose last board cannot be read; None if it is not known.

        ``trouble`` is why. Either it is only unclear whether the mines shown are those of a loss,
        or what all mines look like, and the cells clicked tell; or the board is covered. A mine
        that took only a life ends no game: then returns a new observation.
        """
        if isinstance(trouble, ScreenGone):
            return None  # nobody saw whether the last clicks arrived
        if isinstance(trouble, ImpossibleBoard):
            return self.said_end(turn, made)  # under a dialog tiles were misread
        one_tile = isinstance(trouble, UnreadableTiles) and len(trouble.tiles) < 2
        if self.flags.on_trial and not one_tile:
            return self.flags.refused_by_menu(turn, self.mines)
        board, opened = turn.reading.board.with_mines(self.mines), self._opened | {*opened_by(made)}
        if isinstance(trouble, StatusUnclear):
            end = end_of_unclear(trouble, board, opened)
            if end and self._took_life(turn, end.board, frame):
                return self._waits.wait_readable(after=board)
            return end or self.said_end(turn, made)
        labels = trouble.labels if isinstance(trouble, Unreadable) else None
        labels = None if labels is None else with_open_below(labels, board)
        end = None if self.flags.wanted else end_without_hidden(labels, board, opened)
        if end is None and labels is not None and shows_loss(labels, turn, opened, self.mines):
            end = UnreadEnd(Outcome.LOST, board, BOARD_HIDDEN_NOTE)
        end = end or self._covered_end(turn, made, board, frame, labels)
        if end and end.outcome is Outcome.WON:
            return end
        # A page flagged the last safe cell, and not a mine, as it told a win.
        said = self.said_end(turn, made)
        return said if said and (end is None or said.outcome is Outcome.WON) else end

    def said_end(self, turn: Turn, made: Sequence[PlannedClick]) -> UnreadEnd | None:
        """Return the end that the window tells in words after a turn; None if it tells none.

        "Game over" is a loss only after a guess that cannot have opened all safe cells.
        """
        said = self._words.read()
        left = self._leaves_safe_cells(turn, cells_of(made))
        if said is None or not (said.plain or (left and is_risky(turn))):
            return None
        outcome = Outcome.WON if said.status is Status.WON else Outcome.LOST
        return UnreadEnd(outcome, turn.reading.board.with_mines(self.mines), SAID_NOTE)

    def _covered_end(
        self,
        turn: Turn,
        made: Sequence[PlannedClick],
        board: Board,
        frame: Frame | None,
        labels: Tiles | None = None,
        *,
        at_once: bool = False,
    ) -> UnreadEnd | None:
        """Return the end of a game whose last board something covers; None if it is not known.

        Either the clicks opened the last safe cells or flagged the last mines; or ``frame`` can
        show nothing but the mines of a loss, or a frame before it showed the end until something
        covered it. A dimmed ``frame`` counts as bright as before. ``at_once`` takes only what the
        program itself covers, not what something else may lie over for a while. ``labels`` are
        those of ``frame``, with `UNREAD` where something lies over a cell that was not open.
        """
        clicked = cells_of(made)
        opened = self._opened | {*opened_by(made)}
        lit = frame and self._frames.undimmed(turn.frame, frame, turn.reading.board)
        frame = lit or frame
        # A page that opens its dialog at the last click paints the last cells after the dialog.
        if (lit or (not at_once and self._all_changed(turn, frame))) and (
            end := self._end_of_last_clicks(turn, clicked, board, labels, dimmed=lit is not None)
        ):
            return end
        if frame is not None and (lost := self._revealed_loss(turn, made, frame, at_rest=True)):
            return UnreadEnd(Outcome.LOST, lost, REVEALED_NOTE, revealed=True)
        if lit and (end := self._end_on(lit, board)):
            return end
        unclear = self._frames.read_unclear(lit) if lit else None
        if unclear and (end := end_of_unclear(unclear, board, opened)):
            return None if self._took_life(turn, end.board, frame) else end
        for earlier in self._frames.look_back(turn.frame):
            if end := self._end_on(earlier, board):
                return end
            if lost := self._revealed_loss(turn, made, earlier):
                return UnreadEnd(Outcome.LOST, lost, BOARD_HIDDEN_NOTE)
        if frame and has_clicked_mine(self._frames.shown_mines(frame), turn, opened, self.mines):
            return UnreadEnd(Outcome.LOST, board, BOARD_HIDDEN_NOTE)
        begun = bool(board.open.any())  # on a first click a page may dim to ask for a name
        if lit and begun and is_risky(turn) and self._leaves_safe_cells(turn, clicked, lit):
            said = self._words.read()
            if said is None or said.status is not Status.WON:
                return UnreadEnd(Outcome.LOST, board, BOARD_HIDDEN_NOTE)
        return None

    def _end_of_last_clicks(
        self,
        turn: Turn,
        clicked: Sequence[Cell],
        board: Board,
        labels: Tiles | None,
        *,
        dimmed: bool,
    ) -> UnreadEnd | None:
        """Return the win of a turn that opened the last safe cells or flagged the last mines."""
        won = labels is not None and is_won(labels, board.mines)
        won = won or opened_all_safe(turn, [*self._opened, *clicked])
        # A page that still wants flags does not dim its board.
        if won and (dimmed or not (self.flags.wanted or self.flags.clock_runs())):
            return UnreadEnd(Outcome.WON, board, BOARD_HIDDEN_NOTE)
        if self.flags.wanted and flagged_all_mines(turn, clicked):
            return UnreadEnd(Outcome.WON, board, FLAGS_CHANGED_NOTE)
        return None

    def _leaves_safe_cells(
        self, turn: Turn, clicked: Sequence[Cell], lit: Frame | None = None
    ) -> bool:
        """Whether safe cells are left for sure, so that a page that dims its board tells no win.

        After a guess it tells the loss then: an alert stops a page before it paints the mine. The
        clicked cells count as opened, and so do those that changed in ``lit``.
        """
        left = {*turn.reading.board.hidden_cells()} - {*clicked}
        if lit is not None:
            left -= {*self._frames.changed_cells(turn.frame, lit, [*left])}
        return leaves_safe_cells(turn.reading.board.with_mines(self.mines), left)

    def _end_on(self, frame: Frame, board: Board) -> UnreadEnd | None:
        """Return the end that a frame shows after ``board``; a loss by a clicked mine only."""
        if (seen := self._frames.read_end(frame, board)) is None:
            return None
        lost = seen.reading.status is Status.LOST and not self._shows_mines_of_a_win(seen.board)
        opened = all(seen.board[cell] >= 0 for cell in self._opened)
        if lost and (opened or self._may_be_half_painted(seen.board)):
            return None
        outcome = Outcome.LOST if lost else self._win(seen.board)
        return UnreadEnd(outcome, seen.board, BOARD_HIDDEN_NOTE)

    def _all_changed(self, turn: Turn, frame: Frame | None) -> bool:
        """Whether no cell of the turn looks as before: the program may have missed a click."""
        cells = [move.cell for move in turn.decision.moves]
        return frame is None or {*cells} <= {*self._frames.changed_cells(turn.frame, frame, cells)}

    def told_unread(
        self, turn: Turn, made: Sequence[PlannedClick], frame: Frame, stays: bool
    ) -> bool:
        """Whether ``frame`` tells a loss whose mines cannot be read, or any end if it ``stays``."""
        if self._revealed_loss(turn, made, frame) is not None:
            return True
        if not stays or self.flags.on_trial:
            return stays
        board = turn.reading.board.with_mines(self.mines)
        return self._covered_end(turn, made, board, frame, at_once=True) is not None

    def _revealed_loss(
        self, turn: Turn, made: Sequence[PlannedClick], frame: Frame, *, at_rest: bool = False
    ) -> Board | None:
        board = turn.reading.board.with_mines(self.mines)
        changed = self._frames.changed_cells(turn.frame, frame, [*board.cells()])
        return revealed_mines(board, opened_by(made), changed, at_rest=at_rest)

    def all_safe_open(self, observation: Observation) -> bool:
        """Whether only mines are left covered."""
        return only_mines_left(observation.board, self.mines)

    def needs_flags(self, observation: Observation) -> bool:
        """Whether all safe cells are open, but the program still wants the mines flagged."""
        return self.flags.needed(observation, self._turn, self.mines)

    def nothing_left(self, observation: Observation) -> bool:
        """Whether the game on the board was over before the bot came."""
        ended = observation.over or self.all_safe_open(observation)
        return ended and not self.needs_flags(observation)

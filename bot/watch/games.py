"""The games that a person plays in one window: their moves and ends, reported to the observer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.desktop.ports import Clock
from bot.errors import BoardChanged
from bot.events import Observer
from bot.tracking.end_words import EndWords
from bot.tracking.observation import Observation, check_same_game, is_new_game, status_fits_board
from bot.tracking.tracker import BoardTracker
from bot.watch.cover import is_covered, loss_beside_cover
from bot.watch.game import (
    GameUnderWay,
    analysis_of,
    end_of,
    is_reset,
    risk_on,
    without_end_marks,
)
from bot.watch.hints import Hints
from bot.watch.moves import infer_moves, one_by_one
from calibration.frame import Frame
from solver.agents.base import Decision
from solver.board import Board, Cell

HAND = "played by hand"
"""The reason of a person's moves."""

OTHER_GAME_S = 1.0
"""Seconds after which a board that cannot follow from the last one counts as another game."""


class Games:
    """Takes in one board after another: `take_in`, and at the end `end_unfinished`.

    ``pointer`` is the cell under the pointer as the board began to change. ``look_back`` takes in
    what earlier frames show, before another game begins.
    """

    def __init__(
        self,
        tracker: BoardTracker,
        clock: Clock,
        observer: Observer,
        hints: Hints,
        look_back: Callable[[], None],
    ) -> None:
        self._tracker, self._clock, self._observer = tracker, clock, observer
        self._hints, self._look_back = hints, look_back
        self._words = EndWords(tracker)
        self.pointer: Cell | None = None
        self.last: Observation | None = None
        self.game = GameUnderWay(1, clock.now())
        self._other: tuple[Board, float] | None = None
        self._loss: Observation | None = None

    @property
    def under_way(self) -> bool:
        """Whether the last board is one of a game that goes on."""
        return self.last is not None and not self.last.over

    def take_in(self, observation: Observation) -> None:
        """Compare with the last board, and report moves and ends of games to the observer."""
        last = self.last
        if observation.over:  # before the words of its end are read, which may take seconds
            self._hints.board_changed(None)
        if last is None:
            self._words.note_start()
            self.last = observation
            if not observation.unplayed:
                self._observer.noticed("The board is partly open already; watching from here.")
            self.game.ended = observation.over
            return
        if observation.board == last.board and observation.reading.status is last.reading.status:
            return
        if is_new_game(last.board, observation) and (last.over or is_reset(last, observation)):
            self._begin_game(observation)
            return
        if not last.over:
            try:
                check_same_game(last.board, without_end_marks(observation, last.board))
            except BoardChanged:
                if not self._is_other_game(observation.board):
                    raise
                self._begin_game(observation)
                self.game.ended = observation.over  # what was played in it was not seen
                return
            self._tell_moves(last, observation)
        self._other = None
        self.last = observation
        if observation.over and not self.game.ended:
            self._end(observation, last.board)

    def take_in_earlier(self, frame: Frame, read: Callable[[Frame], Observation]) -> None:
        """Take in the end of the game that an earlier frame shows, though something covers it."""
        if self.last is None:
            return
        if is_covered(self._tracker, self.last, frame):
            self._loss = loss_beside_cover(
                self._tracker, self.last, frame, pointer=self.pointer, before=self._loss
            )
            return
        seen = read(frame)
        if seen.over and not is_new_game(self.last.board, seen) and status_fits_board(seen):
            self.take_in(seen)

    def _is_other_game(self, board: Board) -> bool:
        """Whether a board that cannot follow from the last one has stayed for `OTHER_GAME_S`."""
        now = self._clock.now()
        if self._other is None or self._other[0] != board:
            self._other = board, now
        return now - self._other[1] >= OTHER_GAME_S

    def _begin_game(self, observation: Observation) -> None:
        self._look_back()
        self.end_unfinished("You began another game.")
        self._other = None
        self._words.note_start()
        self.game, self._loss = GameUnderWay(self.game.number + 1, self._clock.now()), None
        self.last = observation
        self._observer.noticed("A new game.")

    def _tell_moves(self, before: Observation, after: Observation) -> None:
        """Find the moves between two observations, and report each as a turn."""
        analysis = analysis_of(before.board)

        def risk(cell: Cell) -> float:
            return 0.0 if analysis is None else float(analysis.probabilities[cell])

        moves = infer_moves(
            before.board, after.board, pointer=self.pointer, risk=risk, over=after.over
        )
        for board, move in one_by_one(before.board, after.board, moves, risk_on):
            # A first click is not a guess: the program may protect it.
            survival = 1.0 - risk_on(board, move) if board.open.any() else 1.0
            reading = replace(before.reading, board=board)
            turn = self.game.turn(before.frame, reading, Decision((move,), HAND, survival))
            self._observer.decided(turn)
            self._observer.played(turn)

    def _end(self, observation: Observation, before: Board) -> None:
        verdict = end_of(before, observation, self.pointer, self._words.read)
        result = self.game.result(verdict, self._clock.now())
        self._observer.game_over(result, observation.frame, observation.reading)

    def end_unfinished(self, why: str) -> None:
        """Report a game that was given up, unless it ended or nothing was played in it.

        ``why`` is the reason in one sentence. If mines were seen beside a dialog that stayed over
        the board, the game was lost.
        """
        if self.game.ended or self.last is None:
            return
        if self._loss is not None:
            self._tell_moves(self.last, self._loss)
            self._end(self._loss, self.last.board)
            return
        if not self.game.turns:
            return
        result = replace(self.game.result(None, self._clock.now()), why=why)
        self._observer.game_over(result, self.last.frame, self.last.reading)

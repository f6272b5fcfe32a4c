"""Whether a mine took only one of several lives, so that the game goes on."""

from __future__ import annotations

from bot.events import Observer
from bot.options import Limits
from bot.play.ending.shown_mines import MINES
from bot.tracking.end_words import EndWords
from bot.tracking.waits import Waits
from calibration.frame import Frame
from solver.board import Board, Cell
from solver.game import Status

LIFE_NOTE = "A mine exploded, but the game goes on: it took a life."


class Lives:
    """Knows the mines that this game ``survived``, and has the board read as under way."""

    def __init__(
        self, waits: Waits, words: EndWords, *, observer: Observer, limits: Limits
    ) -> None:
        self._waits, self._words = waits, words
        self._observer, self._limits = observer, limits
        self.survived: set[Cell] = set()

    def begin_game(self) -> None:
        """Forget the mines of the game before."""
        if self.survived:
            self.survived.clear()
            self._waits.frames.note_survived(())

    def is_taken(self, board: Board, before: Frame, after: Frame | None) -> bool:
        """Whether the game goes on after the only new mine that ``board`` shows; take note of it.

        The clock beside the board runs on, or lives are counted there, or one of a row of pictures
        is gone in ``after``, the frame of the board, that was in the one ``before`` the turn. And
        no words tell a loss. Takes some seconds where a single mine is shown, and half a minute if
        nothing else tells that the game is over, such as another face: the program may hang.
        """
        mines = {cell for cell in board.cells() if board[cell] in MINES}
        if len(mines - self.survived) != 1:
            return False  # some programs show one mine only, all others after the last life
        if not self._goes_on(before, after):
            return False
        self._observer.noticed(LIFE_NOTE)
        self.survived |= mines
        self._waits.frames.note_survived(self.survived)
        return True

    def _goes_on(self, before: Frame, after: Frame | None) -> bool:
        """Whether what stands beside the board tells that the game goes on."""
        frames = self._waits.frames
        gone = after is not None and frames.lost_a_life(before, after)
        for limit_s in (self._limits.clock_s, self._limits.frozen_s):
            runs = gone or self._waits.wait_running_clock(limit_s)
            said = self._words.read()
            if said is not None and said.status is Status.LOST:
                return False
            if runs or self._words.count_lives():
                return True
            if after is None or frames.face_changed(after):
                return False
        return False

"""Mines that took only one of several lives, so that the game goes on."""

from __future__ import annotations

from collections.abc import Iterable

from bot.tracking.stage import PlayStage
from bot.tracking.tracker import EndWords
from bot.tracking.waits import Waits
from calibration.frame import Frame
from calibration.indicators.lives import life_lost
from solver.board import Cell
from solver.game import Status


class Lives:
    """Knows the mines that this game ``survived``, and has the board read as under way."""

    def __init__(self, stage: PlayStage, waits: Waits, words: EndWords) -> None:
        self._tracker, self._limits = stage.tracker, stage.limits
        self._waits, self._words = waits, words
        self.survived: set[Cell] = set()

    def begin_game(self) -> None:
        """Forget the mines of the game before."""
        if self.survived:
            self.survived.clear()
            self._tracker.note_survived(())

    def survive(self, mines: Iterable[Cell]) -> None:
        """Take note that these mines ended no game."""
        self.survived.update(mines)
        self._tracker.note_survived(self.survived)

    def goes_on(self, before: Frame, after: Frame | None, *, mine_likely: bool = True) -> bool:
        """Whether the window beside the board shows that the game goes on after a mine.

        The clock runs on there, or lives are counted, or one of a row of pictures is gone in
        ``after``, the frame of the board, that was in the one ``before`` the turn. And no words
        announce a loss. Takes some seconds, and half a minute if nothing else, such as another
        face, shows that the game is over: the program may hang.

        Unless it is ``mine_likely``, a clock that runs shows no more than that the game goes on:
        the tile may as well be a zero that the page writes in an unusual way.
        """
        grid = self._tracker.target.in_region.grid
        gone = after is not None and life_lost(before, after, grid)
        if not mine_likely:
            said = self._words.read()
            lost = said is not None and said.status is Status.LOST
            return not lost and (gone or self._words.count_lives())
        for limit_s in (self._limits.clock_s, self._limits.frozen_s):
            runs = gone or self._waits.wait_running_clock(limit_s)
            said = self._words.read()
            if said is not None and said.status is Status.LOST:
                return False
            if runs or self._words.count_lives():
                return True
            if after is None or self.face_changed(after):
                return False
        return False

    def face_changed(self, frame: Frame) -> bool:
        """Whether there is a face beside the board that looks unlike it did during the game."""
        smiley = self._tracker.memory.reader.smiley
        return smiley.box is not None and not smiley.is_known(frame, Status.PLAYING)

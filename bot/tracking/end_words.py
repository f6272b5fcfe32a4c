"""The words that announce the end of a game, in a dialog or beside the board."""

from __future__ import annotations

from contextlib import suppress

from bot.errors import ScreenGone
from bot.tracking.tracker import BoardTracker
from calibration.frame import Frame
from calibration.indicators.words import Said, counts_lives, read_words


class EndWords:
    """Reads what came to be said since a game began: how to win may stand beside a board."""

    def __init__(self, tracker: BoardTracker) -> None:
        self._tracker = tracker
        self._start: Frame | None = None
        self._last: tuple[Frame, Said | None] | None = None

    def note_start(self) -> None:
        """Remember the screen as a game begins."""
        self._start = self._last = None
        with suppress(ScreenGone):
            self._start = self._tracker.grab_screen()

    def read(self) -> Said | None:
        """Return the status in words on the screen that were not there at the start of the game.

        None if there are none. Takes some seconds, but only once for the same screen.
        """
        if self._start is None:
            return None
        with suppress(ScreenGone):
            grid, screen = self._tracker.target.on_screen.grid, self._tracker.grab_screen()
            if self._last is None or self._last[0] != screen:
                self._last = screen, read_words(screen, grid, since=self._start)
            return self._last[1]
        return None

    def count_lives(self) -> bool:
        """Whether the screen counts lives beside the board. Takes some seconds."""
        with suppress(ScreenGone):
            return counts_lives(self._tracker.grab_screen(), self._tracker.target.on_screen.grid)
        return False

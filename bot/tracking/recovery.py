"""What is tried while a board cannot be read: other readings, keys, the pointer, a search."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from bot.desktop.ports import Clock
from bot.mouse.guard import MouseGuard
from bot.tracking.follow import Found
from bot.tracking.search import BoardSearch
from bot.tracking.target import NO_PICTURE, Pixels
from bot.tracking.tracker import BoardTracker
from calibration.calibration import Calibration
from calibration.errors import ImpossibleBoard, Unreadable, UnreadableTiles
from solver.board import Board, Cell

SEARCH_AFTER_S = 0.25
"""Trouble that starts a search of the whole screen. It costs ten readings, so each waits longer."""

OPENING_AFTER_S = 2.0
"""How long a board rests before plain tiles count as an opening: numbers may be painted late."""

DIALOG_AFTER_S = 0.7
"""A dialog over a finished game opens within 0.3 s of the last click (measured on three
programs). Trouble that lasts longer than this is therefore no repaint."""

NO_DIALOG = 2
"""Tiles in doubt up to which nothing lies over the board: one under the pointer, say."""


class Recovery:
    """The remedies for one board that cannot be read, each with its own time.

    ``after`` is the last board of the game under way, None between games; ``dialog`` lists the keys
    that close what the program may have opened over the board, ``clicked`` the cells around which
    it may have opened. ``waited`` is the time in seconds since the trouble began.
    """

    def __init__(
        self,
        tracker: BoardTracker,
        guard: MouseGuard,
        clock: Clock,
        search: BoardSearch,
        *,
        after: Board | None,
        dialog: Sequence[str],
        clicked: Sequence[Cell],
        retries: int,
    ) -> None:
        self._tracker, self._guard, self._clock = tracker, guard, clock
        self._search = search
        self._after, self._dialog, self._clicked = after, dialog, clicked
        self._retries = retries
        self._forgot = False
        self._expecting: Calibration | None = None
        self._resting, self._since = NO_PICTURE, 0.0
        self._presses = 0
        self._pressed_at = inf if dialog else -inf
        self._search_at = clock.now() + SEARCH_AFTER_S

    def prepare_reader(self, trouble: Exception, picture: Pixels, waited: float) -> bool:
        """Make the reader read otherwise, if it is time; return whether to read the frame again.

        It forgets a board that was seen in between and may be at fault, if the numbers contradict
        those of the game; and of a board at rest it may take plain tiles for opened ones.
        ``picture`` is that of the board.
        """
        again = False
        impossible = isinstance(trouble, ImpossibleBoard) and self._after is not None
        if impossible and waited > DIALOG_AFTER_S and not self._forgot:
            self._forgot = again = True
            self._tracker.forget_labels()
        if not np.array_equal(picture, self._resting):
            self._resting, self._since = picture, waited
        still = isinstance(trouble, Unreadable) and waited > self._since + OPENING_AFTER_S
        # Where a window moved to, nothing is expected yet.
        if self._clicked and still and self._tracker.target.in_region != self._expecting:
            self._expecting, again = self._tracker.target.in_region, True
            self._tracker.expect_opening(self._clicked)
        return again

    @property
    def keys_answered(self) -> bool:
        """Whether the keys had their turn: a search may take all the time on a busy machine."""
        return self._clock.now() > self._pressed_at + DIALOG_AFTER_S

    def uncover(self, trouble: Exception, waited: float) -> None:
        """Press the keys that close a dialog, and move the pointer, every second or so."""
        if self._presses >= self._retries or waited <= DIALOG_AFTER_S * (2 * self._presses + 1):
            return
        self._presses += 1
        self._pressed_at = self._clock.now() if self._dialog else -inf
        for keys in self._dialog if may_lie_over(trouble) else ():
            self._guard.press(keys)
        if self._presses > 1 and (opened := opened_beside(trouble, self._clicked)):
            self._tracker.park_on(opened)
        self._guard.nudge(*self._tracker.target.nudge_points)

    def search(self, waited: float) -> bool:
        """Search the whole screen for the board, if it is time; return whether it was found."""
        if self._clock.now() < self._search_at:
            return False
        self._search_at = self._clock.now() + waited
        return isinstance(self._search.find_again(self._after), Found)


def may_lie_over(trouble: Exception) -> bool:
    """Whether a dialog may be the cause: one hides more than a few tiles of a board.

    The key that closes a dialog may close the game where there is none.
    """
    return not isinstance(trouble, UnreadableTiles) or len(trouble.tiles) > NO_DIALOG


def opened_beside(trouble: Exception, clicked: Sequence[Cell]) -> Cell | None:
    """Return a ``clicked`` cell that is open, if few others are in doubt; else None.

    The pointer may rest on it: it may be the cause, where it rests beside the board.
    """
    if may_lie_over(trouble) or not isinstance(trouble, Unreadable) or trouble.labels is None:
        return None
    return next((cell for cell in reversed(clicked) if trouble.labels[cell] >= 0), None)

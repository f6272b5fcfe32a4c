"""A stop that does not depend on reading: clicks that go round in circles.

Whatever the bot believes to see, a game is not played by clicking the same place again and again. A
tile that stays lit under the pointer was once flagged for four minutes, and an alert that a page
showed was clicked for as long.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from bot.errors import WindowStuck
from calibration.points import ScreenPoint

WATCHED = 15
"""How many of the last clicks are remembered."""

AT_ONE_PLACE = 12
"""So many of them at one place are a circle, and so are..."""

IN_TURNS = 12
"""...so many clicks in a row at two places in turns."""

UNANSWERED = 200
"""So many clicks in several turns without a changed picture of the board are a circle, too."""

SAME_PLACE_UNITS = 2
"""Two clicks at most so many mouse units apart are at one place."""


class ClickLoops:
    """Remembers the last clicks of a game."""

    def __init__(self) -> None:
        self._places: deque[ScreenPoint] = deque(maxlen=WATCHED)
        self._seen: NDArray[np.uint8] | None = None
        self._unanswered = 0

    def forget(self) -> None:
        """Begin anew: the next game may open the same cell first as the one before."""
        self._places.clear()
        self._unanswered = 0

    def begin_turn(self, board: NDArray[np.uint8]) -> None:
        """Compare the picture of the board with that of the turn before.

        Raises `WindowStuck` if it has not changed in spite of many clicks.
        """
        if self._seen is None or not np.array_equal(board, self._seen):
            self._seen, self._unanswered = board.copy(), 0
        if self._unanswered >= UNANSWERED:
            raise WindowStuck(
                f"{self._unanswered} clicks changed nothing on the board: check whether the window "
                "is frozen, paused or waiting for an answer."
            )

    def add(self, point: ScreenPoint) -> None:
        """Remember a click that is about to be made. Raises `WindowStuck` in place of a circle."""
        place = next((one for one in self._places if one.is_near(point, SAME_PLACE_UNITS)), point)
        self._places.append(place)
        self._unanswered += 1
        times = self._places.count(place)
        if times >= AT_ONE_PLACE:
            raise WindowStuck(
                f"{times} of the last {len(self._places)} clicks went to one place of the window, "
                "so the bot does not see what they do: check what the window shows there."
            )
        last = list(self._places)[-IN_TURNS:]
        if len(last) == IN_TURNS and len(set(last[::2])) == len(set(last[1::2])) == 1:
            raise WindowStuck(
                f"The last {IN_TURNS} clicks went to two places of the window in turns, so the bot "
                "does not see what they do: check what the window shows there."
            )

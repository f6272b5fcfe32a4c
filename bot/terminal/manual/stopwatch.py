"""The clock of a game by hand: it runs from the first cell opened until the game ends."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stopwatch:
    """Counts seconds while it runs. ``now`` is the time in seconds, from any start."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._before = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds counted so far."""
        return self._before + (0.0 if self._since is None else self._now() - self._since)

    def set_running(self, running: bool) -> None:
        """Go on, or stand still."""
        self._before = self.seconds
        self._since = self._now() if running else None

    def reset(self) -> None:
        """Stand still at 0."""
        self._before, self._since = 0.0, None

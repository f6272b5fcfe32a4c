"""Time on the simulated desktop: a clock that does not wait, and actions planned on it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from bot.desktop.ports import Clock


class FakeClock:
    """A clock that moves only when `sleep` is called, without waiting."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward without waiting."""
        self._now += max(0.0, seconds)


class Timeline:
    """Actions planned on a clock, done in order of time by `advance`."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def later(self, delay_s: float, action: Callable[[], None]) -> None:
        """Plan an action for ``delay_s`` seconds from now."""
        heapq.heappush(self._due, (self.clock.now() + delay_s, next(self._order), action))

    def advance(self) -> None:
        """Do all actions whose time has come."""
        now = self.clock.now()
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()

    def clear(self) -> None:
        """Drop all planned actions."""
        self._due.clear()

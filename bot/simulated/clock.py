"""Time on the simulated desktop: a clock that needs no waiting, and what is due when."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from bot.ports import Clock


class FakeClock:
    """A clock that passes time only in `sleep`, and then at once."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass without waiting for it."""
        self._now += max(0.0, seconds)


class Timeline:
    """Actions in the order they fall due on a clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def later(self, delay_s: float, action: Callable[[], None]) -> None:
        """Plan an action."""
        heapq.heappush(self._due, (self.clock.now() + delay_s, next(self._order), action))

    def advance(self) -> None:
        """Do all that is due."""
        now = self.clock.now()
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()

    def clear(self) -> None:
        """Forget all plans."""
        self._due.clear()

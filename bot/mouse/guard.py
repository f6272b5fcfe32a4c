"""The hand on the mouse: clicks, parks, and lets go the moment a person wants it to.

Before every movement it looks where the pointer is. In a corner of any monitor: the kill
switch. Elsewhere than where the hand left it: a person is at the mouse, and the hand waits.
Ctrl-C is heard at once, but never between the press and the release of a button.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from bot.errors import PersonAtMouse, StoppedByUser
from bot.ports import Button, Desktop, Monitor
from calibration.frame import ScreenPoint

SLACK = 2
"""Mouse units the pointer may be off before it counts as moved: scaled screens round."""

NUDGE = 3
"""Mouse units of the smallest movement that every program hears of."""

POLL_S = 0.02
"""Seconds between two looks at a pointer in a person's hand."""

ARRIVAL_S = 0.5
ARRIVAL_POLL_S = 0.001
"""How long a pointer may lie at an earlier click of ours, and how often to look (openbox under
load holds it back for some milliseconds)."""


class StopSignal:
    """SIGINT and SIGTERM as `StoppedByUser`, put off while a click is under way."""

    def __init__(self) -> None:
        self._held = False
        self._pending = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take over both signals; the old handlers come back afterwards."""
        old = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in old:
            signal.signal(number, self.receive)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def receive(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Stop now, or right after the click under way."""
        self._pending = True
        if not self._held:
            self.check()

    def check(self) -> None:
        """Raise `StoppedByUser` if a signal came."""
        if self._pending:
            raise StoppedByUser("Stopped at your request; no click was made after it.")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep a click whole: a signal within waits for its end."""
        self.check()
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()


def in_corner(point: ScreenPoint, monitors: tuple[Monitor, ...]) -> bool:
    """Whether a point lies in a corner of any monitor, give or take a unit."""
    return any(
        (point.x <= monitor.left + 1 or point.x >= monitor.right - 2)
        and (point.y <= monitor.top + 1 or point.y >= monitor.bottom - 2)
        for monitor in monitors
        if monitor.left <= point.x < monitor.right and monitor.top <= point.y < monitor.bottom
    )


def _near(one: ScreenPoint, other: ScreenPoint) -> bool:
    return max(abs(one.x - other.x), abs(one.y - other.y)) <= SLACK


class Hand:
    """Clicks and keys, guarded. All movement of the pointer goes through here."""

    def __init__(self, desktop: Desktop, stop: StopSignal | None = None) -> None:
        self._desktop = desktop
        self._stop = stop or StopSignal()
        self._monitors = desktop.screen.monitors()
        # Where the pointer rested before the first move: no slam, even in a corner.
        self._found_at = desktop.pointer.position()
        self._left_at: ScreenPoint | None = None
        self._trail: deque[ScreenPoint] = deque(maxlen=8)
        self.has_clicked = False

    def check(self) -> None:
        """Raise `StoppedByUser` at the kill switch, `PersonAtMouse` if the pointer was moved."""
        here, left_at = self._arrived(), self._left_at
        if left_at is not None and not _near(here, left_at):
            raise PersonAtMouse(f"Somebody else moved the mouse from {left_at}.")

    def check_stop(self) -> ScreenPoint:
        """Raise `StoppedByUser` at the kill switch; else return where the pointer is."""
        self._stop.check()
        here = self._desktop.pointer.position()
        untouched = self._left_at is None and here == self._found_at
        if in_corner(here, self._monitors) and not untouched:
            raise StoppedByUser("Stopped: the pointer is in a corner of the screen.")
        return here

    def _arrived(self) -> ScreenPoint:
        """Return where the pointer is, once it has come from where it was before.

        A window manager that decides about a click first holds back all movement after it:
        the pointer then still lies at an earlier click of ours. To wait for it also keeps
        the clicks from running ahead of the program.
        """
        clock = self._desktop.clock
        end = clock.now() + ARRIVAL_S
        here = self.check_stop()
        while here in self._trail and here != self._left_at and clock.now() < end:
            clock.sleep(ARRIVAL_POLL_S)
            here = self.check_stop()
        return here

    def click(self, point: ScreenPoint, button: Button = Button.LEFT) -> None:
        """Click at ``point``. Raises as `check`."""
        self._act(lambda: self._desktop.pointer.click(point, button), point)
        self.has_clicked = True

    def park(self, point: ScreenPoint) -> None:
        """Leave the pointer at ``point``. Raises as `check`."""
        self._act(lambda: self._desktop.pointer.move(point), point)

    def nudge(self) -> None:
        """Move the pointer a little and back. Raises as `check`.

        A program that opened a dialog in mid-move still takes the pointer for where it was;
        kmines keeps its message up for as long as it believes the pointer over it.
        """
        here = self._left_at
        if here is not None:
            self.park(ScreenPoint(here.x + NUDGE, here.y))
            self.park(here)

    def press(self, keys: str) -> None:
        """Press keys. Raises as `check`."""
        self._act(lambda: self._desktop.keyboard.press(keys), self._left_at)

    def _act(self, action: Callable[[], None], end: ScreenPoint | None) -> None:
        self.check()
        with self._stop.held():
            action()
            self._left_at = end
            if end is not None:
                self._trail.append(end)

    def wait(self, seconds: float) -> None:
        """Let time pass with an eye on the kill switch. Raises `StoppedByUser`."""
        clock = self._desktop.clock
        end = clock.now() + seconds
        while (left := end - clock.now()) > 0:
            self.check_stop()
            clock.sleep(min(left, POLL_S))

    def wait_idle(self, idle_s: float) -> None:
        """Wait until the person has left the pointer alone for ``idle_s`` seconds.

        There is no limit: the mouse is theirs. Raises `StoppedByUser` at the kill switch.
        """
        clock, pointer = self._desktop.clock, self._desktop.pointer
        last, since = pointer.position(), clock.now()
        while clock.now() - since < idle_s:
            self.check_stop()
            clock.sleep(POLL_S)
            here = pointer.position()
            if here != last:
                last, since = here, clock.now()
        self._left_at = last

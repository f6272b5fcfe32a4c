"""The guarded mouse: clicks and parks the pointer, and stops as soon as a person wants it to.

Before every movement the guard checks where the pointer is. In a corner of any monitor, it is
the kill switch. Anywhere but where the bot left it, a person is at the mouse, and the bot waits; so
it does while a key such as Shift is held. Ctrl-C stops at once, but never between the press and the
release of a button.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from bot.desktop.ports import Button, Desktop, Monitor
from bot.errors import PersonAtMouse, StoppedByUser
from bot.interrupts import raise_in
from bot.mouse.loops import ClickLoops
from calibration.points import ScreenPoint

SLACK_UNITS = 2
"""Mouse units that the pointer may be off (scaled screens round) before it counts as moved."""

POLL_S = 0.02
"""Seconds between two checks of a pointer that a person may move."""

ARRIVAL_S = 0.5
ARRIVAL_POLL_S = 0.001
"""How long the pointer may stay at an earlier click of the bot, and the seconds between two
checks (openbox under load holds the pointer back for some milliseconds)."""


class StopSignal:
    """Turns SIGINT and SIGTERM into `StoppedByUser`, after the click under way if there is one."""

    def __init__(self) -> None:
        self._deferring = False
        self._pending = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle both signals within the block; restore the old handlers afterwards."""
        old = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in old:
            signal.signal(number, self.receive)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def receive(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Raise `StoppedByUser`, but let a click or an import under way end first.

        ``frame`` is what the signal interrupted.
        """
        self._pending = True
        if not self._deferring:
            raise_in(frame, _stopped())

    def check(self) -> None:
        """Raise `StoppedByUser` if a signal came."""
        if self._pending:
            raise _stopped()

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Keep a click whole: a signal that comes within the block is raised at its end."""
        self.check()
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False
        self.check()


def _stopped() -> StoppedByUser:
    return StoppedByUser("Stopped at your request; no click was made afterwards.")


def in_corner(point: ScreenPoint, monitors: tuple[Monitor, ...]) -> bool:
    """Whether a point lies in a corner of any monitor, or at most one unit from it."""
    return any(
        (point.x <= monitor.left + 1 or point.x >= monitor.right - 2)
        and (point.y <= monitor.top + 1 or point.y >= monitor.bottom - 2)
        for monitor in monitors
        if monitor.left <= point.x < monitor.right and monitor.top <= point.y < monitor.bottom
    )


class MouseGuard:
    """Clicks, moves and presses keys, each after its checks. Nothing else moves the pointer."""

    def __init__(self, desktop: Desktop, stop: StopSignal | None = None) -> None:
        self._desktop = desktop
        self._stop = stop or StopSignal()
        # A pointer that rested in a corner before the first move is no kill switch.
        self._start_point = desktop.pointer.position()
        self._left_at: ScreenPoint | None = None
        self._recent_points: deque[ScreenPoint] = deque(maxlen=8)
        self.loops = ClickLoops()
        self.has_clicked = False

    def check(self) -> None:
        """Raise `StoppedByUser` at the kill switch, `PersonAtMouse` if a person is there.

        That is: the pointer was moved, or a key is held with which a click means something else.
        """
        here, left_at = self._arrived(), self._left_at
        if left_at is not None and not here.is_near(left_at, SLACK_UNITS):
            raise PersonAtMouse(f"A person moved the mouse away from {left_at.x},{left_at.y}.")
        if held := self._desktop.held_keys():
            raise PersonAtMouse(f"A person holds {' and '.join(held)}.")

    def check_stop(self) -> ScreenPoint:
        """Return where the pointer is. Raises `StoppedByUser` at the kill switch."""
        self._stop.check()
        here = self._desktop.pointer.position()
        untouched = self._left_at is None and here == self._start_point
        if in_corner(here, self._desktop.screen.monitors()) and not untouched:
            raise StoppedByUser("Stopped: the pointer is in a corner of the screen.")
        return here

    def _arrived(self) -> ScreenPoint:
        """Wait until the pointer has left the places of earlier clicks; return where it is.

        A window manager that handles a click first delays all movement after it: the pointer
        then still lies at an earlier click of the bot. Waiting here also keeps the clicks from
        running ahead of the program.
        """
        clock = self._desktop.clock
        end = clock.now() + ARRIVAL_S
        here = self.check_stop()
        while here in self._recent_points and here != self._left_at and clock.now() < end:
            clock.sleep(ARRIVAL_POLL_S)
            here = self.check_stop()
        return here

    def click(self, point: ScreenPoint, button: Button = Button.LEFT, hold_s: float = 0.0) -> None:
        """Click at ``point``, with the button down for ``hold_s``.

        Raises what `check` raises, and `WindowStuck` for clicks that go round in circles.
        """
        self.loops.add(point)
        self._act(lambda: self._desktop.pointer.click(point, button, hold_s), point)
        self.has_clicked = True

    def park(self, point: ScreenPoint) -> None:
        """Move the pointer to ``point`` and leave it there. Raises what `check` raises."""
        self._act(lambda: self._desktop.pointer.move(point), point)

    def nudge(self, border: ScreenPoint, place: ScreenPoint) -> None:
        """Move the pointer over the ``border`` of the board, then to its ``place``.

        A program that opened a dialog during a move still believes the pointer to be at its old
        place; kmines shows its message as long as it believes the pointer to be over it, and only
        hears of movements within its window. And a window that moved may lie below the pointer:
        gnome-mines shows a tile in another colour. Raises what `check` raises.
        """
        if self._left_at is not None:
            self.park(border)
            self.park(place)

    def press(self, keys: str) -> None:
        """Press a key or a chord of keys. Raises what `check` raises."""
        self._act(lambda: self._desktop.keyboard.press(keys), self._left_at)

    def _act(self, action: Callable[[], None], end: ScreenPoint | None) -> None:
        self.check()
        with self._stop.deferred():
            action()
            self._left_at = end
            if end is not None:
                self._recent_points.append(end)

    def wait(self, seconds: float) -> None:
        """Let time pass, but raise `StoppedByUser` as soon as the kill switch is used."""
        clock = self._desktop.clock
        end = clock.now() + seconds
        while (left := end - clock.now()) > 0:
            self.check_stop()
            clock.sleep(min(left, POLL_S))

    def wait_idle(self, idle_s: float) -> None:
        """Wait until for ``idle_s`` seconds the pointer has not moved and no key was held.

        There is no limit, because the mouse belongs to the person. Raises `StoppedByUser` at the
        kill switch.
        """
        clock, pointer = self._desktop.clock, self._desktop.pointer
        last, since = pointer.position(), clock.now()
        while clock.now() - since < idle_s:
            self.check_stop()
            clock.sleep(POLL_S)
            here = pointer.position()
            if here != last or self._desktop.held_keys():
                last, since = here, clock.now()
        self._left_at = last

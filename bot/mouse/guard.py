"""The guarded mouse and keyboard: the only way to a press and a key, through one gate.

Before every movement the guard checks where the pointer is. A corner of any monitor is the kill
switch. If the pointer is not where the bot left it, a person is at the mouse, and the bot waits; it
also waits while a key such as Shift is held.

A press is made only if the pointer rests on the window in which the board was read, and if the
target still looks as it was read. A key is pressed only if the window of the board, or one of its
dialogs, has the keyboard. If the system does not report whose window lies at a point, the pixels
decide; if it does not report who has the keyboard, only keys that the user named are pressed, and
keys that directly follow a click on the board.

A signal never interrupts a press: between the press and the release of a button it is kept for
later.

One stop does not depend on reading: clicks that repeat at the same place again and again. The bot
once flagged a tile that stayed lit under the pointer for four minutes, and clicked an alert of a
page for as long.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.desktop.system import console_closing
from bot.errors import NotPressed, PersonAtMouse, StoppedByUser, WindowStuck
from bot.interrupts import raise_in
from calibration import Frame, ScreenPoint

SLACK_UNITS = 2
"""The pointer counts as moved if it is off by more mouse units: scaled screens round."""

POLL_S = 0.02
"""Seconds between two checks of a pointer that a person may move."""

ARRIVAL_S = 0.5

ARRIVAL_POLL_S = 0.001
"""How long the pointer may stay at an earlier click of the bot, and the seconds between two checks:
under load, openbox delays the pointer for some milliseconds."""

JUST_CLICKED_S = 0.05
"""How long after a click the board has the keyboard, if the system does not report who has it."""

FIRST_LOOKS = 3
"""How often the board's window must be seen before it counts. Windows that appear over a board for
a moment do not stay that long."""

LOOK_S = 0.15
"""Seconds between two of these looks."""

DEFAULT_BUTTON = "return"
"""The key that presses the default button of a dialog."""

NO_WINDOW = -1
"""A number that stands for no window."""


def _signals(*names: str) -> tuple[signal.Signals, ...]:
    """Return the signals of these names, if the system has them."""
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


STOPPING = _signals("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
"""Signals that stop play: Ctrl-C, `kill`, a closed terminal, and Ctrl-Backslash or Ctrl-Break."""

CUTTING_SHORT = (*STOPPING, *_signals("SIGTSTP", "SIGALRM", "SIGUSR1", "SIGUSR2"))
"""Signals that would end or suspend the program, or raise, between a press and its release."""


class StopSignal:
    """Turns signals into `StoppedByUser`, but never in the middle of a click."""

    def __init__(self) -> None:
        self._deferring = False
        self._pending = False
        self._unhandled: Collection[signal.Signals] = CUTTING_SHORT

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle the signals that stop play within the block; restore the handlers afterwards.

        Ignored signals stay ignored, for instance after `nohup`, except Ctrl-C and `kill`. Under
        Windows, closing the console counts, too.
        """
        always = (signal.SIGINT, signal.SIGTERM)
        old = {number: signal.getsignal(number) for number in STOPPING}
        old = {
            number: handler
            for number, handler in old.items()
            if number in always or handler is not signal.SIG_IGN
        }
        for number in old:
            signal.signal(number, self.receive)
        self._unhandled = [number for number in CUTTING_SHORT if number not in old]
        try:
            with console_closing():
                yield
        finally:
            self._unhandled = CUTTING_SHORT
            for number, handler in old.items():
                signal.signal(number, handler)

    def receive(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Raise `StoppedByUser`, but let a running click or import finish first.

        ``frame`` is the code that the signal interrupted.
        """
        self._pending = True
        if not self._deferring:
            raise_in(frame, _stopped(), number)

    def check(self) -> None:
        """Raise `StoppedByUser` if a signal came."""
        if self._pending:
            raise _stopped()

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Keep a click whole: a signal that comes within the block takes effect at its end."""
        self.check()
        self._deferring = True
        try:
            with _kept_for_later(self._unhandled):
                yield
        finally:
            self._deferring = False
        self.check()


@contextmanager
def _kept_for_later(numbers: Collection[signal.Signals]) -> Iterator[None]:
    """Delay these signals to the end of the block: none ends, suspends or raises within it."""
    came, kept = list[int](), list[tuple[int, Any]]()

    def keep(number: int, frame: FrameType | None) -> None:
        came.append(number)

    try:
        if threading.current_thread() is threading.main_thread():
            for number in numbers:
                handler = signal.getsignal(number)
                if handler not in (signal.SIG_IGN, None):
                    kept.append((number, handler))
                    signal.signal(number, keep)
        yield
    finally:
        for kept_number, handler in kept:
            signal.signal(kept_number, handler)
        for came_then in came:
            signal.raise_signal(came_then)


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


@dataclass(frozen=True)
class Aim:
    """The target of a press: a point, and a check whether it still looks as it was read.

    ``unchanged`` is called right before the press, and also before the pointer moves if it rests
    first. A point that is ``user_named`` may lie in a dialog of the board's window.
    """

    point: ScreenPoint
    unchanged: Callable[[], bool]
    user_named: bool = False


class MouseGuard:
    """Clicks, moves and presses keys, each after its checks. Nothing else moves the pointer.

    ``named_keys`` are keys that the user named: they may be pressed even if the system does not
    report which window has the keyboard.
    """

    def __init__(
        self,
        desktop: Desktop,
        stop: StopSignal | None = None,
        named_keys: Collection[str] = (),
    ) -> None:
        self._desktop = desktop
        self._stop = stop or StopSignal()
        self._named_keys = named_keys
        self._board: Window | None = None
        self._keyboard_of: int | None = None
        self._clicked_at = -JUST_CLICKED_S
        # A pointer that was in a corner before the first move does not count.
        self._start_point = desktop.pointer.position()
        self._left_at: ScreenPoint | None = None
        self._recent_points: deque[ScreenPoint] = deque(maxlen=8)
        self.loops = ClickLoops()
        self.has_clicked = False

    def check(self) -> None:
        """Raise `StoppedByUser` at the kill switch, `PersonAtMouse` if a person is at the mouse.

        A person is there if the pointer was moved, or if a key is held that changes a click.
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

        A window manager that handles clicks itself delays the movements after them: the pointer is
        then still at an earlier click of the bot. Waiting here also keeps the clicks from running
        ahead of the program.
        """
        clock = self._desktop.clock
        end = clock.now() + ARRIVAL_S
        here = self.check_stop()
        while here in self._recent_points and here != self._left_at and clock.now() < end:
            clock.sleep(ARRIVAL_POLL_S)
            here = self.check_stop()
        return here

    # ---- the gate ----------------------------------------------------------------------------

    def note_board(
        self, point: ScreenPoint, picture: Frame, is_in_sight: Callable[[], bool]
    ) -> None:
        """Take note of the window at a point of the board while the board ``is_in_sight``.

        ``picture`` shows the surroundings of the point. The first window that shows it in several
        looks is the board's window from now on. It may move; a window over it, or one that shows
        the same elsewhere, is another one. Raises `StoppedByUser`.
        """
        window = self._desktop.window_at(point)
        if window is None or (self._board is not None and window.number != self._board.number):
            return
        if self._board is not None:  # each press checks its place again
            self._board = window if is_in_sight() else self._board
            return
        for look in range(FIRST_LOOKS):
            if look:
                self.wait(LOOK_S)
            if not is_in_sight() or self._desktop.window_at(point) != window:
                return
        if self._desktop.shows(window, picture):
            self._board = window

    @property
    def sees_windows(self) -> bool:
        """Whether the system reports whose window lies at a point; if not, pixels decide."""
        return self._board is not None

    def is_in_board_window(self, point: ScreenPoint) -> bool:
        """Whether the system reports the board's window at a point."""
        window = self._desktop.window_at(point)
        return self._board is None or (window and window.number) == self._board.number

    def click(
        self, aim: Aim, button: Button = Button.LEFT, *, hold_s: float = 0.0, rest_s: float = 0.0
    ) -> None:
        """Press at an aim, with the button down for ``hold_s``, and release.

        The pointer first rests there for ``rest_s``. Raises `NotPressed` if the target does not
        look as it was read, what `check` raises, and `WindowStuck` if clicks repeat in a circle.
        """
        point = aim.point
        if rest_s:
            self._check_unchanged(aim)
            self.park(point)
            self.wait(rest_s)
        self._check_unchanged(aim)
        into = self._window_for(aim)
        self.loops.add(point)
        pressed = self._act(lambda: self._desktop.pointer.click(point, button, hold_s, into), point)
        if not pressed:
            raise NotPressed(
                f"Another window than the board's lies at {point.x},{point.y}, so nothing was "
                "clicked there: close it or move it away, and start again.",
                other_window=True,
            )
        self.has_clicked = True
        self._clicked_at = self._desktop.clock.now()
        if into is None:
            self._note_focus()

    def _window_for(self, aim: Aim) -> Window | None:
        """Return the window that a press must go to, None if the system does not report windows."""
        into = self._board
        if into is None or aim.user_named:
            there = self._desktop.window_at(aim.point)
            if into and there and there.owner == into.number:
                return there
            if there and not into:
                raise NotPressed(
                    "It is not known which window shows the board, so nothing was clicked: leave "
                    "its window where it is, and start again.",
                    other_window=True,
                )
        return into

    @staticmethod
    def _check_unchanged(aim: Aim) -> None:
        if not aim.unchanged():
            raise NotPressed(
                f"What lies at {aim.point.x},{aim.point.y} changed before the click: move away "
                "what lies over it, and start again.",
                other_window=False,
            )

    def _note_focus(self) -> None:
        """Take note of the window that a click on the board gave the keyboard to.

        It must be the same one after every click; if not, it is unknown.
        """
        focused = self._desktop.focused()
        if focused is not None and self._keyboard_of is None:
            self._keyboard_of = focused
        elif focused != self._keyboard_of:
            self._keyboard_of = NO_WINDOW

    def press(self, keys: str) -> None:
        """Press a key or a chord of keys.

        Raises `NotPressed` if the board's window does not have the keyboard, or if that is unknown
        and the user did not name the keys. Raises what `check` raises.
        """
        into = self._keyboard_of if self._board is None else self._board.number
        just_clicked = self._desktop.clock.now() - self._clicked_at < JUST_CLICKED_S
        may_go_anywhere = just_clicked or (
            keys in self._named_keys and self._desktop.window_at(self._start_point) is None
        )
        if into is None and not may_go_anywhere:
            raise NotPressed(
                f"This desktop does not say which window has the keyboard, so the key {keys!r} was "
                "not pressed: name it with --new-game or --close if it may go wherever keys go.",
                other_window=True,
            )
        if not self._act(lambda: self._desktop.keyboard.press(keys, into), self._left_at):
            raise NotPressed(
                f"Another window than the board's has the keyboard, so the key {keys!r} was not "
                "pressed: click the board's window, and start again.",
                other_window=True,
            )

    def press_default_button(self) -> bool:
        """Press the default button of a dialog of the board's window that has the keyboard.

        Returns whether the system reports such a dialog. Raises what `check` raises.
        """
        dialog = self._desktop.dialog_of(self._board.number) if self._board else None
        if dialog is None:
            return False
        self._act(lambda: self._desktop.keyboard.press(DEFAULT_BUTTON, dialog), self._left_at)
        return True

    # ---- movements ---------------------------------------------------------------------------

    def park(self, point: ScreenPoint) -> None:
        """Move the pointer to ``point`` and leave it there. Raises what `check` raises."""
        self._act(lambda: self._desktop.pointer.move(point), point)

    def nudge(self, border: ScreenPoint, place: ScreenPoint) -> None:
        """Move the pointer over the ``border`` of the board, then to its ``place``.

        If a program opened a dialog during a move, it still assumes the pointer at its old place:
        kmines shows its message as long as the pointer seems to be over it, and only notices
        movements within its window. A window that moved may be below the pointer: gnome-mines then
        highlights a tile. Raises what `check` raises.
        """
        if self._left_at is not None:
            self.park(border)
            self.park(place)

    def _act(self, action: Callable[[], bool | None], end: ScreenPoint | None) -> bool:
        """Run an action after the checks; it leaves the pointer at ``end``. Return its result."""
        self.check()
        with self._stop.deferred():
            done = action()
            self._left_at = end
            if end is not None:
                self._recent_points.append(end)
        return bool(done)

    def wait(self, seconds: float) -> None:
        """Let time pass, but raise `StoppedByUser` as soon as the kill switch is used."""
        clock = self._desktop.clock
        end = clock.now() + seconds
        while (left := end - clock.now()) > 0:
            self.check_stop()
            clock.sleep(min(left, POLL_S))

    def wait_idle(self, idle_s: float) -> None:
        """Wait until the pointer has not moved and no key was held for ``idle_s`` seconds.

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


WATCHED = 15
"""How many of the last clicks are remembered."""

AT_ONE_PLACE = 12
"""This many of them at one place are a circle."""

IN_TURNS = 12
"""This many clicks in a row at two places in turns are a circle."""

UNANSWERED = 200
"""This many clicks in several turns without a change of the board's picture are a circle."""

SAME_PLACE_UNITS = 2
"""Two clicks at most this many mouse units apart are at one place."""


class ClickLoops:
    """Remembers the last clicks of a game."""

    def __init__(self) -> None:
        self._places: deque[ScreenPoint] = deque(maxlen=WATCHED)
        self._seen: NDArray[np.uint8] | None = None
        self._unanswered = 0

    def forget(self) -> None:
        """Forget all clicks: the next game may open the same cell first."""
        self._places.clear()
        self._unanswered = 0

    def begin_turn(self, board: NDArray[np.uint8]) -> None:
        """Compare the picture of the board with that of the turn before.

        Raises `WindowStuck` if it has not changed despite many clicks.
        """
        if self._seen is None or not np.array_equal(board, self._seen):
            self._seen, self._unanswered = board.copy(), 0
        if self._unanswered >= UNANSWERED:
            raise WindowStuck(
                f"{self._unanswered} clicks changed nothing on the board: check whether the window "
                "is frozen, paused or waiting for an answer."
            )

    def add(self, point: ScreenPoint) -> None:
        """Remember a click before it is made. Raises `WindowStuck` if it completes a circle."""
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

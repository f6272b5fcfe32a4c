"""Steer play with keys: single keys are read from the terminal without waiting."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from bot.streams import is_terminal

if TYPE_CHECKING:
    from bot.options import Wait

KEYS_POLL_S = 0.05
"""Seconds between two looks at the keyboard during a pause."""

SLOWER_S = 0.1
"""Pause before a click at half speed, if play has no pauses itself."""

MAX_DOUBLINGS = 5

PLAY_KEYS = (
    ("p", "pause or go on"),
    ("s", "play one turn, then pause"),
    ("+ -", "faster, slower"),
    ("q", "stop after this game"),
    ("?", "show or hide these keys"),
)

SHORT_KEYS = ("p pause", "s step", "+/- speed", "q stop after this game", "? keys")
"""The keys in short, if there is no room for a list."""

STOP_LINE = "The pointer in a corner of the screen, or Ctrl-C, stops at once."


class KeyControl:
    """A control that reads keys; ``on_change`` is called when a key changed something.

    The kill switch and Ctrl-C work during a pause as well: time passes in small pieces, each
    through the guard. With ``step``, play begins in a pause.
    """

    def __init__(self, read_key: ReadKey, *, step: bool = False) -> None:
        self._read_key = read_key
        self._turns_left = 0
        self._doublings = 0
        self.on_change: Callable[[], None] = lambda: None
        self.paused = step
        self.stop_after_game = False
        self.help = False

    @property
    def speed(self) -> float:
        """How many times faster play is than at the start."""
        return 2.0**self._doublings

    @property
    def state(self) -> str:
        """The current state of control, as a heading; empty if nothing was changed."""
        parts = []
        if self.paused:
            parts.append("PAUSED")
        if self.speed != 1.0:
            parts.append(f"speed ×{self.speed:g}")
        if self.stop_after_game:
            parts.append("stops after this game")
        return ", ".join(parts)

    def before_turn(self, wait: Wait) -> None:
        """Wait while play is paused, unless the person wants one turn."""
        self._turns_left = max(0, self._turns_left - 1)
        self._read()
        if self.paused:
            self.on_change()
        while self.paused and not self._turns_left:
            wait(KEYS_POLL_S)
            self._read()

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Wait for the pause of the pace at the current speed, and while play is paused."""
        self._read()
        waited_s = 0.0
        while self.paused and not self._turns_left:
            wait(KEYS_POLL_S)
            self._read()
        while (left_s := self._scaled(pause_s) - waited_s) > 0:
            wait(min(KEYS_POLL_S, left_s))
            waited_s += KEYS_POLL_S
            self._read()

    def _scaled(self, pause_s: float) -> float:
        if pause_s == 0 and self._doublings < 0:
            pause_s = SLOWER_S / 2
        return pause_s / self.speed

    def _read(self) -> None:
        """Handle all keys pressed since the last time."""
        while key := self._read_key():
            if self._handle(key):
                self.on_change()

    def _handle(self, key: str) -> bool:
        """Handle one key; return whether it has a meaning."""
        if key == "p":
            self.paused = not self.paused
            self._turns_left = 0
        elif key in ("s", "\n", "\r"):
            self.paused = True
            self._turns_left = 1
        elif key in ("+", "="):
            self._doublings = min(MAX_DOUBLINGS, self._doublings + 1)
        elif key in ("-", "_"):
            self._doublings = max(-MAX_DOUBLINGS, self._doublings - 1)
        elif key == "q":
            self.stop_after_game = not self.stop_after_game
        elif key in ("?", "h"):
            self.help = not self.help
        else:
            return False
        return True


ReadKey = Callable[[], str]
"""Returns the next key that was pressed, an empty text without one."""


@contextmanager
def open_keys() -> Iterator[ReadKey | None]:
    """Read keys within the block; yields None if standard input is not a terminal."""
    if not is_terminal(sys.stdin):
        yield None
    elif sys.platform == "win32":
        yield _read_windows_key
    else:
        with _cbreak(sys.stdin.fileno()):
            yield lambda: _read_posix_key(sys.stdin.fileno())


if sys.platform == "win32":
    import msvcrt

    def _read_windows_key() -> str:
        if not msvcrt.kbhit():
            return ""
        key = msvcrt.getwch()
        if key in ("\x00", "\xe0"):  # the first half of an arrow or function key
            msvcrt.getwch()
            return ""
        return key

else:
    import select
    import termios
    import tty

    def _read_posix_key(descriptor: int) -> str:
        """Return the next key; a sequence of an arrow or function key is dropped as a whole."""
        if not select.select([descriptor], [], [], 0)[0]:
            return ""
        try:
            data = os.read(descriptor, 1)
        except OSError:  # the terminal was closed; a signal says so, too
            return ""
        if data != b"\x1b":
            return data.decode("ascii", "ignore")
        while select.select([descriptor], [], [], 0)[0]:
            last = os.read(descriptor, 1)
            if last.isalpha() or last in (b"~", b""):
                break
        return ""

    @contextmanager
    def _cbreak(descriptor: int) -> Iterator[None]:
        """Put a terminal in cbreak mode within the block."""
        try:
            before = termios.tcgetattr(descriptor)
        except termios.error:  # a terminal that is gone
            yield
            return

        # A closed terminal accepts no mode any more; the system only sends SIGCONT then.
        def restore() -> None:
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

        def suspend(number: int, frame: FrameType | None) -> None:
            restore()
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)

        def resume(number: int, frame: FrameType | None) -> None:
            signal.signal(signal.SIGTSTP, suspend)
            with suppress(termios.error):
                tty.setcbreak(descriptor, termios.TCSANOW)

        handlers = {signal.SIGTSTP: suspend, signal.SIGCONT: resume}
        old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        tty.setcbreak(descriptor, termios.TCSANOW)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
            restore()

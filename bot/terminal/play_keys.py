"""Steer play with keys: pause, one turn, speed, an early end, help."""

from __future__ import annotations

from collections.abc import Callable

from bot.play.control import Wait
from bot.terminal.keys import ReadKey

KEYS_POLL_S = 0.05
"""Seconds between two looks at the keyboard during a pause."""

SLOWER_S = 0.1
"""Pause before a click at half speed, for play that has no pauses of its own."""

MAX_DOUBLINGS = 5

PLAY_KEYS = (
    ("p", "pause or go on"),
    ("s", "play one turn, then pause"),
    ("+ -", "faster, slower"),
    ("q", "stop after this game"),
    ("?", "show or hide these keys"),
)


SHORT_KEYS = ("p pause", "s step", "+/- speed", "q stop after this game", "? keys")
"""The keys where there is no room for a list."""

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
        """How many times faster than at the start play is."""
        return 2.0**self._doublings

    @property
    def state(self) -> str:
        """How play is steered now, as a heading; empty where it runs as it began."""
        parts = []
        if self.paused:
            parts.append("PAUSED")
        if self.speed != 1.0:
            parts.append(f"speed ×{self.speed:g}")
        if self.stop_after_game:
            parts.append("stops after this game")
        return ", ".join(parts)

    def before_turn(self, wait: Wait) -> None:
        """Wait while play is paused, unless one turn was asked for."""
        self._turns_left = max(0, self._turns_left - 1)
        self._read()
        if self.paused:
            self.on_change()
        while self.paused and not self._turns_left:
            wait(KEYS_POLL_S)
            self._read()

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Wait for the pause of the pace at the present speed, and while play is paused."""
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
        """Handle one key; tell whether it means anything."""
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

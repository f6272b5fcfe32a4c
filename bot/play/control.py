"""Let a person steer play while it runs: pause, single turns, speed, an early end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Wait = Callable[[float], None]
"""Lets seconds pass; raises `StoppedByUser` at the kill switch."""


class Control(Protocol):
    """Is asked by play before each turn, each click and each further game."""

    @property
    def stop_after_game(self) -> bool:
        """Whether no further game is wanted."""
        ...

    def before_turn(self, wait: Wait) -> None:
        """Return when the turn may be played; let time pass with ``wait`` only."""
        ...

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Return when the click may be sent; ``pause_s`` is the pause of the pace."""
        ...


class NoControl:
    """A control that only keeps the pace."""

    stop_after_game = False

    def before_turn(self, wait: Wait) -> None:
        """Return at once."""

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Wait for the pause of the pace."""
        wait(pause_s)

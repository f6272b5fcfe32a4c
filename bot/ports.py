"""All the bot knows of the outer world: four small ports, real or simulated."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from calibration.frame import Frame, PixelBox, ScreenPoint


class Button(Enum):
    """A mouse button."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


class Screen(Protocol):
    """Something that can be looked at."""

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture of the whole screen, or of ``box`` of it (pixels of the whole).

        Raises `ScreenGone` when no picture can be had.
        """
        ...


class Pointer(Protocol):
    """A mouse."""

    def click(self, point: ScreenPoint, button: Button = Button.LEFT) -> None:
        """Move to ``point``, press and release. Raises `StoppedByUser` at the kill switch."""
        ...

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``. Raises `StoppedByUser` at the kill switch."""
        ...

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        ...


class Keyboard(Protocol):
    """A keyboard."""

    def press(self, keys: str) -> None:
        """Press a key or a chord of keys such as ``ctrl+n``."""
        ...


class Clock(Protocol):
    """Time, real or simulated."""

    def now(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...

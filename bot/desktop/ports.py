"""All the bot knows of the outer world: four small ports, real or simulated, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from calibration.frame import Frame, PixelBox, ScreenPoint


class Button(Enum):
    """A mouse button."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


class Monitor(NamedTuple):
    """One screen of the desktop: ``left <= x < right``, ``top <= y < bottom``, mouse units."""

    left: int
    top: int
    right: int
    bottom: int


class Screen(Protocol):
    """Something that can be looked at."""

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture of the whole screen, or of ``box`` of it (pixels of the whole).

        The frame of a box has its own origin, so that its points still lead to the right place
        of the screen. Raises `ScreenGone` when no picture can be had.
        """
        ...

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the monitors lie: their corners are the kill switch."""
        ...


class Pointer(Protocol):
    """A mouse. It knows nothing of the kill switch: `bot.hand` stands before it."""

    def click(self, point: ScreenPoint, button: Button = Button.LEFT) -> None:
        """Move to ``point``, press and release."""
        ...

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
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


@dataclass(frozen=True)
class Desktop:
    """The outer world in one piece: what a real or a simulated desktop hands over."""

    screen: Screen
    pointer: Pointer
    keyboard: Keyboard
    clock: Clock

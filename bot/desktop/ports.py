"""The outer world as the bot sees it: small ports, real or simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from bot.errors import UsageError
from calibration import Frame, PixelBox, ScreenPoint


class Button(Enum):
    """A mouse button."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


class Monitor(NamedTuple):
    """One monitor of the desktop: ``left <= x < right``, ``top <= y < bottom``, in mouse units."""

    left: int
    top: int
    right: int
    bottom: int


class Window(NamedTuple):
    """A top-level window: its number, and its upper left corner in mouse units.

    ``owner`` is, for a dialog, the number of the window that it belongs to, else its own.
    """

    number: int
    left: int
    top: int
    owner: int


def check_on_monitor(name: str, point: ScreenPoint, monitors: Sequence[Monitor]) -> None:
    """Raise `UsageError` if the point that a person named with an option is on no monitor."""
    if not any(m.left <= point.x < m.right and m.top <= point.y < m.bottom for m in monitors):
        edges = "; ".join(f"{m.left},{m.top} to {m.right},{m.bottom}" for m in monitors)
        raise UsageError(
            f"{name} {point.x},{point.y} is on no monitor ({edges}): name another point."
        )


class Screen(Protocol):
    """The picture on all monitors."""

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the whole screen, or ``box`` of it, in pixels of the whole screen.

        The frame of a box has its own origin, so that `Frame.to_screen` gives the right points.
        Raises `ScreenGone` if the screen gives no picture.
        """
        ...

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the monitors lie; their corners are the kill switch."""
        ...


class Pointer(Protocol):
    """The mouse, without checks: use it through `bot.mouse.guard`, which has the kill switch."""

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds.

        Right before the press, with the pointer there, the system must say that the press goes
        ``into`` that window, which has not moved; if not, returns False and presses nothing.
        ``into`` is None if the system does not report windows.
        """
        ...

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        ...

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        ...


class Keyboard(Protocol):
    """The keyboard, without checks: use it through `bot.mouse.guard`."""

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or a chord of keys such as ``ctrl+n``.

        Right before, the system must say that keys go ``into`` the window of this number or one of
        its dialogs; if not, returns False and presses nothing. With None, nothing is checked.
        """
        ...


Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


class Mark(NamedTuple):
    """A filled rectangle that is drawn on the screen, in pixels of the whole screen."""

    box: PixelBox
    colour: Colour


class Overlay(Protocol):
    """Marks over all windows, through which every click goes."""

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks and no others, above all windows; later colours lie over earlier."""
        ...

    def close(self) -> None:
        """Remove the marks and close the overlay."""
        ...


class Clock(Protocol):
    """Time, real or simulated."""

    def now(self) -> float:
        """Return seconds since an arbitrary start; they never decrease."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...


class Fact(NamedTuple):
    """One sentence that the system says of itself, under a name; ``good`` if it is as it should."""

    name: str
    sentence: str
    good: bool = True


def focus_unknown() -> int | None:
    """Answer for a system that does not say which window gets the keys."""
    return None


@dataclass(frozen=True)
class Desktop:
    """The four ports of a real or a simulated desktop, and what else its system says.

    ``window_at`` returns the topmost window at a point, None where the system does not say. A
    window that is seen through, or looks just like what lies below it, is known by it alone.
    ``shows`` says whether a window is topmost in the middle of a picture of a part of the screen,
    and itself shows it; True where the system does not say.
    ``held_keys`` names the keys such as Shift that a person holds down: they change what a click
    does. ``focused`` is for a system that does not say whose window lies at a point, but which one
    gets the keys: the number of that, or of the window that it is a dialog of. ``dialog_of`` takes
    the number of a window and returns that of its dialog which has the keyboard, None if none has.
    ``refusal_at`` says in a sentence why clicks do not reach the window at a point, and ``facts``
    what the system says of scale and mouse, both for `doctor`. ``route`` says how the desktop is
    reached, as ``--screen`` names it. ``lines_in`` returns the lines of text in a part of a
    picture; without it they are read by OCR, which takes seconds.
    """

    screen: Screen
    pointer: Pointer
    keyboard: Keyboard
    clock: Clock
    window_at: Callable[[ScreenPoint], Window | None] = lambda point: None
    held_keys: Callable[[], tuple[str, ...]] = lambda: ()
    focused: Callable[[], int | None] = focus_unknown
    dialog_of: Callable[[int], int | None] = lambda number: None
    refusal_at: Callable[[ScreenPoint], str | None] = lambda point: None
    facts: Callable[[], Iterable[Fact]] = lambda: ()
    shows: Callable[[Window, Frame], bool] = lambda window, picture: True
    route: str = "sim"
    lines_in: Callable[[Frame, PixelBox], list[str]] | None = None

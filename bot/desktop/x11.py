"""The mouse under X11, through XTest.

A click must reach the program as a press and a release at one place. pyautogui moves the pointer
once more in between, which some pages take for a drag. And a window manager may hold a press back
(openbox does, to raise the window first): a movement that follows too soon then comes before the
release, so that the program sees a drag to the place of the next click, opens nothing, or selects
text. In Chromium that happened in 6 of 100 turns of four clicks, and in none of 250 since the
release is waited for; it takes 0.1 to 3 ms.
"""

from __future__ import annotations

import time

from Xlib import X
from Xlib.ext.xtest import fake_input

from bot.desktop.ports import Button
from bot.desktop.x11_connection import open_display
from calibration.points import ScreenPoint

NUMBERS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3}
MODIFIER_BITS = {
    "Shift": X.ShiftMask,
    "Ctrl": X.ControlMask,
    "Alt": X.Mod1Mask,
    "Super": X.Mod4Mask,
}
MASKS = {1: X.Button1Mask, 2: X.Button2Mask, 3: X.Button3Mask}

RELEASE_S = 0.5
RELEASE_POLL_S = 0.0005
"""How long the X server may take for a release, and the seconds between two looks at it."""


class XPointer:
    """The mouse of an X display."""

    def __init__(self) -> None:
        self._display = open_display()
        self._root = self._display.screen().root

    def click(self, point: ScreenPoint, button: Button = Button.LEFT, hold_s: float = 0.0) -> None:
        """Move to ``point``, press, and release after ``hold_s``; return when the button is up.

        The server gets the movement and the press at once: with an answer awaited between them, a
        person's push into a corner once came there, and the press fell into the corner.
        """
        number = NUMBERS[button]
        physical = self._physical(number)
        fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
        fake_input(self._display, X.ButtonPress, physical)
        self._display.sync()
        time.sleep(hold_s)
        fake_input(self._display, X.ButtonRelease, physical)
        self._display.sync()
        end = time.monotonic() + RELEASE_S
        while self._root.query_pointer().mask & MASKS[number] and time.monotonic() < end:
            time.sleep(RELEASE_POLL_S)

    def _physical(self, number: int) -> int:
        """Return the button that becomes this one: a person may swap them at any time."""
        mapping = list(self._display.get_pointer_mapping())
        return mapping.index(number) + 1 if number in mapping else number

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
        self._display.sync()

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        here = self._root.query_pointer()
        return ScreenPoint(here.root_x, here.root_y)

    def window_at(self, point: ScreenPoint) -> int | None:
        """Return the window on the root that lies at a point; 0 for the root itself."""
        child = self._root.translate_coords(self._root, point.x, point.y).child
        return int(child.id) if child else 0

    def held_keys(self) -> tuple[str, ...]:
        """Name the modifier keys that are down."""
        mask = self._root.query_pointer().mask
        return tuple(name for name, bit in MODIFIER_BITS.items() if mask & bit)

"""The mouse under X11, through XTest.

A press goes to whatever window lies there at that moment. So the server is held still while it is
asked whose window that is and while the press is sent, which takes half a millisecond: no window
can come between the two. But a window manager may take each press first, to give the window the
focus, and pass it on later to whatever lies there by then; openbox does so with every press. Of 147
presses among windows that open under the pointer, 51 reached those on a machine that was very busy.
A window manager asks for presses without a modifier. So on a window that has the focus already, a
modifier that means nothing is locked while the press is sent, and the window gets it at once.

A click must reach the program as a press and a release at one place. pyautogui moves the pointer
once more in between, which some pages take for a drag. And a window manager may hold a press back
(openbox does, to raise the window first): a movement that follows too soon then comes before the
release, so that the program sees a drag to the place of the next click, opens nothing, or selects
text. In Chromium that happened in 6 of 100 turns of four clicks, and in none of 250 since the
release is waited for; it takes 0.1 to 3 ms.
"""

from __future__ import annotations

import time
from contextlib import nullcontext

from Xlib import X
from Xlib.ext.xtest import fake_input

from bot.desktop.ports import Button, Window
from bot.desktop.x11_connection import open_display
from bot.desktop.x11_guardian import Guardian
from bot.desktop.x11_keys import UnusedModifier
from bot.desktop.x11_windows import XWindows
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

ARRIVAL_S = 0.5
ARRIVAL_POLL_S = 0.001
"""How long the pointer may be held back, and the seconds between two tries: a window manager that
handles a click first delays all that follows."""


class XPointer:
    """The mouse of an X display."""

    def __init__(self) -> None:
        self._display = open_display()
        self._root = self._display.screen().root
        self._windows = XWindows(self._display)
        self._guardian = Guardian()
        self._is_down = False
        self._modifier = UnusedModifier(self._display)

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s``; return when the button is up.

        The server gets the movement and the press at once: with an answer awaited between them, a
        person's push into a corner once came there, and the press fell into the corner.
        """
        number = NUMBERS[button]
        physical = self._physical(number)
        end = time.monotonic() + ARRIVAL_S
        try:
            while (pressed := self._press(point, physical, into)) is None:
                if time.monotonic() > end:
                    return False
                time.sleep(ARRIVAL_POLL_S)
            if not pressed:
                return False
            self._display.sync()
            time.sleep(hold_s)
        finally:
            if self._is_down:
                fake_input(self._display, X.ButtonRelease, physical)
                self._display.sync()
                self._is_down = False
                self._guardian.holds(0)
        end = time.monotonic() + RELEASE_S
        while self._root.query_pointer().mask & MASKS[number] and time.monotonic() < end:
            time.sleep(RELEASE_POLL_S)
        return True

    def _press(self, point: ScreenPoint, physical: int, into: Window | None) -> bool | None:
        """Move and press if the press goes ``into`` that window; None if the pointer is held back.

        The second movement undoes what a hand at the mouse did meanwhile.
        """
        with self._windows.held_still():
            fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
            if into is not None:
                here = self._windows.under_pointer()
                goes = self._windows.gets_press(into, here.path) if here.point == point else None
                if not goes:
                    return goes
                fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
            direct = into is not None and self._windows.has_focus(into.number)
            self._guardian.holds(physical)
            self._is_down = True
            with self._modifier.locked() if direct else nullcontext():
                fake_input(self._display, X.ButtonPress, physical)
        return True

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

    def window_at(self, point: ScreenPoint) -> Window:
        """Return the window that lies at a point; its number is 0 for the root itself."""
        return self._windows.at(point)

    def held_keys(self) -> tuple[str, ...]:
        """Name the modifier keys that are down."""
        mask = self._root.query_pointer().mask
        return tuple(name for name, bit in MODIFIER_BITS.items() if mask & bit)

"""The mouse under X11, through XTest.

A press goes to whatever window lies at the pointer at that moment. So the server is grabbed for
half a millisecond while the bot asks for that window and sends the press: no window can come
between the two. But a window manager may receive each press first, to give the window the focus,
and pass it on later to whatever lies there then; openbox does so with every press. On a very busy
machine, 51 of 147 presses reached windows that opened under the pointer. A window manager asks for
presses without a modifier, and some also for all presses on a window without the focus. So the
window gets the focus first, if a window manager can give it, and an unused modifier is locked while
the press is sent: the window then receives it at once.

A click must reach the program as a press and a release at one place. pyautogui moves the pointer
once more in between, which some pages interpret as a drag. And a window manager may delay a press
(openbox does, to raise the window first): a movement that follows too soon then comes before the
release, so that the program sees a drag to the place of the next click, opens nothing, or selects
text. In Chromium that happened in 6 of 100 turns of four clicks, and in none of 250 since the bot
waits for the release, which takes 0.1 to 3 ms.
"""

from __future__ import annotations

import time
from contextlib import nullcontext

from Xlib import X
from Xlib.ext.xtest import fake_input

from bot.desktop.ports import Button, Window
from bot.desktop.x11_display import PointerState, XWindows, open_display
from bot.desktop.x11_guardian import Guardian
from bot.desktop.x11_keys import UnusedModifier
from calibration import Frame, ScreenPoint

NUMBERS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3}
MODIFIER_BITS = {
    "Shift": X.ShiftMask,
    "Ctrl": X.ControlMask,
    "Alt": X.Mod1Mask,
    "Super": X.Mod4Mask,
}
MASKS = {1: X.Button1Mask, 2: X.Button2Mask, 3: X.Button3Mask}

FOCUS_VALID_S = 0.3
"""How long a window manager may take to give the board's window the focus."""

RELEASE_S = 0.5
RELEASE_POLL_S = 0.0005
"""How long the X server may take for a release, and the seconds between two checks."""

KEYS_VALID_S = 0.002
"""How long the held keys that came with the last pointer position count as current: about as long
as a press takes."""

ARRIVAL_S = 0.5
ARRIVAL_POLL_S = 0.001
"""How long the pointer may be delayed, and the seconds between two attempts: a window manager that
handles a click first delays everything after it."""


class XPointer:
    """The mouse of an X display."""

    def __init__(self) -> None:
        self._display = open_display()
        self._root = self._display.screen().root
        self._windows = XWindows(self._display)
        self._guardian = Guardian()
        self._is_down = False
        self._modifier = UnusedModifier(self._display)
        self._mapping: list[int] | None = None
        self._focus_asked: tuple[int, float] | None = None
        self._mask, self._asked_at = 0, -KEYS_VALID_S

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s``; return when the button is up.

        Movement and press are sent together: when the bot waited for an answer between them, a
        person once pushed the mouse into a corner, and the press went there. A release without a
        hold time is sent with them, so that nothing can come between.
        """
        number = NUMBERS[button]
        end = time.monotonic() + ARRIVAL_S
        try:
            while (pressed := self._press(point, number, into, hold_s)) is None:
                if time.monotonic() > end:
                    return False
                time.sleep(ARRIVAL_POLL_S)
            if not pressed:
                return False
            if hold_s:
                self._display.sync()
                time.sleep(hold_s)
        finally:
            if self._is_down:
                fake_input(self._display, X.ButtonRelease, self._physical(number))
                self._display.sync()
                self._is_down = False
                self._guardian.holds(0)
        end = time.monotonic() + RELEASE_S
        while self._root.query_pointer().mask & MASKS[number] and time.monotonic() < end:
            time.sleep(RELEASE_POLL_S)
        return True

    def _press(
        self, point: ScreenPoint, number: int, into: Window | None, hold_s: float
    ) -> bool | None:
        """Move and press if the press goes ``into`` that window; release unless it is held.

        Returns None if the pointer is delayed, or the window is about to get the focus. The second
        movement undoes a push of the mouse in between.
        """
        with self._windows.held_still():
            fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
            if into is not None:
                now = self._windows.now()
                goes = self._windows.gets_press(into, now.path) if now.point == point else None
                if not goes or self._waits_for_focus(into.number, now):
                    return None if goes else goes
                fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
            physical = self._physical(number)
            with self._modifier.locked() if into is not None else nullcontext():
                if hold_s:
                    self._guardian.holds(physical)
                    self._is_down = True
                fake_input(self._display, X.ButtonPress, physical)
            if not hold_s:
                fake_input(self._display, X.ButtonRelease, physical)
        return True

    def _waits_for_focus(self, number: int, now: PointerState) -> bool:
        """Ask the window manager to give a window the focus; return whether it is about to get it.

        If a window does not get the focus, this is not repeated until it has had it.
        """
        if self._windows.has_focus(number, now):
            self._focus_asked = None
            return False
        if self._focus_asked is None or self._focus_asked[0] != number:
            asked = self._windows.give_focus(number)
            self._focus_asked = number, time.monotonic() if asked else -FOCUS_VALID_S
        return time.monotonic() < self._focus_asked[1] + FOCUS_VALID_S

    def _physical(self, number: int) -> int:
        """Return the physical button for this one: a person may swap them at any time.

        The server reports that, and changes of the modifier keys.
        """
        while self._display.pending_events():
            if self._display.next_event().type == X.MappingNotify:
                self._mapping = None
                self._modifier.forget()
        if self._mapping is None:
            self._mapping = list(self._display.get_pointer_mapping())
        return self._mapping.index(number) + 1 if number in self._mapping else number

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
        self._display.sync()

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        here = self._root.query_pointer()
        self._mask, self._asked_at = here.mask, time.monotonic()
        return ScreenPoint(here.root_x, here.root_y)

    def window_at(self, point: ScreenPoint) -> Window:
        """Return the window that lies at a point; its number is 0 for the root itself."""
        return self._windows.at(point)

    def shows(self, window: Window, picture: Frame) -> bool:
        """Whether a window itself shows a picture of a part of the screen."""
        return self._windows.shows(window, picture)

    def held_keys(self) -> tuple[str, ...]:
        """Name the modifier keys that are down."""
        if time.monotonic() > self._asked_at + KEYS_VALID_S:
            self.position()
        return tuple(name for name, bit in MODIFIER_BITS.items() if self._mask & bit)

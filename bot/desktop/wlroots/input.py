"""A virtual pointer and a virtual keyboard on compositors of the wlroots family."""

from __future__ import annotations

import os
import time
from typing import Any

from pywayland.protocol.wayland import WlSeat

from bot.desktop.keys import APPROACH, BUTTON_CODES, KEYS, MODIFIERS, split_keys
from bot.desktop.ports import Button, Window
from bot.desktop.wlroots.connection import Connection
from bot.desktop.wlroots.outputs import Output, Outputs
from bot.desktop.wlroots.pointer_watch import PointerWatch
from bot.desktop.wlroots.protocols import VIRTUAL_KEYBOARD_MANAGER, VIRTUAL_POINTER_MANAGER
from bot.desktop.wlroots.toplevels import Toplevels
from bot.errors import NoDesktop, ScreenGone
from calibration.points import ScreenPoint

RELEASED, PRESSED = 0, 1

KEYMAP = b"""xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)" };
};
\0"""
"""A US keyboard, made of parts that every desktop has."""

XKB_TEXT = 1


def now_ms() -> int:
    """Return the time of an event in Wayland's unit."""
    return int(1e3 * time.monotonic()) & 0xFFFFFFFF


class WlrPointer:
    """One virtual pointer for each output.

    It moves to the middle of a mouse unit, so that rounding never ends in another one.
    """

    def __init__(self, connection: Connection, outputs: Outputs, seat: Any) -> None:
        self._connection = connection
        self._outputs = outputs
        self._watch: PointerWatch | None = None
        self._manager = connection.bind(VIRTUAL_POINTER_MANAGER, 2)
        first = outputs.all[0].monitor
        self._at = ScreenPoint((first.left + first.right) // 2, (first.top + first.bottom) // 2)
        offered = next(g for g in connection.globals if g.interface == VIRTUAL_POINTER_MANAGER.name)
        if offered.version < 2 and len(outputs.all) > 1:
            raise NoDesktop(
                "This compositor's virtual pointer cannot be bound to one of several outputs: "
                "switch all but one off."
            )
        self._pointers = {
            output.name: self._manager.send("create_virtual_pointer", seat)
            if offered.version < 2
            else self._manager.send("create_virtual_pointer_with_output", seat, output.proxy)
            for output in outputs.all
        }
        connection.sync()

    def watch_with(self, watch: PointerWatch) -> None:
        """Take the position of the pointer from ``watch`` from now on."""
        self._watch = watch

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds. Raises `ScreenGone`.

        The compositor does not say whose window lies there.
        """
        self._move(point, BUTTON_CODES[button], hold_s)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``. Raises `ScreenGone`."""
        self._move(point, None)

    def position(self) -> ScreenPoint:
        """Return where the pointer is if that is known, else where the bot left it."""
        return self._at if self._watch is None else self._watch.position()

    def _move(self, point: ScreenPoint, button: int | None, hold_s: float = 0.0) -> None:
        # After a change of the outputs, the point may lie somewhere else.
        self._connection.handle_arrived()
        if self._outputs.changed:
            raise ScreenGone(f"The screen changed: {self._outputs.changed}; start again.")
        if self._watch is None:
            self._send(point, button, hold_s)
            self._connection.sync()
        else:
            click = None if button is None else lambda: self._send(point, button, hold_s)
            self._watch.move_by_bot(lambda: self._send(point, None), point, click)
        self._at = point

    def _send(self, point: ScreenPoint, button: int | None, hold_s: float = 0.0) -> None:
        output = self._output(point)
        left, top, right, bottom = output.monitor
        pointer = self._pointers[output.name]
        for part in APPROACH:
            pointer.send(
                "motion_absolute",
                now_ms(),
                int(4 * (point.x - left + part)),
                int(4 * (point.y - top + part)),
                4 * (right - left),
                4 * (bottom - top),
            )
            pointer.send("frame")
        if button is None:
            return
        pointer.send("button", now_ms(), button, PRESSED)
        pointer.send("frame")
        try:
            if hold_s:
                self._connection.sync()  # or the press would wait for the release
                time.sleep(hold_s)
        finally:
            pointer.send("button", now_ms(), button, RELEASED)
            pointer.send("frame")

    def _output(self, point: ScreenPoint) -> Output:
        for output in self._outputs.all:
            left, top, right, bottom = output.monitor
            if left <= point.x < right and top <= point.y < bottom:
                return output
        raise ScreenGone(f"No output shows {point.x},{point.y}: start again.")


class WlrKeyboard:
    """A virtual keyboard with a US layout, whatever the layout of the real one.

    ``toplevels`` says which window gets the keys, None where the compositor does not.
    """

    def __init__(
        self, connection: Connection, seat: Any, toplevels: Toplevels | None = None
    ) -> None:
        self._connection = connection
        self._toplevels = toplevels
        self._manager = connection.bind(VIRTUAL_KEYBOARD_MANAGER, 1)
        self._keyboard = self._manager.send("create_virtual_keyboard", seat)
        file = os.memfd_create("minebot-keymap", os.MFD_CLOEXEC)
        try:
            os.write(file, KEYMAP)
            self._keyboard.send("keymap", XKB_TEXT, file, len(KEYMAP))
            connection.sync()
        finally:
            os.close(file)

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key, or several such as ``ctrl+n``. Raises `UsageError` for an unknown key."""
        names = split_keys(keys)
        if into is not None and (self._toplevels is None or self._toplevels.focused() != into):
            return False
        held = 0
        for name in names:
            held |= MODIFIERS.get(name, 0)
            self._send(name, PRESSED, held)
        for name in reversed(names):
            held &= ~MODIFIERS.get(name, 0)
            self._send(name, RELEASED, held)
        self._connection.sync()
        return True

    def _send(self, name: str, state: int, held: int) -> None:
        self._keyboard.send("key", now_ms(), KEYS[name].code, state)
        self._keyboard.send("modifiers", held, 0, 0, 0)


def seat_of(connection: Connection) -> Any:
    """Return the compositor's seat, which holds the mouse and the keyboard."""
    return connection.bind(WlSeat, 5)

"""Screen, pointer and keyboard of one session with the portals.

The portals do not say where the pointer is. The kill switch is Ctrl-C, or the desktop's own
button that stops the sharing: no click can follow it.
"""

from __future__ import annotations

import os
import time

import cv2
import numpy as np

from bot.desktop.keys import APPROACH, BUTTON_CODES, keysym, split_keys
from bot.desktop.native import RealClock
from bot.desktop.portal.calls import Portal
from bot.desktop.portal.sharing import Sharing, TokenFile
from bot.desktop.ports import Button, Desktop, Monitor, Window
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint

RELEASED, PRESSED = 0, 1


def open_portal() -> Desktop:
    """Ask for the screen and the mouse and connect to them. Raises `NoDesktop`."""
    portal = Portal()
    try:
        sharing = Sharing.begin(portal, TokenFile.of_user(os.environ))
    except BaseException:
        # Also after Ctrl-C: without this, the question would stay open on the desktop.
        portal.close()
        raise
    return Desktop(
        PortalScreen(sharing), PortalPointer(sharing), PortalKeyboard(sharing), RealClock()
    )


class PortalScreen:
    """The monitor that the user chose.

    From scale 2 on, pictures are reduced as in `bot.desktop.wlroots.screen`.
    """

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        width = sharing.stream.newest().shape[1]
        exact = width / (sharing.monitor.right - sharing.monitor.left)
        self._reduction = max(1, int(exact))
        self.scale = exact / self._reduction

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the shared monitor lies, in mouse units."""
        return (self._sharing.monitor,)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture; see `bot.desktop.ports.Screen`."""
        self._sharing.check()
        whole = self._sharing.picture()
        factor, (height, width, _) = self._reduction, whole.shape
        if box is None:
            box = PixelBox(0, 0, width // factor, height // factor)
        x0, y0 = max(0, box.x0), max(0, box.y0)
        pixels = whole[factor * y0 : factor * box.y1, factor * x0 : factor * box.x1]
        if factor > 1:
            pixels = np.asarray(
                cv2.resize(pixels, None, None, 1 / factor, 1 / factor, cv2.INTER_AREA),
                dtype=np.uint8,
            )
        left, top = self._sharing.monitor[:2]
        origin = ScreenPoint(left + round(x0 / self.scale), top + round(y0 / self.scale))
        return Frame(np.ascontiguousarray(pixels), origin, self.scale)


class PortalPointer:
    """The mouse. Its position is where the bot left it: the portals do not report it."""

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        left, top, right, bottom = sharing.monitor
        self._at = ScreenPoint((left + right) // 2, (top + bottom) // 2)

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds.

        The portals do not say whose window lies there.
        """
        self.move(point)
        self._sharing.check()
        try:
            self._sharing.notify("PointerButton", "iu", BUTTON_CODES[button], PRESSED)
            time.sleep(hold_s)
        finally:
            self._sharing.notify("PointerButton", "iu", BUTTON_CODES[button], RELEASED)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._sharing.check()
        left, top = self._sharing.monitor[:2]
        if point != self._at:
            self._sharing.stream.pointer_moved()
        for part in APPROACH:
            self._sharing.notify(
                "PointerMotionAbsolute",
                "udd",
                self._sharing.node,
                point.x - left + part,
                point.y - top + part,
            )
        self._at = point

    def position(self) -> ScreenPoint:
        """Return where the bot left the pointer. Raises as `Sharing.check` does."""
        self._sharing.check()
        return self._at


class PortalKeyboard:
    """The keyboard. The portals do not say which window gets the keys."""

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key, or several such as ``ctrl+n``. Raises `UsageError` for an unknown key."""
        names = split_keys(keys)
        self._sharing.check()
        for name in names:
            self._sharing.notify("KeyboardKeysym", "iu", keysym(name), PRESSED)
        for name in reversed(names):
            self._sharing.notify("KeyboardKeysym", "iu", keysym(name), RELEASED)
        return True

"""Marks over the windows of an X display, through which every click goes.

Each colour has its own window, whose bounding shape consists only of its marks: nothing else of it
exists, with or without a compositor, and the server repaints it by itself. The input shape is
empty, so the pointer finds the window below. The windows stay mapped, because a compositor may fade
windows in and out, but not a change of their shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from Xlib import X, Xatom
from Xlib.ext import shape

from bot.desktop.ports import Colour, Mark
from bot.desktop.x11_display import open_display
from bot.errors import NoDesktop
from calibration.grid import PixelBox

BOUNDING, INPUT = shape.SK.Bounding, shape.SK.Input
"""The shapes of a window: its visible area, and where it receives the pointer."""

OPAQUE = 0xFFFFFFFF
PLAIN_PROPERTIES = {"_COMPTON_SHADOW": 0, "_NET_WM_WINDOW_OPACITY": OPAQUE}
"""Properties that ask compositors for no shadow and no translucence."""


def set_shape(window: Any, kind: int, boxes: Sequence[PixelBox]) -> None:
    """Give a window a shape, `BOUNDING` or `INPUT`, of boxes in pixels of the window."""
    rectangles = [(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0) for box in boxes]
    window.shape_rectangles(shape.SO.Set, kind, 0, 0, 0, rectangles)


class XOverlay:
    """The overlay of an X display. Raises `NoDesktop` without a server, or one without shapes."""

    def __init__(self) -> None:
        self._display = open_display()
        if not self._display.has_extension(shape.extname):
            raise NoDesktop(
                "This X server knows no shaped windows, so hints cannot be drawn on it."
            )
        self._windows: dict[Colour, Any] = {}

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks above all windows, and no others."""
        for colour in {mark.colour: None for mark in marks}:
            if colour not in self._windows:
                self._windows[colour] = self._open(colour)
        for colour, window in self._windows.items():
            boxes = [mark.box for mark in marks if mark.colour == colour]
            if boxes:
                window.configure(stack_mode=X.Above)
            set_shape(window, BOUNDING, boxes)
        self._display.sync()

    def close(self) -> None:
        """Show nothing any more."""
        self._display.close()

    def _open(self, colour: Colour) -> Any:
        """Open a window of one colour over the whole screen, invisible at first."""
        screen = self._display.screen()
        red, green, blue = (257 * part for part in colour)
        window = screen.root.create_window(
            0,
            0,
            screen.width_in_pixels,
            screen.height_in_pixels,
            0,
            X.CopyFromParent,
            override_redirect=True,
            background_pixel=screen.default_colormap.alloc_color(red, green, blue).pixel,
        )
        window.set_wm_name("minebot hints")
        window.set_wm_class("minebot", "minebot")
        for name, value in PLAIN_PROPERTIES.items():
            atom = self._display.intern_atom(name)
            window.change_property(atom, Xatom.CARDINAL, 32, [value])
        for kind in (BOUNDING, INPUT):
            set_shape(window, kind, [])
        window.map()
        return window

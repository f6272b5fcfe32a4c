"""What Windows and macOS tell beside picture and pointer: windows, held keys, swapped buttons.

The functions of these systems are called through ctypes; X11 is asked by `bot.desktop.x11`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from contextlib import suppress
from ctypes import wintypes
from functools import cache
from typing import Any

from calibration.points import ScreenPoint

GA_ROOT = 2
"""`GetAncestor`: the window that holds a control, not the control itself."""

SM_SWAPBUTTON = 23
"""`GetSystemMetrics`: whether the buttons of the mouse are swapped."""

IS_DOWN = 0x8000
WINDOWS_KEYS = {"Shift": 0x10, "Ctrl": 0x11, "Alt": 0x12, "Win": 0x5B}
"""Virtual keys, and the bit of `GetAsyncKeyState` that says that one is down."""

MAC_FLAGS = {"Shift": 1 << 17, "Ctrl": 1 << 18, "Option": 1 << 19, "Cmd": 1 << 20}
"""Flags of `CGEventSourceFlagsState`."""


@cache
def _user32() -> Any:
    user32 = ctypes.windll.user32  # type: ignore[attr-defined]
    user32.WindowFromPoint.restype = user32.GetAncestor.restype = ctypes.c_void_p
    user32.WindowFromPoint.argtypes = (wintypes.POINT,)
    user32.GetAncestor.argtypes = (ctypes.c_void_p, ctypes.c_uint)
    return user32


@cache
def _core_graphics() -> Any:
    library = ctypes.CDLL(ctypes.util.find_library("CoreGraphics"))
    library.CGEventSourceFlagsState.restype = ctypes.c_uint64
    return library


def window_of_windows(point: ScreenPoint) -> int | None:
    """Return the top-level window of Windows that lies at a point, None if there is none."""
    user32 = _user32()
    at: int | None = user32.GetAncestor(
        user32.WindowFromPoint(wintypes.POINT(point.x, point.y)), GA_ROOT
    )
    return at


def keys_held_on_windows() -> tuple[str, ...]:
    """Name the modifier keys that are down."""
    user32 = _user32()
    return tuple(
        name for name, key in WINDOWS_KEYS.items() if user32.GetAsyncKeyState(key) & IS_DOWN
    )


def buttons_swapped_on_windows() -> bool:
    """Whether the left button of the mouse does what the right one does elsewhere."""
    return bool(_user32().GetSystemMetrics(SM_SWAPBUTTON))


def keys_held_on_mac() -> tuple[str, ...]:
    """Name the modifier keys that are down; none if macOS does not tell."""
    with suppress(OSError, AttributeError):
        flags = _core_graphics().CGEventSourceFlagsState(0)
        return tuple(name for name, flag in MAC_FLAGS.items() if flags & flag)
    return ()

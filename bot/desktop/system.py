"""Windows and macOS apart from picture and pointer: windows, keyboard, a closing console.

The functions of these systems are called through ctypes. For X11 see `bot.desktop.x11`.
"""

from __future__ import annotations

import _thread
import ctypes
import ctypes.util
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import wintypes
from functools import cache
from typing import Any, NamedTuple

from bot.desktop.ports import Window
from calibration.grid import ScreenPoint

GA_ROOT = 2
"""`GetAncestor`: the window that contains a control."""

GA_ROOT_OWNER = 3
"""`GetAncestor`: the window that a dialog belongs to."""

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
    user32.GetForegroundWindow.restype = ctypes.c_void_p
    user32.GetWindowRect.argtypes = (ctypes.c_void_p, ctypes.POINTER(wintypes.RECT))
    return user32


@cache
def _core_graphics() -> Any:
    library = ctypes.CDLL(ctypes.util.find_library("CoreGraphics"))
    library.CGEventSourceFlagsState.restype = ctypes.c_uint64
    library.CGWindowListCopyWindowInfo.restype = ctypes.c_void_p
    library.CGRectMakeWithDictionaryRepresentation.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    return library


def window_of_windows(point: ScreenPoint) -> Window:
    """Return the top-level window at a point under Windows; its number is 0 if there is none."""
    user32, box = _user32(), wintypes.RECT()
    there = user32.WindowFromPoint(wintypes.POINT(point.x, point.y))
    number = user32.GetAncestor(there, GA_ROOT) or 0
    if not number:
        return Window(0, 0, 0, 0)
    user32.GetWindowRect(number, ctypes.byref(box))
    owner = user32.GetAncestor(number, GA_ROOT_OWNER) or number
    return Window(number, box.left, box.top, owner)


def gets_keys_on_windows(number: int) -> bool:
    """Whether the window of this number, or one of its dialogs, is in the foreground."""
    user32 = _user32()
    front = user32.GetForegroundWindow() or 0
    return number in (front, user32.GetAncestor(front, GA_ROOT_OWNER))


def dialog_on_windows(number: int) -> int | None:
    """Return the dialog of this window that is in the foreground, None if there is none."""
    user32 = _user32()
    front = user32.GetForegroundWindow() or 0
    owner = user32.GetAncestor(front, GA_ROOT_OWNER)
    return int(front) if front != number and owner == number else None


def keys_held_on_windows() -> tuple[str, ...]:
    """Name the modifier keys that are down."""
    user32 = _user32()
    return tuple(
        name for name, key in WINDOWS_KEYS.items() if user32.GetAsyncKeyState(key) & IS_DOWN
    )


def buttons_swapped_on_windows() -> bool:
    """Whether the buttons of the mouse are swapped."""
    return bool(_user32().GetSystemMetrics(SM_SWAPBUTTON))


def keys_held_on_mac() -> tuple[str, ...]:
    """Name the modifier keys that are down, as far as macOS reports them."""
    with suppress(OSError, AttributeError):
        flags = _core_graphics().CGEventSourceFlagsState(0)
        return tuple(name for name, flag in MAC_FLAGS.items() if flags & flag)
    return ()


CLOSING = 2, 5, 6
"""Events of a console: it closes, a log-off, a shutdown."""

CLOSING_S = 4.5
"""How long Windows is kept waiting in that case; after 5 s it ends the process."""


@contextmanager
def console_closing() -> Iterator[None]:
    """Raise SIGBREAK within the block when the console of a Windows program closes.

    Windows ends the process when the handler returns, so it waits for the end of the block. Does
    nothing on other systems, and without a console.
    """
    system: Any = ctypes
    if not hasattr(system, "windll"):
        yield
        return
    done, stop = threading.Event(), getattr(signal, "SIGBREAK", signal.SIGINT)

    def handle(event: int) -> bool:
        if event not in CLOSING:
            return False
        _thread.interrupt_main(stop)
        done.wait(CLOSING_S)
        return True

    handler = system.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)(handle)
    set_handler = system.windll.kernel32.SetConsoleCtrlHandler
    set_handler(handler, True)
    try:
        yield
    finally:
        done.set()
        set_handler(handler, False)


# ---- windows of macOS ------------------------------------------------------------------------

ON_SCREEN = 1
"""`CGWindowListCopyWindowInfo`: list windows on the screen, from front to back."""

NO_WINDOW = 0
"""`CGWindowListCopyWindowInfo`: relative to no window."""

NORMAL_LAYER = 0
"""`kCGWindowLayer` of ordinary windows."""

CLICKED_THROUGH = (*range(20, 26), 2**31 - 18)
"""`kCGWindowLayer` of the Dock and the menu bar, whose windows may span the whole screen and let
clicks through, and of the pointer's picture (`kCGCursorWindowLevelKey`)."""

INT64, DOUBLES, UTF_8 = 4, ctypes.c_double * 4, 0x08000100
"""`kCFNumberSInt64Type`; a `CGRect`; `kCFStringEncodingUTF8`."""


class MacWindow(NamedTuple):
    """A window on the screen of macOS: its number, its program, its layer and its edges."""

    number: int
    program: int
    layer: int
    left: float
    top: float
    width: float
    height: float


@cache
def _core_foundation() -> Any:
    library = ctypes.CDLL(ctypes.util.find_library("CoreFoundation"))
    pointer = ctypes.c_void_p
    library.CFArrayGetCount.argtypes, library.CFArrayGetCount.restype = (pointer,), ctypes.c_long
    library.CFArrayGetValueAtIndex.argtypes = (pointer, ctypes.c_long)
    library.CFArrayGetValueAtIndex.restype = pointer
    library.CFDictionaryGetValue.argtypes = (pointer, pointer)
    library.CFDictionaryGetValue.restype = pointer
    library.CFNumberGetValue.argtypes = (pointer, ctypes.c_long, pointer)
    library.CFStringCreateWithCString.argtypes = (pointer, ctypes.c_char_p, ctypes.c_uint32)
    library.CFStringCreateWithCString.restype = pointer
    library.CFRelease.argtypes = (pointer,)
    return library


@cache
def _accessibility() -> Any:
    library = ctypes.CDLL(ctypes.util.find_library("ApplicationServices"))
    pointer = ctypes.c_void_p
    library.AXUIElementCreateSystemWide.restype = pointer
    library.AXUIElementCopyAttributeValue.argtypes = (pointer, pointer, pointer)
    library.AXUIElementGetPid.argtypes = (pointer, pointer)
    return library


def _program_with_keys() -> int | None:
    """Return the process to which macOS sends keys; None if unknown."""
    services, foundation = _accessibility(), _core_foundation()
    everything = services.AXUIElementCreateSystemWide()
    name = foundation.CFStringCreateWithCString(None, b"AXFocusedApplication", UTF_8)
    program, process = ctypes.c_void_p(), ctypes.c_int32()
    try:
        services.AXUIElementCopyAttributeValue(everything, name, ctypes.byref(program))
        if not program or services.AXUIElementGetPid(program, ctypes.byref(process)):
            return None
        return process.value
    finally:
        for one in filter(None, (everything, name, program.value)):
            foundation.CFRelease(one)


def _windows_of_mac() -> list[MacWindow]:
    """List the windows on the screen, from front to back."""
    graphics, foundation = _core_graphics(), _core_foundation()

    def value(entry: Any, key: str) -> Any:
        name = ctypes.c_void_p.in_dll(graphics, f"kCGWindow{key}")
        return foundation.CFDictionaryGetValue(entry, name)

    def number(entry: Any, key: str) -> int:
        found = ctypes.c_int64()
        foundation.CFNumberGetValue(value(entry, key), INT64, ctypes.byref(found))
        return found.value

    listed = graphics.CGWindowListCopyWindowInfo(ON_SCREEN, NO_WINDOW)
    try:
        windows = []
        for index in range(foundation.CFArrayGetCount(listed) if listed else 0):
            entry, edges = foundation.CFArrayGetValueAtIndex(listed, index), DOUBLES()
            graphics.CGRectMakeWithDictionaryRepresentation(
                value(entry, "Bounds"), ctypes.byref(edges)
            )
            names = "Number", "OwnerPID", "Layer"
            windows.append(MacWindow(*(number(entry, name) for name in names), *edges))
        return windows
    finally:
        if listed:
            foundation.CFRelease(listed)


def window_on_mac(point: ScreenPoint) -> Window | None:
    """Return the window at a point under macOS, which reports no dialogs; None if unknown."""
    with suppress(OSError, AttributeError, ValueError):
        for one in _windows_of_mac():
            across, down = point.x - one.left, point.y - one.top
            if one.layer in CLICKED_THROUGH:
                continue
            if 0 <= across < one.width and 0 <= down < one.height:
                return Window(one.number, round(one.left), round(one.top), one.number)
        return Window(0, 0, 0, 0)
    return None


def gets_keys_on_mac(number: int) -> bool:
    """Whether the program of the window with this number gets the keys.

    If macOS does not name that program, it is the one of the frontmost window. Often macOS does: a
    program in front may have no window, such as the Finder after a click on the desktop.
    """
    with suppress(OSError, AttributeError, ValueError):
        windows = _windows_of_mac()
        program = _program_with_keys() or next(
            (one.program for one in windows if one.layer == NORMAL_LAYER), None
        )
        return any(one.number == number and one.program == program for one in windows)
    return False

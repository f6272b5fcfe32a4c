"""The mouse of Windows, its scaling, and its rights: which windows accept no clicks.

A program that does not declare that it knows about scaling receives other pixels and points from
Windows than those of the screen. `set_dpi_awareness` declares it before any library uses them: the
first declaration holds for the whole process.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from ctypes import wintypes
from functools import cache
from types import SimpleNamespace
from typing import Any

from bot.desktop.ports import Button, Fact, Monitor, Window
from bot.desktop.system import buttons_swapped_on_windows, window_of_windows
from calibration.grid import ScreenPoint

AWARENESS = {
    -4: "per monitor, version 2",
    -3: "per monitor",
    -2: "of the primary monitor only",
    -5: "none, drawn by GDI",
    -1: "none",
}
"""Handles for `SetProcessDpiAwarenessContext`, the best first."""

PER_MONITOR = (-4, -3)
PROCESS_PER_MONITOR = 2
"""`SetProcessDpiAwareness`: of Windows 8.1, which does not know the other call."""

PRESS = {Button.LEFT: 0x2, Button.RIGHT: 0x8, Button.MIDDLE: 0x20}
"""Flags of `SendInput` that press a button; twice a flag releases it."""

MOVE_ANYWHERE = 0x1 | 0x8000 | 0x4000
"""Flags of `SendInput`: move to a point of the whole desktop, in 65,536ths of its size."""

DESKTOP_EDGES = (76, 77, 78, 79)
"""`GetSystemMetrics`: left, top, width and height of all monitors together."""

DPI_OF_SCALE_1 = 96
EFFECTIVE_DPI, NEAREST_MONITOR = 0, 2
QUERY_LIMITED, TOKEN_QUERY, INTEGRITY_LEVEL = 0x1000, 8, 25
GA_ROOT, ACCESS_DENIED = 2, 5

LIBRARIES = ("user32", "shcore", "kernel32", "advapi32")

HANDLES: dict[str, dict[str, tuple[Any, ...]]] = {
    "user32": {
        "GetThreadDpiAwarenessContext": (),
        "AreDpiAwarenessContextsEqual": (wintypes.HANDLE, wintypes.HANDLE),
        "SetProcessDpiAwarenessContext": (wintypes.HANDLE,),
        "MonitorFromPoint": (wintypes.POINT, wintypes.DWORD),
        "WindowFromPoint": (wintypes.POINT,),
        "GetAncestor": (wintypes.HWND, wintypes.UINT),
        "GetWindowThreadProcessId": (wintypes.HWND, ctypes.c_void_p),
    },
    "shcore": {"GetDpiForMonitor": (wintypes.HANDLE, ctypes.c_int, *[ctypes.c_void_p] * 2)},
    "kernel32": {
        "OpenProcess": (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD),
        "GetCurrentProcessId": (),
        "CloseHandle": (wintypes.HANDLE,),
    },
    "advapi32": {
        "OpenProcessToken": (wintypes.HANDLE, wintypes.DWORD, ctypes.c_void_p),
        "GetTokenInformation": (
            wintypes.HANDLE,
            ctypes.c_int,
            ctypes.c_void_p,
            wintypes.DWORD,
            ctypes.c_void_p,
        ),
        "GetSidSubAuthorityCount": (ctypes.c_void_p,),
        "GetSidSubAuthority": (ctypes.c_void_p, wintypes.DWORD),
    },
}
"""The functions that take or return handles and pointers, which are wider than an int."""

RETURNING = {
    "GetThreadDpiAwarenessContext": wintypes.HANDLE,
    "MonitorFromPoint": wintypes.HANDLE,
    "WindowFromPoint": wintypes.HWND,
    "GetAncestor": wintypes.HWND,
    "OpenProcess": wintypes.HANDLE,
    "GetSidSubAuthorityCount": ctypes.POINTER(ctypes.c_ubyte),
    "GetSidSubAuthority": ctypes.POINTER(wintypes.DWORD),
}


class MouseInput(ctypes.Structure):
    """A ``MOUSEINPUT`` in an ``INPUT``, of which the mouse is kind 0."""

    _fields_ = (
        ("kind", ctypes.c_size_t),  # a DWORD with padding
        ("dx", ctypes.c_int32),
        ("dy", ctypes.c_int32),
        ("data", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("time", ctypes.c_uint32),
        ("extra", ctypes.c_size_t),
    )


@cache
def libraries() -> Any:
    """Load the libraries of Windows; an old version may lack a function or a library."""
    loaded = SimpleNamespace(last_error=ctypes.get_last_error)  # type: ignore[attr-defined]
    for name in LIBRARIES:
        with suppress(OSError):
            # Not `ctypes.windll`: there pyautogui declares its own types for the same functions.
            library = ctypes.WinDLL(name, use_last_error=True)  # type: ignore[attr-defined]
            for function, takes in HANDLES[name].items():
                with suppress(AttributeError):
                    getattr(library, function).argtypes = takes
                    getattr(library, function).restype = RETURNING.get(function, ctypes.c_int)
            setattr(loaded, name, library)
    return loaded


def set_dpi_awareness(windows: Any = None) -> None:
    """Declare that this process handles the scaling of each monitor itself.

    This has no effect if the program in which Python runs has declared it before.
    """
    windows = windows or libraries()
    with suppress(AttributeError):
        for context in PER_MONITOR:
            if windows.user32.SetProcessDpiAwarenessContext(context):
                return
        return
    with suppress(AttributeError):
        windows.shcore.SetProcessDpiAwareness(PROCESS_PER_MONITOR)
        return
    windows.user32.SetProcessDPIAware()


def dpi_awareness(windows: Any = None) -> int | None:
    """Return the awareness in force, a key of `AWARENESS`; None before Windows 10."""
    windows = windows or libraries()
    with suppress(AttributeError):
        context = windows.user32.GetThreadDpiAwarenessContext()
        for known in AWARENESS:
            if windows.user32.AreDpiAwarenessContextsEqual(context, known):
                return known
    return None


def scale_of(monitor: Monitor, windows: Any = None) -> float | None:
    """Return the scale that the user chose for a monitor; None before Windows 8.1."""
    windows = windows or libraries()
    across, down = wintypes.UINT(), wintypes.UINT()
    middle = wintypes.POINT(
        (monitor.left + monitor.right) // 2, (monitor.top + monitor.bottom) // 2
    )
    with suppress(AttributeError):
        handle = windows.user32.MonitorFromPoint(middle, NEAREST_MONITOR)
        places = ctypes.byref(across), ctypes.byref(down)
        if windows.shcore.GetDpiForMonitor(handle, EFFECTIVE_DPI, *places) == 0:
            return across.value / DPI_OF_SCALE_1
    return None


def facts_of_windows(monitors: Sequence[Monitor], windows: Any = None) -> Iterator[Fact]:
    """Yield facts about scaling and mouse, for `doctor`."""
    windows = windows or libraries()
    scales = [scale_of(monitor, windows) for monitor in monitors]
    if all(scales):
        listed = ", ".join(f"{scale:.0%}" for scale in scales if scale)
        yield Fact("scale", f"The scale of each monitor: {listed}.")
    awareness = dpi_awareness(windows)
    if awareness is not None:
        mixed = len(set(scales)) > 1
        fits = awareness in PER_MONITOR or not mixed
        advice = "" if fits else " Clicks may go beside the board: give all monitors one scale."
        yield Fact("dpi awareness", f"DPI awareness: {AWARENESS[awareness]}.{advice}", fits)
    swapped = buttons_swapped_on_windows()
    which = "right" if swapped else "left"
    yield Fact("buttons", f"The {which} button of the mouse opens cells; play presses that one.")


def refusal_on_windows(point: ScreenPoint, windows: Any = None) -> str | None:
    """Say why clicks do not reach the window at a point; None if they do, or if it is unknown.

    Windows drops the clicks of a program with lower rights than the target window. A process that
    refuses to report its rights has higher ones.
    """
    windows = windows or libraries()
    at = windows.user32.WindowFromPoint(wintypes.POINT(point.x, point.y))
    window = windows.user32.GetAncestor(at, GA_ROOT) if at else None
    if not window:
        return None
    process = wintypes.DWORD()
    windows.user32.GetWindowThreadProcessId(window, ctypes.byref(process))
    own = integrity_of(windows.kernel32.GetCurrentProcessId(), windows)
    try:
        theirs = integrity_of(process.value, windows)
    except PermissionError:
        theirs = None
    else:
        if theirs is None or own is None or theirs <= own:
            return None
    return (
        "The window there runs with higher rights, as an administrator, and Windows drops clicks "
        "into it: start the game without them, or the terminal as an administrator."
    )


def integrity_of(process: int, windows: Any) -> int | None:
    """Return the integrity level of a process; None if it is unknown.

    Raises `PermissionError` if this process may not ask.
    """
    with _opened(windows.kernel32.OpenProcess(QUERY_LIMITED, 0, process), windows) as handle:
        token = wintypes.HANDLE()
        windows.advapi32.OpenProcessToken(handle, TOKEN_QUERY, ctypes.byref(token))
        with _opened(token.value, windows) as asked:
            size = wintypes.DWORD()
            label = ctypes.create_string_buffer(256)
            ask = windows.advapi32.GetTokenInformation
            if not ask(asked, INTEGRITY_LEVEL, label, len(label), ctypes.byref(size)):
                return None
            # First comes a pointer to the SID, whose last number is the level.
            sid = ctypes.c_void_p.from_buffer(label).value
            count = windows.advapi32.GetSidSubAuthorityCount(sid)[0]
            return int(windows.advapi32.GetSidSubAuthority(sid, count - 1)[0])


@contextmanager
def _opened(handle: Any, windows: Any) -> Iterator[Any]:
    if not handle:
        if windows.last_error() == ACCESS_DENIED:
            raise PermissionError
        raise OSError("Windows gives no handle")
    try:
        yield handle
    finally:
        windows.kernel32.CloseHandle(handle)


class WindowsPointer:
    """The mouse of Windows.

    A press carries its place in the same event: if the mouse moved between a movement and a press,
    the press would have another target. Windows presses the physical left button, which the system
    may turn into the right one.
    """

    def __init__(self, windows: Any = None) -> None:
        self._user32 = (windows or libraries()).user32

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds."""
        if buttons_swapped_on_windows():
            button = {Button.LEFT: Button.RIGHT, Button.RIGHT: Button.LEFT}.get(button, button)
        self.move(point)
        if into is not None and window_of_windows(point) != into:
            return False
        left, top, width, height = map(self._user32.GetSystemMetrics, DESKTOP_EDGES)
        # The middle of the pixel: Windows rounds down.
        across = ((point.x - left) * 65536 + 32768) // width
        down = ((point.y - top) * 65536 + 32768) // height
        try:
            self._send(across, down, MOVE_ANYWHERE | PRESS[button])
            time.sleep(hold_s)
        finally:
            self._send(0, 0, 2 * PRESS[button])
        return True

    def _send(self, across: int, down: int, flags: int) -> None:
        event = MouseInput(0, across, down, 0, flags, 0, 0)
        self._user32.SendInput(1, ctypes.byref(event), ctypes.sizeof(event))

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._user32.SetCursorPos(point.x, point.y)

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        here = wintypes.POINT()
        self._user32.GetCursorPos(ctypes.byref(here))
        return ScreenPoint(here.x, here.y)

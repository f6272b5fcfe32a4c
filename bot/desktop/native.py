"""The real desktop: the only module that uses mss and pyautogui.

Both are imported when a desktop is opened, not earlier. pyautogui moves the mouse of Windows and
macOS; under X11 `bot.desktop.x11` does. On Windows the DPI awareness is set first: importing
pyautogui would set the one of the primary monitor for the whole process, and mss sets its own only
when it opens the screen.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop import system
from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.desktop.windows import (
    WindowsPointer,
    facts_of_windows,
    refusal_on_windows,
    set_dpi_awareness,
)
from bot.errors import NoDesktop, ScreenGone, UsageError
from calibration import Frame, PixelBox, ScreenPoint


def open_desktop() -> Desktop:
    """Connect to the desktop of this session. Raises `NoDesktop`, which says what to do."""
    reason = why_no_desktop(sys.platform, os.environ)
    if reason is not None:
        raise NoDesktop(reason)
    if sys.platform == "win32":
        set_dpi_awareness()
    mss, clock = _load("mss", "see the screen"), RealClock()
    if not _is_windows_or_mac(sys.platform):
        _load("Xlib.display", "move the mouse")
        from bot.desktop.x11 import XPointer  # noqa: PLC0415  Xlib is there under X11 only
        from bot.desktop.x11_keys import XKeyboard  # noqa: PLC0415

        mouse = XPointer()
        keyboard = XKeyboard()
        return Desktop(
            RealScreen(mss),
            mouse,
            keyboard,
            clock,
            mouse.window_at,
            mouse.held_keys,
            dialog_of=keyboard.dialog_of,
            shows=mouse.shows,
        )
    gui = _load_pyautogui()
    if sys.platform == "darwin":
        screen = RealScreen(mss, mouse_width=gui.size()[0])
        pointer = RealPointer(gui, system.window_on_mac)
        keyboard = RealKeyboard(gui, system.gets_keys_on_mac)
        return Desktop(
            screen, pointer, keyboard, clock, system.window_on_mac, system.keys_held_on_mac
        )
    screen = RealScreen(mss, mouse_width=gui.size()[0])
    return Desktop(
        screen,
        WindowsPointer(),
        RealKeyboard(gui, system.gets_keys_on_windows),
        clock,
        system.window_of_windows,
        system.keys_held_on_windows,
        dialog_of=system.dialog_on_windows,
        refusal_at=refusal_on_windows,
        facts=lambda: facts_of_windows(screen.monitors()),
    )


def _is_windows_or_mac(platform: str) -> bool:
    return platform == "darwin" or platform.startswith("win")


def has_display(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether this session has a screen at all, even if the bot cannot use it."""
    named = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    return bool(named) or _is_windows_or_mac(platform)


def why_no_desktop(platform: str, environ: Mapping[str, str]) -> str | None:
    """Return one sentence that says why the bot cannot use this desktop; None if it can."""
    if platform == "darwin":
        return _missing_mac_permission()
    if platform == "win32":
        return None
    if not environ.get("DISPLAY"):
        return (
            "There is no display (DISPLAY is not set): run this inside a desktop session, or under "
            "xvfb-run."
        )
    return None


def _missing_mac_permission() -> str | None:
    """Ask macOS whether this program may grab the screen and click.

    If not, this asks macOS for permission: only then does it list the terminal among the programs
    that a person may allow. Older systems do not answer; then nothing counts as missing.
    """
    questions = (
        ("CGPreflightScreenCaptureAccess", "CGRequestScreenCaptureAccess", "Screen Recording"),
        ("CGPreflightPostEventAccess", "CGRequestPostEventAccess", "Accessibility"),
    )
    missing = []
    for preflight, request, permission in questions:
        with contextlib.suppress(OSError, AttributeError):
            graphics = ctypes.CDLL(ctypes.util.find_library("CoreGraphics"))
            may, ask_for = getattr(graphics, preflight), getattr(graphics, request)
            may.restype = ask_for.restype = ctypes.c_bool
            if not may() and not ask_for():
                missing.append(permission)
    if not missing:
        return None
    names = f"the {' and '.join(missing)} permission{'s' if missing[1:] else ''}"
    return (
        f"macOS has not given your terminal {names}: allow it in System Settings, Privacy & "
        "Security, then start the terminal again."
    )


def _advice(error: Exception | None = None) -> str:
    """Say what to do about a desktop that cannot be reached, in the words of its system."""
    if sys.platform in ("win32", "darwin"):
        return "log in to the desktop, unlock it and start again"
    if "color depth" in str(error):
        return "set the screen to 24 bits a pixel"
    return "check that DISPLAY names a running X server that lets you in"


def _load(module: str, purpose: str) -> Any:
    try:
        return import_module(module)
    except Exception as error:
        raise NoDesktop(
            f"The {module} library, needed to {purpose}, does not load ({error}): run "
            "'minebot doctor' to see what is missing."
        ) from error


def _load_pyautogui() -> Any:
    """Import pyautogui without its side effects.

    Without tkinter, its module for the mouse-info window ends the process, so it is not loaded. The
    pauses of pyautogui are switched off, and so is its fail-safe: the kill switch of
    `bot.mouse.guard` knows the corners of every monitor.
    """
    sys.modules.setdefault("mouseinfo", None)  # type: ignore[arg-type]
    gui: Any
    try:
        gui = import_module("pyautogui")
    except (Exception, SystemExit) as error:
        raise NoDesktop(
            f"The mouse cannot be reached ({type(error).__name__}: {error}): {_advice()}."
        ) from error
    gui.PAUSE = 0
    gui.FAILSAFE = False
    return gui


class RealScreen:
    """The screen, through mss.

    ``mouse_width`` is the primary monitor's width in mouse units; it gives the scale. Without it
    mouse units are pixels, as under X11.
    """

    def __init__(self, mss: Any, *, mouse_width: int | None = None) -> None:
        self._module = mss
        self._mss: Any = None
        try:
            self._find_monitors()
        except Exception as error:
            raise NoDesktop(
                f"The screen cannot be captured ({error}): {_advice(error)}."
            ) from error
        self.scale = 1.0 if mouse_width is None else self._measure_scale(mouse_width)

    def _find_monitors(self) -> None:
        """Find out where the monitors lie; an instance of mss asks for them only once."""
        mss = self._module
        if self._mss is not None:
            self._mss.close()
        # Since release 10.2 the class is named MSS, and the older factory gives a warning.
        self._mss = mss.MSS() if hasattr(mss, "MSS") else mss.mss()
        self._all, *rest = [_edges(monitor) for monitor in self._mss.monitors]
        self._monitors = tuple(rest) or (self._all,)

    def _measure_scale(self, mouse_width: int) -> float:
        """Return pixels per mouse unit, measured on the primary monitor, which starts at (0, 0)."""
        primary = next((m for m in self._monitors if m[:2] == (0, 0)), self._monitors[0])
        return float(self._shoot(primary).shape[1] / mouse_width)

    def _shoot(self, edges: tuple[int, int, int, int] | None) -> NDArray[np.uint8]:
        """Grab a box, or all monitors as they are now: BGRA ``(height, width, 4)``.

        The pixels are used without a copy: the bytes that mss offers are one, which took ten times
        as long as the grab (new memory for each).
        """
        try:
            if edges is None:
                self._find_monitors()
            return np.asarray(self._mss.grab(tuple(edges or self._all)), np.uint8)
        except (self._module.ScreenShotError, OSError) as error:  # OSError: no shared memory
            raise ScreenGone(
                f"The screen gives no picture ({error}): unlock it and start again."
            ) from error

    def _units(self) -> float:
        """Return pixels per unit of mss: mouse units on macOS, pixels elsewhere."""
        return self.scale if sys.platform == "darwin" else 1.0

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the screen or a box of it; see `bot.desktop.ports.Screen`.

        A grab of the whole screen also finds monitors that were plugged in, unplugged or moved.
        """
        units, edges = self._units(), None
        if box is not None:
            # X refuses a box that reaches over the edge of the screen.
            left, top, right, bottom = self._all
            edges = (
                max(left, left + int(box.x0 // units)),
                max(top, top + int(box.y0 // units)),
                min(right, left + int(-(-box.x1 // units))),
                min(bottom, top + int(-(-box.y1 // units))),
            )
        pixels = cv2.cvtColor(self._shoot(edges), cv2.COLOR_BGRA2RGB)
        per_unit = self.scale / units
        corner = edges or self._all
        origin = ScreenPoint(round(corner[0] / per_unit), round(corner[1] / per_unit))
        return Frame(np.asarray(pixels, dtype=np.uint8), origin, self.scale)

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors in mouse units."""
        per_unit = self.scale / self._units()
        return tuple(
            Monitor(*(round(edge / per_unit) for edge in monitor)) for monitor in self._monitors
        )


def _edges(monitor: Any) -> Monitor:
    """Read a monitor of mss: a mapping up to release 10, an object since release 11."""
    left, top, width, height = (
        int(monitor[key] if isinstance(monitor, dict) else getattr(monitor, key))
        for key in ("left", "top", "width", "height")
    )
    return Monitor(left, top, left + width, top + height)


class RealPointer:
    """The mouse of macOS, through pyautogui.

    ``window_at`` returns, right before a press, which window lies at the point.
    """

    def __init__(self, gui: Any, window_at: Callable[[ScreenPoint], Window | None]) -> None:
        self._gui = gui
        self._window_at = window_at

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds."""
        name = button.value
        self.move(point)
        if into is not None and self._window_at(point) != into:
            return False
        try:
            # With a place, because a person may have pushed the mouse: the event of Quartz carries
            # it.
            self._gui.mouseDown(point.x, point.y, button=name, _pause=False)
            time.sleep(hold_s)
        finally:
            self._gui.mouseUp(button=name, _pause=False)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._gui.moveTo(point.x, point.y, _pause=False)

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        x, y = self._gui.position()
        return ScreenPoint(int(x), int(y))


class RealKeyboard:
    """The keyboard of Windows and macOS, through pyautogui.

    ``gets_keys`` says, right before a key, whether a window or one of its dialogs has the keyboard.
    """

    def __init__(self, gui: Any, gets_keys: Callable[[int], bool]) -> None:
        self._gui = gui
        self._gets_keys = gets_keys

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or a chord such as ``ctrl+n``. Raises `UsageError` for an unknown key."""
        names = [name.strip().lower() for name in keys.split("+")]
        for name in names:
            # pyautogui ignores an unknown key without an error.
            if not self._gui.isValidKey(name):
                raise UsageError(
                    f"There is no key named {name!r}: use one such as f2, n, ctrl+n or escape."
                )
        if into is not None and not self._gets_keys(into):
            return False
        self._gui.hotkey(*names, _pause=False)
        return True


class RealClock:
    """The computer's monotonic clock."""

    def now(self) -> float:
        """Return seconds."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

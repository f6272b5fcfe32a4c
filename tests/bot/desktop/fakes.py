"""Libraries of other systems, which answer as their documentation says."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.desktop import system, windows
from bot.desktop.ports import Monitor

LAPTOP, EXTERNAL = Monitor(0, 0, 2880, 1800), Monitor(-1920, 0, 0, 1080)
MEDIUM, HIGH = 0x2000, 0x3000
OWN_PROCESS = 7


@dataclass
class Windows:
    """A Windows of some release, with two monitors, one left of the primary one.

    The window 20 is a dialog of the game 10 and holds the button 21; ``process`` owns all windows.
    A person pushes the mouse right after each movement that is not a press.
    """

    knows_contexts: bool = True
    awareness: int = -1
    is_set_already: bool = False
    says_all_scales: bool = False
    levels: dict[int, int | None] = field(default_factory=lambda: {OWN_PROCESS: MEDIUM})
    process: int = OWN_PROCESS
    at_point: int | None = 10
    front: int | None = 10
    is_swapped: bool = False
    open_handles: int = 0
    mouse: tuple[int, int] = (0, 0)
    events: list[tuple[int, int, str]] = field(default_factory=list)
    error: int = 0

    @contextmanager
    def installed(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        libraries = self.libraries()
        names = {
            "windll": libraries,
            "WinDLL": lambda name, **_: getattr(libraries, name),
            "get_last_error": libraries.last_error,
        }
        with monkeypatch.context() as patch:
            for name, value in names.items():
                patch.setattr(ctypes, name, value, raising=False)
            for cached in (system._user32, windows.libraries):
                cached.cache_clear()
            yield
        for cached in (system._user32, windows.libraries):
            cached.cache_clear()

    def libraries(self) -> Any:
        edges = {76: -1920, 77: -100, 78: 4800, 79: 1900}
        roots, owners = {21: 20, 20: 20, 10: 10, 33: 33}, {20: 10, 10: 10, 33: 33}
        user32: dict[str, Any] = {
            "SetProcessDPIAware": lambda: self._aware(-2),
            "MonitorFromPoint": lambda point, _: 1 + (point.x < 0),
            "WindowFromPoint": lambda point: self.at_point,
            "GetAncestor": lambda window, kind: (roots if kind == 2 else owners).get(window),
            "GetForegroundWindow": lambda: self.front,
            "GetWindowRect": self._place,
            "GetWindowThreadProcessId": self._process_of,
            "GetSystemMetrics": lambda n: self.is_swapped if n == 23 else edges[n],
            "SetCursorPos": self._set_mouse,
            "GetCursorPos": self._get_mouse,
            "SendInput": self._send,
        }
        if self.knows_contexts:
            user32 |= {
                "SetProcessDpiAwarenessContext": self._aware,
                "GetThreadDpiAwarenessContext": lambda: self.awareness,
                "AreDpiAwarenessContextsEqual": lambda one, two: one == two,
            }
        functions = {
            "user32": user32,
            "kernel32": {
                "OpenProcess": lambda rights, inherited, process: self._opened(process),
                "GetCurrentProcessId": lambda: OWN_PROCESS,
                "CloseHandle": self._close,
            },
            "advapi32": {
                "OpenProcessToken": self._open_token,
                "GetTokenInformation": self._ask_token,
                "GetSidSubAuthorityCount": lambda sid: [2],
                "GetSidSubAuthority": lambda sid, n: [self.levels[sid] if n == 1 else 0],
            },
            "shcore": {
                "SetProcessDpiAwareness": lambda kind: self._aware(-3),
                "GetDpiForMonitor": self._dpi,
            },
        }
        return SimpleNamespace(
            last_error=lambda: self.error,
            **{
                name: SimpleNamespace(**{one: partial(some[one]) for one in some})
                for name, some in functions.items()
            },
        )

    def _aware(self, awareness: int) -> int:
        if self.is_set_already:
            return 0
        self.awareness, self.is_set_already = awareness, True
        return 1

    def _dpi(self, handle: int, kind: int, across: Any, down: Any) -> int:
        knows = self.says_all_scales or self.awareness in (-4, -3)
        across._obj.value = down._obj.value = 144 if knows and handle == 1 else 96
        return 0

    def _place(self, window: int, box: Any) -> None:
        box._obj.left, box._obj.top = 3 * window, 4 * window

    def _process_of(self, window: int, process: Any) -> int:
        process._obj.value = self.process
        return 1

    def _opened(self, process: int) -> int:
        self.open_handles += 1
        return process

    def _close(self, handle: int) -> None:
        self.open_handles -= 1

    def _open_token(self, process: int, rights: int, token: Any) -> int:
        if self.levels.get(process) is None:
            self.error = windows.ACCESS_DENIED
            return 0
        self.open_handles += 1
        token._obj.value = process
        return 1

    def _ask_token(self, token: int, kind: int, label: Any, size: int, needed: Any) -> int:
        ctypes.c_void_p.from_buffer(label).value = token
        return 1

    def _set_mouse(self, x: int, y: int) -> None:
        self.mouse = (x + 40, y)

    def _get_mouse(self, place: Any) -> None:
        place._obj.x, place._obj.y = self.mouse

    def _send(self, count: int, event: Any, size: int) -> int:
        sent = event._obj
        if sent.flags & 1:
            self.mouse = (sent.dx * 4800 // 65536 - 1920, sent.dy * 1900 // 65536 - 100)
        names = {0x2: "left", 0x8: "right", 0x20: "middle", 0x4: "left up", 0x10: "right up"}
        self.events += [(*self.mouse, name) for flag, name in names.items() if sent.flags & flag]
        assert (count, size) == (1, 40)
        return 1


class Refused(Exception):
    """What mss raises for a box that no monitor shows."""


@dataclass
class FakeMss:
    """The library mss on a desktop whose monitors may change.

    The grey of a pixel shows its column, counted from the left edge of all monitors.
    """

    monitors: list[tuple[int, int, int, int]]
    pixels_a_unit: int = 1
    has_memory: bool = True
    ScreenShotError = Refused

    def MSS(self) -> FakeCamera:  # noqa: N802  as the library names it
        if not self.has_memory:
            raise OSError(27, "File too large")
        edges = np.array(self.monitors)
        whole = (*edges[:, :2].min(axis=0), *edges[:, 2:].max(axis=0))
        return FakeCamera(self, [_as_mss(*edge) for edge in (whole, *self.monitors)])


@dataclass
class FakeCamera:
    """An instance of mss: it asks for the monitors once."""

    desktop: FakeMss
    monitors: list[dict[str, int]]

    def grab(self, box: tuple[int, int, int, int]) -> NDArray[np.uint8]:
        left, top, right, bottom = box
        edges = np.array(self.desktop.monitors)
        first, last = edges[:, 0].min(), edges[:, 2].max()
        if left < first or right > last or left >= right:
            raise Refused("Match")
        ratio = self.desktop.pixels_a_unit
        columns = np.repeat(np.arange(left - first, right - first), ratio)
        pixels = np.zeros((ratio * (bottom - top), columns.size, 4), np.uint8)
        pixels[...] = (columns % 256)[None, :, None]
        return pixels

    def close(self) -> None:
        self.monitors = []


def _as_mss(left: int, top: int, right: int, bottom: int) -> dict[str, int]:
    edges = {"left": left, "top": top, "width": right - left, "height": bottom - top}
    return {name: int(edge) for name, edge in edges.items()}

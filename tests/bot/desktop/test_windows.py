"""What Windows is asked, on libraries that answer as its documentation says."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from bot.desktop import native, system, windows
from bot.desktop.ports import Monitor, Window
from bot.desktop.windows import (
    WindowsPointer,
    dpi_awareness,
    facts_of_windows,
    refusal_on_windows,
    scale_of,
    set_dpi_awareness,
)
from calibration.grid import ScreenPoint

LAPTOP, EXTERNAL = Monitor(0, 0, 2880, 1800), Monitor(-1920, 0, 0, 1080)
MEDIUM, HIGH = 0x2000, 0x3000
OWN_PROCESS = 7


@dataclass
class System:
    """A Windows of some release: two monitors, one window in each process."""

    knows_contexts: bool = True
    awareness: int = -1
    is_set_already: bool = False
    scales: tuple[tuple[Monitor, int], ...] = ((LAPTOP, 144), (EXTERNAL, 96))
    levels: dict[int, int | None] = field(default_factory=lambda: {OWN_PROCESS: MEDIUM})
    process_at_point: int = OWN_PROCESS
    calls: list[str] = field(default_factory=list)
    error: int = 0
    open_handles: int = 0

    def libraries(self) -> Any:
        user32: dict[str, Callable[..., Any]] = {
            "SetProcessDPIAware": lambda: self._aware("SetProcessDPIAware", -2),
            "MonitorFromPoint": lambda point, _: next(
                1 + number
                for number, (m, _) in enumerate(self.scales)
                if m.left <= point.x < m.right and m.top <= point.y < m.bottom
            ),
            "WindowFromPoint": lambda point: self.process_at_point and 100 + self.process_at_point,
            "GetAncestor": lambda window, _: window,
            "GetWindowThreadProcessId": self._process_of,
            "GetSystemMetrics": lambda number: 0,
        }
        if self.knows_contexts:
            user32 |= {
                "SetProcessDpiAwarenessContext": lambda context: self._aware("context", context),
                "GetThreadDpiAwarenessContext": lambda: self.awareness,
                "AreDpiAwarenessContextsEqual": lambda one, two: one == two,
            }
        kernel32 = {
            "OpenProcess": lambda rights, inherited, process: self._opened(process),
            "GetCurrentProcessId": lambda: OWN_PROCESS,
            "CloseHandle": self._close,
        }
        advapi32 = {
            "OpenProcessToken": self._open_token,
            "GetTokenInformation": self._ask_token,
            "GetSidSubAuthorityCount": lambda sid: [2],
            "GetSidSubAuthority": lambda sid, number: [self.levels[sid] if number == 1 else 0],
        }
        shcore = {
            "SetProcessDpiAwareness": lambda kind: self._aware("SetProcessDpiAwareness", -3),
            "GetDpiForMonitor": self._dpi,
        }
        return SimpleNamespace(
            user32=SimpleNamespace(**user32),
            shcore=SimpleNamespace(**shcore),
            kernel32=SimpleNamespace(**kernel32),
            advapi32=SimpleNamespace(**advapi32),
            last_error=lambda: self.error,
        )

    def _aware(self, call: str, awareness: int) -> int:
        self.calls.append(call)
        if self.is_set_already:
            return 0
        self.awareness, self.is_set_already = awareness, True
        return 1

    def _dpi(self, handle: int, kind: int, across: Any, down: Any) -> int:
        dpi = self.scales[handle - 1][1] if self.awareness in (-4, -3) else 96
        across._obj.value = down._obj.value = dpi
        return 0

    def _process_of(self, window: int, process: Any) -> int:
        process._obj.value = window - 100
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


@pytest.mark.parametrize(
    ("system", "awareness"),
    [(System(), -4), (System(knows_contexts=False), -3), (System(is_set_already=True), -1)],
)
def test_the_awareness_is_the_best_that_windows_knows(system: System, awareness: int) -> None:
    set_dpi_awareness(system.libraries())
    assert system.awareness == awareness


def test_a_windows_without_any_of_the_newer_calls_gets_the_old_one() -> None:
    system = System()
    user32 = SimpleNamespace(SetProcessDPIAware=system.libraries().user32.SetProcessDPIAware)
    set_dpi_awareness(SimpleNamespace(user32=user32))
    assert system.awareness == -2
    assert dpi_awareness(SimpleNamespace(user32=user32)) is None


def test_each_monitor_shows_its_own_scale() -> None:
    system = System()
    libraries = system.libraries()
    set_dpi_awareness(libraries)
    assert scale_of(LAPTOP, libraries) == 1.5
    assert scale_of(EXTERNAL, libraries) == 1.0


@pytest.fixture
def swapped(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the buttons are swapped: the one entry of a list."""
    state = [False]
    monkeypatch.setattr(windows, "buttons_swapped_on_windows", lambda: state[0])
    return state


def test_doctor_gets_scales_awareness_and_buttons(swapped: list[bool]) -> None:
    libraries = System(awareness=-4).libraries()
    facts = {fact.name: fact for fact in facts_of_windows((LAPTOP, EXTERNAL), libraries)}
    assert facts["scale"].sentence == "The scale of each monitor: 150%, 100%."
    assert facts["dpi awareness"].sentence == "DPI awareness: per monitor, version 2."
    assert facts["buttons"].sentence.startswith("The left button")
    assert all(fact.good for fact in facts.values())
    swapped[0] = True
    (*_, buttons) = facts_of_windows((LAPTOP,), libraries)
    assert buttons.sentence.startswith("The right button")


@pytest.mark.usefixtures("swapped")
def test_an_awareness_of_the_primary_monitor_is_worth_knowing_where_scales_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    libraries = System(awareness=-2).libraries()
    (_, fact, _) = facts_of_windows((LAPTOP, EXTERNAL), libraries)
    assert fact.good, "all scales are the same"
    monkeypatch.setattr(windows, "scale_of", lambda monitor, _: 1.5 if monitor == LAPTOP else 1.0)
    (_, fact, _) = facts_of_windows((LAPTOP, EXTERNAL), libraries)
    assert not fact.good
    assert fact.sentence.endswith("give all monitors one scale.")


@pytest.mark.parametrize(
    ("process", "level", "refused"),
    [
        (OWN_PROCESS, MEDIUM, False),
        (8, MEDIUM, False),
        (8, HIGH, True),
        (8, None, True),
        (0, MEDIUM, False),
    ],
    ids=["own", "equal", "higher", "may not be asked", "no window"],
)
def test_a_window_with_higher_rights_takes_no_clicks(
    process: int, level: int | None, refused: bool
) -> None:
    system = System(process_at_point=process, levels={OWN_PROCESS: MEDIUM, process: level})
    sentence = refusal_on_windows(ScreenPoint(5, 5), system.libraries())
    assert (sentence is not None) == refused
    assert system.open_handles == 0


def test_a_window_of_a_program_that_runs_as_administrator_takes_clicks_of_one_that_does() -> None:
    system = System(process_at_point=8, levels={OWN_PROCESS: HIGH, 8: HIGH})
    assert refusal_on_windows(ScreenPoint(5, 5), system.libraries()) is None


def test_the_awareness_is_set_before_any_library_that_sets_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    mss, gui = ModuleType("mss"), ModuleType("pyautogui")

    def camera() -> Any:
        calls.append("mss")
        monitor = {"left": 0, "top": 0, "width": 20, "height": 10}
        return SimpleNamespace(
            monitors=[monitor, monitor],
            grab=lambda box: bytearray(0),
            close=lambda: None,
        )

    mss.MSS = camera  # type: ignore[attr-defined]
    gui.size = lambda: (20, 10)  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(native, "set_dpi_awareness", lambda: calls.append("awareness"))
    monkeypatch.setattr(
        native, "_load", lambda name, purpose: calls.append(f"import {name}") or mss
    )
    monkeypatch.setattr(native, "_load_pyautogui", lambda: calls.append("import gui") or gui)
    monkeypatch.setattr(native, "WindowsPointer", lambda: None)
    monkeypatch.setattr(native.RealScreen, "_measure_scale", lambda self, width: 1.0)
    native.open_desktop()
    assert calls == ["awareness", "import mss", "import gui", "mss"]


@dataclass
class Mouse:
    """A mouse of Windows on two monitors, one left of the primary one.

    A person pushes it right after each movement that is not a press.
    """

    at: tuple[int, int] = (0, 0)
    events: list[tuple[int, int, str]] = field(default_factory=list)

    def libraries(self) -> Any:
        edges = {76: -1920, 77: -100, 78: 4800, 79: 1900}
        return SimpleNamespace(
            user32=SimpleNamespace(
                GetSystemMetrics=edges.__getitem__,
                SetCursorPos=self._set,
                GetCursorPos=self._get,
                SendInput=self._send,
            )
        )

    def _set(self, x: int, y: int) -> None:
        self.at = (x + 40, y)

    def _get(self, place: Any) -> None:
        place._obj.x, place._obj.y = self.at

    def _send(self, count: int, event: Any, size: int) -> int:
        sent = event._obj
        if sent.flags & 1:
            self.at = (sent.dx * 4800 // 65536 - 1920, sent.dy * 1900 // 65536 - 100)
        names = {0x2: "left", 0x8: "right", 0x20: "middle", 0x4: "left up", 0x10: "right up"}
        self.events += [(*self.at, name) for flag, name in names.items() if sent.flags & flag]
        assert (count, size) == (1, 40)
        return 1


@pytest.mark.parametrize("point", [(5, 5), (-1920, -100), (-7, 1799), (2879, 1799), (1234, 567)])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_press_falls_where_it_is_sent_though_a_person_pushes_the_mouse(
    swapped: list[bool], point: tuple[int, int], is_swapped: bool
) -> None:
    swapped[0] = is_swapped
    mouse = Mouse()
    pointer = WindowsPointer(mouse.libraries())
    assert pointer.click(ScreenPoint(*point))
    name = "right" if is_swapped else "left"
    assert mouse.events == [(*point, name), (*point, f"{name} up")]
    assert pointer.position() == ScreenPoint(*point)


@pytest.mark.usefixtures("swapped")
def test_no_press_goes_into_another_window(monkeypatch: pytest.MonkeyPatch) -> None:
    mouse = Mouse()
    monkeypatch.setattr(windows, "window_of_windows", lambda point: Window(8, 0, 0, 8))
    pointer = WindowsPointer(mouse.libraries())
    assert not pointer.click(ScreenPoint(5, 5), into=Window(7, 0, 0, 7))
    assert mouse.events == []


@pytest.mark.parametrize(
    ("front", "dialog"),
    [(5, None), (9, 9), (7, None), (0, None)],
    ids=["the window itself", "its dialog", "another window", "none"],
)
def test_the_dialog_of_a_window_is_one_in_front_that_it_owns(
    monkeypatch: pytest.MonkeyPatch, front: int, dialog: int | None
) -> None:
    owners = {5: 5, 9: 5, 7: 7}
    user32 = SimpleNamespace(
        GetForegroundWindow=lambda: front or None,
        GetAncestor=lambda window, _: owners.get(window),
    )
    monkeypatch.setattr(system, "_user32", lambda: user32)
    assert system.dialog_on_windows(5) == dialog
    assert system.gets_keys_on_windows(5) == (front in (5, 9))

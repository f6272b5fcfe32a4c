"""What macOS answers is understood as its documentation says: permissions, windows, keys.

Its libraries are stood for by `quartz.c`: real C functions, so that a pointer that is cut to an
int, or an object that is not released, would be noticed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.desktop import system
from bot.desktop.native import why_no_desktop
from bot.desktop.ports import Window
from calibration.grid import ScreenPoint

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the compiler there may be missing")

CACHED = system._core_graphics, system._core_foundation, system._accessibility
FINDER, GAME, OTHER = 10, 60, 70
NORMAL, ALERT, DOCK, MENU_BAR, CURSOR, DESKTOP = 0, 8, 20, 24, 2**31 - 18, -(2**31) + 20


class Rect(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_double) for name in ("left", "top", "width", "height"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from solver.engine.toolchain.compiler import find_compiler, run_compiler  # not in a wheel

    folder = tmp_path_factory.mktemp("quartz")
    source = Path(__file__).with_name("quartz.c")
    words = ["-shared", "-fPIC", str(source), "-o", "quartz.so"]
    run_compiler([*find_compiler(), *words], str(folder))
    return folder / "quartz.so"


class Mac:
    """The libraries, and what they are to answer."""

    def __init__(self, library: Path) -> None:
        self.quartz = ctypes.CDLL(str(library))
        self.quartz.show.argtypes = (*[ctypes.c_int64] * 3, Rect)

    def answers(self, name: str, value: Any, kind: Any = ctypes.c_bool) -> None:
        kind.in_dll(self.quartz, name).value = value

    def show(self, number: int, program: int, layer: int, *bounds: float) -> None:
        self.quartz.show(number, program, layer, Rect(*bounds))

    def number(self, name: str) -> int:
        return ctypes.c_int.in_dll(self.quartz, name).value


@pytest.fixture
def mac(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mac]:
    own = tmp_path / "quartz.so"  # loaded anew: with nothing shown, and nothing asked
    own.write_bytes(library.read_bytes())
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: str(own))
    for function in CACHED:
        function.cache_clear()
    yield (desktop := Mac(own))
    for function in CACHED:
        function.cache_clear()
    assert desktop.number("held_objects") == 0


def play_on(mac: Mac) -> None:
    """Show a game half over another program's window, below what lies over all windows."""
    mac.show(1, 1, CURSOR, 30, 30, 20, 20)
    mac.show(2, 1, MENU_BAR, 0, 0, 900, 24)
    mac.show(3, 1, DOCK, 0, 0, 900, 600)
    mac.show(4, OTHER, ALERT, 100, 100, 50, 20)
    mac.show(2**31 + 6, GAME, NORMAL, 20.4, 20.6, 300, 300)
    mac.show(7, OTHER, NORMAL, -500, 0, 900, 600)
    mac.show(9, FINDER, DESKTOP, -500, 0, 1400, 600)


@pytest.mark.parametrize(
    ("point", "window"),
    [
        ((35, 35), Window(2**31 + 6, 20, 21, 2**31 + 6)),
        ((110, 110), Window(4, 100, 100, 4)),
        ((-300, 30), Window(7, -500, 0, 7)),
        ((500, 30), Window(9, -500, 0, 9)),
        ((5000, 30), Window(0, 0, 0, 0)),
    ],
)
def test_the_window_at_a_point_is_the_first_that_takes_clicks(
    mac: Mac, point: tuple[int, int], window: Window
) -> None:
    """The picture of the pointer itself lies over every point that it was just moved to."""
    play_on(mac)
    assert system.window_on_mac(ScreenPoint(*point)) == window


@pytest.mark.parametrize(
    ("focused", "gets_keys"), [(GAME, True), (OTHER, False), (FINDER, False), (0, True)]
)
def test_keys_go_to_the_program_that_macos_names(mac: Mac, focused: int, gets_keys: bool) -> None:
    """After a click on the desktop it is the Finder, though the game's window is the first."""
    play_on(mac)
    mac.answers("focused", focused, ctypes.c_int32)
    assert system.gets_keys_on_mac(2**31 + 6) is gets_keys
    assert system.gets_keys_on_mac(7) is (focused == OTHER)
    assert not system.gets_keys_on_mac(99)


def test_keys_go_to_the_program_in_front_where_macos_names_none(mac: Mac) -> None:
    mac.show(4, GAME, ALERT, 100, 100, 50, 20)
    mac.show(7, OTHER, NORMAL, 0, 0, 900, 600)
    mac.show(6, GAME, NORMAL, 20, 20, 300, 300)
    assert system.gets_keys_on_mac(7)
    assert not system.gets_keys_on_mac(6)


def test_without_a_window_server_there_is_no_window_and_no_key_is_pressed(mac: Mac) -> None:
    mac.answers("connected", False)
    assert system.window_on_mac(ScreenPoint(35, 35)) == Window(0, 0, 0, 0)
    assert not system.gets_keys_on_mac(7)


def test_held_keys_are_named_by_the_flags_of_quartz(mac: Mac) -> None:
    mac.answers("flags", 1 << 16, ctypes.c_uint64)  # caps lock is on
    assert system.keys_held_on_mac() == ()
    mac.answers("flags", 0x20000 | 0x40000 | 0x80000 | 0x100000, ctypes.c_uint64)
    assert system.keys_held_on_mac() == ("Shift", "Ctrl", "Option", "Cmd")


@pytest.mark.parametrize(
    ("lacking", "grants", "asked_for", "names"),
    [
        ((), False, 0, None),
        (("may_see",), False, 1, "the Screen Recording permission"),
        (("may_post",), False, 2, "the Accessibility permission"),
        (("may_see", "may_post"), False, 3, "the Screen Recording and Accessibility permissions"),
        (("may_post",), True, 2, None),
    ],
)
def test_what_macos_does_not_allow_is_asked_for_and_named_at_once(
    mac: Mac, lacking: tuple[str, ...], grants: bool, asked_for: int, names: str | None
) -> None:
    """A program that never asked is not in the list in which a person may allow it."""
    for name in lacking:
        mac.answers(name, False)
    mac.answers("grants", grants)
    said = why_no_desktop("darwin", {})
    assert mac.number("asked_for") == asked_for
    if names is None:
        assert said is None
    else:
        assert said is not None
        assert said.startswith(f"macOS has not given your terminal {names}: ")

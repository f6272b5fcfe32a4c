"""The bot plays native and X11 programs on a Wayland desktop, at three scales.

One game each; `tests.bench.live_games --sway SCALE` plays series.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desktop.routes import why_xwayland
from tests.live.conftest import require_sway
from tests.live.desk import Desk
from tests.live.match import faults, play
from tests.live.programs import PROGRAMS, start
from tests.live.sway import SCREENS, Screen, SwayDesk

NATIVE = {"xdemineur": False, "gnome-mines": True, "kmines": True}
"""The programs, and whether they are native; the other one plays under Xwayland."""

CASES = [
    ("xdemineur", 1),
    ("xdemineur", 1.5),
    ("gnome-mines", 1.5),
    ("gnome-mines", 2),
    ("kmines", 1),
]

AT_SCALE_1_5 = {"gnome-mines": ("--new-game", "ctrl+r", "--close", "escape")}
"""At this scale a new board does not show which program it is, so its keys are given."""


@pytest.mark.parametrize(("name", "scale"), CASES)
def test_plays_cleanly_on_wayland(name: str, scale: float, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    require_sway(program.name, packages=program.package)
    with SwayDesk(SCREENS[scale]) as desk:
        running = start(desk, program, program.sizes["beginner"], at=(60, 60))
        assert desk.is_native(running.window) is NATIVE[name]
        options = AT_SCALE_1_5.get(name, ()) if scale == 1.5 else ()
        match = play(running, 1, tmp_path / "session", *options, limit_s=200)
        assert faults(match) == []
        assert match.witness.ledger.presses


def test_plays_on_the_second_of_two_outputs(tmp_path: Path) -> None:
    """The outputs differ in scale, and the first starts neither at the left nor at the top."""
    program = PROGRAMS["kmines"]
    require_sway(program.name, packages=program.package)
    with SwayDesk(Screen(1280, 720, left=1280, top=100), Screen(scale=1.5)) as desk:
        running = start(desk, program, program.sizes["beginner"], at=(90, 70))
        match = play(running, 1, tmp_path / "session", limit_s=200)
        assert faults(match) == []


def test_xwayland_is_recognised() -> None:
    require_sway()
    with SwayDesk() as desk:
        assert "Xwayland" in (why_xwayland(desk.env) or "")


def test_a_separate_x_server_is_not_taken_for_xwayland(desk: Desk) -> None:
    assert why_xwayland(desk.env | {"WAYLAND_DISPLAY": "wayland-0"}) is None

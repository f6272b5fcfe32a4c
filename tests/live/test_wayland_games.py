"""The bot plays native and X11 programs on a Wayland desktop, at three scales.

One game each; `tests.bench.live_games --sway SCALE` plays series.
"""

import pytest

from bot.desktop.routes import why_xwayland
from tests.live.conftest import open_game, require
from tests.live.match import faults, play
from tests.live.sway import SCREENS, Screen, SwayDesk

NATIVE = {"xdemineur": False, "gnome-mines": True, "kmines": True}
"""The programs, and whether they are native; the other one plays under Xwayland."""

TWO = Screen(1280, 720, left=1280, top=100), Screen(scale=1.5)
"""Outputs that differ in scale; the first starts neither at the left nor at the top."""

# At this scale a new board does not show which program it is, so its keys are given.
KEYS = ("--new-game", "ctrl+r", "--close", "escape")


@pytest.mark.parametrize(
    ("name", "screens", "at", "options"),
    [
        ("xdemineur", [SCREENS[1]], (60, 60), ()),
        ("xdemineur", [SCREENS[1.5]], (60, 60), ()),
        ("gnome-mines", [SCREENS[1.5]], (60, 60), KEYS),
        ("gnome-mines", [SCREENS[2]], (60, 60), ()),
        ("kmines", [SCREENS[1]], (60, 60), ()),
        ("kmines", TWO, (90, 70), ()),
    ],
    ids=[
        "xdemineur-1",
        "xdemineur-1.5",
        "gnome-mines-1.5",
        "gnome-mines-2",
        "kmines-1",
        "kmines-two",
    ],
)
def test_plays_cleanly_on_wayland(name, screens, at, options, session):
    require(on=SwayDesk)
    with SwayDesk(*screens) as desk:
        running = open_game(desk, name, at=at)
        assert desk.is_native(running.window) is NATIVE[name]
        match = play(running, 1, session, *options, limit_s=200)
        assert faults(match) == []
        assert match.witness.ledger.presses


def test_xwayland_is_recognised():
    require(on=SwayDesk)
    with SwayDesk() as desk:
        assert "Xwayland" in (why_xwayland(desk.env) or "")


def test_a_separate_x_server_is_not_taken_for_xwayland(desk):
    assert why_xwayland(desk.env | {"WAYLAND_DISPLAY": "wayland-0"}) is None

"""What a person or a desktop can do while the bot plays on a Wayland desktop."""

import os
import signal
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from calibration.grid import ScreenPoint
from tests.live.command import run_bot
from tests.live.conftest import require
from tests.live.sway import Screen, SwayDesk
from tests.live.troubles import STOPPED, check_stopped, check_won, game


@contextmanager
def recorded_game(session, *screens, size="expert"):
    require("swaylock", packages="swaylock", on=SwayDesk)
    options = ("--screen", "wlroots", "--record", session)
    with SwayDesk(*screens) as desk, game(desk, size, *options) as bot:
        yield desk, bot


class Person:
    """A person at the mouse: a virtual pointer that is not the bot's."""

    def __init__(self, desk):
        from bot.desktop.wlroots.client import Connection, Outputs
        from bot.desktop.wlroots.desktop import WlrPointer, seat_of

        path = Path(desk.env["XDG_RUNTIME_DIR"]) / desk.env["WAYLAND_DISPLAY"]
        connection = Connection(str(path))
        self._pointer = WlrPointer(connection, Outputs(connection), seat_of(connection))
        desk.callback(connection.close)

    def moves(self, x, y):
        """Move the pointer."""
        self._pointer.move(ScreenPoint(x, y))

    def moves_for(self, seconds):
        """Move the pointer again and again, beside the window."""
        end = time.monotonic() + seconds
        for step in count():
            self.moves(1500 + 3 * (step % 30), 900)
            time.sleep(0.05)
            if time.monotonic() > end:
                break


@pytest.fixture
def session(tmp_path):
    return tmp_path / "session"


def test_stops_at_the_kill_switch(session):
    with recorded_game(session) as (desk, bot):
        person = Person(desk)
        check_stopped(bot, lambda _: person.moves(1919, 1079), STOPPED, 0.02)
        assert run_bot("replay", session).returncode == 0


def test_yields_to_a_person_who_moves_the_mouse(session):
    with recorded_game(session, size="intermediate") as (desk, bot):
        person = Person(desk)
        # The bot notices the person in the pause before a click, or when it has parked the pointer.
        person.moves_for(1.0)
        clicks = len(bot.ledger.presses)
        person.moves_for(1.5)
        assert len(bot.ledger.presses) == clicks
        check_won(bot)


def kill_sway(desk):
    os.kill(int(desk.env["SWAYSOCK"].split(".")[-2]), signal.SIGKILL)


def resize(desk):
    desk.sway_does("output HEADLESS-1 resolution 1600x900")


def rescale(desk):
    desk.sway_does("output HEADLESS-1 scale 1.25")


def turn(desk):
    desk.sway_does("output HEADLESS-2 transform 90")


def lock(desk):
    desk.start(["swaylock", "-c", "336699"])


@pytest.mark.parametrize("trouble", [kill_sway, resize, rescale, turn, lock])
def test_stops_when_the_screen_is_not_what_it_was(trouble, session):
    with recorded_game(session, Screen(), Screen(800, 600, left=1920)) as (desk, bot):
        check_stopped(bot, lambda _: trouble(desk))
        assert run_bot("replay", session).returncode == 0
        if trouble is lock:
            time.sleep(0.2)
            received = desk.logs[desk.started[-1].pid].read_bytes().splitlines()
            assert not [line for line in received if b"wl_pointer" in line and b".button(" in line]

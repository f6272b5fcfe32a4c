"""What a person or a desktop can do while the bot plays on a Wayland desktop."""

import os
import signal
import time
from contextlib import contextmanager

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


def person_at(desk):
    """Return what moves the pointer as a person does: a virtual pointer that is not the bot's."""
    from bot.desktop.wlroots.client import Connection, Outputs
    from bot.desktop.wlroots.desktop import WlrPointer, seat_of

    connection = Connection(str(desk.runtime / desk.env["WAYLAND_DISPLAY"]))
    desk.callback(connection.close)
    return WlrPointer(connection, Outputs(connection), seat_of(connection)).move


def test_stops_at_the_kill_switch(session):
    with recorded_game(session) as (desk, bot):
        move = person_at(desk)
        check_stopped(bot, lambda _: move(ScreenPoint(1919, 1079)), STOPPED, 0.02)
        assert run_bot("replay", session).returncode == 0


def test_yields_to_a_person_who_moves_the_mouse(session):
    with recorded_game(session, size="intermediate") as (desk, bot):
        move = person_at(desk)
        # The bot notices the person in the pause before a click, or when it has parked the pointer.
        for step in range(50):
            if step == 20:
                clicks = len(bot.ledger.presses)
            move(ScreenPoint(1500 + 3 * (step % 30), 900))
            time.sleep(0.05)
        assert len(bot.ledger.presses) == clicks
        check_won(bot)


def lock(desk):
    desk.start(["swaylock", "-c", "336699"])


TROUBLES = {
    "killed": lambda desk: os.kill(int(desk.env["SWAYSOCK"].split(".")[-2]), signal.SIGKILL),
    "resized": lambda desk: desk.sway_does("output HEADLESS-1 resolution 1600x900"),
    "rescaled": lambda desk: desk.sway_does("output HEADLESS-1 scale 1.25"),
    "turned": lambda desk: desk.sway_does("output HEADLESS-2 transform 90"),
    "locked": lock,
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_stops_when_the_screen_is_not_what_it_was(trouble, session):
    with recorded_game(session, Screen(), Screen(800, 600, left=1920)) as (desk, bot):
        check_stopped(bot, lambda _: trouble(desk))
        assert run_bot("replay", session).returncode == 0
        if trouble is lock:
            time.sleep(0.2)
            received = desk.logs[desk.started[-1].pid].read_bytes().splitlines()
            assert not [line for line in received if b"wl_pointer" in line and b".button(" in line]

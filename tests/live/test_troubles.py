"""What a person or a desktop can do to the window while the bot plays in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from Xlib import X

from tests.live.conftest import require
from tests.live.desk import Desk
from tests.live.desk_mischief import swapped_buttons
from tests.live.match import ROOT, RUN_BOT, Play
from tests.live.monitors import two_monitors, unplugged
from tests.live.programs import PROGRAMS, start
from tests.live.referee import Ledger, connect
from tests.live.session import wait_until

STUCK, STOPPED = 6, 5
SENTENCES = 3
"""Most lines of output: the error, the summary, and where its report is."""

REACTION_S = 0.3
"""Time after which no click may follow a trouble."""


@contextmanager
def game(desk: Desk, size: str = "expert", left: int = 300) -> Iterator[Play]:
    program = PROGRAMS["sgt-mines"]
    require(program.name, packages=program.package)
    running = start(desk, program, program.sizes[size], at=(left, 200))
    ledger = Ledger(desk.env["DISPLAY"])
    bot = subprocess.Popen(
        [*RUN_BOT, "play", "--screen", "real", "--pace", "0.05", "--quiet"],
        env=running.desk.env,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        play = Play(running, ledger, bot)
        play.wait_clicks(8)
        yield play
    finally:
        bot.kill()
        bot.communicate()
        ledger.close()


def test_follows_a_window_that_is_moved(desk: Desk) -> None:
    with game(desk, "intermediate") as play:
        desk.xdotool("windowmove", "--sync", play.running.window, 437, 461)
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output


def test_waits_for_a_window_that_is_covered_for_a_moment(desk: Desk) -> None:
    with game(desk, "intermediate") as play:
        cover = desk.start(["xmessage", "-geometry", "300x200+500+380", "in the way"])
        time.sleep(1.0)
        cover.terminate()
        cover.wait(10)
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output


def test_stops_when_the_board_stays_covered(desk: Desk) -> None:
    with game(desk) as play:
        # Cover the whole board: a click on a part that is left free would raise its window.
        desk.start(["xmessage", "-geometry", "900x600+200+150", "in the way"])
        cover = desk.wait_window("xmessage")
        # The window manager keeps a new window below one that was just clicked.
        desk.xdotool("windowraise", cover)
        moment = time.monotonic()
        code, output = play.end()
    assert code == STUCK, output
    assert play.clicks_after(moment + REACTION_S) == 0
    assert len(output.strip().splitlines()) <= SENTENCES


@pytest.mark.parametrize("how", ["windowminimize", "windowclose"])
def test_stops_when_the_window_goes_away(desk: Desk, how: str) -> None:
    with game(desk) as play:
        desk.xdotool(how, play.running.window)
        moment = time.monotonic()
        code, output = play.end()
    assert code == STUCK, output
    assert play.clicks_after(moment + REACTION_S) == 0
    assert len(output.strip().splitlines()) <= SENTENCES


def test_stops_at_the_kill_switch(desk: Desk) -> None:
    with game(desk) as play:
        desk.push_into_corner()
        moment = time.monotonic()
        code, output = play.end()
    assert code == STOPPED, output
    assert play.clicks_after(moment) == 0


HUNDRED_CLICKS = """
from bot.desktop.x11 import XPointer
from calibration.grid import ScreenPoint
pointer = XPointer()
for step in range(100):
    pointer.click(ScreenPoint(500 + step, 400))
"""


def test_a_press_falls_where_it_is_meant_though_another_hand_moves_the_mouse(desk: Desk) -> None:
    """Between a movement and its press, a push into the corner once took the press there."""
    ledger = Ledger(desk.env["DISPLAY"])
    clicking = [sys.executable, "-c", HUNDRED_CLICKS]
    with subprocess.Popen(["xdotool", *("mousemove", "0", "0") * 50_000], env=desk.env) as hand:
        subprocess.run(clicking, cwd=ROOT, env=desk.env | {"XAUTHORITY": os.devnull}, check=True)
        assert hand.poll() is None
        hand.kill()
    wait_until(lambda: len(ledger.presses) == 100, 10, "100 presses")
    places = {(press.x, press.y) for press in ledger.presses}
    ledger.close()
    assert places == {(500 + step, 400) for step in range(100)}


def test_yields_to_a_person_who_moves_the_mouse(desk: Desk) -> None:
    with game(desk, "intermediate") as play:
        begun = time.monotonic()
        for step in range(10):
            desk.xdotool("mousemove", "--sync", 1500 + 3 * step, 900)
            time.sleep(0.05)
        ended = time.monotonic()
        clicks = play.clicks_after(begun + 0.2) - play.clicks_after(ended)
        code, output = play.end(120)
    assert clicks == 0
    assert code == 0, output
    assert "1 won" in output


def test_clicks_no_window_that_cannot_be_seen(desk: Desk) -> None:
    with game(desk) as play:
        display = connect(desk.env["DISPLAY"])
        root = display.screen().root
        pane = root.create_window(
            *(200, 150, 900, 600), 0, 0, window_class=X.InputOnly, override_redirect=True
        )
        pane.map()
        display.sync()
        moment = time.monotonic()
        code, output = play.end()
        display.close()
    assert code == STUCK, output
    assert "another window lies over it" in output
    assert play.clicks_after(moment + REACTION_S) == 0


def test_waits_while_a_key_is_held(desk: Desk) -> None:
    with game(desk, "intermediate") as play:
        desk.xdotool("keydown", "Shift_L")
        time.sleep(REACTION_S)
        begun = time.monotonic()
        time.sleep(1.5)
        held = play.clicks_after(begun)
        desk.xdotool("keyup", "Shift_L")
        code, output = play.end(120)
    assert held == 0
    assert code == 0, output
    assert "1 won" in output


def test_plays_with_swapped_buttons(desk: Desk) -> None:
    with swapped_buttons(desk), game(desk, "intermediate") as play:
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output


@pytest.mark.parametrize("left", [1020, 160])
def test_plays_on_either_of_two_monitors(desk: Desk, left: int) -> None:
    with two_monitors(desk, 960), game(desk, "intermediate", left=left) as play:
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output


def test_a_monitor_that_is_unplugged_takes_no_game_with_it(desk: Desk) -> None:
    with game(desk, "intermediate") as play, unplugged(desk, 1200):
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output


def test_buttons_may_be_swapped_while_it_plays(desk: Desk) -> None:
    with game(desk, "intermediate") as play, swapped_buttons(desk):
        code, output = play.end(120)
    assert code == 0, output
    assert "1 won" in output

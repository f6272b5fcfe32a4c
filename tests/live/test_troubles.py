"""What a person or a desktop can do to the window while the bot plays in it."""

import os
import subprocess
import sys
import time
from contextlib import closing
from functools import partial

import pytest

from tests.live.command import ROOT
from tests.live.deeds import swapped_buttons, two_monitors, unplugged, window_on
from tests.live.ledger import Ledger
from tests.live.session import wait_until
from tests.live.troubles import REACTION_S, STOPPED, check_stopped, check_won, game

BOX = (200, 150, 900, 600)  # a box with the whole board in it


def window_is_covered_for_a_moment(bot):
    cover = bot.desk.start(["xmessage", "-geometry", "300x200+500+380", "in the way"])
    time.sleep(1.0)
    cover.terminate()
    cover.wait(10)


def mouse_is_moved_by_a_person(bot):
    begun = time.monotonic()
    for step in range(10):
        bot.desk.xdotool("mousemove", "--sync", 1500 + 3 * step, 900)
        time.sleep(0.05)
    ended = time.monotonic()
    assert bot.clicks_after(begun + 0.2) - bot.clicks_after(ended) == 0


def key_is_held(bot):
    bot.desk.xdotool("keydown", "Shift_L")
    time.sleep(REACTION_S)
    begun = time.monotonic()
    time.sleep(1.5)
    held = bot.clicks_after(begun)
    bot.desk.xdotool("keyup", "Shift_L")
    assert held == 0


PASSING = {
    "window is moved": lambda bot: bot.desk.move_window(bot.running.window, 437, 461),
    "window is covered for a moment": window_is_covered_for_a_moment,
    "mouse is moved by a person": mouse_is_moved_by_a_person,
    "key is held": key_is_held,
}


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
def test_plays_on_after_a_trouble(desk, trouble):
    with game(desk, "intermediate") as bot:
        trouble(bot)
        check_won(bot)


LEFT_OF_TWO = partial(two_monitors, left_width=960)
UNPLUGGED = partial(unplugged, width_left=1200)


@pytest.mark.parametrize(
    ("change", "left"),
    [(swapped_buttons, 300), (LEFT_OF_TWO, 160), (LEFT_OF_TWO, 1020)],
    ids=["swapped buttons", "left of two monitors", "right of two monitors"],
)
def test_plays_on_a_desk_that_is_unusual(desk, change, left):
    with change(desk), game(desk, "intermediate", at=(left, 200)) as bot:
        check_won(bot)


@pytest.mark.parametrize("change", [swapped_buttons, UNPLUGGED], ids=["swapped", "unplugged"])
def test_plays_on_when_the_desk_changes(desk, change):
    with game(desk, "intermediate") as bot, change(desk):
        check_won(bot)


def window_is_covered_for_good(bot):
    # Cover the whole board: a click on a part that is left free would raise its window.
    left, top, width, height = BOX
    place = f"{width}x{height}+{left}+{top}"
    bot.desk.start(["xmessage", "-geometry", place, "in the way"])
    # The window manager keeps a new window below one that was just clicked.
    bot.desk.xdotool("windowraise", bot.desk.wait_window("xmessage"))


LASTING = {
    "window is covered": window_is_covered_for_good,
    "window is minimised": lambda bot: bot.desk.xdotool("windowminimize", bot.running.window),
    "window is closed": lambda bot: bot.desk.xdotool("windowclose", bot.running.window),
    "unseen window lies over it": lambda bot: bot.desk.enter_context(
        window_on(bot.desk, BOX, input_only=True)
    ),
    "kill switch": lambda bot: bot.desk.push_into_corner(),
}
SAID = {"unseen window lies over it": "another window lies over it"}


@pytest.mark.parametrize("name", LASTING)
def test_stops_at_a_trouble(desk, name):
    with game(desk, "expert") as bot:
        if name == "kill switch":
            check_stopped(bot, LASTING[name], STOPPED, 0.0)
        else:
            assert SAID.get(name, "") in check_stopped(bot, LASTING[name])


HUNDRED_CLICKS = """
from bot.desktop.x11 import XPointer
from calibration.grid import ScreenPoint
pointer = XPointer()
for step in range(100):
    pointer.click(ScreenPoint(500 + step, 400))
"""


def test_a_press_falls_where_it_is_meant_though_another_hand_moves_the_mouse(desk):
    """Between a movement and its press, a push into the corner once took the press there."""
    clicking = [sys.executable, "-c", HUNDRED_CLICKS]
    with (
        closing(Ledger(desk.env["DISPLAY"])) as ledger,
        subprocess.Popen(["xdotool", *("mousemove", "0", "0") * 50_000], env=desk.env) as hand,
    ):
        subprocess.run(clicking, cwd=ROOT, env=desk.env | {"XAUTHORITY": os.devnull}, check=True)
        assert hand.poll() is None
        hand.kill()
        wait_until(lambda: len(ledger.presses) == 100, 10, "100 presses")
    places = {(press.x, press.y) for press in ledger.presses}
    assert places == {(500 + step, 400) for step in range(100)}

"""The bot among windows that play tricks: no press and no key elsewhere, no button left down."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest
from Xlib import X

from tests.bench.hostile import open_scene, play_scene
from tests.live.adversary import scenes
from tests.live.command import ROOT
from tests.live.conftest import require
from tests.live.ledger import connect
from tests.live.session import wait_until

PRESSES, LIMIT_S = 20, 120
"""Presses a scene, and the longest time; `python -m tests.bench.hostile` makes 200."""


SELDOM = {"ghost", "jump"}
"""Scenes in which the board is seldom still: a bot on a busy machine may come to no press within
LIMIT_S. Run them by hand."""

BY_HAND = [pytest.mark.by_hand]


@pytest.mark.parametrize(
    "scene", [pytest.param(one, marks=BY_HAND if one in SELDOM else ()) for one in scenes()]
)
def test_nothing_is_pressed_elsewhere(scene):
    require()
    account = play_scene(scene, PRESSES, seed=1, limit_s=LIMIT_S)
    assert account.strayed == (0, 0), account
    assert not account.broken, account
    assert account.presses > 5, account
    if scene == "record":
        assert account.keys, account
        assert account.stops == 0, account


HOLD = """
import os, signal, sys, time
for number in (signal.SIGHUP, signal.SIGQUIT):  # whatever started the tests
    signal.signal(number, signal.SIG_DFL)
from bot.desktop.native import open_desktop
from bot.mouse.guard import Aim, MouseGuard, StopSignal
from calibration.grid import PixelBox, ScreenPoint
from tests.live.ledger import connect
display = connect(os.environ["DISPLAY"])
root = display.screen().root
root.fill_rectangle(root.create_gc(foreground=0xFFFFFF), 495, 395, 5, 5)
display.sync()
desktop, stop, point = open_desktop(), StopSignal(), ScreenPoint(500, 400)
guard = MouseGuard(desktop, stop)
with stop.listening():
    guard.note_board(point, desktop.screen.grab(PixelBox(490, 390, 510, 410)), lambda: True)
    guard.click(Aim(point, lambda: True), hold_s=0.5)
    print("released", flush=True)
    time.sleep(60)
"""


@contextmanager
def holding(desk):
    """Start a bot that holds the left button, and wait until it is down."""
    bot = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=ROOT, env=desk.env | {"XAUTHORITY": os.devnull},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_until(lambda: is_down(desk), 30, "the press", every_s=0.01)
        yield bot
    finally:
        bot.kill()
        bot.communicate()


def is_down(desk):
    with closing(connect(desk.env["DISPLAY"])) as display:
        return bool(display.screen().root.query_pointer().mask & X.Button1Mask)


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGINT", "SIGQUIT", "SIGKILL"])
def test_a_bot_that_is_ended_leaves_no_button_down(desk, name):
    with holding(desk) as bot:
        bot.send_signal(signal.Signals[name])
        bot.wait(20)
        wait_until(lambda: not is_down(desk), 5, "the release", every_s=0.01)
        assert name == "SIGKILL" or "StoppedByUser" in bot.stderr.read()


def test_a_bot_that_is_suspended_releases_the_button_first(desk):
    with holding(desk) as bot:
        bot.send_signal(signal.SIGTSTP)
        wait_until(lambda: not is_down(desk), 5, "the release", every_s=0.01)
        time.sleep(0.3)
        assert bot.poll() is None
        bot.send_signal(signal.SIGCONT)
        assert bot.stdout.readline() == "released\n"


CLICK = """
import os, signal, sys, time
from bot.desktop.native import open_desktop
from calibration.grid import ScreenPoint
desktop, point = open_desktop(), ScreenPoint(500, 450)
window = desktop.window_at(point)
assert desktop.pointer.click(point, into=window)
time.sleep(1)
if sys.argv[2:]:  # something else takes the keyboard
    from Xlib import X
    from tests.live.ledger import connect
    display = connect(os.environ["DISPLAY"])
    display.set_input_focus(X.PointerRoot, X.RevertToParent, X.CurrentTime)
    display.sync()
os.kill(int(sys.argv[1]), signal.SIGSTOP)
assert desktop.pointer.click(point, into=window)
"""


def run_beside_the_game(desk, script, *args):
    """Run a script while the adversary plays no trick; return the adversary's log.

    The script may suspend the window manager, which goes on when the desk is closed.
    """
    manager, log = desk.started[0], open_scene(desk, "plain")
    desk.callback(manager.send_signal, signal.SIGCONT)
    env = desk.env | {"XAUTHORITY": os.devnull}
    words = [sys.executable, "-c", script, str(manager.pid), *args]
    subprocess.run(words, cwd=ROOT, env=env, check=True)
    return log


@pytest.mark.parametrize("taken", [(), ("taken",)])
def test_a_press_comes_before_any_other_window_can(desk, taken):
    """openbox holds a press back and passes it on later, to whatever lies there by then."""
    log = run_beside_the_game(desk, CLICK, *taken)
    wait_until(lambda: log.read_text().count("game press") == 2, 10, "both presses")


LOOK = """
import os
from Xlib import X
from bot.desktop.native import open_desktop
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from tests.live.ledger import connect
from tests.live.session import wait_until
desktop, point = open_desktop(), ScreenPoint(500, 450)
picture = desktop.screen.grab(PixelBox(465, 415, 535, 485))
game = desktop.window_at(point)
assert desktop.shows(game, picture)
assert desktop.shows(game, Frame(picture.pixels // 2, picture.origin)), "a compositor dims it"
assert not desktop.shows(game, Frame(picture.pixels[::-1], picture.origin)), "it shows another"
grey = Frame(picture.pixels * 0 + 192, picture.origin)
display = connect(os.environ["DISPLAY"])
root = display.screen().root
grounds = {"background_pixel": 0xC0C0C0}
for *kind, looks in ((0, X.InputOnly, {}), (X.CopyFromParent, X.InputOutput, grounds)):
    over = root.create_window(0, 0, 900, 900, 0, *kind, X.CopyFromParent, override_redirect=True,
                              **looks)
    over.map()
    display.sync()
    there = desktop.window_at(point)
    assert there.number == over.id
    assert not desktop.shows(there, picture), "it shows no board"
    assert not desktop.shows(there, grey), "no board was seen"
    assert not desktop.shows(game, picture), "it is not topmost"
    over.destroy()
    display.sync()
wait_until(lambda: desktop.shows(game, picture), 5, "the game, painted again")
"""


def test_a_window_that_cannot_be_seen_does_not_show_the_board(desk):
    run_beside_the_game(desk, LOOK)

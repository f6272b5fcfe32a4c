"""What can happen to a game while the bot plays it: faults, injected on a desk.

Each fault is a context manager: it happens at the beginning of the block, and its end repairs what
can be repaired.
"""

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from inspect import isgeneratorfunction
from random import Random

from Xlib import XK, X
from Xlib.ext import xtest

from tests.live.deeds import WHOLE, Box, swapped_buttons, two_monitors, unplugged, window_on
from tests.live.desk import Desk
from tests.live.ledger import Ledger, connect
from tests.live.session import DeskError

STAY_S = (0.8, 3.0)
"""Shortest and longest time that something lies over the window, in seconds."""

MONITOR = 1200
"""Width of the monitor that is left when the other is unplugged."""


@dataclass
class Scene:
    """A game under way: the desk, its window, the processes of game and bot, and the board.

    ``tile`` is the size of a tile and ``board`` the box of the board, both in pixels. ``covers``
    lists where no click may go: from when, until when, and where. ``bot_pid`` is 0 until the bot
    starts.
    """

    desk: Desk
    window: int
    game_pid: int
    ledger: Ledger
    board: Box
    tile: int
    random: Random
    kill_game: Callable[[], None]
    bot_pid: int = 0
    covers: list[tuple[float, float, Box]] = field(default_factory=list)

    def wait(self, least_s=STAY_S[0], most_s=STAY_S[1]):
        """Wait for a time drawn by chance."""
        time.sleep(self.random.uniform(least_s, most_s))

    def part_of_board(self, *shares):
        """Return a part of the board somewhere in it, whose sides are one of these shares."""
        left, top, *sides = self.board
        share = self.random.choice(shares)
        wide, high = (int(side * share) for side in sides)
        across, down = (
            self.random.randrange(max(1, side - part))
            for side, part in zip(sides, (wide, high), strict=True)
        )
        return left + across, top + down, wide, high

    @contextmanager
    def no_clicks(self, box=WHOLE):
        """Note that no click may go into a box meanwhile."""
        since = time.monotonic()
        try:
            yield
        finally:
            self.covers.append((since, time.monotonic(), box))

    @contextmanager
    def covered(self, box, colour=0xD0D0D0):
        """Let a window lie above all others, into which no click may go."""
        with window_on(self.desk, box, colour=colour), self.no_clicks(box):
            yield


Fault = Callable[[Scene], AbstractContextManager[None]]

FAULTS: dict[str, Fault] = {}

MUST_STOP = {"killed", "Ctrl-C", "kill switch"}
"""Faults after which no click may follow."""

FROM_THE_START = {"second monitor"}
"""Faults that are there before the bot starts."""


def fault(do, name=""):
    """Add a fault: a function if it is over when it returns, a generator if its end repairs it."""

    @contextmanager
    def once(scene):
        do(scene)
        yield

    name = name or do.__name__.replace("_", " ")
    FAULTS[name] = contextmanager(do) if isgeneratorfunction(do) else once
    return do


# ---- the window ----------------------------------------------------------------------------------


@fault
def moved(scene):
    left, top, *_ = scene.desk.geometry(scene.window)
    right, down = scene.random.choice([(37, 21), (-40, 15), (3, 0), (110, -30)])
    scene.desk.xdotool("windowmove", scene.window, max(40, left + right), max(60, top + down))


@fault
def resized(scene):
    """Many programs keep their size, others scale their tiles."""
    *_, width, height = scene.desk.geometry(scene.window)
    factor = scene.random.choice([1.15, 0.9])
    scene.desk.xdotool("windowsize", scene.window, int(width * factor), int(height * factor))


@fault
def covered(scene):
    """Let a window of the window manager lie over a part of the board for a while."""
    left, top, width, height = scene.part_of_board(0.5)
    cover = scene.desk.start(["xmessage", "-geometry", f"{width}x{height}+{left}+{top}", "here"])
    scene.wait()
    cover.terminate()
    cover.wait(10)


@fault
def covered_on_top(scene):
    """Let a window lie above all others for a while."""
    with scene.covered(scene.part_of_board(0.3, 0.7)):
        scene.wait()


@fault
def covered_for_good(scene):
    with scene.covered(scene.part_of_board(0.6)):
        yield


@fault
def one_tile_covered(scene):
    left, top, width, height = scene.board
    col, row = (scene.random.randrange(side // scene.tile) for side in (width, height))
    colour = scene.random.choice([0xC0C0C0, 0xBABDB6, 0xE0E0E0, 0x404040, 0xCC0000])
    box = left + col * scene.tile, top + row * scene.tile, scene.tile, scene.tile
    with scene.covered(box, colour):
        scene.wait()


@fault
def minimised(scene):
    scene.desk.xdotool("windowminimize", scene.window)
    scene.wait()
    scene.desk.xdotool("windowmap", scene.window)


@fault
def killed(scene):
    scene.kill_game()


def _freeze(limits, scene):
    os.killpg(scene.game_pid, signal.SIGSTOP)
    try:
        scene.wait(*limits)
    finally:
        os.killpg(scene.game_pid, signal.SIGCONT)


fault(partial(_freeze, (2, 8)), "frozen 2-8 s")
fault(partial(_freeze, (20, 30)), "frozen 20-30 s")
fault(partial(_freeze, (0.2, 0.8)), "clicks late")


@fault
def another_board(scene):
    """Open a second Minesweeper beside the first."""
    left, top, width, _ = scene.board
    beside = left + width + 160 if left + width < 1400 else 20
    other = scene.desk.start(["xdemineur", "-geometry", f"+{beside}+{max(40, top)}"])
    scene.wait()
    yield
    other.terminate()
    with suppress(DeskError):
        other.wait(10)


# ---- the clicks ----------------------------------------------------------------------------------


@fault
def clicks_lost(scene):
    """Let a window that cannot be seen swallow the clicks for a moment."""
    with window_on(scene.desk, scene.board, input_only=True):
        scene.wait(0.1, 0.5)


@fault
def unseen_window(scene):
    """Lay a window that cannot be seen over a part of the board for a while."""
    box = scene.part_of_board(0.5, 1.0)
    with window_on(scene.desk, box, input_only=True), scene.no_clicks(box):
        scene.wait()


@fault
def click_doubled(scene):
    """Repeat the next click at once."""
    with closing(connect(scene.desk.env["DISPLAY"])) as display:
        seen, end = len(scene.ledger.presses), time.monotonic() + 3
        while len(scene.ledger.presses) == seen and time.monotonic() < end:
            time.sleep(0.002)
        pressed = scene.ledger.presses[seen:]
        if pressed and pressed[0].button:
            for kind in (X.ButtonPress, X.ButtonRelease):
                xtest.fake_input(display, kind, pressed[0].button)
            display.sync()


# ---- the desktop ---------------------------------------------------------------------------------


@fault
def blanked(scene):
    """Make the whole screen black for a while."""
    with scene.covered(WHOLE, 0):
        scene.wait(0.5, 2.0)


@fault
def person(scene):
    """Move the mouse for a while, as a person does."""
    for step in range(scene.random.randrange(4, 14)):
        scene.desk.xdotool("mousemove", 1500 + 9 * step, 900 - 5 * step)
        time.sleep(0.05)


@fault
def key_held(scene):
    """Hold a key that changes what a click does."""
    key = scene.random.choice(["Shift_L", "Control_L", "Alt_L"])
    with closing(connect(scene.desk.env["DISPLAY"])) as display:
        code = display.keysym_to_keycode(XK.string_to_keysym(key))
        xtest.fake_input(display, X.KeyPress, code)
        display.sync()
        with scene.no_clicks():
            scene.wait()
        xtest.fake_input(display, X.KeyRelease, code)
        display.sync()


@fault
def buttons_swapped(scene):
    with swapped_buttons(scene.desk):
        yield


@fault
def second_monitor(scene):
    """Play on two monitors side by side, of which the right one is the primary one."""
    width = scene.random.choice([500, 960, 1300])
    left, top, *_ = scene.desk.geometry(scene.window)
    with two_monitors(scene.desk, width):
        scene.desk.move_window(scene.window, scene.random.choice([left, width + 20]), top)
        yield


@fault
def monitor_unplugged(scene):
    """Unplug the right one of two monitors; the window lies on it or on the other."""
    if scene.random.random() < 0.5:
        scene.desk.xdotool("windowmove", scene.window, MONITOR + 10, 90)
    with unplugged(scene.desk, MONITOR):
        yield


@fault
def night_light(scene):
    """Shift all colours towards orange, as a night light does, until the bot ends.

    A translucent window does it, through which every click goes: what a graphics card does to the
    colours is in no picture of the screen.
    """
    compositor = scene.desk.start(["picom", "--backend", "xrender"])
    opacity = scene.random.choice([0.04, 0.1, 0.2, 0.35])
    with window_on(scene.desk, WHOLE, colour=0xFF8800, opacity=opacity):
        yield
    compositor.terminate()
    compositor.wait(10)


@fault
def disk_full(scene):
    """Let no file of the bot grow any more."""
    with suppress(ProcessLookupError):
        resource.prlimit(scene.bot_pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


def _ctrl_c(scene):
    with suppress(ProcessLookupError):
        os.kill(scene.bot_pid, signal.SIGINT)


fault(_ctrl_c, "Ctrl-C")
fault(lambda scene: scene.desk.push_into_corner(), "kill switch")

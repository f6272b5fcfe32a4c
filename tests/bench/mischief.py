"""What can happen to a game while the bot plays it: faults, injected on a desk."""

import os
import resource
import signal
import time
from contextlib import closing, contextmanager, suppress
from inspect import isfunction, isgeneratorfunction

from Xlib import XK, X
from Xlib.ext import xtest

from tests.live.deeds import WHOLE, Box, swapped_buttons, two_monitors, unplugged, window_on
from tests.live.ledger import connect
from tests.live.session import DeskError

MONITOR = 1200  # width of the monitor that is left when the other is unplugged


def _at_once(do):
    @contextmanager
    def happens(scene):
        do(scene)
        yield

    return happens


class Scene:
    """A game under way, and what can happen to it.

    What has a public name is a fault: over when it returns, or, if it is a generator, repaired at
    its end. ``played`` is the game as `tests.bench.faults` opens it, ``board`` the box of its board
    in pixels, ``bot`` plays it. ``covers`` lists from when, until when and where no click may go.
    """

    def __init__(self, played, random):
        self.played, self.random, self.bot = played, random, None
        self.desk, self.window, self.board = played.desk, played.window, played.board()
        self.covers: list[tuple[float, float, Box]] = []

    def _wait(self, least_s=0.8, most_s=3.0):
        time.sleep(self.random.uniform(least_s, most_s))

    def _part_of_board(self, *shares):
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
    def _no_clicks(self, box=WHOLE):
        """Note that no click may go into a box meanwhile."""
        since = time.monotonic()
        try:
            yield
        finally:
            self.covers.append((since, time.monotonic(), box))

    @contextmanager
    def _covered(self, box, colour=0xD0D0D0):
        """Let a window lie above all others, into which no click may go."""
        with window_on(self.desk, box, colour=colour), self._no_clicks(box):
            yield

    def _freeze(self, least_s, most_s):
        os.killpg(self.played.pid, signal.SIGSTOP)
        try:
            self._wait(least_s, most_s)
        finally:
            os.killpg(self.played.pid, signal.SIGCONT)

    def moved(self):
        left, top, *_ = self.desk.geometry(self.window)
        right, down = self.random.choice([(37, 21), (-40, 15), (3, 0), (110, -30)])
        self.desk.xdotool("windowmove", self.window, max(40, left + right), max(60, top + down))

    def resized(self):
        """Many programs keep their size, others scale their tiles."""
        *_, width, height = self.desk.geometry(self.window)
        factor = self.random.choice([1.15, 0.9])
        self.desk.xdotool("windowsize", self.window, int(width * factor), int(height * factor))

    def covered(self):
        """Let a window of the window manager lie over a part of the board for a while."""
        left, top, width, height = self._part_of_board(0.5)
        cover = self.desk.start(["xmessage", "-geometry", f"{width}x{height}+{left}+{top}", "here"])
        self._wait()
        cover.terminate()
        cover.wait(10)

    def covered_on_top(self):
        """Let a window lie above all others for a while."""
        with self._covered(self._part_of_board(0.3, 0.7)):
            self._wait()

    def covered_for_good(self):
        with self._covered(self._part_of_board(0.6)):
            yield

    def one_tile_covered(self):
        (left, top, width, height), tile = self.board, self.played.tile
        col, row = (self.random.randrange(side // tile) for side in (width, height))
        colour = self.random.choice([0xC0C0C0, 0xBABDB6, 0xE0E0E0, 0x404040, 0xCC0000])
        box = left + col * tile, top + row * tile, tile, tile
        with self._covered(box, colour):
            self._wait()

    def minimised(self):
        self.desk.xdotool("windowminimize", self.window)
        self._wait()
        self.desk.xdotool("windowmap", self.window)

    def killed(self):
        self.played.kill()

    def frozen_2_to_8_s(self):
        self._freeze(2, 8)

    def frozen_20_to_30_s(self):
        self._freeze(20, 30)

    def clicks_late(self):
        self._freeze(0.2, 0.8)

    def another_board(self):
        """Open a second Minesweeper beside the first."""
        left, top, width, _ = self.board
        beside = left + width + 160 if left + width < 1400 else 20
        other = self.desk.start(["xdemineur", "-geometry", f"+{beside}+{max(40, top)}"])
        self._wait()
        yield
        other.terminate()
        with suppress(DeskError):
            other.wait(10)

    def clicks_lost(self):
        """Let a window that cannot be seen swallow the clicks for a moment."""
        with window_on(self.desk, self.board, input_only=True):
            self._wait(0.1, 0.5)

    def unseen_window(self):
        """Lay a window that cannot be seen over a part of the board for a while."""
        box = self._part_of_board(0.5, 1.0)
        with window_on(self.desk, box, input_only=True), self._no_clicks(box):
            self._wait()

    def click_doubled(self):
        """Repeat the next click at once."""
        with closing(connect(self.desk.env["DISPLAY"])) as display:
            seen, end = len(self.bot.ledger.presses), time.monotonic() + 3
            while len(self.bot.ledger.presses) == seen and time.monotonic() < end:
                time.sleep(0.002)
            pressed = self.bot.ledger.presses[seen:]
            if pressed and pressed[0].button:
                for kind in (X.ButtonPress, X.ButtonRelease):
                    xtest.fake_input(display, kind, pressed[0].button)
                display.sync()

    def blanked(self):
        """Make the whole screen black for a while."""
        with self._covered(WHOLE, 0):
            self._wait(0.5, 2.0)

    def person(self):
        """Move the mouse for a while, as a person does."""
        for step in range(self.random.randrange(4, 14)):
            self.desk.xdotool("mousemove", 1500 + 9 * step, 900 - 5 * step)
            time.sleep(0.05)

    def key_held(self):
        """Hold a key that changes what a click does."""
        key = self.random.choice(["Shift_L", "Control_L", "Alt_L"])
        with closing(connect(self.desk.env["DISPLAY"])) as display:
            code = display.keysym_to_keycode(XK.string_to_keysym(key))
            xtest.fake_input(display, X.KeyPress, code)
            display.sync()
            with self._no_clicks():
                self._wait()
            xtest.fake_input(display, X.KeyRelease, code)
            display.sync()

    def buttons_swapped(self):
        with swapped_buttons(self.desk):
            yield

    def second_monitor(self):
        """Play on two monitors side by side, of which the right one is the primary one."""
        width = self.random.choice([500, 960, 1300])
        left, top, *_ = self.desk.geometry(self.window)
        with two_monitors(self.desk, width):
            self.desk.move_window(self.window, self.random.choice([left, width + 20]), top)
            yield

    def monitor_unplugged(self):
        """Unplug the right one of two monitors; the window lies on it or on the other."""
        if self.random.random() < 0.5:
            self.desk.xdotool("windowmove", self.window, MONITOR + 10, 90)
        with unplugged(self.desk, MONITOR):
            yield

    def night_light(self):
        """Shift all colours towards orange, as a night light does, until the bot ends.

        A translucent window does it, through which every click goes: what a graphics card does to
        the colours is in no picture of the screen.
        """
        compositor = self.desk.start(["picom", "--backend", "xrender"])
        opacity = self.random.choice([0.04, 0.1, 0.2, 0.35])
        with window_on(self.desk, WHOLE, colour=0xFF8800, opacity=opacity):
            yield
        compositor.terminate()
        compositor.wait(10)

    def disk_full(self):
        """Let no file of the bot grow any more."""
        with suppress(ProcessLookupError):
            resource.prlimit(self.bot.process.pid, resource.RLIMIT_FSIZE, (4096, -1))

    def ctrl_c(self):
        self.bot.interrupt()

    def kill_switch(self):
        self.desk.push_into_corner()


FAULTS = {
    name.replace("_", " "): contextmanager(do) if isgeneratorfunction(do) else _at_once(do)
    for name, do in vars(Scene).items()
    if isfunction(do) and name[0] != "_"
}
"""Context managers of a scene: each happens at the beginning of the block."""

MUST_STOP = {"killed", "ctrl c", "kill switch"}  # faults after which no click may follow
FROM_THE_START = {"second monitor"}  # faults that are there before the bot starts

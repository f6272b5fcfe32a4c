"""What can happen to a window while the bot plays in it: faults, injected on a desk.

Each fault is a context manager: it happens at the beginning of the block, and its end repairs what
can be repaired. Those of the desktop itself stand in `tests.live.desk_mischief`.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from Xlib import X
from Xlib.ext import xtest

from tests.live import desk_mischief
from tests.live.referee import connect
from tests.live.scene import Fault, Scene, part_of_board, wait, window_over
from tests.live.session import DeskError


@contextmanager
def moved(scene: Scene) -> Iterator[None]:
    """Move the window."""
    left, top, *_ = scene.desk.geometry(scene.window)
    by = scene.random.choice([(37, 21), (-40, 15), (3, 0), (110, -30)])
    scene.desk.xdotool("windowmove", scene.window, max(40, left + by[0]), max(60, top + by[1]))
    yield


@contextmanager
def resized(scene: Scene) -> Iterator[None]:
    """Resize the window; many programs keep their size, others scale their tiles."""
    *_, width, height = scene.desk.geometry(scene.window)
    factor = scene.random.choice([1.15, 0.9])
    scene.desk.xdotool("windowsize", scene.window, int(width * factor), int(height * factor))
    yield


@contextmanager
def covered(scene: Scene) -> Iterator[None]:
    """Let a window of the window manager lie over a part of the board for a while."""
    left, top, width, height = part_of_board(scene, 0.5)
    cover = scene.desk.start(["xmessage", "-geometry", f"{width}x{height}+{left}+{top}", "here"])
    wait(scene)
    cover.terminate()
    cover.wait(10)
    yield


@contextmanager
def covered_on_top(scene: Scene) -> Iterator[None]:
    """Let a window lie above all others for a while."""
    with window_over(scene, part_of_board(scene, scene.random.choice([0.3, 0.7]))):
        wait(scene)
    yield


@contextmanager
def covered_for_good(scene: Scene) -> Iterator[None]:
    """Let a window lie over the board until the bot ends."""
    with window_over(scene, part_of_board(scene, 0.6)):
        yield


@contextmanager
def one_tile_covered(scene: Scene) -> Iterator[None]:
    """Lay a window of the size of one tile over the board."""
    left, top, width, height = scene.board
    col, row = (scene.random.randrange(side // scene.tile) for side in (width, height))
    colour = scene.random.choice([0xC0C0C0, 0xBABDB6, 0xE0E0E0, 0x404040, 0xCC0000])
    box = left + col * scene.tile, top + row * scene.tile, scene.tile, scene.tile
    with window_over(scene, box, colour=colour):
        wait(scene)
    yield


@contextmanager
def minimised(scene: Scene) -> Iterator[None]:
    """Minimise the window for a while."""
    scene.desk.xdotool("windowminimize", scene.window)
    wait(scene)
    scene.desk.xdotool("windowmap", scene.window)
    yield


@contextmanager
def killed(scene: Scene) -> Iterator[None]:
    """End the program."""
    scene.kill_game()
    yield


def _frozen(least_s: float, most_s: float) -> Fault:
    @contextmanager
    def fault(scene: Scene) -> Iterator[None]:
        os.killpg(scene.game_pid, signal.SIGSTOP)
        try:
            wait(scene, (least_s, most_s))
        finally:
            os.killpg(scene.game_pid, signal.SIGCONT)
        yield

    return fault


@contextmanager
def look_switched(scene: Scene) -> Iterator[None]:
    """Switch the theme or the scale of the program, where it can do so."""
    if scene.switch_look is not None:
        scene.switch_look()
    yield


@contextmanager
def another_board(scene: Scene) -> Iterator[None]:
    """Open a second Minesweeper beside the first."""
    left, top, width, _ = scene.board
    beside = left + width + 160 if left + width < 1400 else 20
    other = scene.desk.start(["xdemineur", "-geometry", f"+{beside}+{max(40, top)}"])
    wait(scene)
    yield
    other.terminate()
    with suppress(DeskError):
        other.wait(10)


@contextmanager
def clicks_lost(scene: Scene) -> Iterator[None]:
    """Let a window that cannot be seen swallow the clicks for a moment."""
    with window_over(scene, scene.board, input_only=True):
        wait(scene, (0.1, 0.5))
    yield


@contextmanager
def click_doubled(scene: Scene) -> Iterator[None]:
    """Repeat the next click at once."""
    display = connect(scene.desk.env["DISPLAY"])
    seen, end = len(scene.ledger.presses), time.monotonic() + 3
    while len(scene.ledger.presses) == seen and time.monotonic() < end:
        time.sleep(0.002)
    pressed = scene.ledger.presses[seen:]
    if pressed and pressed[0].button:
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(display, kind, pressed[0].button)
        display.sync()
    display.close()
    yield


FAULTS: dict[str, Fault] = {
    "moved": moved,
    "resized": resized,
    "covered": covered,
    "covered on top": covered_on_top,
    "covered for good": covered_for_good,
    "one tile covered": one_tile_covered,
    "minimised": minimised,
    "killed": killed,
    "frozen 2-8 s": _frozen(2, 8),
    "frozen 20-30 s": _frozen(20, 30),
    "clicks late": _frozen(0.2, 0.8),
    "blanked": desk_mischief.blanked,
    "look switched": look_switched,
    "another board": another_board,
    "person": desk_mischief.person,
    "clicks lost": clicks_lost,
    "unseen window": desk_mischief.unseen_window,
    "key held": desk_mischief.key_held,
    "buttons swapped": desk_mischief.buttons_swapped,
    "second monitor": desk_mischief.second_monitor,
    "monitor unplugged": desk_mischief.monitor_unplugged,
    "night light": desk_mischief.night_light,
    "click doubled": click_doubled,
    "disk full": desk_mischief.disk_full,
    "Ctrl-C": desk_mischief.interrupted,
    "kill switch": desk_mischief.kill_switch,
}

MUST_STOP = {"killed", "Ctrl-C", "kill switch"}
"""Faults after which no click may follow."""

FROM_THE_START = {"second monitor"}
"""Faults that are there before the bot starts."""

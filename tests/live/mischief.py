"""What can happen to a window while the bot plays in it: faults, injected on a desk.

Each fault is a context manager: it happens at the beginning of the block, and its end repairs what
can be repaired.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from Xlib import X
from Xlib.ext import xtest

from tests.live.desk import Desk, DeskError
from tests.live.referee import Ledger, connect

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the screen."""

STAY_S = (0.8, 3.0)
"""Shortest and longest time that something lies over the window, in seconds."""


@dataclass
class Scene:
    """A game under way: the desk, its window, the processes of game and bot, and the board.

    ``tile`` is the size of a tile and ``board`` the box of the board, both in pixels. ``covers``
    lists what lay above all windows: from when, until when, and where.
    """

    desk: Desk
    window: int
    game_pid: int
    bot_pid: int
    ledger: Ledger
    board: Box
    tile: int
    random: Random
    switch_look: Callable[[], None] | None = None
    covers: list[tuple[float, float, Box]] = field(default_factory=list)
    kill_game: Callable[[], None] = lambda: None


Fault = Callable[[Scene], AbstractContextManager[None]]


@contextmanager
def window_over(
    scene: Scene, box: Box, *, colour: int = 0xD0D0D0, input_only: bool = False
) -> Iterator[None]:
    """Put a plain window over a box, above all others; the window manager does not see it."""
    display = connect(scene.desk.env["DISPLAY"])
    screen = display.screen()
    left, top, width, height = box
    kind = X.InputOnly if input_only else X.InputOutput
    looks: dict[str, Any] = {} if input_only else {"background_pixel": colour}
    depth = 0 if input_only else screen.root_depth
    window = screen.root.create_window(
        left, top, width, height, 0, depth, kind, X.CopyFromParent, override_redirect=1,
        event_mask=X.ButtonPressMask, **looks,
    )  # fmt: skip
    window.map()
    display.sync()
    since = time.monotonic()
    try:
        yield
    finally:
        if not input_only:
            scene.covers.append((since, time.monotonic(), box))
        window.destroy()
        display.sync()
        display.close()


def _part_of_board(scene: Scene, share: float) -> Box:
    left, top, width, height = scene.board
    wide, high = int(width * share), int(height * share)
    return (
        left + scene.random.randrange(max(1, width - wide)),
        top + scene.random.randrange(max(1, height - high)),
        wide,
        high,
    )


def _wait(scene: Scene, limits: tuple[float, float] = STAY_S) -> None:
    time.sleep(scene.random.uniform(*limits))


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
    left, top, width, height = _part_of_board(scene, 0.5)
    cover = scene.desk.start(["xmessage", "-geometry", f"{width}x{height}+{left}+{top}", "here"])
    _wait(scene)
    cover.terminate()
    cover.wait(10)
    yield


@contextmanager
def covered_on_top(scene: Scene) -> Iterator[None]:
    """Let a window lie above all others for a while."""
    with window_over(scene, _part_of_board(scene, scene.random.choice([0.3, 0.7]))):
        _wait(scene)
    yield


@contextmanager
def covered_for_good(scene: Scene) -> Iterator[None]:
    """Let a window lie over the board until the bot ends."""
    with window_over(scene, _part_of_board(scene, 0.6)):
        yield


@contextmanager
def one_tile_covered(scene: Scene) -> Iterator[None]:
    """Lay a window of the size of one tile over the board."""
    left, top, width, height = scene.board
    col, row = (scene.random.randrange(side // scene.tile) for side in (width, height))
    colour = scene.random.choice([0xC0C0C0, 0xBABDB6, 0xE0E0E0, 0x404040, 0xCC0000])
    box = left + col * scene.tile, top + row * scene.tile, scene.tile, scene.tile
    with window_over(scene, box, colour=colour):
        _wait(scene)
    yield


@contextmanager
def minimised(scene: Scene) -> Iterator[None]:
    """Minimise the window for a while."""
    scene.desk.xdotool("windowminimize", scene.window)
    _wait(scene)
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
            _wait(scene, (least_s, most_s))
        finally:
            os.killpg(scene.game_pid, signal.SIGCONT)
        yield

    return fault


@contextmanager
def blanked(scene: Scene) -> Iterator[None]:
    """Make the whole screen black for a while."""
    with window_over(scene, (0, 0, 1920, 1080), colour=0):
        _wait(scene, (0.5, 2.0))
    yield


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
    _wait(scene)
    yield
    other.terminate()
    with suppress(DeskError):
        other.wait(10)


@contextmanager
def person(scene: Scene) -> Iterator[None]:
    """Move the mouse for a while, as a person does."""
    for step in range(scene.random.randrange(4, 14)):
        scene.desk.xdotool("mousemove", 1500 + 9 * step, 900 - 5 * step)
        time.sleep(0.05)
    yield


@contextmanager
def clicks_lost(scene: Scene) -> Iterator[None]:
    """Let a window that cannot be seen swallow the clicks for a moment."""
    with window_over(scene, scene.board, input_only=True):
        _wait(scene, (0.1, 0.5))
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


@contextmanager
def disk_full(scene: Scene) -> Iterator[None]:
    """Let no file of the bot grow any more."""
    with suppress(ProcessLookupError):
        resource.prlimit(scene.bot_pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    yield


@contextmanager
def interrupted(scene: Scene) -> Iterator[None]:
    """Press Ctrl-C."""
    with suppress(ProcessLookupError):
        os.kill(scene.bot_pid, signal.SIGINT)
    yield


@contextmanager
def kill_switch(scene: Scene) -> Iterator[None]:
    """Push the pointer into a corner."""
    scene.desk.push_into_corner()
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
    "blanked": blanked,
    "look switched": look_switched,
    "another board": another_board,
    "person": person,
    "clicks lost": clicks_lost,
    "click doubled": click_doubled,
    "disk full": disk_full,
    "Ctrl-C": interrupted,
    "kill switch": kill_switch,
}

MUST_STOP = {"killed", "Ctrl-C", "kill switch"}
"""Faults after which no click may follow."""

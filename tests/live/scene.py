"""A game under way into which faults come: what a fault needs to know of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from Xlib import X

from tests.live.desk import HEIGHT, WIDTH, Desk
from tests.live.referee import Ledger, connect

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the screen."""

STAY_S = (0.8, 3.0)
"""Shortest and longest time that something lies over the window, in seconds."""

WHOLE: Box = (0, 0, WIDTH, HEIGHT)


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
    bot_pid: int = 0
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


def part_of_board(scene: Scene, share: float) -> Box:
    left, top, width, height = scene.board
    wide, high = int(width * share), int(height * share)
    return (
        left + scene.random.randrange(max(1, width - wide)),
        top + scene.random.randrange(max(1, height - high)),
        wide,
        high,
    )


def wait(scene: Scene, limits: tuple[float, float] = STAY_S) -> None:
    time.sleep(scene.random.uniform(*limits))


@contextmanager
def no_clicks(scene: Scene, box: Box = WHOLE) -> Iterator[None]:
    since = time.monotonic()
    try:
        yield
    finally:
        scene.covers.append((since, time.monotonic(), box))

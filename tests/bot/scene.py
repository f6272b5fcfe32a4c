"""A screen with one small window that shows just what a test says: a fake of the ports.

What looks at it is real: the tracker, its reader, the waits, the mouse guard. The clock stands
still while no one waits.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Window
from bot.events import Event, Noticed
from bot.mouse.guard import MouseGuard
from bot.options import Limits
from bot.simulated.glyphs import seven_segments
from bot.simulated.render import draw_tile, skin_named
from bot.tracking.recovery import BoardSearch
from bot.tracking.tracker import BoardTracker, PlayStage
from bot.tracking.waits import Waits
from calibration import tiles
from calibration.calibration import Calibration
from calibration.classify.by_theme import _appearance
from calibration.classify.features import extract_features
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, ScreenPoint
from calibration.indicators.counter import CounterPlace
from calibration.theme import Theme
from solver.board import Board, Cell
from tests.bot.fake_ports import FakePorts

SKIN = skin_named("classic")

LIMITS = Limits(poll_s=0.02, trouble_poll_s=0.2, end_s=1.0, cover_s=3.0, frozen_s=8.0)
"""Fewer and shorter looks than in play: simulated time is free, every look is not."""

SIDE, LEFT, TOP = 24, 100, 110
"""Pixels of a tile, and where the board begins on the screen."""

COUNTER = CounterPlace("seven-segment", PixelBox(-60, -60, -19, -35))
"""Where the counter is, seen from the first tile."""

EVERY_TILE = "012345\n678#F?\nX*W###"


def grid_of(board: Board, side: int = SIDE) -> Grid:
    return Grid(LEFT, TOP, side, side, *board.tiles.shape)


def draw(pixels: NDArray[np.uint8], board: Board, grid: Grid) -> None:
    """Draw the tiles of a board."""
    for cell in board.cells():
        x0, y0, x1, y1 = grid.box(cell)
        pixels[y0:y1, x0:x1] = draw_tile(SKIN, int(board[cell]), (x1 - x0, y1 - y0))


def draw_counter(pixels: NDArray[np.uint8], number: int) -> None:
    x, y, (width, height) = LEFT + COUNTER.box.x0, TOP + COUNTER.box.y0, (41, 25)
    pixels[y : y + height, x : x + width] = 0
    for lit, colour in ((False, (58, 0, 0)), (True, (255, 20, 20))):
        seven_segments(f"{number:03d}", width, height, lit=lit).ink(pixels, colour, x, y)


def empty_screen(width: int = 340, height: int = 300) -> NDArray[np.uint8]:
    return np.full((height, width, 3), SKIN.window, np.uint8)


@cache
def theme() -> Theme:
    """Return the theme of all tiles that a scene draws: each is read as it was drawn."""
    pixels, board = empty_screen(), Board.from_text(EVERY_TILE)
    kinds, first = np.unique(board.tiles, return_index=True)
    where = np.unravel_index(first, board.tiles.shape)
    draw(pixels, board, grid := grid_of(board))
    features = extract_features(tiles.cut(Frame(pixels), grid)[where])
    found = [_appearance(features, index, tile) for index, tile in enumerate(kinds.tolist())]
    return Theme("example", tuple(sorted(found, key=lambda one: (-min(one.tile, 0), one.tile))))


class Scene(FakePorts):
    """The screen, the pointer and the keyboard of a desktop with one window.

    ``board`` is drawn at its ``grid``, with something strange on the cells of ``marked``, noise
    over ``cover``, and a yellow face above it. ``dimmed`` darkens all. While the ``clock_runs``, a
    number changes beside the board; while ``words_pulse``, words are there, in a colour that comes
    and goes. ``hearts`` are lives, and a counter shows the mines ``left``, if there are some.
    ``notes`` are what was noticed.
    """

    def __init__(
        self, board: str, mines: int | None = None, left: int | None = None, side: int = SIDE
    ) -> None:
        self.board, self.marked = Board.from_text(board), set[Cell]()
        self.grid = grid_of(self.board, side)
        edges = self.grid.bounds
        self._size = max(340, edges.x1 + 24), max(300, edges.y1 + 22)
        super().__init__(*self._size)
        self.at, self.window, self.focus = ScreenPoint(5, 200), Window(1, 0, 0, 1), 1
        self.dimmed = self.clock_runs = self.words_pulse = False
        self._seconds = 0
        self.hearts, self.face_ink, self.left = 0, (0, 0, 0), left
        self.cover: PixelBox | None = None
        self.notes: list[str] = []
        self._drawn: tuple[tuple[Any, ...], NDArray[np.uint8]] | None = None
        self.limits = LIMITS
        self.guard = MouseGuard(self.ports)
        self.guard.note_board(ScreenPoint(LEFT, TOP), Frame(empty_screen()), lambda: True)
        self.tracker = BoardTracker(self)
        place = None if left is None else COUNTER
        self.tracker.track(self.grab(), Calibration(self.grid, theme(), mines, counter=place))
        self.stage = PlayStage(self.tracker, self.clock, self.observer, self.guard, self.limits)
        self.waits = Waits(self.stage, BoardSearch(self.stage))

    def observer(self, event: Event) -> None:
        """Keep the notes."""
        if isinstance(event, Noticed):
            self.notes.append(event.note)

    def show(self, board: str, marked: Collection[Cell] = ()) -> None:
        """Draw another board from now on."""
        self.board, self.marked = Board.from_text(board), {*marked}

    def frame(self) -> Frame:
        """Return what the tracker sees now."""
        return self.tracker.grab_region()

    def see(self) -> None:
        """Have the board seen as it is, as while it changes after clicks."""
        memory = self.tracker.memory.seeing(self.tracker.grab_board())
        self.tracker.remember(memory)

    def grab(self, box: PixelBox | None = None) -> Frame:
        if self.clock_runs:
            self._seconds = int(self.clock.now())
        pixels = self._picture()
        if self.words_pulse:
            pixels, ink = pixels.copy(), (200, 20, 20) if self.clock.now() % 1 < 0.5 else (90,) * 3
            cv2.putText(pixels, "Bravo", (LEFT - 40, TOP - 85), 0, 0.6, ink, 2)
        self.picture = Frame(pixels)
        return super().grab(box)

    def _picture(self) -> NDArray[np.uint8]:
        """Draw all; the same picture is drawn once."""
        state = (
            self.board, self.grid, {*self.marked}, self.dimmed, self.hearts, self.face_ink,
            self.cover, self.left, self._seconds,
        )  # fmt: skip
        if self._drawn is None or self._drawn[0] != state:
            pixels, grid = empty_screen(*self._size), self.grid
            draw(pixels, self.board, grid)
            for cell in self.marked:
                x, y = (round(v) for v in grid.centre(cell))
                cv2.circle(pixels, (x, y), 8, (200, 60, 220), -1)
            middle = LEFT + SIDE * grid.cols // 2
            cv2.circle(pixels, (middle, TOP - 40), 14, (250, 220, 40), -1)
            cv2.line(pixels, (middle - 6, TOP - 40), (middle + 6, TOP - 40), self.face_ink, 4)
            for heart in range(3 if self.hearts else 0):
                colour = (220, 30, 40) if heart < self.hearts else (110, 110, 110)
                cv2.circle(pixels, (LEFT - 60 + 26 * heart, TOP - 85), 9, colour, -1)
            if self.left is not None:
                draw_counter(pixels, self.left)
            ink = (20, 20, 20)
            cv2.putText(pixels, str(self._seconds), (LEFT + 150, TOP - 70), 0, 0.6, ink, 2)
            if self.cover is not None:
                x0, y0, x1, y1 = self.cover
                noise = np.random.default_rng(1).integers(0, 256, (y1 - y0, x1 - x0, 3))
                pixels[y0:y1, x0:x1] = noise
            self._drawn = state, pixels // 2 if self.dimmed else pixels
        return self._drawn[1]

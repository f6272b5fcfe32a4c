"""What looks like a board but is none gets one click at most, and none beside a known program."""

from __future__ import annotations

import random
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bot.errors import BotError
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from solver.agents import make_agent
from tests.bot.fake_ports import FakePorts
from tests.calibration.screens import FIXTURES, Screen

Pixels = NDArray[np.uint8]

SIZE = (900, 1400)


def table(
    picture: Pixels, rows: int, cols: int, wide: int, high: int = 0, at: tuple[int, int] = (200, 40)
) -> Iterator[tuple[int, int, Pixels]]:
    """Go through the cells of a table; what is drawn on one is drawn on the picture."""
    for row, col in np.ndindex(rows, cols):
        x, y = at[0] + col * wide, at[1] + row * (high or wide)
        yield row, col, picture[y : y + (high or wide), x : x + wide]


def write(cell: Pixels, text: str, ink: int) -> None:
    high, wide = cell.shape[:2]
    scale, font = high / 48, cv2.FONT_HERSHEY_SIMPLEX
    (across, down), _ = cv2.getTextSize(text, font, scale, 2)
    place = (wide - across) // 2, (high + down) // 2
    cv2.putText(cell, text, place, font, scale, (ink,) * 3, 2, cv2.LINE_AA)


def chess(picture: Pixels, rng: random.Random) -> None:
    """An empty chess board, with rows of men or without."""
    side, men = rng.randrange(36, 100), rng.random() < 0.5
    for row, col, cell in table(picture, 8, 8, side):
        cell[:] = (181, 136, 99) if (row + col) % 2 else (240, 217, 181)
        if men and row in (0, 1, 6, 7):
            ink = (20 if row < 2 else 250,) * 3
            cv2.circle(cell, (side // 2, side // 2), side // 3, ink, -1)


def paper(picture: Pixels, rng: random.Random) -> None:
    """Squared paper over the whole screen or in a window."""
    step = rng.randrange(16, 48)
    part = rng.choice([picture, picture[80 : 81 + 16 * step, 150 : 151 + 30 * step]])
    part[:] = (246, 246, 240)
    part[::step] = part[:, ::step] = (170, 190, 214)


def keypad(picture: Pixels, rng: random.Random) -> None:
    """The keys of a calculator or a telephone."""
    side = rng.randrange(40, 90)
    keys, cols = rng.choice([("789/456*123-0.=+", 4), ("1234567890#*", 3)])
    for row, col, cell in table(picture, 4, cols, side):
        cell[2:-2, 2:-2] = 210
        write(cell, keys[row * cols + col], 40)


def calendar(picture: Pixels, rng: random.Random) -> None:
    """A month, a cell for each day."""
    side, start, boxes = rng.randrange(40, 90), rng.randrange(7), rng.random() < 0.7
    for row, col, cell in table(picture, 6, 7, side):
        cell[:] = 252
        if boxes:
            cell[0] = cell[:, 0] = 190
        if 0 < (day := row * 7 + col - start + 1) <= 31:
            write(cell, str(day), 60)


def spreadsheet(picture: Pixels, rng: random.Random) -> None:
    """A table with square or wide cells, some of them filled."""
    high = rng.randrange(20, 40)
    wide = rng.choice([high, 3 * high])
    for _, _, cell in table(picture, 18, min(30, 1100 // wide), wide, high, (100, 60)):
        cell[:] = 255
        cell[0] = cell[:, 0] = 200
        if rng.random() < 0.15:
            write(cell, str(rng.randrange(1, 9)), 30)


def sudoku(picture: Pixels, rng: random.Random) -> None:
    """A Sudoku with a third of its digits."""
    for row, col, cell in table(picture, 9, 9, rng.randrange(36, 90)):
        cell[:] = 255
        cell[: 1 if row % 3 else 4] = cell[:, : 1 if col % 3 else 4] = 60
        if rng.random() < 0.35:
            write(cell, str((row * 3 + row // 3 + col) % 9 + 1), 20)


def icons(picture: Pixels, rng: random.Random) -> None:
    """A desktop or a telephone full of icons, each of its own colour or all folders."""
    side, folders = rng.randrange(50, 110), rng.random() < 0.5
    edge = side // 5
    for _, _, cell in table(picture, min(6, 800 // side), 9, side, at=(60, 40)):
        colour = (90, 150, 230) if folders else [rng.randrange(40, 230) for _ in range(3)]
        cell[edge:-edge, edge:-edge] = colour


PATTERNS = {
    draw.__name__: draw for draw in (chess, paper, keypad, calendar, spreadsheet, sudoku, icons)
}


def pattern(kind: str, seed: str) -> Pixels:
    """Draw a pattern of a kind on a plain screen."""
    rng = random.Random(seed)
    ground = rng.choice([(48, 104, 128), (236, 236, 236), (30, 30, 34)])
    picture = np.full((*SIZE, 3), ground, np.uint8)
    PATTERNS[kind](picture, rng)
    return picture


class Picture(FakePorts):
    """A screen that shows one picture whatever is clicked, and counts the clicks."""

    def __init__(self, pixels: Pixels) -> None:
        super().__init__(picture=Frame(pixels))
        self.at = ScreenPoint(700, 880)

    def play(self) -> Exception | None:
        """Play one game; return the error that ended it."""
        options = PlayOptions(limits=Limits(poll_s=0.05, cover_s=2.0, gone_s=1.0))
        try:
            Player(self.ports, make_agent("tank"), options=options).play()
        except (BotError, CalibrationError) as error:
            return error
        return None


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PATTERNS)
def test_a_pattern_gets_one_click_at_most(kind: str, seed: int) -> None:
    screen = Picture(pattern(kind, f"{kind} {seed}"))
    error = screen.play()
    assert error is not None
    assert len(screen.presses) <= 1, error


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", PATTERNS)
def test_beside_a_known_program_a_pattern_gets_none(kind: str, seed: int) -> None:
    """The program is a picture, too, so that it does not answer either."""
    known = Screen.load(FIXTURES / "winemine" / "wm_beg_mid.json")
    frame = known.frame()
    beside = pattern(kind, f"{kind} beside {seed}")
    pixels = frame.pixels.copy()
    x0, y0, x1, y1 = known.grid.bounds
    window = pixels[y0 - 120 : y1 + 60, x0 - 40 : x1 + 40].copy()
    pixels[: beside.shape[0], : beside.shape[1]] = beside
    left, top = 1600, 700
    pixels[top : top + window.shape[0], left : left + window.shape[1]] = window
    screen = Picture(pixels)
    screen.at = ScreenPoint(1500, 1000)
    error = screen.play()
    assert error is not None
    assert all(
        left + 40 <= point.x < left + 40 + x1 - x0 and top + 120 <= point.y < top + 120 + y1 - y0
        for _, point, *_ in screen.presses
    ), error
    assert screen.presses

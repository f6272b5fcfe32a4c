"""What looks like a board but is none gets one click at most, and none beside a known program."""

from __future__ import annotations

import random

import pytest

from bot.errors import BotError
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from solver.agents import make_agent
from tests.bot.fake_ports import FakePorts
from tests.calibration.screens import FIXTURES, Screen
from tests.system.patterns import PATTERNS, Pixels


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
    screen = Picture(PATTERNS[kind](random.Random(f"{kind} {seed}")))
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
    pattern = PATTERNS[kind](random.Random(f"{kind} beside {seed}"))
    pixels = frame.pixels.copy()
    x0, y0, x1, y1 = known.grid.bounds
    window = pixels[y0 - 120 : y1 + 60, x0 - 40 : x1 + 40].copy()
    pixels[: pattern.shape[0], : pattern.shape[1]] = pattern
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

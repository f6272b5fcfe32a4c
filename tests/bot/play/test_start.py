"""The first look of play at a window that shows a finished game."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from bot.desktop.ports import Desktop
from bot.errors import WindowStuck
from bot.options import PlayOptions
from bot.play.player import Player
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from calibration.images import load_image
from solver.agents import make_agent
from tests.bot.fake_ports import FakePorts
from tests.calibration.screens import FIXTURES

BUBBLE_S = 3.0
"""How long the bubble stays that kmines lays over a board that was won."""


class FinishedGame(FakePorts):
    """A screen with a game of kmines that was won, first under a bubble; nothing changes it."""

    def __init__(self) -> None:
        self._pixels = load_image(FIXTURES / "kmines" / "km_cla_beg_won.webp").pixels
        self._covered = self._pixels.copy()
        cv2.rectangle(self._covered, (1240, 480), (1590, 570), (250, 250, 250), -1)
        self._covered = np.asarray(
            cv2.addWeighted(self._covered, 0.9, self._pixels, 0.1, 0), np.uint8
        )
        super().__init__(self._pixels.shape[1], self._pixels.shape[0])
        self.at = ScreenPoint(300, 900)

    def grab(self, box: PixelBox | None = None) -> Frame:
        pixels = self._covered if self.clock.now() < BUBBLE_S else self._pixels
        x0, y0, x1, y1 = box or PixelBox(0, 0, pixels.shape[1], pixels.shape[0])
        return Frame(pixels[y0:y1, x0:x1], ScreenPoint(x0, y0), 1.0)


@pytest.mark.slow
def test_the_program_is_recognised_once_a_bubble_over_its_finished_board_is_gone() -> None:
    window = FinishedGame()
    player = Player(
        Desktop(window, window, window, window.clock), make_agent("tank"), options=PlayOptions()
    )
    with pytest.raises(WindowStuck, match=r"'ctrl\+n'"):
        player.play()
    assert "ctrl+n" in window.keys

"""Lives that are drawn beside a board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.words import life_lost

GRID = Grid(40.0, 80.0, 24.0, 24.0, 8, 8, 1.0)
HEART = np.array([(0, -4), (6, -9), (11, -4), (0, 10), (-11, -4), (-6, -9)])
RED, GREY, PAGE = (220, 30, 50), (170, 170, 170), (235, 230, 240)


def page(*hearts: tuple[int, int, int], counter: str = "010") -> Frame:
    """Draw a row of hearts above a board, and a red counter beside them."""
    pixels = np.full((300, 300, 3), PAGE, np.uint8)
    pixels[80:272, 40:232] = (180, 180, 190)
    for index, colour in enumerate(hearts):
        points = HEART + np.array([60 + 32 * index, 40])
        cv2.fillPoly(pixels, [points], colour)
        if colour != PAGE:
            cv2.polylines(pixels, [points], True, (20, 20, 20), 2)
    cv2.rectangle(pixels, (190, 20), (260, 60), (0, 0, 0), -1)
    cv2.putText(pixels, counter, (194, 52), 0, 1.0, (255, 20, 20), 3)
    return Frame(pixels)


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (page(RED, RED, GREY), True),
        (page(RED, RED, PAGE), True),
        (page(RED, RED, RED), False),
        (page(RED, RED, RED, counter="009"), False),
        (page(PAGE, PAGE, PAGE), False),
    ],
    ids=["grey", "gone", "nothing", "a counter", "all gone"],
)
def test_a_life_is_lost_if_one_of_a_row_of_pictures_goes(after: Frame, lost: bool) -> None:
    before = page(RED, RED, RED)
    assert life_lost(before, after, GRID) is lost
    board = after.pixels.copy()
    board[100:120, 60:80] = RED
    assert life_lost(before, Frame(board), GRID) is lost


def test_what_appears_on_a_plain_patch_is_no_life() -> None:
    before, after = page(RED, RED).pixels.copy(), page(RED, RED).pixels.copy()
    before[20:60, 130:170] = RED
    after[20:60, 130:170] = GREY
    after[30:50, 140:160] = (60, 60, 60)
    with np.errstate(all="raise"):
        assert not life_lost(Frame(before), Frame(after), GRID)

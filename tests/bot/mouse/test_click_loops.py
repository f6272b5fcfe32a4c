"""Which clicks go round in circles: at the limits, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from bot.errors import WindowStuck
from bot.mouse.guard import ClickLoops
from calibration.grid import ScreenPoint


def clicked(*across: int) -> ClickLoops:
    loops = ClickLoops()
    for x in across:
        loops.add(ScreenPoint(x, 50))
    return loops


@pytest.mark.parametrize(("apart", "is_circle"), [(0, True), (2, True), (3, False)])
def test_clicks_two_units_apart_are_at_one_place(apart: int, is_circle: bool) -> None:
    # Three clicks elsewhere come in between, so that no two places take turns.
    loops = clicked(*[100, 100 + apart] * 5, 300, 400, 500, 100)
    if not is_circle:
        loops.add(ScreenPoint(100 + apart, 50))
        return
    with pytest.raises(WindowStuck, match="12 of the last 15 clicks"):
        loops.add(ScreenPoint(100 + apart, 50))


@pytest.mark.parametrize("third", [0, 1, 10])
def test_a_third_place_among_the_last_twelve_clicks_breaks_the_circle(third: int) -> None:
    places = [100, 200] * 6
    places[third] = 300
    clicked(*places)
    with pytest.raises(WindowStuck, match="two places of the window in turns"):
        clicked(*[100, 200] * 6)


def test_a_picture_that_is_drawn_anew_in_the_same_array_has_changed() -> None:
    loops, board = ClickLoops(), np.zeros((8, 8, 3), np.uint8)
    for turn in range(3):
        board[0, 0] = turn
        loops.begin_turn(board)
        for click in range(150):
            loops.add(ScreenPoint(100 + 20 * (click % 9), 50))
    loops.begin_turn(board)
    for click in range(50):
        loops.add(ScreenPoint(100 + 20 * (click % 9), 50))
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        loops.begin_turn(board)

"""Which clicks go round in circles: at the limits, and what does not."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext

import numpy as np
import pytest

from bot.errors import WindowStuck
from bot.mouse.guard import Aim, ClickLoops, MouseGuard
from calibration.grid import ScreenPoint
from tests.bot.fake_ports import FakePorts

ROW = [100 + 20 * (click % 9) for click in range(250)]
"""Clicks all over a board."""

AT_ONE, IN_TURNS = "12 of the last 15 clicks", "two places of the window in turns"


def click(loops: ClickLoops, across: Iterable[int]) -> None:
    for x in across:
        loops.add(ScreenPoint(x, 50))


@pytest.mark.parametrize(
    ("across", "last", "circle"),
    [
        # Clicks two units apart are at one place. Three elsewhere come in between, so that no two
        # places take turns.
        *(([*[100, 100 + by] * 5, 300, 400, 500, 100], 100 + by, AT_ONE) for by in (0, 2)),
        ([*[100, 103] * 5, 300, 400, 500, 100], 103, None),
        ([*[100] * 10, 300, 400, 500, 600], 100, None),
        # Two places in turns; a third one among the last twelve clicks breaks the circle.
        ([100, 200] * 5 + [100], 200, IN_TURNS),
        ([300, *[200, 100] * 5], 200, None),
        ([100, 300, *[100, 200] * 4, 100], 200, None),
        ([100, 200] * 5 + [300], 200, None),
        (ROW, 100, None),
    ],
)
def test_the_click_that_would_close_a_circle_is_refused(
    across: list[int], last: int, circle: str | None
) -> None:
    loops = ClickLoops()
    click(loops, across)
    with pytest.raises(WindowStuck, match=circle) if circle else nullcontext():
        click(loops, [last])


def test_games_that_begin_alike_are_no_circle() -> None:
    loops = ClickLoops()
    for _ in range(30):  # each game: its first cell, then the smiley
        loops.forget()
        click(loops, [100, 200])


def test_the_guard_does_not_make_that_click() -> None:
    desk = FakePorts()
    guard = MouseGuard(desk.ports)
    aims = [Aim(ScreenPoint(300 + 20 * (turn % 2), 300), lambda: True) for turn in range(12)]
    for aim in aims[:11]:
        guard.click(aim)
    with pytest.raises(WindowStuck, match="two places"):
        guard.click(aims[11])
    assert len(desk.presses) == 11


def test_many_clicks_that_change_no_pixel_end_the_game() -> None:
    loops, board = ClickLoops(), np.zeros((90, 90, 3), np.uint8)

    def turn(clicks: int) -> None:
        loops.begin_turn(board)
        click(loops, ROW[:clicks])

    turn(250)  # a large board may be opened in one turn
    board[40, 40] = 255  # drawn in the same array
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)
    loops.forget()
    turn(199)
    turn(1)
    with pytest.raises(WindowStuck, match="200 clicks changed nothing"):
        turn(1)

"""A board that moved is found by its last picture, and nothing else is taken for it."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.follow import moved_copy
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from solver.board import Cell

BEFORE, GRID = Frame(np.full((420, 460, 3), 60, np.uint8)), Grid(62.4, 51.7, 30, 30, 9, 9)

OPENED = np.zeros((9, 9), np.bool_)

OPENED[:5, :6] = True


def painted(frame: Frame, grid: Grid, seed: int = 1, changed: int = 0) -> Frame:
    """Draw a board: open tiles that all differ, equal hidden ones, some of them ``changed``."""
    pixels, rng = frame.pixels.copy(), np.random.default_rng(seed)
    for row, col in np.ndindex(9, 9):
        x0, y0, x1, y1 = grid.box(Cell(row, col))
        tile = pixels[y0 + 1 : y1 - 1, x0 + 1 : x1 - 1]
        tile[:] = rng.integers(180, 220, 3) if OPENED[row, col] else (90, 120, 160)
    for row, col in np.argwhere(~OPENED)[:changed].tolist():
        box: PixelBox = grid.box(Cell(row, col))
        pixels[box.y0 : box.y1, box.x0 : box.x1] = 200
    return Frame(pixels)


@pytest.mark.parametrize("by", [(0, 0), (37, -12), (-30, 30), (200, 161)])
@pytest.mark.parametrize("changed", [0, 20])
def test_a_board_is_found_where_it_moved_to(by: tuple[int, int], changed: int) -> None:
    screen = Frame(np.full((700, 900, 3), 60, np.uint8))
    now = painted(screen, GRID.moved(*by), changed=changed)
    assert moved_copy(painted(BEFORE, GRID), GRID, OPENED, now) == GRID.moved(*by)


def test_other_numbers_or_too_many_changes_are_another_board() -> None:
    before = painted(BEFORE, GRID)
    assert moved_copy(before, GRID, OPENED, painted(BEFORE, GRID.moved(9, 5), seed=2)) is None
    few = np.zeros_like(OPENED)
    few[0, :3] = True
    assert moved_copy(before, GRID, few, painted(BEFORE, GRID.moved(9, 5))) is not None
    assert moved_copy(before, GRID, few, painted(BEFORE, GRID.moved(9, 5), changed=9)) is None


def test_a_screen_smaller_than_the_board_holds_no_copy() -> None:
    small = Frame(np.zeros((200, 900, 3), np.uint8))
    assert moved_copy(painted(BEFORE, GRID), GRID, OPENED, small) is None

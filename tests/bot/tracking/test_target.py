"""What the frames after the last turn show apart from the cells that were opened."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.target import (
    Target,
    differs_elsewhere,
    is_one_place,
    place_of_change,
    undimmed_frame,
)
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Board, Cell
from tests.calibration.reading import NO_THEME

GRID = Grid(10, 10, 20, 20, 3, 4)

BEFORE, AFTER = Board.from_text("12#1\n##21\n1211"), Board.from_text("12#1\n#321\n1211")


def target_in(frame: Frame) -> Target:
    """Return a board whose region is the whole of a frame."""
    return Target.at(frame, Calibration(GRID, NO_THEME))


@pytest.mark.parametrize(
    ("changed", "on_mines"), [((), False), (((0, 2),), False), (((0, 2), (1, 0)), True)]
)
def test_mines_that_look_different_after_the_end_are_most_of_them(
    changed: tuple[tuple[int, int], ...], on_mines: bool
) -> None:
    """The pointer may have been over one of them a moment before."""
    first = Frame(np.full((80, 100, 3), 120, np.uint8))
    pixels = first.pixels.copy()
    for cell in (*changed, (1, 1)):
        x, y = (int(v) for v in GRID.centre(Cell(*cell)))
        pixels[y - 4 : y + 4, x - 4 : x + 4] = 200
    shown = target_in(first), first, Frame(pixels), BEFORE, AFTER
    assert differs_elsewhere(*shown) is bool(changed)
    assert differs_elsewhere(*shown, hidden_only=True) is on_mines


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([(5, 60, 12, 6)], [(5, 48, 12, 18)], True),  # the last digit, then three
        ([(5, 10, 4, 4), (15, 190, 4, 4)], [(8, 160, 4, 4)], False),  # confetti
        ([(5, 60, 12, 6)], [(120, 60, 4, 4)], False),
        ([(5, 20, 10, 9), (5, 40, 10, 30)], [(6, 62, 8, 6)], True),  # 10 seconds move a line
        ([(5, 20, 10, 9), (5, 170, 10, 9)], [(6, 62, 8, 6)], False),
    ],
)
def test_a_clock_changes_in_one_place(
    first: list[tuple[int, ...]], second: list[tuple[int, ...]], expected: bool
) -> None:
    before = np.full((150, 200, 3), 120, np.uint8)
    places = []
    for boxes in (first, second):
        after = before.copy()
        for y, x, high, wide in boxes:
            after[y : y + high, x : x + wide] = 40
        places.append(place_of_change(before, after))
    one, other = places
    assert one is not None
    assert other is not None
    assert is_one_place(one, other, before) is expected
    assert place_of_change(before, before) is place_of_change(before, before[1:]) is None


@pytest.mark.parametrize("opened", [False, True])
def test_hidden_tiles_show_how_a_page_was_dimmed_where_few_are_open(opened: bool) -> None:
    pixels = np.full((80, 100, 3), 120, np.uint8)
    target = target_in(Frame(pixels))
    for box in target.boxes_of(np.ones((3, 4), np.bool_)):
        pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2] = 200
    after = pixels // 2
    after[12:28, 12:28] = 20  # the mine on the cell that was clicked
    board = Board.from_text("1#11\n1111\n1111" if opened else "####\n####\n####")
    lit = undimmed_frame(target, Frame(pixels), Frame(after), board)
    assert lit is not None
    assert np.abs(lit.pixels[30:].astype(int) - pixels[30:]).max() <= 3

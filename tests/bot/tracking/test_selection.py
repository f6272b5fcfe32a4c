"""Where a selection of text is taken away, and that nothing is clicked that lies over a board."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.selection import deselecting_point
from bot.tracking.tracker import BoardTracker
from calibration.frame import Frame
from solver.board import Board, Cell
from tests.bot.tracking.test_tracker import Pictures
from tests.calibration.desktops import flat_board

OPENED = flat_board(["0001######", "0001######", "1112######", "######1###", *["#" * 10] * 6])
LEFT, TOP, SIDE = 100, 120, 30


def selected(pixels: np.ndarray, row: int, col: int) -> None:
    """Paint a digit as a browser does where its text is selected: white on blue."""
    x, y = LEFT + SIDE * col + 6, TOP + SIDE * row + 3
    text = pixels[y : y + 22, x : x + 17]
    ink = (208 - text.min(axis=2, keepdims=True)) / 208
    text[:] = np.uint8(ink * 255 + (1 - ink) * np.array([215, 120, 40]))


def shown(picture: str) -> Frame:
    pixels = OPENED.pixels.copy()
    if picture != "card over all":
        for row, col in ((2, 0), (2, 1), (2, 2), (2, 3)):
            selected(pixels, row, col)
    if picture == "card over numbers":
        pixels[TOP + 2 * SIDE : TOP + 3 * SIDE, LEFT : LEFT + 4 * SIDE] = 208
    if picture == "card over zeros":
        pixels[TOP + SIDE : TOP + 2 * SIDE, LEFT : LEFT + 2 * SIDE] = 240
    if picture == "card over all":
        pixels[TOP : TOP + 10 * SIDE, LEFT : LEFT + 10 * SIDE] = 208
    return Frame(pixels)


@pytest.mark.parametrize(
    ("picture", "clicked"),
    [
        ("text is selected", Cell(0, 0)),
        ("card over numbers", None),
        ("card over zeros", None),
        ("card over all", None),
    ],
)
def test_a_zero_is_clicked_if_digits_changed_nothing_but_their_colours(
    picture: str, clicked: Cell | None
) -> None:
    screen = Pictures(OPENED)
    tracker = BoardTracker(screen)
    tracker.find()
    board = tracker.read(tracker.grab_region()).board
    assert deselecting_point(tracker, board) is None
    screen.shown = shown(picture)
    now = tracker.grab_region()
    point = None if clicked is None else tracker.click_point(now, clicked)
    assert deselecting_point(tracker, board) == point
    assert deselecting_point(tracker, Board.from_text("##########\n" * 10)) is None

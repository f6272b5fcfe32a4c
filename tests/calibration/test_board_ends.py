"""Where a board ends, though lines of the page go on beside it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.boards.search import find_boards
from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import Proposal
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles


def test_a_row_of_which_hardly_a_tile_can_be_read_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of the page lies a tile below the board, and words between."""
    frame, grid = drawn(PLAYED)
    pixels, (left, _, right, bottom) = frame.pixels.copy(), grid.bounds
    words = pixels[bottom + 3 : bottom + TILE_PX - 3, left + TILE_PX : right - TILE_PX]
    noise = np.random.default_rng(3).integers(0, 255, words.shape, np.uint8)
    words[:] = cv2.blur(noise, (5, 5))
    longer = Proposal(replace(grid, rows=grid.rows + 1))
    monkeypatch.setattr("calibration.boards.search.FINDERS", [lambda _: [longer]])
    (board,) = find_boards(Frame(pixels), ())
    assert board.grid.rows == grid.rows
    assert np.array_equal(board.recognition.tiles, tiles(PLAYED))


IN_THE_COLOUR_OF_THE_PAGE = """
0000001##
0000002##
0000001##
000000111
110000000
#10000000
#10000000
"""


@pytest.mark.parametrize("turns", range(4))
def test_a_board_whose_open_tiles_have_the_colour_of_the_page_is_whole_or_refused(
    turns: int,
) -> None:
    """Only hidden tiles are seen of some rows and columns, and hardly a line of them is drawn."""
    board = np.rot90([list(row) for row in IN_THE_COLOUR_OF_THE_PAGE.split()], turns)
    frame, grid = drawn("\n".join("".join(row) for row in board), opened=(250,) * 3)
    with suppress(CalibrationError):
        found = calibrate(frame).grid
        assert (found.rows, found.cols) == (grid.rows, grid.cols)


def test_the_margin_of_a_panel_around_a_fresh_board_is_no_row_of_it() -> None:
    """Faint tiles of glass on a panel in a shadow: 10x10 tiles were found as 12x12."""
    pixels, grid = np.full((700, 800, 3), (3, 13, 38), np.uint8), Grid(147, 117, 46, 46, 10, 10)
    cv2.rectangle(pixels, (139, 109), (621, 591), (14, 26, 50), -1)
    for row, col in np.ndindex(10, 10):
        x, y = 150 + 46 * col, 120 + 46 * row
        for line in range(40):  # each tile darkens to its bottom
            pixels[y + line, x : x + 40] = np.array((17, 28, 52)) - line // 4
        cv2.rectangle(pixels, (x, y), (x + 39, y + 39), (18, 40, 62), 1)
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (10, 10)
    assert found.bounds == pytest.approx(grid.bounds, abs=2)

"""Where a board ends, though lines of the page go on beside it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.boards.candidate import read_grids
from calibration.frame import Frame
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles


def test_a_row_of_which_hardly_a_tile_can_be_read_is_none() -> None:
    """A line of the page lies a tile below the board, and words between."""
    frame, grid = drawn(PLAYED)
    pixels, (left, _, right, bottom) = frame.pixels.copy(), grid.bounds
    words = pixels[bottom + 3 : bottom + TILE_PX - 3, left + TILE_PX : right - TILE_PX]
    noise = np.random.default_rng(3).integers(0, 255, words.shape, np.uint8)
    words[:] = cv2.blur(noise, (5, 5))
    (board,) = read_grids([replace(grid, rows=grid.rows + 1)], Frame(pixels), ())
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


@pytest.mark.parametrize("beside", [True, False])
def test_a_column_of_which_only_hidden_tiles_are_seen_is_one(beside: bool) -> None:
    """Open tiles have the colour of the page, so that hardly a line of that column is drawn."""
    text = IN_THE_COLOUR_OF_THE_PAGE
    frame, grid = drawn(text, opened=(250,) * 3)
    pixels = frame.pixels.copy()
    if not beside:
        pixels[:, grid.bounds[2] - TILE_PX :] = 250
    part = replace(grid, cols=grid.cols - 1)
    (board,) = read_grids([part], Frame(pixels), ())
    assert board.grid.cols == grid.cols - (not beside)
    assert np.array_equal(board.recognition.tiles, tiles(text)[:, : board.grid.cols])

"""Where a board ends, though lines of the page go on beside it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

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

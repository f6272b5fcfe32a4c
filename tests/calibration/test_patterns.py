"""Patterns of a page that are not boards."""

from __future__ import annotations

from contextlib import suppress

import cv2
import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.errors import CalibrationError, NoGrid
from calibration.frame import Frame
from tests.calibration.screens import screen_named


def test_the_texture_of_a_page_is_no_choice_beside_a_fresh_board() -> None:
    screen = screen_named("30x16_t20_fresh")
    pixels = screen.frame().pixels.copy()
    x0, _, x1, y1 = screen.grid.bounds
    below = pixels[y1 + 20 :, x0:x1]
    assert len(below) > 150
    row, col = np.indices(below.shape[:2])
    below[:] = 240
    below[(row % 24 < 2) | (col % 24 < 2)] = 235
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (screen.grid.rows, screen.grid.cols)


@pytest.mark.slow
def test_faint_lines_of_a_page_are_no_fresh_board_of_an_unusual_size() -> None:
    pixels = np.full((600, 800, 3), (10, 6, 24), np.uint8)
    board = pixels[60:439, 100:641]
    row, col = np.indices(board.shape[:2])
    board[(row % 27 < 1) | (col % 27 < 1)] = (40, 36, 54)
    assert calibrate(Frame(pixels)).grid.cols == 20
    board[(row % 27 < 1) | (col % 27 < 1)] = (17, 13, 31)
    with pytest.raises(CalibrationError):
        calibrate(Frame(pixels))


@pytest.mark.slow
def test_two_colours_by_turns_are_a_fresh_board_though_they_hardly_differ() -> None:
    pixels = np.full((900, 900, 3), 74, np.uint8)
    row, col = np.indices((720, 720))
    black = (row // 48 + col // 40) % 2 == 1
    pixels[60:780, 80:800] = np.where(black[..., None], (162, 209, 73), (170, 215, 81))
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (15, 18)
    pixels[60:780, 80:800] = np.where(black[..., None], 248, 255)
    with pytest.raises(NoGrid):
        calibrate(Frame(pixels))


@pytest.mark.parametrize("pitch", [17, 22])
def test_four_round_tiles_are_never_taken_for_one(pitch: int) -> None:
    """Discs of two tints on 20x20 cells were taken for a fresh board of 10x10."""
    pixels = np.full((600, 700, 3), 229, np.uint8)
    for row, col in np.ndindex(20, 20):
        tint = (159,) * 3 if (row + col) % 2 else (176,) * 3
        middle = 100 + col * pitch + pitch // 2, 80 + row * pitch + pitch // 2
        cv2.circle(pixels, middle, pitch // 2, tint, -1, cv2.LINE_AA)
    with suppress(CalibrationError):
        found = calibrate(Frame(pixels)).grid
        assert (found.rows, found.cols) == (20, 20)


def test_two_oblong_tiles_are_never_taken_for_one() -> None:
    """Of buttons with a square on each, every second line was taken: 6x16 instead of 12x16."""
    pixels = np.full((500, 800, 3), (250, 235, 215), np.uint8)
    for row, col in np.ndindex(12, 16):
        x, y = round(60 + 40.64 * col), 80 + 25 * row
        cv2.rectangle(pixels, (x, y), (x + 32, y + 20), (239, 239, 239), -1)
        cv2.rectangle(pixels, (x, y), (x + 32, y + 20), (118, 118, 118), 1)
        pixels[y + 3 : y + 19, x + 9 : x + 25] = (60, 65, 70)
    grid = calibrate(Frame(pixels)).grid
    assert (grid.rows, grid.cols, round(grid.tile_w), round(grid.tile_h)) == (12, 16, 41, 25)

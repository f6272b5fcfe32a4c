"""Which boards of a frame are taken: whole ones, before pieces and before patterns of a page."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.boards.search import is_found_at
from calibration.calibration import calibrate
from calibration.frame import Frame
from tests.calibration.screens import FIXTURES, Screen, first_beside, labelled, screen_named
from tests.calibration.sketches import half_open

Pixels = NDArray[np.uint8]
SCREENS = labelled(FIXTURES)
WITH_LINES = [screen for screen in SCREENS if screen.picture.parent.name != "no-lines"]


def chess_board(side: int, at: tuple[int, int], shape: tuple[int, ...]) -> Pixels:
    pixels = np.full(shape, 60, np.uint8)
    row, col = np.indices((8 * side, 8 * side)) // side
    dark = ((row + col) % 2).astype(bool)
    part = pixels[at[1] : at[1] + 8 * side, at[0] : at[0] + 8 * side]
    part[dark], part[~dark] = (118, 150, 86), (238, 238, 210)
    return pixels


@pytest.mark.parametrize("covered", [False, True], ids=["a piece", "a covered one"])
def test_a_part_of_a_board_beside_a_whole_one_is_no_choice(covered: bool) -> None:
    first, second = screen_named("12x9_early"), screen_named("30x16_t20_fresh")
    pixels = first_beside(first, second)
    x0, y0, x1, y1 = first.grid.bounds
    if covered:  # a picture of many colours lies over three of its rows
        noise = np.random.default_rng(6).integers(0, 256, (60, 150, 3), dtype=np.uint8)
        pixels[y0 + 40 : y0 + 100, x0 + 30 : x0 + 180] = noise
    else:
        pixels[y0 - 90 : y1 + 30, x0 + round(5.5 * first.grid.tile_w) : x1 + 30] = 120
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (second.grid.rows, second.grid.cols)


@pytest.mark.parametrize("side", [40, 60])
def test_a_pattern_beside_a_board_with_numbers_is_no_choice(side: int) -> None:
    screen = screen_named("12x9_early")
    x0, y0, x1, y1 = screen.grid.bounds
    box = np.s_[y0 - 90 : y1 + 30, x0 - 30 : x1 + 30]
    shown = screen.frame().pixels
    pixels = chess_board(side, (x1 + 100, 80), shown.shape)
    alone = calibrate(Frame(pixels))
    assert (alone.grid.rows, alone.grid.cols) == (8, 8), "the pattern passes for a fresh board"
    pixels[box] = shown[box]
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (screen.grid.rows, screen.grid.cols)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("style", ["bevel", "lines", "gaps"])
@pytest.mark.parametrize("tile", [(40, 30), (60, 42), (88, 52), (48, 30), (30, 42), (50, 88)])
def test_a_fresh_board_of_oblong_tiles_is_found_if_its_size_is_usual(
    tile: tuple[float, float], style: str
) -> None:
    frame, _ = half_open(style, 9, 9, tile, 0.0, (200, 150))
    found = calibrate(frame).grid
    assert (found.rows, found.cols) == (9, 9)
    assert is_found_at(frame, found)


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("screen", WITH_LINES[::6], ids=lambda screen: screen.name)
def test_a_saved_grid_is_found_at_its_place_and_at_no_other(screen: Screen) -> None:
    frame = screen.frame()
    grid = calibrate(frame).grid
    assert is_found_at(frame, grid)
    for dx, dy in ((0.5, 0.0), (2.0, 0.0), (0.0, -3.0)):
        assert not is_found_at(frame, grid.moved(dx * grid.tile_w, dy * grid.tile_h))


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

"""Rows of zeros on which nothing is drawn are found where the area between the tiles ends."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.bed import extended_to_bed
from calibration.points import PixelBox
from calibration.reader import read
from solver.board import Cell
from tests.calibration.locate.drawing import PAGE, board_of, drawn

TEXT = """
0000000000
0000000000
1111100000
####100000
####210000
#####21211
##########
##########
"""
PITCH, BED = 34, (20, 22, 26)
FOUND = Cell(2, 0), Cell(7, 9)
"""The first and last cell of what is found by drawn tiles."""


def on_bed(
    left: int, right: int, top: int, bottom: int, bed: tuple[int, int, int] = BED
) -> tuple[Frame, Grid]:
    """Draw the board on a bed that reaches so many pixels beyond it; zeros look like the bed."""
    frame, grid = drawn(TEXT, pitch=(PITCH, PITCH), share=0.88, page=bed)
    pixels = frame.pixels.copy()
    for (row, col), zero in np.ndenumerate(np.array(board_of(TEXT)) == "0"):
        box = grid.box(Cell(row, col))
        if zero:
            pixels[box.y0 : box.y1, box.x0 : box.x1] = bed
    x0, y0, x1, y1 = grid.bounds
    outside = np.ones(pixels.shape[:2], np.bool_)
    outside[y0 - top : y1 + bottom, x0 - left : x1 + right] = False
    pixels[outside] = PAGE
    return Frame(pixels), grid


@pytest.mark.parametrize("padding", [0, 2, 9, 16])
def test_rows_of_bare_zeros_are_added_up_to_the_end_of_the_bed(padding: int) -> None:
    frame, truth = on_bed(padding, padding, padding, padding)
    wider = extended_to_bed(frame, truth.part(*FOUND))
    assert wider.bounds == truth.bounds
    found = calibrate(frame)
    assert found.grid.bounds == pytest.approx(truth.bounds, abs=2)
    assert [list(row) for row in read(frame, found).board.text_rows()] == board_of(TEXT)


@pytest.mark.parametrize("side", range(4))
def test_a_bed_that_does_not_end_at_whole_tiles_adds_nothing(side: int) -> None:
    beyond = [4, 4, 4, 4]
    beyond[side] += 12
    left, right, top, bottom = beyond
    frame, truth = on_bed(left, right, top, bottom)
    part = truth.part(*FOUND)
    assert extended_to_bed(frame, part) == part


def test_the_page_is_no_bed() -> None:
    frame, truth = on_bed(4, 4, 4, 4, PAGE)
    part = truth.part(*FOUND)
    assert extended_to_bed(frame, part) == part


def test_a_panel_with_words_above_the_board_is_no_part_of_it() -> None:
    frame, truth = on_bed(4, 4, 4 + 2 * PITCH, 4)
    pixels = frame.pixels.copy()
    for row in (1, 2):
        at = truth.bounds.x0, truth.bounds.y0 - PITCH * row + 24
        words = "Mines 10 Time 042"
        cv2.putText(pixels, words, at, cv2.FONT_HERSHEY_SIMPLEX, 1.1, (240, 240, 240), 3)
    assert extended_to_bed(Frame(pixels), truth) == truth


def test_a_cell_outside_the_frame_is_no_trouble() -> None:
    frame, truth = on_bed(4, 4, 4, 4)
    x0, y0, x1, y1 = truth.bounds
    box = PixelBox(x0 + 6, y0 + 6, x1 - 6, y1 - 6)
    cropped = Frame(np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1]))
    grid = truth.moved(-box.x0, -box.y0)
    assert extended_to_bed(cropped, grid) == grid


SIDE_OPEN = """
###10000000
###20000000
###11111000
######31000
####2221000
###11000000
##210000000
##100000000
##100000000
"""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pitch", [25, 34])
def test_open_tiles_without_lines_are_added_on_one_side_up_to_a_square(
    turned: bool, pitch: int
) -> None:
    """Only the covered tiles have edges, so that few columns of a lattice are drawn."""
    tiles = np.array(board_of(SIDE_OPEN))[:, :9]
    tiles = tiles.T if turned else tiles
    rows, cols = tiles.shape
    pixels = np.full((700, 900, 3), 255, np.uint8)
    x0, y0 = 200, 150
    x1, y1 = x0 + cols * pitch, y0 + rows * pitch
    pixels[y0 - 1 : y1 + 1, x0 - 1 : x1 + 1] = 170
    pixels[y0:y1, x0:x1] = 238
    for (row, col), tile in np.ndenumerate(tiles):
        x, y = x0 + col * pitch, y0 + row * pitch
        if tile == "#":
            pixels[y : y + pitch, x : x + pitch] = 120
            pixels[y : y + pitch - 2, x : x + pitch - 2] = 250
        elif tile != "0":
            at = x + pitch // 3, y + 2 * pitch // 3
            cv2.putText(pixels, tile, at, 0, pitch / 60, (0, 0, 250), 1, cv2.LINE_AA)
    grid = calibrate(Frame(pixels)).grid
    assert (grid.rows, grid.cols) == (rows, cols)
    assert grid.bounds == pytest.approx((x0, y0, x1, y1), abs=2)


RUN_TOGETHER = """
000012#
100001#
100001#
#11001#
##2112#
#######
#######
#######
#######
#######
"""


@pytest.mark.parametrize("pitch", [36, 50])
@pytest.mark.parametrize("hidden", [(66, 66, 66), (104, 159, 56)])
def test_hidden_tiles_that_run_together_are_added_up_to_where_they_end(
    hidden: tuple[int, int, int], pitch: int
) -> None:
    """Open tiles are the page and a grey square by turns, with gaps; hidden ones have no lines."""
    tiles = np.array(board_of(RUN_TOGETHER))
    rows, cols = tiles.shape
    gap, pixels = pitch // 12, np.full(((rows + 6) * pitch, (cols + 6) * pitch, 3), 255, np.uint8)
    covered = (tiles == "#").repeat(pitch, 0).repeat(pitch, 1).astype(np.uint8)
    inner = cv2.erode(covered, np.ones((2 * gap + 1, 2 * gap + 1)), borderValue=0)
    pixels[3 * pitch : -3 * pitch, 3 * pitch : -3 * pitch][inner > 0] = hidden
    for (row, col), tile in np.ndenumerate(tiles):
        x, y = (3 + col) * pitch, (3 + row) * pitch
        if tile != "#" and (row + col) % 2:
            pixels[y + gap : y + pitch - gap, x + gap : x + pitch - gap] = 225
        if tile in "12":
            at = x + pitch // 3, y + 2 * pitch // 3
            ink = (40, 90, 160) if tile == "1" else (30, 140, 60)
            cv2.putText(pixels, tile, at, 0, pitch / 60, ink, 2, cv2.LINE_AA)
    grid = calibrate(Frame(pixels)).grid
    bounds = tuple(3 * pitch + pitch * cells for cells in (0, 0, cols, rows))
    assert (grid.rows, grid.cols) == (rows, cols)
    assert grid.bounds == pytest.approx(bounds, abs=2)

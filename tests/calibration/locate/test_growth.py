"""Boards opened along a side where open tiles have no lines are found whole."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import find_lattices

PITCH, ROWS, COLS = 30, 9, 11
AT = 150


def draw(opened: int, side: str, *, opened_colour: int = 190, page: int = 190) -> Frame:
    """Draw a page with a bevelled board whose outermost ``opened`` rows or columns are open.

    The open area reaches two rows further in one place. Every other open tile has a digit; no lines
    are drawn between them.
    """
    pixels = np.full((600, 700, 3), page, np.uint8)
    for row in range(ROWS):
        for col in range(COLS):
            depth = {"left": col, "top": row, "right": COLS - 1 - col, "bottom": ROWS - 1 - row}
            x, y = AT + col * PITCH, AT + row * PITCH
            tile = pixels[y : y + PITCH, x : x + PITCH]
            notch = 2 * (opened > 0 and 3 <= (row if side in ("left", "right") else col) <= 6)
            if depth[side] >= opened + notch:
                tile[:] = 190
                tile[:3] = tile[:, :3] = 240
                tile[-3:] = tile[:, -3:] = 120
                continue
            tile[:] = opened_colour
            if (row + col) % 2:
                at, colour = (x + 9, y + 22), (0, 0, 200)
                cv2.putText(pixels, "1", at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 2)
    return Frame(pixels)


def found(frame: Frame) -> Grid:
    (one,) = (one.grid for one in find_lattices(frame) if one.is_whole)
    return one


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
@pytest.mark.parametrize("opened", [1, 3])
@pytest.mark.parametrize("colour", [190, 225], ids=["like the page", "unlike the page"])
def test_open_rows_with_digits_and_no_lines_are_added(side: str, opened: int, colour: int) -> None:
    grid = found(draw(opened, side, opened_colour=colour))
    assert (grid.rows, grid.cols) == (ROWS, COLS)
    assert (grid.x0, grid.y0) == pytest.approx((AT, AT), abs=1.5)


def test_nothing_is_added_to_a_board_that_is_whole() -> None:
    grid = found(draw(0, "left"))
    assert (grid.rows, grid.cols) == (ROWS, COLS)


def test_text_beside_a_board_is_no_row_of_it() -> None:
    pixels: NDArray[np.uint8] = draw(0, "left").pixels.copy()
    at = AT, AT + ROWS * PITCH + 20
    cv2.putText(pixels, "Mines: 10   Time: 42", at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0,) * 3, 1)
    grid = found(Frame(pixels))
    assert (grid.rows, grid.cols) == (ROWS, COLS)


def test_the_edge_of_a_dark_panel_is_no_row_of_its_board() -> None:
    """The page has nearly the colour of the tiles, and the panel ends in the next row."""
    pixels = np.full((600, 700, 3), 45, np.uint8)
    end_x, end_y = AT + COLS * PITCH, AT + ROWS * PITCH
    pixels[AT - 3 : end_y + 3, AT - 3 : end_x + 3] = 36
    for row in range(ROWS):
        for col in range(COLS):
            x, y = AT + col * PITCH, AT + row * PITCH
            pixels[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = 50
    grid = found(Frame(pixels))
    assert (grid.rows, grid.cols) == (ROWS, COLS)


@pytest.mark.parametrize("cells", [12, 20])
@pytest.mark.parametrize("line", [200, 215, 225])
def test_a_board_closed_by_a_faint_line_does_not_grow(cells: int, line: int) -> None:
    """Zeros in the colour of the page lie along its left side, with lines between them."""
    pitch, page = 42, 243
    end = AT + cells * pitch
    pixels = np.full((end + 80, end + 80, 3), page, np.uint8)
    for row in range(cells):
        for col in range(cells):
            x, y = AT + col * pitch, AT + row * pitch
            if row < 2 or row > 9 or col > 7:
                tile = pixels[y : y + pitch, x : x + pitch]
                tile[:] = 255
                tile[-2:] = tile[:, -2:] = line - 30
    for at in range(AT, end + 1, pitch):
        pixels[at - 1 : at + 1, AT : end + 1] = line
        pixels[AT : end + 1, at - 1 : at + 1] = line
    grid = find_lattices(Frame(pixels))[0].grid
    assert (grid.rows, grid.cols) == (cells, cells)


@pytest.mark.parametrize("pitch", [30, 48, 60])
@pytest.mark.parametrize("page", [244, 253])
def test_a_board_of_thin_lines_on_a_page_of_its_colour_does_not_grow(pitch: int, page: int) -> None:
    """Its outermost line lies beside the pixel at which the fitted lattice begins."""
    pixels = np.full((1200, 1400, 3), page, np.uint8)
    rows, cols = 14, 18
    x1, y1 = AT + cols * pitch, AT + rows * pitch
    for line in range(cols + 1):
        pixels[AT : y1 + 1, AT + line * pitch] = 211
    for line in range(rows + 1):
        pixels[AT + line * pitch, AT : x1 + 1] = 211
    grid = found(Frame(pixels))
    assert (grid.rows, grid.cols) == (rows, cols)
    assert (grid.x0, grid.y0) == pytest.approx((AT, AT), abs=1.5)


@pytest.mark.parametrize(("tile", "away"), [(34, 34), (68, 34)])
def test_the_frame_of_a_panel_in_faint_lines_adds_no_row(tile: int, away: int) -> None:
    """It lies up to a tile away from a dark board, whose own lines differ by as few steps."""
    cells, line, ground = 10, 22, 19
    pixels = np.full((20 * tile, 20 * tile, 3), ground, np.uint8)
    left, right = 4 * tile, (4 + cells) * tile
    for at in range(left, right + 1, tile):
        pixels[left : right + 1, at] = pixels[at, left : right + 1] = line
    cv2.rectangle(pixels, (left - away,) * 2, (right + away - 2,) * 2, (line,) * 3, 2)
    (found,) = find_lattices(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (cells, cells)

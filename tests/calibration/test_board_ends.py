"""Where a board ends, though lines of the page go on beside it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.boards.candidate import read_grids
from calibration.calibration import calibrate
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.lines.crosses import FoundLattice
from solver.board import Cell
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


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("beside", [True, False])
def test_a_column_or_row_of_which_only_hidden_tiles_are_seen_is_one(
    beside: bool, turns: int
) -> None:
    """Open tiles have the colour of the page, so that hardly a line of that column is drawn."""
    board = np.rot90([list(row) for row in IN_THE_COLOUR_OF_THE_PAGE.split()], turns)
    text = "\n".join("".join(row) for row in board)
    frame, grid = drawn(text, opened=(250,) * 3)
    pixels, (rows, cols) = frame.pixels.copy(), board.shape
    first, last = [
        (Cell(0, 0), Cell(rows - 1, cols - 2)),
        (Cell(1, 0), Cell(rows - 1, cols - 1)),
        (Cell(0, 1), Cell(rows - 1, cols - 1)),
        (Cell(0, 0), Cell(rows - 2, cols - 1)),
    ][turns]
    part, known = grid.part(first, last), tiles(text)
    if not beside:
        left, top, right, bottom = part.bounds
        inside = pixels[top:bottom, left:right].copy()
        pixels[:] = 250
        pixels[top:bottom, left:right] = inside
        known = known[first.row : last.row + 1, first.col : last.col + 1]
    (found,) = read_grids([part], Frame(pixels), ())
    assert np.array_equal(found.recognition.tiles, known)


def test_buttons_above_a_board_that_look_like_its_tiles_are_no_row() -> None:
    """Between them nothing is drawn: read as zeros, they would have hidden tiles beside them."""
    frame, grid = drawn(IN_THE_COLOUR_OF_THE_PAGE, opened=(250,) * 3)
    pixels = np.pad(frame.pixels, ((TILE_PX, 0), (0, 0), (0, 0)), mode="edge")
    for col in (1, 2, 3):
        pixels[TILE_PX : 2 * TILE_PX, col * TILE_PX : (col + 1) * TILE_PX] = pixels[
            2 * TILE_PX : 3 * TILE_PX, 8 * TILE_PX : 9 * TILE_PX
        ]
    (found,) = read_grids([grid.moved(0, TILE_PX)], Frame(pixels), ())
    assert np.array_equal(found.recognition.tiles, tiles(IN_THE_COLOUR_OF_THE_PAGE))


def test_the_margin_of_a_panel_around_a_fresh_board_is_no_row_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Faint tiles of glass on a panel in a shadow: 10x10 tiles were found as 12x12."""
    pixels, grid = np.full((700, 800, 3), (3, 13, 38), np.uint8), Grid(147, 117, 46, 46, 10, 10)
    cv2.rectangle(pixels, (139, 109), (621, 591), (14, 26, 50), -1)
    for row, col in np.ndindex(10, 10):
        x, y = 150 + 46 * col, 120 + 46 * row
        for line in range(40):  # each tile darkens to its bottom
            pixels[y + line, x : x + 40] = np.array((17, 28, 52)) - line // 4
        cv2.rectangle(pixels, (x, y), (x + 39, y + 39), (18, 40, 62), 1)
    wider = replace(grid, x0=grid.x0 - 46, y0=grid.y0 - 46, rows=12, cols=12, confidence=1.0)
    lattices = [FoundLattice(wider, (), (), is_crop=False)]
    monkeypatch.setattr("calibration.boards.search.find_lattices", lambda _: lattices)
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols, found.x0, found.y0) == (10, 10, grid.x0, grid.y0)

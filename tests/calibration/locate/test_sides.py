"""A board goes on where the picture ends, or where something covers it, and nowhere else.

The boards are those of real programs; the picture, a bar or a panel ends them on one side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import cut_sides, hidden_sides, is_crop
from tests.calibration.desktops import PITCH, Pixels, bevelled_board

SIDES = ("left", "right", "top", "bottom")


def test_a_dialog_narrower_than_the_framed_board_below_it_is_noticed() -> None:
    pixels = bevelled_board(9, 12, 60)
    pixels[pixels == 100] = 220
    board = pixels[60:-60, 60:-60].copy()
    pixels[57:-57, 57:-57] = 40
    pixels[60:-60, 60:-60] = board
    half = 60 + 5 * PITCH
    pixels[half : half + 60, 60 + PITCH + 8 : -60 - PITCH - 8] = 255
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 5, 12)) == ("bottom",)


@pytest.mark.parametrize("side", SIDES)
def test_a_window_too_small_for_its_board_shows_a_part_of_a_tile(side: str) -> None:
    """Beyond it lies a plain desktop, so that only the part of the tile shows that more follow."""
    pixels, part = bevelled_board(9, 12, 60), 12
    kept = 60 + 3 * PITCH - part
    hidden: Any = {
        "left": np.s_[:, :kept], "right": np.s_[:, -kept:],
        "top": np.s_[:kept], "bottom": np.s_[-kept:],
    }[side]  # fmt: skip
    whole = Grid(60, 60, PITCH, PITCH, 9, 12)
    assert hidden_sides(Frame(pixels.copy()), whole) == ()
    pixels[hidden] = 100
    rest = whole.widened(*(-3 if side == one else 0 for one in SIDES))
    assert hidden_sides(Frame(pixels), rest) == (side,)


@pytest.mark.parametrize("margin", [0, 1, 3, 8, 20, 60])
def test_a_whole_board_is_not_cut_off_however_close_the_edge(margin: int) -> None:
    frame, grid = Frame(bevelled_board(9, 12, margin)), Grid(margin, margin, PITCH, PITCH, 9, 12)
    assert is_crop(frame, grid) == (margin <= 8)
    assert is_crop(frame, grid) or cut_sides(frame, grid) == ()


def test_text_between_a_board_and_the_edge_of_the_picture_is_not_a_cut_tile() -> None:
    pixels = bevelled_board(9, 12, 60)[60 - PITCH + 2 :]
    pixels[: PITCH - 4] = (30, 90, 200)
    for col in range(12):
        x = 60 + col * PITCH - 5
        pixels[3 : PITCH - 5, x : x + 9] = 255
    frame = Frame(np.ascontiguousarray(pixels))
    assert cut_sides(frame, Grid(60, PITCH - 2, PITCH, PITCH, 9, 12)) == ()


def chessboard(rows: int, cols: int, tile: int) -> Pixels:
    """Draw a fresh board of two greens by turns, without lines, below a header of 60 pixels."""
    dark = np.indices((rows, cols)).sum(axis=0) % 2 == 1
    tiles = np.where(dark[..., None], (162, 209, 73), (170, 215, 81)).astype(np.uint8)
    header = np.full((60, cols * tile, 3), (74, 117, 44), np.uint8)
    return np.concatenate([header, tiles.repeat(tile, 0).repeat(tile, 1)])


@pytest.mark.parametrize(("rows", "cols", "tile"), [(8, 10, 45), (14, 18, 30), (20, 24, 25)])
@pytest.mark.parametrize("missing", [(0, 0, 0), (3, 0, 0), (0, 3, 3), (1, 2, 3)])
def test_a_fresh_board_that_fills_its_picture_is_found(
    rows: int, cols: int, tile: int, missing: tuple[int, int, int]
) -> None:
    left, right, bottom = missing
    pixels = chessboard(rows, cols, tile)
    high, wide = pixels.shape[:2]
    frame = Frame(np.ascontiguousarray(pixels[: high - bottom, left : wide - right]))
    grid = calibrate(frame).grid
    assert (grid.rows, grid.cols) == (rows, cols)
    assert abs(grid.x0 + left) < 1
    assert abs(grid.y0 - 60) < 1


@pytest.mark.parametrize("side", SIDES)
def test_a_few_pixels_of_the_next_tiles_show_that_a_scroll_bar_hides_the_rest(side: str) -> None:
    pixels = bevelled_board(9, 12, 60)
    kept = 60 + 3 * PITCH - 5  # on this side, two tiles and most of the third are covered
    if side in ("left", "top"):
        pixels[: kept if side == "top" else None, : kept if side == "left" else None] = 100
    else:
        pixels[-kept if side == "bottom" else 0 :, -kept if side == "right" else 0 :] = 100
    rows, cols = (6, 12) if side in ("top", "bottom") else (9, 9)
    x0, y0 = 60 + 3 * PITCH * (side == "left"), 60 + 3 * PITCH * (side == "top")
    assert hidden_sides(Frame(pixels), Grid(x0, y0, PITCH, PITCH, rows, cols)) == (side,)

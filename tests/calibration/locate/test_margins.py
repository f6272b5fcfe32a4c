"""A board cut off by the edge of the picture differs from one that lies close to the edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.errors import NoGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import cut_sides, is_crop
from tests.calibration.desktops import PITCH, Pixels, bevelled_board


@pytest.mark.parametrize("margin", [0, 1, 3, 8])
def test_a_picture_cropped_to_a_board_is_recognised(margin: int) -> None:
    grid = Grid(margin, margin, PITCH, PITCH, 9, 12)
    assert is_crop(Frame(bevelled_board(9, 12, margin)), grid)


@pytest.mark.parametrize("margin", [5, 8, 20, 60])
def test_a_whole_board_is_not_cut_off_however_close_the_edge(margin: int) -> None:
    grid = Grid(margin, margin, PITCH, PITCH, 9, 12)
    assert cut_sides(Frame(bevelled_board(9, 12, margin)), grid) == ()


@pytest.mark.parametrize("left_over", [0, 2, 5, 12, 20])
@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_part_of_a_tile_at_the_edge_shows_that_the_board_is_cut_off(
    side: str, left_over: int
) -> None:
    pixels = bevelled_board(9, 12, 40)
    cut = 40 + 3 * PITCH - left_over  # two tiles and a part of the third are gone
    x = cut if side == "left" else 0
    y = cut if side == "top" else 0
    right = -cut if side == "right" else None
    bottom = -cut if side == "bottom" else None
    part = Frame(np.ascontiguousarray(pixels[y:bottom, x:right]))
    rows, cols = (6, 12) if side in ("top", "bottom") else (9, 6 + 3)
    grid = Grid(
        left_over if side == "left" else 40, left_over if side == "top" else 40,
        PITCH, PITCH, rows, cols,
    )  # fmt: skip
    assert cut_sides(part, grid) == (side,)
    assert not is_crop(part, grid)


@pytest.mark.parametrize("margin", [1, 2])
@pytest.mark.parametrize("side", ["left", "top"])
def test_a_frame_of_a_pixel_at_the_edge_of_the_screen_shows_that_the_board_ends(
    side: str, margin: int
) -> None:
    pixels = bevelled_board(9, 12, 40)
    away = 40 - margin
    part = pixels[:, away:] if side == "left" else pixels[away:]
    x0, y0 = (margin, 40) if side == "left" else (40, margin)
    assert cut_sides(Frame(np.ascontiguousarray(part)), Grid(x0, y0, PITCH, PITCH, 9, 12)) == ()


def test_text_between_a_board_and_the_edge_of_the_picture_is_no_cut_tile() -> None:
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


@pytest.mark.parametrize("side", ["left", "right", "bottom"])
@pytest.mark.parametrize("part", [0.2, 0.3, 0.5, 0.8, 1, 1.5])
def test_a_board_without_a_whole_row_or_column_is_cut_off(side: str, part: float) -> None:
    pixels, away = chessboard(14, 18, 30), round(30 * part)
    kept: Any = {
        "left": np.s_[:, away:], "right": np.s_[:, :-away], "bottom": np.s_[:-away]
    }[side]  # fmt: skip
    with pytest.raises(NoGrid, match="cut off"):
        calibrate(Frame(np.ascontiguousarray(pixels[kept])))

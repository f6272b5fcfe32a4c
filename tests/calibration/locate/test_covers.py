"""Something that lies over a board hides a part of it; bars and headers beside it do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import hidden_sides
from tests.calibration.desktops import PITCH, Pixels, bevelled_board


@pytest.mark.parametrize("part", [6, 12, 20])
@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
def test_part_of_a_tile_beside_the_board_shows_that_its_window_hides_the_rest(
    side: str, part: int
) -> None:
    pixels = bevelled_board(9, 12, 60)
    kept = 60 + 3 * PITCH - part  # on this side, two tiles and a part of the third are covered
    if side in ("left", "top"):
        pixels[: kept if side == "top" else None, : kept if side == "left" else None] = 100
    else:
        pixels[-kept if side == "bottom" else 0 :, -kept if side == "right" else 0 :] = 100
    rows, cols = (6, 12) if side in ("top", "bottom") else (9, 9)
    x0, y0 = 60 + 3 * PITCH * (side == "left"), 60 + 3 * PITCH * (side == "top")
    frame = Frame(pixels)
    assert hidden_sides(frame, Grid(x0, y0, PITCH, PITCH, rows, cols)) == (side,)
    assert hidden_sides(Frame(bevelled_board(9, 12, 60)), Grid(60, 60, PITCH, PITCH, 9, 12)) == ()


def framed(rows: int, cols: int, margin: int) -> Pixels:
    """Draw a board with a dark frame of three pixels around it, on a page."""
    pixels = bevelled_board(rows, cols, margin)
    pixels[pixels == 100] = 220
    low, high = margin - 3, (margin + cols * PITCH + 3, margin + rows * PITCH + 3)
    board = pixels[margin:-margin, margin:-margin].copy()
    pixels[low : high[1], low : high[0]] = 40
    pixels[margin:-margin, margin:-margin] = board
    return pixels


@pytest.mark.parametrize("side", ["top", "bottom"])
def test_a_dialog_over_half_of_a_framed_board_ends_it_without_its_frame(side: str) -> None:
    pixels = framed(9, 12, 60)
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 9, 12)) == ()
    half = 60 + 5 * PITCH
    if side == "bottom":
        pixels[half:, 30:-30] = 255
        grid = Grid(60, 60, PITCH, PITCH, 5, 12)
    else:
        pixels[:half, 30:-30] = 255
        grid = Grid(60, half, PITCH, PITCH, 4, 12)
    assert hidden_sides(Frame(pixels), grid) == (side,)


def test_a_dialog_narrower_than_the_framed_board_below_it_is_noticed() -> None:
    pixels = framed(9, 12, 60)
    half = 60 + 5 * PITCH
    pixels[half : half + 60, 60 + PITCH + 8 : -60 - PITCH - 8] = 255
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 5, 12)) == ("bottom",)


def test_a_header_within_the_frame_of_a_board_hides_nothing() -> None:
    pixels = framed(9, 12, 60)
    half = 60 + 4 * PITCH
    pixels[60:half, 60:-60] = (30, 90, 200)
    assert hidden_sides(Frame(pixels), Grid(60, half, PITCH, PITCH, 5, 12)) == ()


def test_faint_edges_in_a_header_above_the_outermost_lines_hide_nothing() -> None:
    pixels = framed(9, 12, 60)
    half = 60 + 4 * PITCH
    pixels[60:half, 60:-60] = 210
    for x in (60 + PITCH, -60 - PITCH):
        pixels[half - PITCH : half - 3, x:][:, :20] = 190
    assert hidden_sides(Frame(pixels), Grid(60, half, PITCH, PITCH, 5, 12)) == ()


def test_a_title_bar_at_a_framed_board_hides_nothing() -> None:
    pixels = framed(9, 12, 60)
    pixels[:60, 57:-57] = (30, 90, 200)
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 9, 12)) == ()


def sunk(margin: int, scale: int) -> Pixels:
    """Draw a board in a bevelled frame of three pixels, dark above and light below, on a panel."""
    pixels = bevelled_board(9, 12, margin)
    pixels[pixels == 100] = 192
    board = pixels[margin:-margin, margin:-margin].copy()
    pixels[margin - 3 : 3 - margin, margin - 3 : 3 - margin] = 255
    pixels[margin - 3 : -margin, margin - 3 : -margin] = 128
    pixels[margin:-margin, margin:-margin] = board
    return pixels.repeat(scale, 0).repeat(scale, 1)


@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
def test_a_bar_over_the_last_row_of_a_board_in_a_bevelled_frame_hides_it(
    side: str, scale: int
) -> None:
    pixels, pitch = sunk(60, scale), PITCH * scale
    whole = Grid(60 * scale, 60 * scale, pitch, pitch, 9, 12)
    assert hidden_sides(Frame(pixels), whole) == ()
    covered = 60 * scale + pitch
    part: Any = {
        "left": np.s_[:, :covered], "top": np.s_[:covered],
        "right": np.s_[:, -covered:], "bottom": np.s_[-covered:],
    }[side]  # fmt: skip
    pixels[part] = (40, 90, 160)
    rest = whole.widened(*(-1 if side == one else 0 for one in ("left", "right", "top", "bottom")))
    assert hidden_sides(Frame(pixels), rest) == (side,)


LINE, PAGE, PANEL = (20, 20, 20), (204, 204, 204), (240, 90, 20)
SIDES = ["left", "top", "right", "bottom"]


def ruled(margin: int) -> Pixels:
    """Draw 9 rows of 12 tiles with lines of two pixels between them, and one around, on a page.

    Some tiles have the colour of the page, the others are dark.
    """
    rows, cols = 9, 12
    board = np.full((rows * PITCH, cols * PITCH, 3), PAGE, dtype=np.uint8)
    for row in range(rows):
        for col in range(cols):
            if (row * 5 + col * 3) % 7 < 2:
                board[row * PITCH : (row + 1) * PITCH, col * PITCH : (col + 1) * PITCH] = (0, 90, 0)
    for edge in (0, PITCH - 1):
        board[edge::PITCH] = board[:, edge::PITCH] = LINE
    pixels = np.empty((rows * PITCH + 2 * margin, cols * PITCH + 2 * margin, 3), np.uint8)
    pixels[:] = PAGE
    pixels[margin:-margin, margin:-margin] = board
    return pixels


def turned(pixels: Pixels, grid: Grid, side: str) -> tuple[Frame, Grid]:
    """Turn a picture and its grid so that the bottom becomes another side."""
    if side in ("left", "right"):
        pixels = pixels.swapaxes(0, 1)
        grid = Grid(grid.y0, grid.x0, PITCH, PITCH, grid.cols, grid.rows)
    if side == "top":
        pixels = pixels[::-1]
        grid = Grid(
            grid.x0, len(pixels) - grid.y0 - grid.rows * PITCH, PITCH, PITCH, grid.rows, grid.cols
        )
    if side == "left":
        pixels = pixels[:, ::-1]
        grid = Grid(
            pixels.shape[1] - grid.x0 - grid.cols * PITCH,
            grid.y0,
            PITCH,
            PITCH,
            grid.rows,
            grid.cols,
        )
    return Frame(np.ascontiguousarray(pixels)), grid


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("left_over", [-1, 0, 1, 2, 3, 4, 5, 6, 12, 20])
def test_a_panel_over_the_rows_of_a_board_without_a_frame_hides_them(
    left_over: int, side: str
) -> None:
    pixels = ruled(60)
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 9, 12)) == ()
    start = 60 + 4 * PITCH + left_over
    pixels[start : 60 + 9 * PITCH + 10, 30:-30] = PANEL
    frame, grid = turned(pixels, Grid(60, 60, PITCH, PITCH, 4, 12), side)
    assert hidden_sides(frame, grid) == (side,)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("away", [0, 1, 3, 6, 15])
def test_a_bar_between_a_board_and_the_edge_of_the_window_hides_nothing(
    away: int, side: str
) -> None:
    pixels = ruled(60)
    pixels[60 + 9 * PITCH + away :] = PANEL
    frame, grid = turned(pixels, Grid(60, 60, PITCH, PITCH, 9, 12), side)
    assert hidden_sides(frame, grid) == ()


@pytest.mark.parametrize("away", [6, 9, 15])
def test_a_panel_at_some_distance_from_a_board_hides_nothing(away: int) -> None:
    pixels = ruled(100)
    pixels[100 + 9 * PITCH + away : -40, 60:-60] = PANEL
    assert hidden_sides(Frame(pixels), Grid(100, 100, PITCH, PITCH, 9, 12)) == ()


def test_a_rule_below_a_board_hides_nothing() -> None:
    pixels = ruled(60)
    pixels[60 + 9 * PITCH : 60 + 9 * PITCH + 8, 20:-20] = PANEL
    assert hidden_sides(Frame(pixels), Grid(60, 60, PITCH, PITCH, 9, 12)) == ()

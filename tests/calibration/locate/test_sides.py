"""A board goes on where the picture ends, or where something covers it, and nowhere else.

The boards are those of real programs; the picture, a bar or a panel ends them on one side.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.errors import NoGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import cut_sides, hidden_sides, is_crop
from tests.calibration.desktops import PITCH, Pixels, bevelled_board
from tests.calibration.gate import ROOT, changed
from tests.calibration.screens import Screen

SIDES = ("left", "right", "top", "bottom")


def ended(picture: str, change: str) -> tuple[Frame, Grid]:
    """Return a changed screenshot, and the grid of the tiles that are left whole."""
    screen = Screen.load(ROOT / "screens" / f"{picture}.json")
    how, side, tiles = change.split()
    gone = [-ceil(float(tiles)) if side == one else 0 for one in SIDES]
    grid, (left, top, *_) = screen.grid.widened(*gone), screen.grid.bounds
    if how == "cut":
        left += round(float(tiles) * grid.tile_w)
        top += round(float(tiles) * grid.tile_h)
        grid = grid.moved(-left * (side == "left"), -top * (side == "top"))
    return changed(screen, change, 0), grid


@pytest.mark.parametrize(
    ("picture", "change"),
    [
        # Only a part of a tile is left, or the frame is missing, ...
        ("xdemineur/16x16_mid", "bar left 1"),
        ("xdemineur/16x16_mid", "panel right 2"),
        ("xdemineur/30x16_late", "bar bottom 2"),
        ("xdemineur/30x16_fresh", "bar top 1"),
        ("kmines/km_cla_exp_small_mid", "bar top 1.9"),
        ("kmines/medium_classic_t39_lostw", "bar right 1"),
        ("sgt-mines/sg_beg_won", "bar left 2"),
        ("sgt-mines/craft18x14_dark_t34_won", "bar bottom 1"),
        # ... or, without a frame, the page goes on behind a panel.
        ("gnome-mines/gm_bgc_exp_fresh", "bar left 0.8"),
        ("gnome-mines/gm_bgc_exp_fresh", "panel right 1"),
        ("gnome-mines/gm_bgc_int_mid", "bar top 0.8"),
        ("winemine/wm_beg_fresh", "panel top 0.8"),
        ("winemine/wm_beg_lost", "panel bottom 0.8"),
        ("sgt-mines/craft18x14_dark_t34_lost", "panel bottom 1.9"),
        ("browser/biggap_lostw", "panel top 2"),
        ("browser/contrast_lostw", "panel bottom 2"),
        ("browser/neon_mid", "panel bottom 1"),
        ("browser/t61_lostw", "panel left 0.8"),
        ("no-lines/disc_half", "panel right 1"),
    ],
)
def test_what_lies_over_the_side_of_a_board_is_noticed(picture: str, change: str) -> None:
    screen = Screen.load(ROOT / "screens" / f"{picture}.json")
    assert hidden_sides(screen.frame(), screen.grid) == ()
    assert hidden_sides(*ended(picture, change)) == (change.split()[1],)


@pytest.mark.parametrize(
    ("picture", "change"),
    [
        ("xdemineur/30x16b_lostw", "bar top -0.05"),
        ("xdemineur/30x16_fresh", "panel left -0.05"),
        ("sgt-mines/sg_exp_lost", "bar left -0.05"),
        ("sgt-mines/sg_beg_won", "panel top -0.1"),
        ("sgt-mines/30x16_t20_fresh", "panel left -0.5"),
        ("winemine/wm_beg_won", "bar top -0.1"),
        ("winemine/wm_beg_mid", "bar bottom 0"),
        ("kmines/easy_default_t55_lostw", "panel right -0.3"),
        ("gnome-mines/big_bgcolors_wrongflags", "panel top 0"),
        ("gnome-mines/gm_bgc_int_mid", "panel right -0.1"),
        ("browser/contrast_lostw", "bar bottom -0.1"),
        ("browser/google_flags", "panel right -0.05"),
        ("browser/pastel_lostw", "panel right -0.5"),
        ("no-lines/emoji_won", "panel left -0.3"),
    ],
)
def test_what_lies_beside_a_board_hides_nothing(picture: str, change: str) -> None:
    screen = Screen.load(ROOT / "screens" / f"{picture}.json")
    assert hidden_sides(changed(screen, change, 0), screen.grid) == ()


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


@pytest.mark.parametrize(
    ("picture", "change"),
    [
        ("sgt-mines/30x16_t20_lostw", "cut left 0.2"),
        ("gnome-mines/gm_bgc_int_mid", "cut top 0.5"),
        ("sgt-mines/sg_exp_lost", "cut right 0.5"),
        ("winemine/wm_exp_early", "cut right 0.2"),
        ("xdemineur/12x9_won", "cut bottom 0.2"),
        ("winemine/wm_beg_lost", "cut bottom 0.5"),
        ("winemine/wm_beg_lost", "cut top 1"),
        ("kmines/km_cla_beg_won", "cut left 0.8"),
    ],
)
def test_a_picture_that_ends_within_a_board_cuts_it_off(picture: str, change: str) -> None:
    screen = Screen.load(ROOT / "screens" / f"{picture}.json")
    assert cut_sides(screen.frame(), screen.grid) == ()
    frame, grid = ended(picture, change)
    assert cut_sides(frame, grid) == (change.split()[1],)
    assert not is_crop(frame, grid)


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


@pytest.mark.parametrize("side", ["left", "right", "bottom"])
@pytest.mark.parametrize("part", [0.2, 0.3, 0.5, 0.8, 1, 1.5])
def test_a_board_without_a_whole_row_or_column_is_cut_off(side: str, part: float) -> None:
    pixels, away = chessboard(14, 18, 30), round(30 * part)
    kept: Any = {
        "left": np.s_[:, away:], "right": np.s_[:, :-away], "bottom": np.s_[:-away]
    }[side]  # fmt: skip
    with pytest.raises(NoGrid, match="cut off"):
        calibrate(Frame(np.ascontiguousarray(pixels[kept])))


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

"""Drawn boards in unusual looks are recognised, or found to be in doubt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.appearances import Appearance, Colour
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import label_clusters, recognise
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.theme import Theme
from solver.board import Tile
from tests.calibration.classify.drawing import IN_PART, PLAYED, TILE_PX, drawn, tiles


@pytest.mark.parametrize("ink", [(30, 30, 30), (20, 90, 200)])
def test_a_board_whose_digits_have_one_colour(ink: tuple[int, int, int]) -> None:
    seen = recognise(*drawn(PLAYED, ink=ink), themes=())
    assert np.array_equal(seen.tiles, tiles(PLAYED))
    assert (seen.confidence > 0.5).all()


WRONG_FLAG = """
001F102#
002F203#
001F102#
00111011
00000000
00000000
"""


def test_a_wrong_flag_that_contradicts_many_numbers_makes_no_board_impossible() -> None:
    """The flag between the two others is wrong: four numbers are too small."""
    seen = recognise(*drawn(WRONG_FLAG), themes=())
    assert np.array_equal(seen.tiles, tiles(WRONG_FLAG))
    assert (seen.confidence >= MARGIN).all()


@pytest.mark.parametrize("colour", [(255, 255, 0), (128, 0, 128)])
def test_flags_that_are_plain_colours_stand_where_numbers_show_mines(
    colour: tuple[int, int, int],
) -> None:
    seen = recognise(*drawn(PLAYED, plain_flag=colour), themes=())
    assert np.array_equal(seen.tiles, tiles(PLAYED))
    assert (seen.confidence > 0.5).all()


@pytest.mark.parametrize("board", [PLAYED, PLAYED.replace("F", "#")])
def test_hidden_and_open_tiles_may_both_be_a_chessboard(board: str) -> None:
    seen = recognise(*drawn(board, chess=True), themes=())
    assert np.array_equal(seen.tiles, tiles(board))
    assert (seen.confidence > 0.5).all()


@pytest.mark.parametrize("board", [PLAYED, IN_PART])
@pytest.mark.parametrize("drawn_on_hidden", ["", "-"])
def test_zeros_may_look_like_hidden_tiles_if_digits_stand_on_such_ground(
    board: str, drawn_on_hidden: str
) -> None:
    """A page draws a dash on hidden tiles; another draws them as it draws open ones, but raised."""
    grey = (200, 200, 200)
    frame, grid = drawn(board, covered=grey, opened=grey)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(board) == Tile.HIDDEN).tolist():
        place = ((col + 1) * TILE_PX + 10, (row + 1) * TILE_PX + 22)
        cv2.putText(pixels, drawn_on_hidden, place, 0, 0.6, (30, 30, 30), 2, cv2.LINE_AA)
    found = recognise(Frame(pixels), grid, themes=())
    zeros = tiles(board) == 0
    assert (found.tiles[zeros] == 0).all() or (found.confidence[zeros] < MARGIN).any()


def test_a_faint_digit_beside_hidden_cells_is_no_zero() -> None:
    frame, grid = drawn(IN_PART)
    pixels = frame.pixels.copy()
    place = (8 * TILE_PX + 8, 5 * TILE_PX - 8)
    cv2.putText(pixels, "1", place, 0, 0.75, (213, 213, 213), 2, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert seen.tiles[3, 7] != 0 or seen.confidence[3, 7] < 0.5 or seen.plausibility < 0.9


def test_a_hidden_tile_in_another_shade_is_no_flag() -> None:
    frame, grid = drawn(PLAYED.replace("F", "#"))
    x, y = 2 * TILE_PX, 6 * TILE_PX
    pixels = frame.pixels.copy()
    cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (165, 190, 215), -1)
    seen = recognise(Frame(pixels), grid, themes=())
    assert seen.tiles[5, 1] == Tile.HIDDEN


def test_flags_that_contradict_the_numbers_show_that_it_is_no_board() -> None:
    wrong = PLAYED.replace("#", "F").replace("31", "00").replace("2", "0")
    seen = recognise(*drawn(wrong), themes=())
    assert seen.plausibility < 0.4


def test_a_line_that_scaling_puts_into_each_tile_of_a_column_is_no_digit() -> None:
    frame, grid = drawn("#########\n" * 9)
    pixels = frame.pixels.copy()
    x = 8 * TILE_PX + 16
    pixels[TILE_PX : 10 * TILE_PX, x : x + 2] = (90, 110, 130)
    seen = recognise(Frame(pixels), grid, themes=())
    assert not (seen.tiles > 0).any()


def test_digits_that_a_page_draws_tiny_are_no_empty_tiles() -> None:
    frame, grid = drawn(PLAYED.replace("1", "0").replace("2", "0").replace("3", "0"))
    enlarged = cv2.resize(frame.pixels, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_NEAREST)
    pixels = np.asarray(enlarged, np.uint8)
    large = Grid(*(2.5 * TILE_PX,) * 4, grid.rows, grid.cols)
    for (row, col), tile in np.ndenumerate(tiles(PLAYED)):
        if tile > 0:
            x, y = int((col + 1.45) * large.tile_w), int((row + 1.56) * large.tile_h)
            cv2.putText(pixels, str(tile), (x, y), 0, 0.42, (40, 40, 40), 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), large, themes=())
    sure = seen.confidence > 0.5
    assert np.array_equal(seen.tiles[sure], tiles(PLAYED)[sure])


def test_a_theme_that_names_none_of_the_numbers_does_not_count() -> None:
    """It was chosen on a fresh board whose hidden tiles look as those of its program."""
    text = PLAYED.replace("F", "#")
    frame, grid = drawn(text, covered=(236, 236, 236))
    hidden = Appearance(int(Tile.HIDDEN), Colour(230, 230, 230))
    clusters = cluster_tiles(frame, grid)
    decoding = label_clusters(clusters, Theme("other/plain", (hidden,)))
    assert np.array_equal(decoding.labels[clusters.of_tile], tiles(text))

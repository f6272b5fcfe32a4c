"""What the reader infers from the last clicks: openings, zeros and flags of unknown programs."""

from __future__ import annotations

from contextlib import suppress

import cv2
import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.errors import Unreadable, UnreadableTiles
from calibration.frame import Frame
from solver.board import Cell, Tile
from tests.calibration.desktops import flat_board
from tests.calibration.reading import Frames

FRESH = ["#" * 10] * 10


@pytest.mark.parametrize("opened", [(208, 208, 208), (90, 170, 90)], ids=["grey", "green"])
def test_a_single_grey_tile_that_was_clicked_is_an_opening(opened: tuple[int, int, int]) -> None:
    """An exploded mine may be a plain tile, too, but hardly a grey one."""
    frame = flat_board(FRESH)
    reader = Frames(calibrate(frame))
    reader.read(frame)
    reader.expect_opening(Cell(0, 0))
    opened_one = flat_board(["0" + "#" * 9, *FRESH[1:]], opened)
    if opened == (208, 208, 208):
        assert reader.read(opened_one).board[Cell(0, 0)] == 0
    else:
        with pytest.raises(UnreadableTiles):
            reader.read(opened_one)


def test_an_opening_of_nothing_but_zeros_is_read_among_numbers() -> None:
    """Some programs open only zeros around a zero; a first click may have opened a number."""
    fresh = flat_board(FRESH)
    reader = Frames(calibrate(fresh))
    reader.read(fresh)
    rows = ["1" + "#" * 9, *FRESH[1:]]
    assert reader.read(flat_board(rows)).board.text_rows() == rows
    reader.expect_opening(Cell(9, 9))
    rows[6:] = ["#" * 8 + "00", "#" * 7 + "000", "#" * 6 + "0000", "#" * 8 + "00"]
    assert reader.read(flat_board(rows)).board.text_rows() == rows
    rows[6] = "#" * 7 + "100"
    assert reader.read(flat_board(rows)).board.text_rows() == rows


def test_an_opening_that_looked_like_mines_is_read_once_it_rests() -> None:
    """Zeros as dark as the page around the board may pass for mines, until nothing more appears."""
    fresh = _dark_page(FRESH)
    reader = Frames(calibrate(fresh))
    rows = ["2" + "#" * 9, *FRESH[1:]]
    for frame in (fresh, _dark_page(rows)):
        reader.read(frame)
    rows[2:5] = ["#" * 7 + "000", "#" * 6 + "0000", "00##00####"]
    rows[5:] = ["0000" + "#" * 6] * 2 + ["000" + "#" * 7] * 3
    opened = _dark_page(rows)
    with pytest.raises(Unreadable):
        reader.read(opened)
    reader.expect_opening(Cell(9, 0))
    assert reader.read(opened).board.text_rows() == rows


def _dark_page(rows: list[str]) -> Frame:
    """Draw grey tiles of 40 px with red lines on a dark page, the colour of zeros."""
    pixels = np.full((500, 520, 3), (13, 20, 26), np.uint8)
    pixels[40:443, 60:463] = (255, 0, 0)
    for row, line in enumerate(rows):
        for col, char in enumerate(line):
            cell = pixels[43 + 40 * row : 80 + 40 * row, 63 + 40 * col : 100 + 40 * col]
            cell[:] = {"#": (147, 157, 161), "0": (13, 20, 26)}.get(char, (70, 200, 50))
            if char.isdigit() and char != "0":
                cv2.putText(cell, char, (10, 27), 0, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    return Frame(pixels)


@pytest.mark.parametrize("drawn", ["X", "M", "o"])
def test_what_appears_on_a_flagged_tile_is_a_flag(drawn: str) -> None:
    """Some pages draw a cross for a flag, which elsewhere crosses out wrong ones."""
    rows = ["00001#####", "0000112###", "000000112#", "0000000011", *["0" * 10] * 6]
    fresh, played = _dark_page(FRESH), _dark_page(rows)
    pixels = played.pixels.copy()
    cv2.putText(pixels, drawn, (272, 68), 0, 0.6, (250, 250, 250), 2, cv2.LINE_AA)
    marked = Frame(pixels)
    reader = Frames(calibrate(fresh))
    for frame in (fresh, played):
        reader.read(frame)
    with suppress(UnreadableTiles):
        assert reader.read(marked).board[Cell(0, 5)] == Tile.FLAG
    reader.expect_clicks((), [Cell(0, 5)])
    assert reader.read(marked).board[Cell(0, 5)] == Tile.FLAG
    assert reader.read(played).board[Cell(0, 5)] == Tile.HIDDEN


def test_a_plain_colour_that_appears_on_a_flagged_tile_is_a_flag() -> None:
    """Red may also be an exploded mine; an unchanged tile is neither a flag nor a mine."""
    rows = ["00001#####", "0000112###", "000000112#", "0000000011", *["0" * 10] * 6]
    fresh, played = _dark_page(FRESH), _dark_page(rows)
    pixels = played.pixels.copy()
    pixels[43:80, 263:300] = (180, 30, 30)
    reader = Frames(calibrate(fresh))
    for frame in (fresh, played):
        reader.read(frame)
    with pytest.raises(UnreadableTiles):
        reader.read(Frame(pixels))
    reader.expect_clicks((), [Cell(0, 5)])
    assert reader.read(Frame(pixels)).board[Cell(0, 5)] == Tile.FLAG
    assert reader.read(played).board[Cell(0, 5)] == Tile.HIDDEN


@pytest.mark.parametrize("clicked", [False, True])
def test_what_a_click_opened_is_no_flag(clicked: bool) -> None:
    """A cartoon of a 1 was taken for a flag on the cell that the bot had clicked."""
    fresh = _dark_page(FRESH)
    pixels = fresh.pixels.copy()
    cv2.rectangle(pixels, (76, 50), (78, 73), (20, 20, 20), -1)
    cv2.fillPoly(pixels, [np.array([(79, 50), (92, 56), (79, 62)])], (220, 20, 20))
    seen = Frame(pixels)
    reader = Frames(calibrate(fresh))
    reader.read(fresh)
    if clicked:
        reader.expect_clicks([Cell(0, 0)])
        with pytest.raises(Unreadable):
            reader.read(seen)
    else:
        assert reader.read(seen).board[Cell(0, 0)] == Tile.FLAG


def test_a_single_written_zero_is_read_after_the_first_click() -> None:
    reader = Frames(calibrate(flat_board(FRESH)))
    rows = ["0" + "#" * 9, *FRESH[1:]]
    for shown in (FRESH, rows):
        assert reader.read(flat_board(shown, zeros=True)).board.text_rows() == shown


@pytest.mark.parametrize("before", [FRESH, ["1" + "#" * 9, *FRESH[1:]]], ids=["fresh", "a number"])
def test_a_strange_drawing_on_the_cell_that_was_clicked_is_no_mine(before: list[str]) -> None:
    """It may be a 0 in an unusual font; read as a mine, the game would be reported as lost."""
    fresh, seen = flat_board(FRESH), flat_board(before)
    for drawn in "OQ@":
        reader = Frames(calibrate(fresh))
        reader.read(fresh)
        reader.read(seen)
        clicked = flat_board([before[0], *FRESH[1:9], "#" * 9 + drawn])
        if drawn == "O":
            assert reader.read(clicked).board[Cell(9, 9)] == 0
        else:
            with pytest.raises(Unreadable):
                reader.read(clicked)


def test_blank_zeros_around_which_nothing_opens_are_read_on() -> None:
    """Some programs open only the cell that was clicked, and leave a zero blank."""
    fresh = flat_board(FRESH)
    reader = Frames(calibrate(fresh))
    reader.read(fresh)
    reader.expect_opening(Cell(0, 0))
    for rows in (["0" + "#" * 9, *FRESH[1:]], ["00" + "#" * 8, "11" + "#" * 8, *FRESH[2:]]):
        assert reader.read(flat_board(rows)).board.text_rows() == rows


def _raised_board(rows: list[str], font: int = 0) -> Frame:
    """Draw raised grey tiles of 50 px, open ones too, with small numbers near their upper edges."""
    pixels = np.full((620, 640, 3), 255, np.uint8)
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            cell = pixels[60 + 50 * row : 110 + 50 * row, 60 + 50 * col : 110 + 50 * col]
            cell[:], cell[:3], cell[:, :3] = 150, 240, 240
            cell[3:47, 3:47] = 200
            if tile != "#":
                cv2.putText(cell, tile, (21, 22), font, 0.35, (100, 100, 100), 1, cv2.LINE_AA)
    return Frame(pixels)


@pytest.mark.parametrize("font", [0, 2, 3, 4])
def test_open_tiles_look_like_hidden_ones_where_zeros_are_written(font: int) -> None:
    """All that shows an open tile there is its number; a few high ones were taken for no tiles."""
    rows = ["0000001###", "0000001###", "1100113###", "#3211#####", *FRESH[4:]]
    reader = Frames(calibrate(_raised_board(FRESH)))
    reader.read(_raised_board(FRESH))
    reader.expect_clicks([Cell(0, 0)])
    assert reader.read(_raised_board(rows, font)).board.text_rows() == rows


def test_numbers_in_the_corners_of_a_board_are_no_grid_with_gaps_as_tiles() -> None:
    """They were all on the first and the last of 15 rows, after clicks on corners."""
    fresh = ["#" * 14] * 15
    rows = ["1" + "#" * 12 + "1", *fresh[:13], "1#1" + "#" * 11]
    reader = Frames(calibrate(flat_board(fresh)))
    for shown in (fresh, rows):
        assert reader.read(flat_board(shown)).board.text_rows() == shown

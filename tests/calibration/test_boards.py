"""Which boards of a frame are taken: whole ones, before pieces and before mere patterns."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.boards.search import FINDERS, Finder, is_found_at
from calibration.calibration import calibrate
from calibration.errors import CalibrationError, NoGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import find_lattices
from calibration.locate.sides import Proposal, lines_go_on
from calibration.reader import read
from solver.board import Cell
from tests.calibration.desktops import desktop
from tests.calibration.screens import FIXTURES, Screen, first_beside, labelled, screen_named

Pixels = NDArray[np.uint8]
SCREENS = labelled(FIXTURES)
WITH_LINES = [screen for screen in SCREENS if screen.picture.parent.name != "no-lines"]


def propose(monkeypatch: pytest.MonkeyPatch, grid: Grid, *others: Finder) -> None:
    """Let a grid be proposed first, and then what some other finders propose."""
    finders = (lambda _: [Proposal(grid)], *others)
    monkeypatch.setattr("calibration.boards.search.FINDERS", finders)


def chess_board(side: int, at: tuple[int, int], shape: tuple[int, ...]) -> Pixels:
    pixels = np.full(shape, 60, np.uint8)
    row, col = np.indices((8 * side, 8 * side)) // side
    dark = ((row + col) % 2).astype(bool)
    part = pixels[at[1] : at[1] + 8 * side, at[0] : at[0] + 8 * side]
    part[dark], part[~dark] = (118, 150, 86), (238, 238, 210)
    return pixels


def test_a_board_that_its_window_shows_in_part_is_refused() -> None:
    screen = screen_named("16x16_t27_early")
    pixels = screen.frame().pixels.copy()
    x0, y0, x1, y1 = screen.grid.bounds
    # The window ends in the middle of the twelfth column and of the tenth row.
    right, bottom = x0 + round(11.5 * screen.grid.tile_w), y0 + round(9.5 * screen.grid.tile_h)
    pixels[y0 - 5 : y1 + 30, right : x1 + 30] = pixels[bottom : y1 + 30, x0 - 30 : x1 + 30] = 90
    with pytest.raises(NoGrid, match="not completely visible"):
        calibrate(Frame(pixels))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["easy_default_t55_fresh", "30x16b_wrongflags", "m_boom_lost", "12x9_early", "gm_bgc_int_mid"],
)
def test_a_board_on_a_screen_made_small_is_found_whole(name: str) -> None:
    """The boxes of some of its tiles, or of the wallpaper, are larger than lines of 11 px are."""
    screen = screen_named(name)
    share = 11 / screen.grid.tile_w
    small = cv2.resize(
        screen.frame().pixels, None, fx=share, fy=share, interpolation=cv2.INTER_AREA
    )
    frame = Frame(np.asarray(small, np.uint8))
    assert read(frame, calibrate(frame)).board.text_rows() == screen.board.text_rows()


def test_a_piece_of_a_board_beside_a_whole_one_is_no_choice() -> None:
    first, second = screen_named("12x9_early"), screen_named("30x16_t20_fresh")
    pixels = first_beside(first, second)
    x0, y0, x1, y1 = first.grid.bounds
    half = x0 + round(5.5 * first.grid.tile_w)
    pixels[y0 - 90 : y1 + 30, half : x1 + 30] = 120
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
    size = round(9 * tile[0]) + 400, round(10 * tile[1]) + 300
    shown = desktop(style, 9, 9, tile, size=size, opened=0.0, decoys=False)
    found = calibrate(shown.frame).grid
    assert (found.rows, found.cols) == (9, 9)
    assert is_found_at(shown.frame, found)


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("screen", WITH_LINES[::6], ids=lambda screen: screen.name)
def test_a_saved_grid_is_found_at_its_place_and_at_no_other(screen: Screen) -> None:
    frame = screen.frame()
    grid = calibrate(frame).grid
    assert is_found_at(frame, grid)
    for dx, dy in ((0.5, 0.0), (2.0, 0.0), (0.0, -3.0)):
        assert not is_found_at(frame, grid.moved(dx * grid.tile_w, dy * grid.tile_h))


def board_under_a_panel(rows: list[str], side: int) -> tuple[Pixels, tuple[int, int]]:
    """Draw a board, and above it a panel whose boxes end at the lines between its columns."""
    pixels = np.full((480, 640, 3), (127, 255, 212), np.uint8)
    x0, y0, wide = 203, 151, side * len(rows[0])
    high = side + 8
    pixels[y0 - high : y0 + side * len(rows) + 2, x0 - 2 : x0 + wide + 2] = 128
    pixels[y0 - high + 2 : y0 - 2, x0 : x0 + wide] = (127, 255, 212)
    for first, last, colour in ((1, 3, 0), (4, 5, 255), (6, 8, 0)):
        box = pixels[y0 - side : y0 - 4, x0 + side * first : x0 + side * last]
        box[:] = colour
        cv2.putText(box, "07"[: last - first], (2, 14), 0, 0.5, (255, 0, 0), 1, cv2.LINE_AA)
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            top, left = y0 + side * row, x0 + side * col
            cell = pixels[top : top + side, left : left + side]
            cell[1:, 1:] = 211
            if tile == "#":
                cell[:], cell[:-2, :-2], cell[3:-3, 3:-3] = 160, 245, 200
            elif tile != "0":
                ink = {"1": (0, 0, 255), "2": (0, 128, 0)}[tile]
                cv2.putText(cell, tile, (6, side - 6), 0, 0.6, ink, 2, cv2.LINE_AA)
    return pixels, (x0, y0)


def test_a_panel_that_fits_the_lattice_is_no_row_of_the_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = ["0001#####", "000112###", "000001###", "000012###", "11002####", "#2112####"]
    rows += ["#########"] * 2
    pixels, (x0, y0) = board_under_a_panel(rows, side=26)
    (lattice,) = find_lattices(Frame(pixels))
    grid = lattice.grid
    with_panel = replace(grid.moved(0, -grid.tile_h), rows=grid.rows + 1)
    propose(monkeypatch, with_panel)
    found = calibrate(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (8, 9)
    assert abs(found.grid.x0 - x0) < 3
    assert abs(found.grid.y0 - y0) < 3
    assert read(Frame(pixels), found).board.text_rows() == rows


def test_squared_paper_beside_a_covered_board_with_numbers_is_no_board() -> None:
    rows = ["0001#####", "000112###", "000001###", "000012###", "11002####", "#2112####"]
    pixels, (x0, y0) = board_under_a_panel(rows + ["#########"] * 2, side=26)
    paper = pixels[40:401, 480:621]
    paper[:] = 230
    paper[::20] = paper[:, ::20] = 90
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (8, 9)
    covered = pixels[y0 + 6 * 26 + 5 : y0 + 8 * 26 + 30, x0 - 25 : x0 + 9 * 26 + 25]
    covered[:] = (250, 120, 40)
    with pytest.raises(NoGrid, match="not completely visible"):
        calibrate(Frame(pixels))


def test_the_hidden_tiles_of_a_board_whose_open_ones_lie_beside_them_are_no_board() -> None:
    """Open tiles have no lines, so that a block of hidden tiles looks like a small fresh board."""
    rows = ["..1..1###", "###1.2###", "1111.2###", "...112###", "...1#####", "...1#####"]
    rows += ["...122###", "....1111.", "........."]
    pixels = np.full((400, 460, 3), 255, np.uint8)
    pixels[99 : 101 + 9 * 25, 99 : 101 + 9 * 25] = 238
    for row, line in enumerate(rows):
        for col, char in enumerate(line):
            tile = pixels[100 + 25 * row : 125 + 25 * row, 100 + 25 * col : 125 + 25 * col]
            if char == "#":
                tile[:] = 255
                tile[-2:] = tile[:, -2:] = 120
                tile[:1] = tile[:, :1] = 190
            elif char != ".":
                cv2.putText(tile, char, (7, 19), 0, 0.55, (0, 0, 205), 1, cv2.LINE_AA)
    try:
        found = calibrate(Frame(pixels)).grid
    except CalibrationError:
        return
    assert (found.rows, found.cols) == (9, 9)


@pytest.mark.parametrize(("rows", "side", "pitch"), [(9, 16, 25), (9, 18, 25), (16, 16, 25)])
@pytest.mark.parametrize("at", [60.0, 63.0, 65.5])
def test_lines_lie_in_the_middle_of_wide_gaps(
    rows: int, side: int, pitch: float, at: float
) -> None:
    """Not at an edge of them, nor does a gap halve tiles of twice the size."""
    pixels = np.full((round(rows * pitch) + 140, round(rows * pitch) + 150, 3), 255, np.uint8)
    for row in range(rows):
        for col in range(rows):
            y, x = round(at + row * pitch), round(at + 10 + col * pitch)
            pixels[y : y + side, x : x + side] = 230, 231, 233
    grid = calibrate(Frame(pixels)).grid
    assert (grid.rows, grid.cols) == (rows, rows)
    assert abs(grid.y0 - (at - (pitch - side) / 2)) < 1
    assert abs(grid.x0 - (at + 10 - (pitch - side) / 2)) < 1


def test_numbers_on_squares_beside_plain_zeros_do_not_end_a_board() -> None:
    """The zeros beyond them look like the surroundings: no edge shows where the board ends."""
    rows = ["000000000", "011100000", "23#100000", "###321000"] + ["#####1000"] * 5
    pixels = np.full((400, 400, 3), 255, np.uint8)
    pixels[56:344, 56:344] = 0
    for row, line in enumerate(rows):
        for col, char in enumerate(line):
            y, x = 57 + 32 * row, 57 + 32 * col
            if char != "0":
                fill = (120, 120, 120) if char == "#" else (215, 215, 215)
                cv2.rectangle(pixels, (x, y), (x + 29, y + 29), fill, -1)
            if char in "123":
                cv2.putText(pixels, char, (x + 7, y + 23), 0, 0.75, (0, 0, 200), 2, cv2.LINE_AA)
    try:
        found = calibrate(Frame(pixels)).grid
    except CalibrationError:
        return
    assert (found.rows, found.cols) == (9, 9)


def paint_tiles(pixels: Pixels, tile: NDArray[Any], at: tuple[int, int], pitch: int) -> None:
    """Paint the same tile in 16 rows and columns, from ``at`` on."""
    (x, y), (high, wide) = at, tile.shape[:2]
    for row, col in np.ndindex(16, 16):
        pixels[y + pitch * row :, x + pitch * col :][:high, :wide] = tile


def test_square_boxes_are_no_oblong_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines along the upper edges of some rows and the lower edges of others fit 13 rows, too."""
    pixels = np.full((1000, 1290, 3), 20, np.uint8)
    box = 56 - 43 * np.sign(np.add.outer(np.arange(33), np.arange(33)) - 32)[..., None]
    box[3:-3, 3:-3] = 65
    paint_tiles(pixels, box, (311, 158), 42)
    oblong = Grid(300.6, 176.9, 42.0, 48.46, 13, 16, 0.97)
    propose(monkeypatch, oblong, *FINDERS[1:])
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (16, 16)
    assert found.tile_h == pytest.approx(42, abs=0.1)


@pytest.mark.slow
def test_every_second_line_of_soft_tiles_is_no_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lit and the shaded sides of soft tiles fit 9 rows and 8 columns of oblong ones, too."""
    pixels = np.full((900, 1200, 3), (207, 193, 175), np.uint8)
    pixels[138:736, 310:908] = (172, 157, 141)
    down, across = np.mgrid[:34, :34]
    lit = np.clip(1 - np.minimum(across, down) / 7, 0, 1)
    shaded = np.clip(1 - (33 - np.maximum(across, down)) / 7, 0, 1)
    tile = np.array((213, 197, 182)) + 35 * (lit - 1.3 * shaded)[..., None]
    paint_tiles(pixels, tile, (322, 150), 36)
    oblong = Grid(321.6, 154.7, 72.0, 62.98, 9, 8, 0.9)
    propose(monkeypatch, oblong, *FINDERS[-1:])
    found = calibrate(Frame(pixels)).grid
    assert (found.rows, found.cols) == (16, 16)
    assert found.tile_h == pytest.approx(36, abs=0.1)


@pytest.mark.slow
def test_a_fresh_board_with_a_bubble_over_its_first_rows_is_not_taken_for_a_smaller_one() -> None:
    """A single tile beside the grid is left of each row that the bubble hides."""
    pixels = np.full((500, 620, 3), 255, np.uint8)
    for row, col in np.ndindex(10, 10):
        tile = pixels[60 + 20 * row :, 200 + 20 * col :][:20, :20]
        tile[:] = 148
        tile[:2] = tile[:, :2] = 205
        tile[-2:] = tile[:, -2:] = 70
    assert calibrate(Frame(pixels)).grid.rows == 10
    pixels[52:100, 230:480] = 255
    with pytest.raises(CalibrationError):
        calibrate(Frame(pixels))


def test_open_tiles_are_no_board_if_the_lines_go_on_beside_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pixels = np.full((460, 460, 3), (10, 6, 24), np.uint8)
    for row, col in np.ndindex(9, 9):
        tile = pixels[70 + 35 * row :, 70 + 35 * col :][:33, :33]
        tile[:] = (36, 21, 56) if col < 4 else (59, 43, 94)
        if col == 3:
            text = "1" if row in (0, 8) else "2"
            cv2.putText(tile, text, (9, 24), 0, 0.65, (77, 227, 255), 2, cv2.LINE_AA)
    frame, whole = Frame(pixels), Grid(69, 69, 35, 35, 9, 9)
    piece = whole.part(Cell(0, 0), Cell(8, 3))
    assert [lines_go_on(frame, grid) for grid in (piece, whole)] == [True, False]
    propose(monkeypatch, piece, *FINDERS[1:])
    with suppress(CalibrationError):
        assert calibrate(frame).grid.cols == 9

"""Boards in unusual drawings are read, or refused."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.calibration import Calibration, calibrate
from calibration.classify.recognise import recognise
from calibration.errors import CalibrationError, ImpossibleBoard, StatusUnclear, Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.words import Said
from calibration.reader import Reader, read
from solver.board import Board, Cell, Tile, count_neighbours
from solver.game import Status
from tests.calibration.classify.drawing import NO_THEME, PLAYED, TILE_PX, drawn, tiles
from tests.calibration.desktops import flat_board
from tests.calibration.reading import Frames

KEYCAPS = [
    "001###### 001###### 111###### ######### ######### ######### ######### ######### #########",
    "000000000 111110000 ####31000 #####1000 ##2221000 ##1000000 ##2221011 #####112# #########",
    "010000000 #21110000 ##2#10000 ####31111 ######### ######### ######### ######### #########",
]


@pytest.mark.parametrize("text", KEYCAPS)
def test_digits_on_keys_of_their_own_are_read_or_refused(text: str) -> None:
    """Each tile is a raised square on the page, grey or black, or blue with a white digit."""
    pixels = np.full((460, 400, 3), (255, 251, 232), np.uint8)
    board = Board.from_text(text.replace(" ", "\n"))
    for cell in board.cells():
        _key(pixels, (29 + 36 * cell.col, 70 + 36 * cell.row), int(board[cell]))
    frame = Frame(pixels)
    try:
        found = calibrate(frame)
        seen = read(frame, found).board
    except CalibrationError:
        return
    assert seen.text_rows() == board.text_rows()


def _key(pixels: Any, at: tuple[int, int], tile: int) -> None:
    """Draw a raised square of 25 pixels."""
    (x, y), side = at, 25
    face = {Tile.HIDDEN: (224, 224, 224), 0: (66, 66, 66)}.get(tile, (125, 168, 190))
    light, dark = (np.clip(np.array(face) * share, 0, 255) for share in (1.12, 0.55))
    pixels[y : y + side, x : x + side] = dark
    pixels[y : y + side - 2, x : x + side - 2] = light
    pixels[y + 2 : y + side - 2, x + 2 : x + side - 2] = face
    if tile > 0:
        place, white = (x + 6, y + 19), (250, 250, 250)
        cv2.putText(pixels, str(tile), place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, white, 2, cv2.LINE_AA)


def test_written_zeros_need_no_open_tiles_around_them() -> None:
    rng = np.random.default_rng(2)
    mines = rng.random((10, 10)) < 0.12
    opened = (rng.random((10, 10)) < 0.3) & ~mines
    rows = Board(np.where(opened, count_neighbours(mines), Tile.HIDDEN)).text_rows()
    frame = flat_board(rows, zeros=True)
    assert read(frame, calibrate(frame)).board.text_rows() == rows


def test_crosses_that_the_numbers_do_not_count_are_wrong_flags() -> None:
    mines = np.zeros((8, 8), np.bool_)
    mines[[0, 2, 3, 5, 6], [3, 1, 6, 5, 0]] = True
    shown = count_neighbours(mines).astype(str)
    shown[mines], shown[0, 3], shown[7, 3] = "W", "X", "W"
    board = recognise(flat_board(["".join(row) for row in shown]), Grid(99.5, 119.5, 30, 30, 8, 8))
    assert (board.tiles[shown == "W"] == Tile.WRONG_FLAG).all()


@pytest.mark.parametrize("marked", ["tinted", "cross"])
def test_what_marks_a_tile_of_a_fresh_board_hides_no_more_than_that_tile(marked: str) -> None:
    """The cursor of the keys, or a hint where to start."""
    pixels = raised_board().pixels.copy()
    cell = pixels[122:152, 102:132]
    if marked == "tinted":
        cell[:] = (0.5 * cell + 0.5 * np.array((255, 160, 0))).astype(np.uint8)
    else:
        for ends in (((9, 9), (20, 20)), ((9, 20), (20, 9))):
            cv2.line(cell, *ends, (0, 130, 0), 3, cv2.LINE_AA)
    frame = Frame(pixels)
    board = Reader(calibrate(frame)).read_in_part(frame).board
    assert ((board.tiles == Tile.HIDDEN) | board.unknown).all()
    assert board.unknown.sum() <= 1


@pytest.mark.parametrize("light", [60, 24, 18])
def test_a_faint_bevel_distinguishes_hidden_tiles_from_open_ones(light: int) -> None:
    """Both are of one grey; there are more zeros than hidden tiles."""
    rows = [
        "##200000",
        "##200000",
        "##210000",
        "###21000",
        "####1011",
        "##21101#",
        "#3100011",
        "#2000000",
    ]
    pixels = np.full((400, 420, 3), 238, np.uint8)
    pixels[79:321, 99:341] = 140
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            cell = pixels[80 + 30 * row : 109 + 30 * row, 100 + 30 * col : 129 + 30 * col]
            cell[:] = 192
            if tile == "#":
                cell[:3] = cell[:, :3] = min(255, 192 + light)
            elif tile > "0":
                inks = {"1": (0, 0, 255), "2": (0, 128, 0), "3": (255, 0, 0)}
                cv2.putText(cell, tile, (8, 22), 0, 0.7, inks[tile], 2, cv2.LINE_AA)
    frame = Frame(pixels)
    assert read(frame, calibrate(frame)).board.text_rows() == rows


def raised_board() -> Frame:
    """Draw nine by nine raised grey tiles of 30 px on a teal page."""
    pixels = np.full((500, 520, 3), (0, 128, 128), np.uint8)
    for y in range(122, 122 + 270, 30):
        for x in range(102, 102 + 270, 30):
            pixels[y : y + 30, x : x + 30] = 120
            pixels[y : y + 27, x : x + 27] = 250
            pixels[y + 3 : y + 27, x + 3 : x + 27] = 192
    return Frame(pixels)


def test_a_dense_board_is_read_if_it_was_seen_fresh() -> None:
    """High numbers without any zero look like a misreading; such a page opens a number at first."""
    rows = ["1#3", "235#5", "#2##4433", "2434#3", "#3#324", "####12", "###33333", "###4##3"]
    opened = [row.ljust(15, "#") for row in rows] + ["#" * 15] * 7
    frame, dense = flat_board(["#" * 15] * 15), flat_board(opened)
    reader = Frames(calibrate(frame))
    reader.read(frame)
    assert list(reader.read(dense).board.text_rows()) == opened


def test_many_small_numbers_without_any_zero_are_misread() -> None:
    """Zeros that hardly differ from hidden tiles are recognised by the numbers around them."""
    rows = ["1111111111111#", "1###########1#"] * 4
    reader = Frames(Calibration(drawn("\n".join(rows))[1], NO_THEME))
    few = [*rows[:2], *["#" * 14] * 6]
    assert list(reader.read(drawn("\n".join(few))[0]).board.text_rows()) == few
    with pytest.raises(ImpossibleBoard, match="numbers are open, but no tile without one"):
        reader.read(drawn("\n".join(rows))[0], same_game=False)


WON = "0001F1111 0001122F1 000113F31 0112F3F31 02F3122F1 02F200222 0111001F1 000000122 00000001F"


@pytest.mark.parametrize(("said", "read"), [(Status.WON, True), (Status.LOST, False)])
def test_what_a_message_hides_of_a_won_board_is_read_if_it_says_so(
    said: Status, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, grid = drawn(WON)
    pixels = frame.pixels.copy()
    cv2.rectangle(pixels, (70, 226), (122, 252), (60, 60, 60), -1)
    cv2.putText(pixels, "Won!", (74, 246), 0, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    words = Said(said, plain=True)
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: words)
    reader = Frames(Calibration(grid, NO_THEME))
    if not read:
        with pytest.raises(Unreadable):
            reader.read(Frame(pixels))
        return
    reading = reader.read(Frame(pixels))
    assert np.array_equal(reading.board.tiles, tiles(WON))
    assert reading.status is Status.WON


def test_marks_that_cannot_be_named_beside_hidden_mines_of_a_won_board_are_flags(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One drawing on several tiles is not a message that covers them."""
    frame, grid = drawn(WON.replace("F", "#"))
    pixels, expected = (
        frame.pixels.copy(),
        np.where(tiles(WON) < 0, np.int8(Tile.HIDDEN), tiles(WON)),
    )
    for row, col in np.argwhere(tiles(WON) == Tile.FLAG)[:4].tolist():
        expected[row, col] = Tile.FLAG
        place = ((col + 1) * TILE_PX + 8, (row + 1) * TILE_PX + 24)
        cv2.putText(pixels, "&", place, 0, 0.7, (30, 30, 30), 2, cv2.LINE_AA)
    words = Said(Status.WON, plain=True)
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: words)
    reading = read(Frame(pixels), Calibration(grid, NO_THEME))
    assert np.array_equal(reading.board.tiles, expected)
    assert reading.status is Status.WON


def test_plain_tiles_that_may_be_flags_of_a_won_board_stay_in_doubt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three blue tiles among dark ones were read as hidden, because words said that it is won."""
    text = WON.replace("F", "#").replace("#", "F", 2)
    frame, grid = drawn(text, covered=(40, 40, 40), plain_flag=(60, 80, 180))
    pixels = frame.pixels.copy()
    place = (2 * TILE_PX, 6 * TILE_PX + 12)
    cv2.putText(pixels, "Victory", place, 0, 1.2, (10, 10, 10), 2, cv2.LINE_AA)
    words = Said(Status.WON, plain=True)
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: words)
    with pytest.raises(Unreadable):
        read(Frame(pixels), Calibration(grid, NO_THEME))


@pytest.mark.slow
@pytest.mark.parametrize("teeth", [6, 8, 11])
def test_what_is_drawn_beside_flags_on_a_won_board_is_no_hidden_tile(teeth: int) -> None:
    """It is not known: it may be the mines, drawn as cog wheels."""
    frame, grid = drawn(WON.replace("F", "#").replace("#", "F", 4))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(WON) == Tile.FLAG).tolist()[4:]:
        x, y = (col + 1) * TILE_PX + TILE_PX // 2, (row + 1) * TILE_PX + TILE_PX // 2
        for turn in np.arange(teeth) * 2 * np.pi / teeth:
            tooth = round(x + 9 * np.cos(turn)), round(y + 9 * np.sin(turn))
            cv2.circle(pixels, tooth, 2, (130, 130, 130), -1, cv2.LINE_AA)
        cv2.circle(pixels, (x, y), 8, (130, 130, 130), -1, cv2.LINE_AA)
        cv2.circle(pixels, (x - 1, y - 1), 4, (215, 215, 215), -1, cv2.LINE_AA)
        cv2.circle(pixels, (x, y), 2, (90, 90, 90), -1, cv2.LINE_AA)
    with pytest.raises(Unreadable):
        read(Frame(pixels), Calibration(grid, NO_THEME))


@pytest.mark.slow
def test_mines_that_a_won_board_shows_beside_flags_are_no_flags(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = WON.replace("F", "*").replace("*", "F", 4)
    frame, grid = drawn(shown)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(shown) == Tile.MINE).tolist():
        x, y = (col + 1) * TILE_PX + TILE_PX // 2, (row + 1) * TILE_PX + TILE_PX // 2
        cv2.circle(pixels, (x, y), 7, (20, 20, 20), -1, cv2.LINE_AA)
        for dx, dy in ((10, 0), (0, 10), (7, 7), (7, -7)):
            cv2.line(pixels, (x - dx, y - dy), (x + dx, y + dy), (20, 20, 20), 2, cv2.LINE_AA)
    words = Said(Status.WON, plain=True)
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: words)
    reading = read(Frame(pixels), Calibration(grid, NO_THEME))
    assert np.array_equal(reading.board.tiles, tiles(shown))
    assert reading.status is Status.WON


@pytest.mark.parametrize(("side", "radius"), [(36, 7), (48, 9), (48, 16)])
def test_discs_that_explode_are_mines(side: int, radius: int) -> None:
    """The drawing of the exploded mine is not a flag, even if it equals that of the others."""
    rows = ["000001*#", "000002##", "000002**", "000113*#"]
    rows += ["0001*###", "0002####", "0001*#X#", "0001####"]
    pixels = np.full((8 * side + 200, 8 * side + 200, 3), 255, np.uint8)
    pixels[100 : 101 + 8 * side, 100 : 101 + 8 * side] = 225
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            top, left = 101 + side * row, 101 + side * col
            cell = pixels[top : top + side - 1, left : left + side - 1]
            cell[:] = {"X": 205, "#": 232, "*": 232}.get(tile, 255)
            if tile in "*X":
                cv2.circle(cell, (side // 2,) * 2, radius, (205, 30, 30), -1, cv2.LINE_AA)
            elif tile in "123":
                place = side // 2 - 10, side // 2 + 11
                cv2.putText(cell, tile, place, 0, 1.0, (30, 30, 30), 2, cv2.LINE_AA)
    frame = Frame(pixels)
    reading = read(frame, calibrate(frame))
    shown = "\n".join(reading.board.text_rows()).replace("X", "*")
    assert shown.split() == [row.replace("X", "*") for row in rows]
    assert reading.status is Status.LOST


def test_a_mine_that_took_a_life_ends_no_game() -> None:
    """Otherwise another sign of a loss would be needed, or the game would be reported as lost."""
    frame, grid = drawn(PLAYED)
    pixels = frame.pixels.copy()
    reader = Frames(Calibration(grid, NO_THEME))
    before = reader.read(frame)
    hidden = next(cell for cell in before.board.hidden_cells() if cell != Cell(0, 0))
    x, y = ((hidden.col + 1) * TILE_PX, (hidden.row + 1) * TILE_PX)
    cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (230, 20, 20), -1)
    cv2.circle(pixels, (x + 16, y + 16), 7, (20, 20, 20), -1)
    exploded = Frame(pixels)
    with contextlib.suppress(StatusUnclear):
        assert reader.read(exploded).status is Status.LOST
    reader.memory = replace(reader.memory, survived=frozenset([hidden]))
    after = reader.read(exploded)
    assert after.status is Status.PLAYING
    assert after.board[hidden] in (Tile.MINE, Tile.EXPLODED)
    assert reader.read(frame, same_game=False).status is Status.PLAYING

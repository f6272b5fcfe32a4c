"""Digits that fill their tiles, stand on discs or are tiny, and zeros of many kinds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.classify.checks.hidden import digits_read_otherwise
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import recognise
from calibration.classify.tile_network.network import CLASSES
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles
from tests.calibration.reading import Frames

ONE_THREE = """
#####100
##F31100
###20000
###20000
###10000
###10000
"""


@pytest.mark.parametrize(
    ("text", "red"), [(PLAYED, (230, 0, 0)), (ONE_THREE, (230, 0, 0)), (ONE_THREE, (133, 6, 6))]
)
def test_digits_that_fill_their_tiles_are_read(text: str, red: tuple[int, int, int]) -> None:
    """More than half of such a tile has the colour of the ink."""
    text = text.replace("F", "#")
    board = tiles(text)
    frame, grid = drawn(text.translate(str.maketrans("123", "000")))
    pixels, inks = frame.pixels.copy(), {1: (0, 0, 255), 2: (0, 131, 0), 3: red}
    for (row, col), tile in np.ndenumerate(board):
        if tile > 0:
            x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
            pixels[y + 2 : y + 30, x + 3 : x + 29] = _thick_digit(int(tile), inks[int(tile)])
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, board)


@pytest.mark.parametrize("disc", [(25, 130, 220), (180, 40, 40), (40, 40, 40)])
def test_digits_on_discs_are_distinguished(disc: tuple[int, int, int]) -> None:
    """The discs are alike; the digits on them change few of their pixels."""
    text = PLAYED.replace("F", "#")
    board = tiles(text)
    frame, grid = drawn(text.translate(str.maketrans("123", "000")))
    pixels = frame.pixels.copy()
    for (row, col), tile in np.ndenumerate(board):
        if tile > 0:
            x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
            cv2.circle(pixels, (x + 16, y + 16), 11, disc, -1, cv2.LINE_AA)
            cv2.putText(pixels, str(tile), (x + 12, y + 21), 0, 0.45, (250,) * 3, 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, board)


@pytest.mark.parametrize("font", [0, 3, 16])
@pytest.mark.parametrize("grey", [140, 250])
def test_small_digits_of_one_ink_on_large_tiles_are_distinguished(font: int, grey: int) -> None:
    """Their coarse pictures, and their glyphs, differ in few pixels."""
    rows = ["01#1001##", "0111001##", "0000011##", "000001###", "000013###", "11001####"]
    board = tiles("\n".join([*rows, "#2222####", "#########", "#########"]))
    side = 90
    pixels = np.full((side * 11, side * 11, 3), 34, np.uint8)
    for (row, col), tile in np.ndenumerate(board):
        x, y = (col + 1) * side, (row + 1) * side
        fill = (85, 85, 85) if tile < 0 else (50, 50, 50)
        cv2.rectangle(pixels, (x + 1, y + 1), (x + side - 2, y + side - 2), fill, -1)
        if tile > 0:
            place = (x + side // 2 - 5, y + side // 2 + 7)
            cv2.putText(pixels, str(tile), place, font, 0.7, (grey,) * 3, 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), Grid(side, side, side, side, 9, 9), themes=())
    assert np.array_equal(seen.tiles, board)


@pytest.mark.parametrize("place", [(2, 12), (2, 26), (34, 12)])
def test_small_digits_in_a_corner_are_read(place: tuple[int, int]) -> None:
    """No part of them lies in the middle of their tiles."""
    text = PLAYED.replace("F", "#")
    board, side = tiles(text), 44
    rows, cols = board.shape
    pixels = np.full((side * (rows + 2), side * (cols + 2), 3), 255, np.uint8)
    for (row, col), tile in np.ndenumerate(board):
        x, y = (col + 1) * side, (row + 1) * side
        fill = (130, 40, 150) if tile < 0 else (255, 255, 255)
        cv2.rectangle(pixels, (x, y), (x + side, y + side), fill, -1)
        cv2.rectangle(pixels, (x, y), (x + side, y + side), (30, 30, 30), 1)
        if tile > 0:
            at = (x + place[0], y + place[1])
            cv2.putText(pixels, str(tile), at, 2, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), Grid(side, side, side, side, rows, cols), themes=())
    assert np.array_equal(seen.tiles, board)
    assert (seen.confidence >= MARGIN).all()


def _thick_digit(digit: int, ink: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Draw a digit that reaches the edges of its picture, ``(28, 26, 3)``."""
    large = np.full((200, 200, 3), 225, np.uint8)
    cv2.putText(large, str(digit), (50, 150), 0, 4.0, ink, 40, cv2.LINE_AA)
    rows, cols = np.nonzero((large != 225).any(axis=2))
    inked = large[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1]
    return np.asarray(cv2.resize(inked, (26, 28), interpolation=cv2.INTER_AREA), np.uint8)


def test_zeros_that_open_alone_are_known_once_some_were_seen() -> None:
    """Numbers stand on squares of their own, so that no ground shows what is open."""
    boards = ["######\n" * 6, "00####\n00####\n" + "######\n" * 4]
    boards += ["001###\n002###\n112###\n" + "######\n" * 3]
    boards += ["001###\n002###\n112###\n######\n###00#\n###00#"]
    _, grid = drawn(boards[0])
    reader = Frames(Calibration(grid, Theme(LEARNED, ())))
    for text, clicked in zip(boards, [None, Cell(0, 0), None, Cell(5, 4)], strict=True):
        frame, _ = drawn(text, numbered=(70, 200, 60))
        if clicked == Cell(0, 0):
            reader.expect_opening(clicked)
        assert np.array_equal(reader.read(frame).board.tiles, tiles(text))


@pytest.mark.parametrize(
    ("label", "expected"), [(0, [False, True]), (Tile.WRONG_FLAG, [True, True])]
)
def test_a_digit_that_is_read_otherwise_is_doubted(label: int, expected: list[bool]) -> None:
    """In a corner a small 0 looks a little like each digit: together more than like a 0.

    Blurred digits of a won board were taken for wrong flags.
    """
    chances = np.full((2, len(CLASSES)), 0.01)
    for row, seen in enumerate(({"zero": 0.27, "6": 0.2, "5": 0.2, "8": 0.2}, {"6": 0.5})):
        for name, chance in seen.items():
            chances[row, CLASSES.index(name)] = chance
    scores = np.log(chances)
    clusters = SimpleNamespace(
        given=np.full(2, UNREAD),
        sizes=np.array([19, 3]),
        network_scores=scores,
        seen_as=lambda name: scores[:, CLASSES.index(name)],
        digit_chance=np.exp(scores[:, 1:9]).sum(axis=1),
    )
    decoding = SimpleNamespace(labels=np.full(2, label, np.int8))
    doubted = digits_read_otherwise(cast(Any, clusters), cast(Any, decoding), None)
    assert doubted.tolist() == expected

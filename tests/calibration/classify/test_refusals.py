"""Why a board is refused: which error it is, and its evidence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.classify.refusals import (
    PreviousBoard,
    check_possible,
    check_successor,
    crop_tiles,
    few_unknown,
    largest_patch,
    name_cells,
    unreadable_error,
)
from calibration.errors import BoardCovered, ImpossibleBoard, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from solver.board import Cell, Tile
from tests.calibration.drawing import PLAYED, drawn, tiles

FRAME = Frame(np.arange(40 * 60 * 3, dtype=np.uint64).reshape(40, 60, 3).astype(np.uint8))
GRID = Grid(-2.0, 4.0, 8.0, 8.0, 5, 8)


def marked(*cells: tuple[int, int]) -> NDArray[np.bool_]:
    mask = np.zeros((5, 8), np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask


COLUMN = [(row, 2) for row in range(5)]


@pytest.mark.parametrize(
    ("cells", "kind", "says"),
    [
        ([(1, 2)], UnreadableTiles, "Row 2, column 3 cannot be read with confidence"),
        ([(1, 2), (3, 3)], UnreadableTiles, "Row 2, column 3 and 1 more tile cannot be read"),
        (COLUMN, UnreadableTiles, "Row 1, column 3 and 4 more tiles cannot be read"),
        ([*COLUMN, (0, 4)], UnreadableTiles, "Row 1, column 3 and 5 more tiles cannot be read"),
        ([*COLUMN, (0, 3)], BoardCovered, "over the board: 6 tiles in one patch cannot be read"),
        ([*COLUMN[1:], (0, 1), (0, 0)], BoardCovered, "6 tiles in one patch"),  # by a corner
    ],
)
def test_one_patch_of_tiles_in_doubt_is_a_cover(
    cells: list[tuple[int, int]], kind: type[Unreadable], says: str
) -> None:
    error = unreadable_error(FRAME, GRID, marked(*cells), np.zeros((5, 8)))
    assert type(error) is kind
    assert says in str(error)
    assert str(error).endswith("confidence.")
    assert {*error.tiles} == {Cell(*cell) for cell in cells}
    assert (error.labels, error.rivals, error.confidence) == (None, None, None)


def test_the_error_holds_what_was_read_and_what_else_it_may_be() -> None:
    likeliest, next_likely = np.full((5, 8), 3, np.int8), np.full((5, 8), 8, np.int8)
    likeliest[1, 2], next_likely[1, 2] = Tile.FLAG, UNREAD
    doubtful, sure = marked((1, 2), (4, 7)), np.full((5, 8), 0.7)
    error = unreadable_error(FRAME, GRID, doubtful, sure, (likeliest, next_likely))
    assert str(error).endswith("with confidence: a flag or no tile of the game.")
    assert error.labels is not None
    assert error.rivals is not None
    assert np.array_equal(error.labels == UNREAD, doubtful)
    assert (error.labels[~doubtful] == 3).all()
    assert np.array_equal(error.rivals, [likeliest, next_likely])
    assert error.confidence is sure


@pytest.mark.parametrize(
    ("shape", "cells", "few"),
    [
        ((9, 9), [], True),
        ((9, 9), [(0, 0), (5, 5)], True),
        ((9, 9), [(0, 0), (5, 5), (8, 8)], False),
        ((10, 15), [(0, 0), (5, 5), (8, 8)], True),  # two of a hundred
        ((10, 15), [(0, 0), (5, 5), (8, 8), (2, 2)], False),
        ((16, 30), [(0, col) for col in range(5)], True),
        ((16, 30), [(0, col) for col in range(6)], False),  # in one patch
    ],
)
def test_few_scattered_tiles_may_be_unknown(
    shape: tuple[int, int], cells: list[tuple[int, int]], few: bool
) -> None:
    board = np.zeros(shape, np.int8)
    for cell in cells:
        board[cell] = UNREAD
    assert few_unknown(board) is few
    assert largest_patch(board == UNREAD) == (len(cells) if len(cells) > 4 else min(1, len(cells)))


def test_tiles_are_named_and_cut_out_as_far_as_the_picture_goes() -> None:
    every = np.ones((5, 8), np.bool_)
    assert name_cells(marked((4, 0))) == "Row 5, column 1"
    assert name_cells(every) == "Row 1, column 1 and 39 more tiles"
    crops = crop_tiles(FRAME, GRID, every)
    assert [*crops] == [Cell(row, col) for row in range(5) for col in range(8)]
    assert np.array_equal(crops[Cell(0, 0)], FRAME.pixels[4:12, 0:6])
    assert np.array_equal(crops[Cell(4, 7)], FRAME.pixels[36:40, 54:60])
    outside = crop_tiles(FRAME, GRID.moved(-20, -20), every)[Cell(0, 0)]
    assert outside.size == 0
    assert [*crop_tiles(FRAME, GRID, every, limit=3)] == [Cell(0, col) for col in range(3)]
    assert len(crop_tiles(FRAME, Grid(0, 0, 4, 4, 9, 9), np.ones((9, 9), np.bool_))) == 64


def test_numbers_that_cannot_be_right_are_refused() -> None:
    board = np.zeros((5, 8), np.int8)
    check_possible(FRAME, GRID, board, marked())
    with pytest.raises(ImpossibleBoard, match=r"Row 2, column 3 cannot be right") as refused:
        check_possible(FRAME, GRID, board, marked((1, 2)))
    assert [*refused.value.tiles] == [Cell(1, 2)]
    with pytest.raises(ImpossibleBoard, match="130 numbers are open, but no tile without one"):
        check_possible(FRAME, GRID, np.ones((10, 13), np.int8), np.zeros((10, 13), np.bool_))


def test_a_board_that_cannot_follow_the_one_before_is_refused() -> None:
    frame, grid = drawn(PLAYED)
    board, size = tiles(PLAYED), int(grid.tile_w)
    shown = np.s_[size : -size or None, size : -size or None]
    pixels, sure = frame.pixels[shown].copy(), np.ones(board.shape)
    before, all_changed = PreviousBoard(pixels, board, sure), np.ones(board.shape, np.bool_)
    check_successor(frame, grid, before, board, all_changed)
    moved = Frame(np.roll(frame.pixels, 6, 1))
    with pytest.raises(BoardCovered, match="has moved on the screen"):
        check_successor(moved, grid, before, board, all_changed)
    other = board.copy()
    other[2, 3] = 3
    with pytest.raises(ImpossibleBoard, match="Row 3, column 4 changed") as refused:
        check_successor(frame, grid, before, other, all_changed)
    assert [*refused.value.tiles] == [Cell(2, 3)]
    covered = frame.pixels.copy()
    covered[3 * size : 6 * size, size : 3 * size] = 60
    with pytest.raises(BoardCovered, match="6 hidden tiles look unlike") as over:
        check_successor(Frame(covered), grid, before, board, all_changed)
    assert {*over.value.tiles} == {Cell(row, col) for row in (2, 3, 4) for col in (0, 1)}

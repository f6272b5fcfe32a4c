"""From the network's table to labels: equal tiles share one, and the numbers must agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.labels import COLUMN_OF, LABELS, columns_of
from calibration.read.board import broken, decode, groups_of
from calibration.rules import impossible_numbers
from solver.board import Tile, count_neighbours
from tests.calibration.classify.drawing import PLAYED, tiles


def logits_of(board: NDArray[np.int8], sure: float = 8.0) -> NDArray[np.float32]:
    """Return a table that names every tile rightly."""
    table = np.zeros((*board.shape, len(LABELS)), np.float32)
    np.put_along_axis(table, columns_of(board)[..., None].astype(np.intp), sure, 2)
    return table


def own_groups(board: NDArray[np.int8]) -> NDArray[np.intp]:
    """Put the tiles that show the same into one group."""
    return np.unique(board, return_inverse=True)[1].reshape(board.shape).astype(np.intp)


def read(table: NDArray[np.float32], groups: NDArray[np.intp]) -> NDArray[np.int8]:
    found = decode(table, groups, 1.0)
    return np.asarray(LABELS[found.columns][groups], np.int8)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(2, 6))
def test_what_the_network_surely_sees_is_read_on_any_board_of_a_game(
    seed: int, rows: int, cols: int
) -> None:
    rng = np.random.default_rng(seed)
    mines = rng.random((rows, cols)) < 0.2
    numbers = np.where(mines, Tile.HIDDEN, count_neighbours(mines)).astype(np.int8)
    shown = np.array([Tile.HIDDEN, Tile.FLAG], np.int8)[rng.integers(0, 2, (rows, cols))]
    board = np.where(mines, shown, numbers).astype(np.int8)
    assert not broken(columns_of(board).astype(np.intp)).any()
    assert (read(logits_of(board), own_groups(board)) == board).all()


def test_numbers_decide_where_the_network_hardly_does() -> None:
    board = tiles(PLAYED)
    table = logits_of(board)
    place = (3, 2)  # a 3 that looks a little more like an 8
    table[place] = 0
    table[(*place, COLUMN_OF[8])], table[(*place, COLUMN_OF[3])] = 5.0, 4.0
    groups = np.arange(board.size).reshape(board.shape)
    assert (read(table, groups) == board).all()


def test_equal_tiles_share_what_most_of_them_look_like() -> None:
    board = tiles(PLAYED)
    table = logits_of(board)
    place = tuple(np.argwhere(board == 1)[0])
    table[place] = 0
    table[(*place, COLUMN_OF[7])] = 6.0
    assert (read(table, own_groups(board)) == board).all()


def test_a_labelling_that_is_hardly_better_than_another_one_is_not_sure() -> None:
    board = tiles(PLAYED)
    table = logits_of(board)
    flag = (1, 2)
    table[flag] = 0
    table[(*flag, COLUMN_OF[Tile.FLAG])], table[(*flag, COLUMN_OF[Tile.QUESTION])] = 7.0, 6.8
    groups = np.arange(board.size).reshape(board.shape)
    found = decode(table, groups, 1.0)
    chances = found.chances[groups[flag]]
    assert 0.5 < chances[COLUMN_OF[Tile.FLAG]] < 0.6
    assert found.chances[groups[0, 0]].max() > 0.99


@pytest.mark.parametrize("text", ["#2# ###", "3## ###", "0#0 000", "**1 000"])
def test_numbers_that_cannot_be_right_are_marked_as_the_rules_mark_them(text: str) -> None:
    board = tiles(text)
    marked = broken(columns_of(board).astype(np.intp))
    assert (marked == impossible_numbers(board)).all()


def test_views_that_hardly_differ_are_one_group() -> None:
    rng = np.random.default_rng(1)
    views = np.repeat(rng.integers(0, 256, (3, 24, 24, 3), np.uint8), 4, axis=0)
    noisy = np.clip(views.astype(int) + rng.integers(-1, 2, views.shape), 0, 255).astype(np.uint8)
    assert groups_of(noisy).tolist() == [0] * 4 + [1] * 4 + [2] * 4

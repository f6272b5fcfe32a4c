"""From the network's table to a board: equal tiles share a label, and the numbers must agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.labels import COLUMN_OF, LABELS, columns_of
from calibration.read.board import (
    BROKEN,
    broken,
    decode,
    decode_board,
    groups_of,
    is_cut_off,
    is_possible,
    open_ground,
    read_board,
    tiles_around,
)
from calibration.read.network import MARGIN
from calibration.rules import impossible_numbers
from solver.board import Tile, count_neighbours
from tests.calibration import sketches
from tests.calibration.drawing import PLAYED, TILE_PX, drawn, tiles

Pixels = NDArray[np.uint8]


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


@pytest.mark.parametrize(("chance", "shown"), [(-8.9, Tile.HIDDEN), (-9.5, 0)])
def test_labels_that_are_far_less_likely_are_not_tried(chance: float, shown: int) -> None:
    table = logits_of(tiles("111 101 111"), 40.0)
    table[1, 1, COLUMN_OF[-1]] = 40.0 + chance
    assert read(table, np.arange(9).reshape(3, 3))[1, 1] == shown


def test_equal_tiles_share_what_most_of_them_look_like() -> None:
    board = tiles(PLAYED)
    table = logits_of(board)
    place = tuple(np.argwhere(board == 1)[0])
    table[place] = 0
    table[(*place, COLUMN_OF[7])] = 6.0
    assert (read(table, own_groups(board)) == board).all()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([{1: 0.0, 2: -0.3}, {-1: 0.0, -2: -0.3}], [1, -1]),  # nothing is gained by another label
        ([{2: 0.0, 1: -2.9}, {-1: 0.0}], [1, -1]),  # less than a number that cannot be right costs
        ([{2: 0.0, 1: -3.1}, {-1: 0.0}], [2, -1]),
    ],
)
def test_a_label_is_exchanged_where_the_numbers_gain_more(
    cells: list[dict[int, float]], expected: list[int]
) -> None:
    table = np.full((1, len(cells), len(LABELS)), -40.0, np.float32)
    for cell, logits in zip(table[0], cells, strict=True):
        cell[[COLUMN_OF[tile] for tile in logits]] = [*logits.values()]
    assert read(table, np.arange(len(cells))[None])[0].tolist() == expected


NUMBERS = "11/11 81 #2#/### 3##/### 0#0/000 **1/000 0F0/0?0 0W0/000 1!1/111 8##/###"


@pytest.mark.parametrize("text", NUMBERS.split())
def test_numbers_that_cannot_be_right_are_marked_as_the_rules_mark_them(text: str) -> None:
    board = tiles(text.replace("/", " "))
    marked = broken(columns_of(board).astype(np.intp))
    assert (marked == impossible_numbers(board)).all()


def confused(board: NDArray[np.int8], one: int, other: int, sure: float) -> NDArray[np.float32]:
    """Return a table that takes two labels for each other."""
    exchanged = np.where(
        board == one, np.int8(other), np.where(board == other, np.int8(one), board)
    )
    return logits_of(exchanged, sure)


@pytest.mark.parametrize(
    ("other", "sure", "found"),
    [
        (0, 4.9, PLAYED),
        (0, 5.0, PLAYED),
        (0, 5.1, PLAYED.translate(str.maketrans("#0", "0#"))),  # it is too sure of that
        (int(Tile.QUESTION), 4.9, PLAYED.translate(str.maketrans("#F", "?#"))),
        (int(Tile.FLAG), 4.9, PLAYED.translate(str.maketrans("#F", "F#"))),
    ],
)
def test_two_labels_are_exchanged_if_only_that_gives_a_board(
    other: int, sure: float, found: str
) -> None:
    board = tiles(PLAYED)
    groups = own_groups(board)
    decoded = decode_board(confused(board, int(Tile.HIDDEN), other, sure), groups)
    assert np.array_equal(LABELS[decoded.columns][groups], tiles(found))


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (PLAYED, True),
        ("000 000", False),  # no mine
        ("### ###", True),
        ("2# 11", False),
        ("FF### ?####", True),
        ("FF?## ?####", True),  # four of ten
        ("FF?## ?F###", False),
        ("1W 11", True),
        ("0## 0##", False),
        ("002## 013## 01### 01### 22### #####", True),
        ("002## 012## 01### 01### 22### #####", False),  # the numbers together have no layout
    ],
)
def test_which_tiles_may_be_a_board(text: str, may: bool) -> None:
    assert is_possible(tiles(text)) is may


def test_around_sure_zeros_cells_may_be_hidden() -> None:
    board = tiles("0## 0##")
    assert is_possible(board, board == 0)
    assert not is_possible(board, np.array([[True, False, False], [False, False, False]]))


@pytest.mark.parametrize(("chance", "is_open"), [(0.98, True), (0.96, False)])
def test_a_zero_that_surely_looks_like_one_is_open(chance: float, is_open: bool) -> None:
    table = np.full((1, 2, len(LABELS)), -40.0, np.float32)
    table[..., COLUMN_OF[0]], table[..., COLUMN_OF[-1]] = np.log(chance), np.log(1 - chance)
    found = open_ground(table, np.array([[0, 1]], np.int8))
    assert found.tolist() == [[is_open, False]]


def test_how_sure_a_label_is_grows_with_the_root_of_its_tiles_and_with_the_rules() -> None:
    table = np.full((2, 3, len(LABELS)), -40.0, np.float32)
    table[..., COLUMN_OF[-1]], table[..., COLUMN_OF[-2]] = 1.0, 0.5
    groups = np.zeros((2, 3), np.intp)
    table[0, 0], groups[0, 0] = -40.0, 1
    table[0, 0, [COLUMN_OF[3], COLUMN_OF[4]]] = 1.0, 2.0  # a 4 lacks a mine
    chances = decode(table, groups, 1.0).chances
    assert chances[0, COLUMN_OF[-1]] == pytest.approx(1 / (1 + np.exp(-0.5 * 5**0.5)))
    assert chances[1, COLUMN_OF[3]] == pytest.approx(1 / (1 + np.exp(1 - BROKEN)))
    half = decode(table, groups, 2.0).chances
    assert half[0, COLUMN_OF[-1]] == pytest.approx(1 / (1 + np.exp(-0.25 * 5**0.5)))


@pytest.mark.parametrize(("beside", "wrong_flag"), [(Tile.MINE, True), (Tile.HIDDEN, False)])
def test_no_wrong_flag_is_shown_before_a_mine_is(beside: Tile, wrong_flag: bool) -> None:
    board = np.array([[Tile.WRONG_FLAG, beside]], np.int8)
    table = logits_of(board)
    table[0, 0, COLUMN_OF[Tile.FLAG]] = 7.0
    shown = read(table, own_groups(board))[0, 0]
    assert shown == (Tile.WRONG_FLAG if wrong_flag else Tile.FLAG)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ((np.s_[:, ::2], 1, 1), True),  # by one and a half grey levels on average at most
        ((np.s_[:, ::2], 1, 2), True),
        ((np.s_[:, ::2], 2, 2), False),
        ((np.s_[12, 12], 13, 0), True),  # and by as little in any place
        ((np.s_[12, 12], 14, 0), False),
    ],
)
def test_views_of_a_tile_hardly_differ(change: tuple[Any, int, int], same: bool) -> None:
    views = np.full((2, 24, 24, 3), 90, np.uint8)
    place, step, others = change
    views[1] += np.uint8(others)
    views[1][place] = 90 + step
    views[1, :MARGIN] = views[1, :, -MARGIN:] = 200  # what lies around the tile does not count
    assert bool(groups_of(views).max() == 0) is same


def test_a_board_is_read_with_what_else_each_tile_may_be() -> None:
    frame, grid = drawn(PLAYED)
    found = read_board(frame.pixels, grid)
    assert np.array_equal(found.tiles, tiles(PLAYED))
    assert found.is_possible
    assert found.different == 6
    assert (found.confidence > 0.9).all()
    columns = columns_of(found.tiles)[..., None].astype(np.intp)
    assert np.array_equal(np.take_along_axis(found.chances, columns, 2)[..., 0], found.confidence)
    without = found.chances.copy()
    np.put_along_axis(without, columns, 0.0, 2)
    assert np.array_equal(LABELS[without.argmax(axis=2)], found.rivals)
    assert (found.open_ground <= (found.tiles == 0)).all()
    wider = read_board(frame.pixels, grid.widened(0, 1, 0, 0))
    assert (wider.confidence[:, -1] == 0).all()
    assert np.array_equal(wider.tiles[:, :-1], found.tiles)


COVERED = (150, 170, 190)
FAR_APART = {"hidden": COVERED, "inner": [20, 20], "margin": [TILE_PX, TILE_PX]}
"""A board whose tiles do not reach into the views of those beside them."""

SIDES = {
    "right": (0, -1, 0, 0),
    "top": (0, 0, -1, 0),
    "left": (-1, 0, 0, 0),
    "bottom": (0, 0, 0, -1),
}
"""The sides of a board, each a quarter further, and how a grid is widened to leave it out."""


def test_tiles_beside_a_grid_are_those_of_its_board() -> None:
    frame, grid = drawn(PLAYED)
    assert not tiles_around(frame.pixels, grid).any()
    for side, less in SIDES.items():
        found = tiles_around(frame.pixels, grid.widened(*less))
        line = {"left": found[1:-1, 0], "right": found[1:-1, -1], "top": found[0, 1:-1],
                "bottom": found[-1, 1:-1]}[side]  # fmt: skip
        assert line.all(), side
        assert found.sum() == len(line), side


def cut_at(side: str, cut: int = 10, kept: int = 8, **style: Any) -> tuple[Pixels, Grid]:
    """Return a picture that ends so many pixels inside the outer tiles of a side, and the others.

    Of the eight outer tiles that many are left: the last one, and others from the first on.
    """
    frame, _ = sketches.drawn(["#" * 8] * 8, {**FAR_APART, **style})
    pixels, end = frame.pixels.copy(), 9 * TILE_PX
    pixels[TILE_PX * kept : end - TILE_PX, end - TILE_PX :] = 250
    turned = np.rot90(pixels[:, : end - cut], turns := [*SIDES].index(side))
    start = {side: TILE_PX - cut} if side in ("left", "top") else {}
    size = (7, 8) if turns % 2 else (8, 7)
    inner = Grid(start.get("left", TILE_PX), start.get("top", TILE_PX), TILE_PX, TILE_PX, *size)
    return np.ascontiguousarray(turned), inner


def test_the_edge_of_a_picture_may_cut_tiles() -> None:
    frame, grid = drawn(PLAYED)
    assert not is_cut_off(frame.pixels, grid)
    (left, top, right, bottom), cut = grid.bounds, TILE_PX // 3
    left, top, right, bottom = left + cut, top + cut, right - cut, bottom - cut
    for side, part, off in (
        ("left", np.s_[:, left:], (-left, 0)),
        ("right", np.s_[:, :right], (0, 0)),
        ("top", np.s_[top:], (0, -top)),
        ("bottom", np.s_[:bottom], (0, 0)),
    ):
        pixels = np.ascontiguousarray(frame.pixels[part])
        assert is_cut_off(pixels, grid.widened(*SIDES[side]).moved(*off)), side


@pytest.fixture
def rated(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """What lets the network rate all cells alike."""

    def rate(odds: float) -> None:
        def rate_tiles(cut: object, groups: NDArray[np.intp], *_: object) -> tuple[object, ...]:
            return np.zeros((*groups.shape, len(LABELS))), np.full(groups.shape, odds)

        monkeypatch.setattr("calibration.read.board.rate_tiles", rate_tiles)

    return rate


@pytest.mark.parametrize("side", SIDES)
def test_half_of_the_cells_along_an_edge_must_be_tiles_cut_by_it(
    side: str, rated: Callable[[float], None]
) -> None:
    rated(2.0)
    assert is_cut_off(*cut_at(side, kept=4))
    assert not is_cut_off(*cut_at(side, kept=3))
    assert is_cut_off(*cut_at(side, cut=25))
    assert not is_cut_off(*cut_at(side, cut=26, inner=[28, 28])), "less than a fifth is visible"
    assert is_cut_off(*cut_at(side, hidden=(230, 250, 250)))
    assert not is_cut_off(*cut_at(side, hidden=(231, 250, 250))), "only the background"
    rated(1.99)
    assert not is_cut_off(*cut_at(side))


@pytest.mark.parametrize(
    ("step", "odds", "cells", "marked"),
    [(0, 0.0, 6, 6), (20, 3.0, 6, 6), (20, 2.0, 6, 0), (60, 3.99, 6, 0), (60, 4.0, 6, 6),
     (60, 4.0, 3, 3), (60, 4.0, 2, 0), (40, 7.0, 2, 0)],
)  # fmt: skip
def test_a_cell_beside_a_grid_is_a_tile_if_it_is_alike_or_several_surely_are(
    step: int, odds: float, cells: int, marked: int, rated: Callable[[float], None]
) -> None:
    frame, grid = sketches.drawn(["#" * 8] * 6, FAR_APART)
    pixels, x = frame.pixels.copy(), grid.bounds.x1
    last = pixels[:, x - TILE_PX : x]
    last[last < 250] -= np.uint8(step)
    pixels[TILE_PX * (1 + cells) :, x - TILE_PX :] = 250
    rated(odds)
    assert tiles_around(pixels, grid.widened(0, -1, 0, 0)).sum() == marked


def test_what_lies_around_a_board_is_seen_at_its_outer_tiles(
    rated: Callable[[float], None],
) -> None:
    style = {**FAR_APART, "inner": [28, 28], "between": "#c8c8c8"}
    frame, grid = sketches.drawn(["#" * 8] * 6, style)
    rated(3.0)
    assert tiles_around(frame.pixels, grid.widened(0, -1, 0, 0)).sum() == 6
    assert tiles_around(frame.pixels, grid.widened(0, 0, 0, -1)).sum() == 8

"""Impossible numbers and the status of the game, on boards as text; `!` is a tile not read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.rules import (
    UNREAD,
    Tiles,
    confirmed_mines,
    doubtful_zeros,
    impossible_numbers,
    lacks_zeros,
    leaves_safe_cells,
    lie_scattered,
    may_be_won,
    only_mines_left,
    settled_after_win,
    settled_tiles,
    shows_win_or_loss,
    signs_of_loss,
    status_of,
    zeros_beside_hidden_ends,
)
from solver.board import Cell, Tile, count_neighbours
from solver.game import Status
from tests.calibration.drawing import tiles


def impossible(board: Tiles) -> int:
    return int(impossible_numbers(board).sum())


def doubtful(board: Tiles) -> int:
    return int(doubtful_zeros(board).sum())


def mines_scattered(board: Tiles) -> bool:
    return lie_scattered(board == Tile.MINE)


OF_BOARDS: dict[Callable[[Tiles], object], list[tuple[str, object]]] = {
    impossible: [
        ("1# 11", 0),
        ("2# 11", 1),  # two mines in one place
        ("00 0#", 3),  # a zero opens all cells around it
        ("0# #0", 2),
        ("01 1#", 1),
        ("#101# 11011 00000 11011 #101#", 0),
        ("#1#1#1# 1010101 #1#1#1#", 0),  # some programs open over sides only
        ("#1#1# 10101 #1#1#", 2),  # but two zeros do not show that
        ("0? 0!", 0),  # a mark may be left at a zero, and what is not known
        ("1X 2*", 1),
        ("## ##", 0),
        ("1W 11", 0),  # some programs cross out right flags
        ("00 0F", 0),  # but not a flag
        ("1* 1*", 2),  # more mines shown than the number says
        ("8! 11", 1),
        ("1! 11", 0),
    ],
    signs_of_loss: [
        ("1# 11", 0),
        ("1* 1#", 1),  # one mine, and the number fits
        ("1X 1#", 2),  # an exploded mine, and the numbers fit
        ("** 2#", 2),
        ("** 1#", 1),  # the number does not fit
        ("*X* ###", 2),  # lost by the first click
        ("FW 21", 1),
        ("****# ****# *XX*# #####", 1),  # tiles in one block are rather an opening
        ("3* 11", 0),  # nor is there room for what it says
        ("1*11*11*11*11*2#", 2),  # nine of ten numbers have exactly the mines that are shown
        ("*1#1#1#1 ######## #######*", 1),  # few numbers have the mines that are all shown
        ("*1#1#1#1 ######## 000####*", 1),  # zeros do not count,
        ("*1000 11000 00011 0001*", 2),  # nor do they lack mines
        ("0*1 ###", 0),  # a zero has none beside it
        ("*1F0 1100 0011 001*", 2),  # a wrong flag that is left as it was hides no sign,
        ("*2F1 1211 0011 001*", 2),  # nor does a right one,
        ("*3F1 1211 0011 001*", 1),  # but a number that cannot be
    ],
    shows_win_or_loss: [
        ("1* 11", True),
        ("1*F 122 001", True),
        ("1*# 122 001", False),  # a cell is left: the game is not won
        ("1*X 122 001", False),
        ("1*W 122 001", False),
        ("1F 11", False),
    ],
    mines_scattered: [
        ("*#*#*#*### ##########", True),
        ("*#*#*##### ##########", False),  # three places
        ("*#*#*##### #####*####", False),  # two that touch at a corner are one
        ("*#*#*#*### *#*#*#####", True),  # seven of twenty
        ("*#*#*#*### *#*#*#*###", False),
    ],
    doubtful: [
        # The mouse may hold down tiles beside hidden ones, where a program opens zeros at once.
        ("000000 000000 011100 01#100 013332 01#### 01####", 0),
        ("000000 000000 011100 01#100 013332 01#### 01#0##", 1),
        ("00000000" + "1#0", 1),
        ("0000000" + "1#0", 0),  # too few open at once: this program opens cells one by one
        ("00000000" + "1#" + "0#" * 9, 9),
        ("00000000" + "1#" + "0#" * 10, 0),  # more than the mouse holds down
        # Under a filter for the colour-blind a dark red 5 had the grey of its tile. But no program
        # opens flags around a zero, and a person's flags may be wrong.
        ("FF1 201 110", 0),
        ("FFF 202 000", 1),
        ("FFFFF 10001 11011", 0),  # a 1 beside two flags: these are wrong
        ("FFFFF 20002 11011", 3),
    ],
    may_be_won: [
        ("F1 11", False),
        ("F1 1!", True),
        ("!1 11", True),
        ("!1 1#", True),  # by the mine that the hidden cell may hold
        ("#1# 111 !!!", False),
        ("*1 1!", False),
        ("## !#", False),
        ("F3!", False),  # one tile is not two mines
        ("F2!", True),
        ("!!! 11! #1!", True),
        ("F1!!!#", True),  # the last cell may be beside a number, too
        ("F1!!!##", False),
        ("0F1!", False),  # nor has a zero a mine beside it
    ],
}


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        pytest.param(question, *row, id=f"{question.__name__}: {row[0]}")
        for question, rows in OF_BOARDS.items()
        for row in rows
    ],
)
def test_what_a_board_shows(question: Callable[[Tiles], object], text: str, answer: object) -> None:
    assert question(tiles(text)) == answer


def test_a_zero_beyond_doubt_may_have_hidden_cells_around_it() -> None:
    beyond_doubt = np.array([[False, True, False], [False, False, False]])
    assert np.argwhere(impossible_numbers(tiles("00# 00#"), beyond_doubt)).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("before", "after", "signs"),
    [
        ("#### #### ####", "*##* #### #*##", 2),
        ("F### #### ####", "*##* #### #*##", 1),  # one was flagged
        ("#### #### ####", "**## **## ####", 1),  # in one patch
        ("#### #### ####", "*##* #1## #*##", 1),  # with a number that does not fit
        ("#### #### ####", "*##* ##2# #*##", 2),  # with one that fits
    ],
)
def test_mines_that_appear_apart_are_a_sign_of_loss(before: str, after: str, signs: int) -> None:
    assert signs_of_loss(tiles(after), tiles(before)) == signs


@pytest.mark.parametrize(
    ("text", "mines", "status"),
    [
        ("## ##", 1, "playing"),
        ("1# 11", 1, "won"),
        ("1F 11", None, "won"),
        ("1# 1#", None, "playing"),
        ("1X 11", 1, "lost"),
        ("1W 11", None, "lost"),
        ("### ###", None, "playing"),
        ("1F!#", None, "playing"),  # nothing says that the last cell is a mine
        ("1F!#", 2, "won"),
        ("1F!#", 3, "playing"),
        ("1*", 1, "lost"),
        ("?1 11", None, "won"),
        ("00 00", None, "won"),
    ],
)
def test_status(text: str, mines: int | None, status: str) -> None:
    assert status_of(tiles(text), mines).value == status


def test_mines_with_two_numbers_that_have_as_many_mines_as_they_say_are_confirmed() -> None:
    board = tiles("1*1! 1213 *1!* 111!")
    confirmed = confirmed_mines(board)
    assert np.argwhere(confirmed != UNREAD).tolist() == [[0, 1], [2, 0]]
    assert (confirmed[confirmed != UNREAD] == board[confirmed != UNREAD]).all()


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("1*100! 111000 000000", "1*1000 111000 000000"),
        ("1*10!! 111000 000000", "1*1000 111000 000000"),  # the second follows
        ("1*!000 111000 000000", "1*1000 111000 000000"),
        ("!*1000 111000 000000", ""),  # touches no zero: may be a mine
        ("1#100! 111000 000000", ""),  # nothing shows that the game is over
        ("1*100! 1110#0 000000", ""),  # this program leaves cells at zeros
        ("*1! 11# 00#", ""),  # too few zeros to know that
        ("1*1000000!", "1*10000000"),  # eight cells beside zeros are enough,
        ("1*100000!", ""),  # seven are not
        ("1*100! 111000 000000 00#000", ""),  # it leaves cells at others
        ("2*100 *!100 11000 00000 00000", "2*100 *2100 11000 00000 00000"),  # one zero is enough
        ("*1000000!!", ""),  # the last one may be a mine,
        ("*1000000!#", ""),  # hidden or not
        ("*100000!!0", "*100000000"),  # but none beside a zero
    ],
)
def test_tiles_of_a_finished_board_that_follow_from_the_rules(text: str, settled: str) -> None:
    board = tiles(text)
    followed = np.where(board == UNREAD, tiles(settled or text), np.int8(UNREAD))
    assert np.array_equal(settled_tiles(board), followed)


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("1F1011 1!!11F 01F111 011100", True),
        ("1F1!11 122!!F 01!111 011100", True),  # a mine, too
        ("!!!011 !!!11F 01F111 011100", False),  # the mine may be in the corner
        ("1F1011 1!#11F 01F111 011100", True),  # what hides one looks like a tile
        ("1F1011 1!!111 01F11# 011100", False),  # free cells may be left
        ("1F1011 1!!11F 01F211 011100", False),  # a number lacks a mine
        ("1F1011 1!!11F 01F111 0111X0", False),  # a lost board
    ],
)
def test_tiles_in_doubt_of_a_won_board_are_what_its_flags_leave(text: str, certain: bool) -> None:
    found = settled_after_win(tiles(text))
    assert (found is not None) is certain
    if found is not None:
        assert np.array_equal(found, tiles("1F1011 12211F 01F111 011100"))


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(0, 12), st.booleans())
def test_whatever_follows_from_a_win_or_the_rules_is_true(
    seed: int, mine_count: int, doubtful: int, either: bool
) -> None:
    """On won boards with flags or without, and on lost ones with, maybe, safe cells hidden."""
    random = np.random.default_rng(seed)
    mines = np.zeros((7, 10), np.bool_)
    mines.reshape(-1)[random.choice(70, mine_count, replace=False)] = True
    numbers, unread = count_neighbours(mines), random.choice(70, doubtful, replace=False)
    won = np.where(mines, Tile.FLAG if either else Tile.HIDDEN, numbers).astype(np.int8)
    lost = np.where(mines, np.int8(Tile.MINE), numbers).astype(np.int8)
    if either:
        lost[(random.random((7, 10)) < 0.5) & (count_neighbours(lost == 0) == 0) & (lost > 0)] = -1
    seen = [board.copy() for board in (won, lost)]
    for board in seen:
        board.reshape(-1)[unread] = UNREAD
    settled = settled_after_win(seen[0])
    assert settled is None or (settled == won).all()
    if not doubtful and mine_count:
        assert settled is not None
    if mine_count:
        followed = settled_tiles(seen[1])
        assert (followed == np.where(followed == UNREAD, UNREAD, lost)).all()


@pytest.mark.parametrize(
    ("ones", "twos", "zeros", "lacks"),
    [
        (29, 29, 0, True),
        (28, 28, 0, False),
        (29, 29, 1, False),
        (0, 114, 0, True),
        (0, 0, 0, False),
    ],
)
def test_so_many_small_numbers_have_a_zero_among_them(
    ones: int, twos: int, zeros: int, lacks: bool
) -> None:
    """At a density of three in sixteen, 58 cells all have a mine around them once in 200,000."""
    codes = np.repeat([1, 2, 0, Tile.HIDDEN], [ones, twos, zeros, 130 - ones - twos - zeros])
    assert lacks_zeros(codes.astype(np.int8).reshape(10, 13)) == lacks


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("#### ####", 0),
        ("000 011 01#", 0),
        ("#00# #11# ####", 1),
        ("### 000 ### 121", 3),
        ("####0 ####0 ####0", 3),
    ],
)
def test_zeros_beside_lines_that_are_hidden_throughout(text: str, count: int) -> None:
    for turns in range(4):
        assert zeros_beside_hidden_ends(np.rot90(tiles(text), turns)) == count


@pytest.mark.parametrize(("extra", "only"), [(0, True), (1, False)])
def test_an_unknown_total_is_the_usual_one_of_the_size(extra: int, only: bool) -> None:
    """Ten mines, one of which touches no number."""
    mines = np.zeros((9, 9), np.bool_)
    mines[:3, :3] = mines[0, 3] = True
    mines[8, :extra] = True
    board = np.where(mines, np.int8(Tile.HIDDEN), count_neighbours(mines))
    assert status_of(board, None) is Status.PLAYING
    assert only_mines_left(board, None) is only


@pytest.mark.parametrize(
    ("text", "mines", "only"),
    [
        ("1# 11", 1, True),
        ("1# 11", 2, False),
        ("1# 11", None, True),
        ("1# 1#", 2, False),  # a wrong total, by the numbers
        ("2# 11", 1, False),
        ("1* 1#", 2, False),
        ("2* 2#", 2, True),  # a mine took a life
        ("2X 2F", None, True),
        ("2X 2F", 1, False),
        ("### ###", None, False),
        ("X2# 132 01#", None, True),
        ("X2# ##2 01#", None, False),
    ],
)
def test_only_mines_are_left_by_the_total_and_by_every_number(
    text: str, mines: int | None, only: bool
) -> None:
    assert only_mines_left(tiles(text), mines) is only


@pytest.mark.parametrize(
    ("text", "mines", "opened", "leaves"),
    [
        ("1## 1##", 3, [], True),
        ("1## 1##", 4, [], False),
        ("1## 1##", 3, [(0, 2)], False),
        ("1F# 1##", 2, [], True),
        ("1F# 1##", 3, [], False),
        ("1# 1#", None, [], True),  # one of them is not a mine
        ("1# 1#", None, [(1, 1)], False),
        ("1F 1#", None, [], True),
        ("1F##", None, [], True),  # nothing says that they are mines
        ("1F##", None, [(0, 2)], False),  # it may be a number of them
        ("0F##", None, [], True),
        ("0#1", None, [], True),
        ("1F1", None, [], False),
        ("1#1", None, [], False),
    ],
)
def test_safe_cells_are_left_where_there_are_too_many_for_the_mines(
    text: str, mines: int | None, opened: list[Any], leaves: bool
) -> None:
    assert leaves_safe_cells(tiles(text), mines, [Cell(*cell) for cell in opened]) is leaves

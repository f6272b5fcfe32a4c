"""Impossible numbers and the status of the game, on boards as text; `!` is a tile not read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.rules import (
    UNREAD,
    confirmed_mines,
    doubtful_zeros,
    impossible_numbers,
    lacks_zeros,
    may_be_won,
    settled_after_win,
    settled_tiles,
    shows_win_or_loss,
    signs_of_loss,
    status_of,
    zeros_beside_hidden_ends,
)
from solver.board import TILE_OF_TEXT, Tile, count_neighbours


def tiles(*rows: str) -> NDArray[np.int8]:
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in rows], np.int8)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (("1#", "11"), 0),
        (("2#", "11"), 1),  # two mines in one place
        (("00", "0#"), 3),  # a zero opens all cells around it
        (("0#", "#0"), 2),
        (("01", "1#"), 1),
        (("#101#", "11011", "00000", "11011", "#101#"), 0),
        (("#1#1#1#", "1010101", "#1#1#1#"), 0),  # some programs open over sides only
        (("1W", "11"), 0),  # some programs cross out right flags
        (("00", "0F"), 0),  # but not a flag
        (("1*", "1*"), 2),  # more mines shown than the number says
        (("8!", "11"), 1),
        (("1!", "11"), 0),
    ],
)
def test_impossible_numbers(rows: list[str], wrong: list[tuple[int, int]]) -> None:
    assert impossible_numbers(tiles(*rows)).sum() == wrong


@pytest.mark.parametrize(
    ("rows", "signs"),
    [
        (("1#", "11"), 0),
        (("1*", "1#"), 1),  # one mine, and the number fits
        (("1X", "1#"), 2),  # an exploded mine, and the numbers fit
        (("**", "2#"), 2),
        (("**", "1#"), 1),  # the number does not fit
        (("*X*", "###"), 2),  # lost by the first click
        (("FW", "21"), 1),
        (("****#", "****#", "*XX*#", "#####"), 1),  # tiles in one block are rather an opening
        (("*1#1#1#1", "########", "#######*"), 1),  # few numbers have the mines that are all shown
    ],
)
def test_signs_of_loss(rows: list[str], signs: int) -> None:
    assert signs_of_loss(tiles(*rows)) == signs


@pytest.mark.parametrize(
    ("rows", "signs"),
    [
        (["*1F0", "1100", "0011", "001*"], 2),
        (["*2F1", "1211", "0011", "001*"], 2),
        (["*3F1", "1211", "0011", "001*"], 1),
    ],
    ids=["a wrong flag", "a right one", "a number that cannot be"],
)
def test_a_wrong_flag_that_is_left_as_it_was_hides_no_sign(rows: list[str], signs: int) -> None:
    assert signs_of_loss(tiles(*rows)) == signs


@pytest.mark.parametrize(
    ("after", "signs"),
    [
        (["*##*", "####", "#*##"], 2),
        (["**##", "**##", "####"], 1),
        (["*##*", "#1##", "#*##"], 1),
        (["*##*", "##2#", "#*##"], 2),
    ],
    ids=["apart", "in one patch", "with a number that does not fit", "with one that fits"],
)
def test_mines_that_appear_apart_are_a_sign_of_loss(after: list[str], signs: int) -> None:
    before = tiles("####", "####", "####")
    assert signs_of_loss(tiles(*after), before) == signs


@pytest.mark.parametrize(
    ("rows", "mines", "status"),
    [
        (("##", "##"), 1, "playing"),
        (("1#", "11"), 1, "won"),
        (("1F", "11"), None, "won"),
        (("1#", "1#"), None, "playing"),
        (("1X", "11"), 1, "lost"),
        (("1W", "11"), None, "lost"),
        (("###", "###"), None, "playing"),
    ],
)
def test_status(rows: list[str], mines: int | None, status: str) -> None:
    assert status_of(tiles(*rows), mines).value == status


@pytest.mark.parametrize(
    ("rows", "unclear"),
    [
        (("1*", "11"), True),
        (("1*F", "122", "001"), True),
        (("1*#", "122", "001"), False),  # a cell is left: nobody wins so
        (("1*X", "122", "001"), False),
        (("1*W", "122", "001"), False),
        (("1F", "11"), False),
    ],
)
def test_shown_mines_alone_may_be_a_win(rows: list[str], unclear: bool) -> None:
    assert shows_win_or_loss(tiles(*rows)) == unclear


def test_mines_with_two_numbers_that_have_as_many_mines_as_they_say_are_confirmed() -> None:
    board = tiles("1*1!", "1213", "*1!*", "111!")
    told = confirmed_mines(board)
    assert np.argwhere(told != UNREAD).tolist() == [[0, 1], [2, 0]]
    assert (told[told != UNREAD] == board[told != UNREAD]).all()


@pytest.mark.parametrize(
    ("rows", "settled"),
    [
        (("1*100!", "111000", "000000"), {(0, 5): 0}),
        (("1*10!!", "111000", "000000"), {(0, 4): 0, (0, 5): 0}),  # the second follows
        (("1*!000", "111000", "000000"), {(0, 2): 1}),
        (("!*1000", "111000", "000000"), {}),  # touches no zero: may be a mine
        (("1#100!", "111000", "000000"), {}),  # nothing shows that the game is over
        (("1*100!", "1110#0", "000000"), {}),  # this program leaves cells at zeros
        (("*1!", "11#", "00#"), {}),  # too few zeros to know that
    ],
)
def test_tiles_of_a_finished_board_that_follow_from_the_rules(
    rows: list[str], settled: dict[tuple[int, int], int]
) -> None:
    found = settled_tiles(tiles(*rows))
    shown = {
        (int(row), int(col)): int(found[row, col]) for row, col in np.argwhere(found != UNREAD)
    }
    assert shown == settled


WON = ("1F1011", "12211F", "01F111", "011100")


@pytest.mark.parametrize(
    ("rows", "certain"),
    [
        (("1F1011", "1!!11F", "01F111", "011100"), True),
        (("1F1!11", "122!!F", "01!111", "011100"), True),  # a mine, too
        (("!!!011", "!!!11F", "01F111", "011100"), False),  # the mine may be in the corner
        (("1F1011", "1!#11F", "01F111", "011100"), True),  # what hides one looks like a tile
        (("1F1011", "1!!111", "01F11#", "011100"), False),  # free cells may be left
        (("1F1011", "1!!11F", "01F211", "011100"), False),  # a number lacks a mine
        (("1F1011", "1!!11F", "01F111", "0111X0"), False),  # a lost board
    ],
)
def test_tiles_in_doubt_of_a_won_board_are_what_its_flags_leave(
    rows: list[str], certain: bool
) -> None:
    found = settled_after_win(tiles(*rows))
    assert (found is not None) is certain
    if found is not None:
        assert np.array_equal(found, tiles(*WON))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 12), st.booleans())
def test_whatever_follows_from_the_rules_is_true(
    seed: int, mine_count: int, covered: int, all_open: bool
) -> None:
    """On finished boards, with tiles in doubt anywhere and, maybe, safe cells still hidden."""
    random = np.random.default_rng(seed)
    mines = np.zeros((7, 10), np.bool_)
    mines.reshape(-1)[random.choice(70, mine_count, replace=False)] = True
    truth = np.where(mines, np.int8(Tile.MINE), count_neighbours(mines)).astype(np.int8)
    at_zero = count_neighbours(truth == 0) > 0
    if not all_open:
        hidden = (random.random((7, 10)) < 0.5) & ~at_zero & (truth > 0)
        truth[hidden] = Tile.HIDDEN
    seen = truth.copy()
    seen.reshape(-1)[random.choice(70, covered, replace=False)] = UNREAD
    settled = settled_tiles(seen)
    known = settled != UNREAD
    assert (settled[known] == truth[known]).all()


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
    ("rows", "count"),
    [
        (["####", "####"], 0),
        (["000", "011", "01#"], 0),
        (["#00#", "#11#", "####"], 1),
        (["###", "000", "###", "121"], 3),
        (["####0", "####0", "####0"], 3),
    ],
)
def test_zeros_beside_lines_that_are_hidden_throughout(rows: list[str], count: int) -> None:
    assert zeros_beside_hidden_ends(tiles(*rows)) == count


def test_a_zero_beside_hidden_cells_may_be_a_tile_that_the_mouse_holds_down() -> None:
    board = tiles("000000", "000000", "011100", "01#100", "013332", "01####", "01####")
    assert not doubtful_zeros(board).any()
    board[6, 3] = 0
    assert np.argwhere(doubtful_zeros(board)).tolist() == [[6, 3]]


def test_a_program_that_opens_cells_one_by_one_has_no_tile_held_down() -> None:
    assert not doubtful_zeros(tiles("0#0#0#0#0#", "##########", "0########0")).any()


@pytest.mark.parametrize(("flags", "doubtful"), [("FF", False), ("FFF", True)])
def test_a_zero_with_several_flags_around_it_is_a_number_that_cannot_be_seen(
    flags: str, doubtful: bool
) -> None:
    """Under a filter for the colour-blind a dark red 5 had the grey of its tile."""
    board = tiles(flags.ljust(3, "1"), "101", "111")
    assert doubtful_zeros(board).any() == doubtful


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("F1 11", False),
        ("F1 1!", True),
        ("!1 11", True),
        ("!1 1#", True),  # by the mine that the hidden cell may hold
        ("#1# 111 !!!", False),
        ("*1 1!", False),
        ("## !#", False),
    ],
)
def test_unknown_tiles_leave_open_whether_the_game_is_won(text: str, may_be: bool) -> None:
    assert may_be_won(tiles(*text.split())) is may_be

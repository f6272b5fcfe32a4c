"""The log-chance of boards: which of two labellings is the likelier board."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.classify.scores import contradictory, lacks_mines, log_chance
from solver.board import Tile, count_neighbours
from tests.calibration.drawing import tiles

UNFLOODED = "##F##00# ##11000# ##10000# #F2#100# ##2F#### ######## ######## ########"
"""A board of a program that leaves cells hidden beside its zeros."""


@pytest.mark.parametrize(
    ("likely", "unlikely"),
    [
        ("1# 11", "2# 11"),  # a number without room for its mines
        ("00 00 11 1#", "00 0# 11 1#"),  # a zero beside a hidden tile
        ("## ## ##", "00 00 00"),  # a board of one kind is a fresh one
        ("01F 011 000", "01# 011 00F"),  # flags stand beside numbers
        ("1X###* 11#### *##*#* *##*#*", "1F###F 11#### F##F#F F##F#F"),  # far marks are mines
        ("1F1 111 000", "FFF 111 000"),  # more flags than a number says
        ("1F1# 2F2# 1F1# 2F3# 11##", "1?1# 2?2# 1?1# 2?3# 11##"),  # wrong flags are not questions
        ("X## ###", "*## ###"),  # mines are shown because one exploded
        ("01### 11### ##### ##### #####", "#1000 11000 00000 00000 00000"),  # room for its mines
        ("0001 0001 001# 001#", "0001 0001 0011 0011"),  # a number has a mine
        (UNFLOODED, UNFLOODED.replace("#", "0")),  # no flag is wrong once all is open
    ],
)
def test_the_likelier_tiles(likely: str, unlikely: str) -> None:
    both = log_chance(np.stack([tiles(likely), tiles(unlikely)]))
    assert both[0] > both[1]


def test_several_boards_are_scored_as_one_by_one() -> None:
    rng = np.random.default_rng(4)
    boards = rng.integers(-7, 9, (12, 5, 7)).astype(np.int8)
    alone = [float(log_chance(one[None])[0]) for one in boards]
    assert log_chance(boards) == pytest.approx(alone)


def test_mines_are_all_shown_or_only_the_one_that_exploded() -> None:
    """The one cell that touches no number may be one, too, and shows none."""
    flagged = tiles("1F11# 1122# 0012# 123F# #####")
    mined, one = np.where(flagged == Tile.FLAG, Tile.MINE, flagged), flagged.copy()
    one[0, 1] = Tile.EXPLODED
    several = np.stack([flagged, mined, one])
    appearing, at_rest = log_chance(several), log_chance(several, at_rest=True)
    assert (appearing - at_rest).tolist() == pytest.approx([0.0, 3.0, 0.0])


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("1F11# 1122# 0012# 123F# #####", True),
        ("1F100 11211 012#2 01#31 01111", True),
        ("1F100 11111 001#1 00111 00000", False),  # a single mine, which something may lie over
        ("1F100 11111 001F1 00111 00000", False),
    ],
)
def test_numbers_show_that_not_all_mines_are_marked(text: str, lacks: bool) -> None:
    assert lacks_mines(tiles(text)) is lacks


@pytest.mark.parametrize(
    ("text", "impossible"),
    [
        ("002## 013## 01### 01### 22### #####", False),
        ("002## 012## 01### 01### 22### #####", True),  # the 2 has three mines by the others
        ("1F1 111 000", False),
        ("1FF 111 000", False),  # a flag may be wrong
        ("1*# 1#X 111", True),  # both ones in the left column see the first mine, and then no more
        ("1* 21", True),
        ("1! 1!", False),
        ("### ### ###", False),
    ],
)
def test_numbers_contradict_each_other(text: str, impossible: bool) -> None:
    assert contradictory(tiles(text)) is impossible


@given(st.integers(0, 2**32), st.integers(1, 30), st.floats(0.1, 0.9))
def test_numbers_of_a_real_board_never_contradict_each_other(
    seed: int, mines: int, opened: float
) -> None:
    rng = np.random.default_rng(seed)
    mined = rng.permutation(np.arange(42) < mines).reshape(6, 7)
    tiles = np.where(mined, Tile.HIDDEN, count_neighbours(mined)).astype(np.int8)
    covered = np.where(rng.random((6, 7)) < opened, tiles, np.int8(Tile.HIDDEN))
    covered[mined & (rng.random((6, 7)) < 0.2)] = Tile.MINE
    assert not contradictory(covered)
    assert not contradictory(tiles)

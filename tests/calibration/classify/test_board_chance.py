"""The log-chance of boards: which of two labellings is the likelier board."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.classify.decoding.board_chance import _counts_around, log_chance
from calibration.rules import UNREAD
from solver.board import TILE_OF_TEXT, count_neighbours


def board(text: str) -> NDArray[np.int8]:
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in text.split()], np.int8)


@pytest.mark.parametrize(
    ("likely", "unlikely"),
    [
        ("1# 11", "2# 11"),  # a number without room for its mines
        ("00 00 11 1#", "00 0# 11 1#"),  # a zero beside a hidden tile
        ("## ## ##", "00 00 00"),  # a board of one kind is a fresh one
        ("01F 011 000", "01# 011 00F"),  # flags stand beside numbers
        ("1X###* 11#### *##*#* *##*#*", "1F###F 11#### F##F#F F##F#F"),  # far marks are mines
        ("1F1 111 000", "FFF 111 000"),  # more flags than a number says
        ("X## ###", "*## ###"),  # mines are shown because one exploded
        ("01### 11### ##### ##### #####", "#1000 11000 00000 00000 00000"),  # room for its mines
        ("0001 0001 001# 001#", "0001 0001 0011 0011"),  # a number has a mine
    ],
)
def test_the_likelier_board(likely: str, unlikely: str) -> None:
    both = log_chance(np.stack([board(likely), board(unlikely)]))
    assert both[0] > both[1]


def test_several_boards_are_scored_as_one_by_one() -> None:
    rng = np.random.default_rng(4)
    boards = rng.integers(-7, 9, (12, 5, 7)).astype(np.int8)
    alone = [float(log_chance(one[None], 9)[0]) for one in boards]
    assert log_chance(boards, 9) == pytest.approx(alone)


def test_a_mine_total_that_cannot_be_costs() -> None:
    fresh = board("### ### ###")[None]
    assert log_chance(fresh, 10)[0] < log_chance(fresh, 9)[0]


def test_counts_are_those_of_single_masks() -> None:
    rng = np.random.default_rng(5)
    masks = [rng.random((3, 4, 6)) < 0.6 for _ in range(6)]
    for counts, mask in zip(_counts_around(*masks), masks, strict=True):
        for count, one in zip(counts, mask, strict=True):
            assert np.array_equal(count, count_neighbours(one))

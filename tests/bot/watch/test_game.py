"""How a watched game ended, where a program shows its mines after a win as after a loss."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.tracker import Observation
from bot.watch.moves import end_of
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from solver.board import Board, Cell
from solver.game import Status

LAST_CELL = "01#1 0111 111# 1#1#"
TWO_CELLS = "01#1 0111 11## 1#1#"
ALL_SHOWN = "01*1 0111 1111 1*11"
EXPLODED = "01X1 0111 1111 1*11"


def board(text: str) -> Board:
    return Board.from_text(text.replace(" ", "\n"))


def ended(shown: str) -> Observation:
    tiles = board(shown)
    reading = Reading(tiles, Status.LOST, 1.0, None, np.ones(tiles.tiles.shape), "learned")
    return Observation(Frame(np.zeros((4, 4, 3), np.uint8)), reading)


@pytest.mark.parametrize(
    ("before", "shown", "pointer", "status"),
    [
        ("01#1 0111 111# 1#11", ALL_SHOWN, None, Status.WON),
        ("01#1 0111 111# 1#11", ALL_SHOWN, Cell(2, 3), Status.WON),
        ("01#1 0111 111# 1#11", ALL_SHOWN, Cell(3, 1), Status.LOST),
        (LAST_CELL, ALL_SHOWN, None, Status.LOST),
        (TWO_CELLS, ALL_SHOWN, None, Status.LOST),
        ("01#1 0111 111# 1#11", EXPLODED, None, Status.LOST),
    ],
)
def test_mines_shown_after_the_last_cell_was_opened_are_those_of_a_win(
    before: str, shown: str, pointer: Cell | None, status: Status
) -> None:
    assert end_of(board(before), ended(shown), pointer, lambda: None).status is status


@pytest.mark.parametrize("status", [Status.WON, Status.LOST])
def test_words_count_more_than_what_one_click_opens(status: Status) -> None:
    said = Said(status, plain=True)
    for before in (LAST_CELL, "01#1 0111 111# 1#11"):
        assert end_of(board(before), ended(ALL_SHOWN), None, lambda: said).status is status

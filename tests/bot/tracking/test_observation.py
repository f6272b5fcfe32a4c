"""What two readings of one game say: numbers stay, and zeros go on opening."""

from __future__ import annotations

import pytest

from bot.tracking.tracker import check_same_game, still_opening
from solver.board import Board


def test_an_open_number_may_not_be_covered_or_change() -> None:
    before = Board.from_text("1#\n##")
    check_same_game(before, Board.from_text("12\n#F"))
    for after in ("##\n##", "2#\n##", "F#\n##", "1#"):
        with pytest.raises(Exception, match=r"[Ss]tart (minebot )?again"):
            check_same_game(before, Board.from_text(after))


def test_beside_a_zero_with_hidden_neighbours_cells_are_still_being_opened() -> None:
    assert still_opening(Board.from_text("0#\n11"))
    assert not still_opening(Board.from_text("01#\n011"))
    assert not still_opening(Board.from_text("0F\n11"))

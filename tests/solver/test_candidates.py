"""The chance to win from a board where nothing need be guessed yet."""

from __future__ import annotations

import pytest

from solver.agents import make_agent
from solver.board import Board
from solver.candidates import win_chance


def test_where_every_cell_is_certain_the_game_is_won() -> None:
    assert win_chance(Board.from_text("#10\n#21\n#1#\n###", mines=2)) == 1.0
    assert win_chance(Board.from_text("1#", mines=1)) == 1.0


def test_two_equivalent_cells_halve_the_chance() -> None:
    safe_at_the_right = Board.from_text("#1001##\n#10011#", mines=2)
    assert win_chance(safe_at_the_right) == 0.5


def test_worlds_agree_with_the_guess_that_follows() -> None:
    board = Board.from_text("1##\n###\n###", mines=2)
    exact = make_agent("deep").decide(board).win
    assert win_chance(board) == pytest.approx(exact, abs=0.12)


@pytest.mark.parametrize(
    "board", [Board.from_text("###", 1), Board.from_text("1##"), Board.from_text("1#~", 1)]
)
def test_no_win_chance_before_a_click_without_a_total_or_beside_an_unknown_tile(
    board: Board,
) -> None:
    assert win_chance(board) is None

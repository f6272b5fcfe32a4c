"""The chance to win from a board where nothing need be guessed yet."""

from __future__ import annotations

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board, Tile
from solver.guesses import compare_guesses, win_chance


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


@pytest.mark.parametrize("opened", [{(13, 0): 3, (14, 0): 2, (15, 0): 1}, {(0, 0): 1}, {(8, 9): 2}])
def test_a_guess_has_one_chance_to_win_and_no_other_has_more(
    opened: dict[tuple[int, int], int],
) -> None:
    """The decision, and the table of the candidates, state the same chance for the same cell."""
    tiles = np.full((16, 30), Tile.HIDDEN, np.int8)
    for cell, number in opened.items():
        tiles[cell] = number
    board = Board(tiles, 99)
    decision = make_agent("deep").decide(board)
    best, *others = compare_guesses(board, count=6)
    assert (best.cell, best.win) == (decision.moves[0].cell, decision.win)
    assert best.win is not None
    assert all(one.win is not None and one.win <= best.win for one in others)


def test_on_a_small_board_both_search_the_whole_game() -> None:
    board = Board.from_text("1###\n####\n####", mines=3)
    decision = make_agent("deep").decide(board)
    assert compare_guesses(board)[0].win == decision.win

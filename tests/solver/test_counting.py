"""Numbers with their words, in the singular and the plural."""

from __future__ import annotations

import pytest

from solver.agents import agent_names, make_agent
from solver.arena.boards import Size
from solver.board import Board
from solver.counting import counted
from solver.errors import BadBoards, BadMineTotal


def test_only_one_is_in_the_singular() -> None:
    assert [counted(count, "guess", "guesses") for count in (0, 1, 2)] == [
        "0 guesses",
        "1 guess",
        "2 guesses",
    ]


def test_a_single_mine_that_does_not_fit_is_in_the_singular() -> None:
    with pytest.raises(BadBoards, match=r"^1 mine leaves no safe cell on a 1x1 board"):
        Size(1, 1, 1)
    with pytest.raises(BadBoards, match=r"^4 mines leave no safe cell on a 2x2 board"):
        Size(2, 2, 4)
    with pytest.raises(BadMineTotal, match=r"^2 mines cannot lie on a board of 1 cell"):
        Board.from_text("#", mines=2)


@pytest.mark.parametrize("name", agent_names())
def test_no_agent_writes_a_single_cell_in_the_plural(name: str) -> None:
    board = Board.from_text("*1#", mines=1)
    reason = make_agent(name).decide(board).reason
    singular = ("1 cell proven by ", "1 cell is certainly safe", "no cell is left to open")
    assert reason.startswith(singular)

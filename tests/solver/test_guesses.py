"""The chance to win, the cells that are compared, and why one is opened, in words."""

from __future__ import annotations

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board, Cell, Tile
from solver.guesses import Candidate, compare_guesses, guess_words, win_chance

BOARD = Board.from_text("#####\n#1###\n#3###\n#####", 5)


def candidate(
    row: int, col: int, survival: float, *, win: float | None, area: float = 0.0, after: float = 0.0
) -> Candidate:
    numbers = (area, survival - area, *[0.0] * 7)
    return Candidate(Cell(row, col), survival, win, numbers, after)


CHOSEN = candidate(1, 3, 0.85, win=0.54, after=1.0)


@pytest.mark.parametrize(
    ("rival", "words"),
    [
        (
            candidate(0, 4, 0.83, win=0.512, area=0.46),
            "the corner at row 1, column 5 opens an area in 46 % of cases, but wins about 3 points "
            "less",
        ),
        (candidate(2, 3, 0.85, win=0.526), "row 3, column 4 wins about 1 point less"),
        (
            candidate(2, 3, 0.96, win=0.54, area=0.2),
            "row 3, column 4 is safer (96 %) and opens an area in 20 % of cases and wins about as "
            "often",
        ),
        (candidate(2, 3, 0.8, win=None), "row 3, column 4 is less safe (80 %)"),
        (
            candidate(2, 3, 0.8, win=None, area=0.3),
            "row 3, column 4 opens an area in 30 % of cases, but is less safe (80 %) and is "
            "expected to win less",
        ),
    ],
)
def test_what_speaks_against_a_rival(rival: Candidate, words: str) -> None:
    sentence = guess_words(BOARD, CHOSEN, [rival])
    assert sentence == f"1 more safe cell after it on average; {words}"


def test_the_rival_is_the_one_that_a_player_would_ask_about() -> None:
    near = candidate(2, 3, 0.84, win=0.53)
    safer = candidate(3, 3, 0.95, win=0.5)
    opening = candidate(0, 0, 0.8, win=0.4, area=0.5)
    assert "row 4, column 4 is safer" in guess_words(BOARD, CHOSEN, [near, safer])
    assert "the corner at row 1, column 1" in guess_words(BOARD, CHOSEN, [near, safer, opening])
    alike = candidate(2, 3, 0.85, win=None)  # the same by symmetry, for instance
    assert guess_words(BOARD, CHOSEN, [alike]) == guess_words(BOARD, CHOSEN, [])
    assert guess_words(BOARD, CHOSEN, []) == "1 more safe cell after it on average"


def test_the_reason_of_a_guess_is_in_these_words() -> None:
    reason = make_agent("deep").decide(BOARD).reason
    assert reason.startswith("of all ways to play on, this wins most; opens ")
    assert "% of cases; the corner at" in reason


@pytest.mark.parametrize(
    ("text", "mines", "chance"),
    [
        ("#10\n#21\n#1#\n###", 2, 1.0),  # every cell is certain
        ("1#", 1, 1.0),
        ("#1001##\n#10011#", 2, 0.5),  # two equivalent cells at the left
        ("1##\n###\n###", 2, pytest.approx(11 / 15, abs=0.12)),  # by worlds
        ("###", 1, None),  # before a click,
        ("1##", None, None),  # without a total,
        ("1#~", 1, None),  # or beside an unknown tile
    ],
)
def test_the_chance_to_win(text: str, mines: int | None, chance: float | None) -> None:
    assert win_chance(Board.from_text(text, mines)) == chance


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

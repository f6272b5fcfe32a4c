"""Sentences and JSON for decisions, candidates, proofs and results."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.events import Blame, GameResult, Outcome
from bot.terminal.console import PipeConsole
from bot.terminal.words import (
    best_line,
    candidates_of,
    candidates_table,
    decision_line,
    explanation_json,
    numbers_text,
    result_line,
    why_certain,
)
from solver.agents import Decision, make_agent
from solver.agents.base import Action, Move, avoid_flags
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.errors import BadCell
from solver.guesses import Candidate, guess_words

CERTAIN = Board.from_text("###\n121\n000", mines=2)
EVEN = Board.from_text("##\n11", mines=1)
BOARD = Board.from_text("1#F\n###\n###")
FLAGGED = Board.from_text("1F\n##", 1)

GUESS = Decision((Move(Cell(0, 1)),), "the least risk", survival=0.75, win=0.5)
FLAGS = Decision(tuple(Move(Cell(2, col), Action.FLAG) for col in range(3)), "mines", 1.0)
WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)
LOST = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, why="A 20 % risk came true.")
LUCK = replace(LOST, chance=0.5, why="The guess had a risk of 50.0 %.")


def candidates(board: Board, agent: str, count: int) -> tuple[Candidate, ...]:
    return tuple(candidates_of(board, analyse(board), make_agent(agent).decide(board), count))


def test_what_is_said_of_decisions_and_results(compare: Callable[[str, str], None]) -> None:
    lines = [
        decision_line(GUESS, BOARD),
        decision_line(FLAGS, BOARD),
        decision_line(Decision((), "gives up", 0.0), BOARD),
        decision_line(avoid_flags(FLAGGED, GUESS), FLAGGED),
        *(result_line(one) for one in (WON, LOST, LUCK)),
        *(result_line(replace(one, guesses=2)) for one in (WON, LUCK)),
        result_line(replace(WON, guesses=0, chance=1.0)),
        result_line(replace(WON, guesses=0, bv=14)),
        *(why_certain(CERTAIN, analyse(CERTAIN), Cell(0, col)).text for col in range(2)),
    ]
    compare("words", "\n".join([*lines, ""]))


def test_nothing_is_explained_unless_it_is_asked_for() -> None:
    why = why_certain(CERTAIN, analyse(CERTAIN), Cell(0, 0))
    assert explanation_json(None, None) == {}
    assert explanation_json(candidates(CERTAIN, "tank", 1), None).keys() == {"candidates"}
    assert explanation_json(None, why).keys() == {"why"}


def test_certain_cells_are_the_candidates_where_there_are_some_and_guesses_may_win() -> None:
    (only,) = candidates(CERTAIN, "tank", 5)
    assert (only.cell, only.survival, only.win) == (Cell(0, 1), 1.0, None)
    found = [(one.survival, one.win) for one in candidates(EVEN, "tank", 5)]
    assert found == [(0.5, pytest.approx(0.5))] * 2


def test_an_open_cell_has_no_explanation() -> None:
    with pytest.raises(BadCell):
        why_certain(CERTAIN, analyse(CERTAIN), Cell(1, 1))


def test_the_table_of_candidates_fits_80_columns_and_names_the_likeliest_numbers() -> None:
    chances = (0.1, 0.3, 0.2, 0.001, 0.2, 0.05, 0.0, 0.0, 0.0)
    one = Candidate(Cell(15, 29), 0.85, 0.4, chances, 10.5)
    assert numbers_text(one, 3) == "1 (30 %), 2 (20 %), 4 (20 %)"
    sent = io.StringIO()
    PipeConsole(file=sent, width=80).print(candidates_table((one,)))
    assert len(sent.getvalue().splitlines()) == 3, "two of the head, one of the candidate"


def test_the_best_candidate_is_explained_in_words() -> None:
    middle = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    found = candidates(middle, "deep", 4)
    assert best_line(middle, found) == (
        f"Row 1, column 3 is the best: it {guess_words(middle, found[0], found[1:])}."
    )
    assert best_line(CERTAIN, candidates(CERTAIN, "tank", 4)) == ""

"""Sentences and JSON for decisions, candidates and proofs."""

from __future__ import annotations

import io
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

NO_MOVE = Decision((), "", 1.0)

EVEN = Board.from_text("##\n11", mines=1)


def explained(
    board: Board, *, count: int | None = None, cell: Cell | None = None
) -> dict[str, object]:
    analysis, decision = analyse(board), make_agent("tank").decide(board)
    return explanation_json(
        None if count is None else candidates_of(board, analysis, decision, count),
        None if cell is None else why_certain(board, analysis, cell),
    )


def test_nothing_is_explained_unless_it_is_asked_for() -> None:
    assert explained(CERTAIN) == {}
    assert explained(CERTAIN, count=1).keys() == {"candidates"}
    assert explained(CERTAIN, cell=Cell(0, 0)).keys() == {"why"}


def test_certain_cells_are_the_candidates_where_there_are_some() -> None:
    (only,) = candidates_of(CERTAIN, analyse(CERTAIN), make_agent("tank").decide(CERTAIN), 5)
    assert only.cell == Cell(0, 1)
    assert only.survival == 1.0
    assert only.win is None


def test_guesses_have_a_chance_to_win() -> None:
    found = candidates_of(EVEN, analyse(EVEN), make_agent("tank").decide(EVEN), 5)
    assert [one.survival for one in found] == [0.5, 0.5]
    assert [one.win for one in found] == [pytest.approx(0.5), pytest.approx(0.5)]


def test_a_proof_is_said_with_rows_and_columns_from_1() -> None:
    why = why_certain(CERTAIN, analyse(CERTAIN), Cell(0, 0))
    assert why.text.startswith("Row 1, column 1 is certainly a mine: ")
    assert why.proof is not None
    assert why.proof.mine


def test_an_open_cell_has_no_explanation() -> None:
    with pytest.raises(BadCell):
        why_certain(CERTAIN, analyse(CERTAIN), Cell(1, 1))


def test_the_likeliest_numbers_are_named_in_order() -> None:
    chances = (0.1, 0.3, 0.2, 0.001, 0.2, 0.05, 0.0, 0.0, 0.0)
    one = Candidate(Cell(2, 3), 0.85, 0.4, chances, 1.26)
    assert numbers_text(one, 3) == "1 (30 %), 2 (20 %), 4 (20 %)"


def test_the_table_of_candidates_fits_80_columns() -> None:
    chances = (0.2, 0.3, 0.2, 0.1, 0.1, 0.05, 0.0, 0.0, 0.0)
    one = Candidate(Cell(15, 29), 0.85, 0.4, chances, 10.5)
    sent = io.StringIO()
    PipeConsole(file=sent, width=80).print(candidates_table((one,)))
    assert len(sent.getvalue().splitlines()) == 3  # two of the head, one of the candidate


def test_the_best_candidate_is_explained_in_words() -> None:
    middle = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    found = candidates_of(middle, analyse(middle), make_agent("deep").decide(middle), 4)
    assert best_line(middle, found) == (
        f"Row 1, column 3 is the best: it {guess_words(middle, found[0], found[1:])}."
    )
    assert best_line(CERTAIN, candidates_of(CERTAIN, analyse(CERTAIN), NO_MOVE, 4)) == ""


BOARD = Board.from_text("1#F\n###\n###")

WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)


def test_a_loss_is_reported_with_its_blame() -> None:
    lost = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, why="A 20 % risk came true.")
    assert "lost (bad luck)" in result_line(lost)
    assert result_line(lost).endswith("A 20 % risk came true.")


def test_the_chance_is_reported_only_where_something_was_guessed() -> None:
    assert result_line(replace(WON, guesses=0, chance=1.0)).endswith("7 clicks, 0 guesses.")
    assert "2 guesses; the chance to survive them was 80.0 %." in result_line(
        replace(WON, guesses=2)
    )


def test_a_won_game_is_reported_with_its_efficiency() -> None:
    won = replace(WON, guesses=0, bv=14)
    assert result_line(won).endswith(
        " 7 clicks, 0 guesses. 3BV 14: 5.6 a second, efficiency 200 % (3BV a click)."
    )


def test_a_decision_names_its_first_move_its_chances_and_its_reason() -> None:
    guess = Decision((Move(Cell(0, 1)),), "the least risk", survival=0.75, win=0.5)
    assert decision_line(guess, BOARD) == (
        "Guess at row 1, column 2 (75.0 % to survive, 50.0 % to win): the least risk"
    )
    flags = Decision(tuple(Move(Cell(2, col), Action.FLAG) for col in range(3)), "mines", 1.0)
    assert decision_line(flags, BOARD) == "Flag row 3, column 1 and 2 more: mines"
    assert decision_line(Decision((), "gives up", 0.0), BOARD) == "No move: gives up"


def test_a_click_that_removes_a_flag_says_so() -> None:
    board = Board.from_text("1F\n##", 1)
    decision = avoid_flags(board, Decision((Move(Cell(0, 1)),), "the least risk", 0.7))
    assert decision_line(decision, board) == (
        "Remove the flag from row 1, column 2: a flagged cell cannot be opened, so its flag is "
        "removed first; then: the least risk"
    )


def test_the_risk_of_the_one_guess_is_said_once() -> None:
    lost = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, chance=0.5)
    lost = replace(lost, why="The guess had a risk of 50.0 %.")
    assert result_line(lost).count("50.0 %") == 1
    assert result_line(replace(lost, guesses=2)).count("50.0 %") == 2

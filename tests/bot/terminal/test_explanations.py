"""Explanations of a position: candidates, proofs, and their words."""

from __future__ import annotations

import io

import pytest

from bot.terminal.console import PipeConsole
from bot.terminal.words import (
    best_line,
    candidate_line,
    candidates_of,
    candidates_table,
    explain_position,
    explanation_json,
    numbers_text,
    why_certain,
)
from solver.agents import Decision, make_agent
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.errors import BadCell
from solver.guesses import Candidate, guess_words

CERTAIN = Board.from_text("###\n121\n000", mines=2)
NO_MOVE = Decision((), "", 1.0)
EVEN = Board.from_text("##\n11", mines=1)


def explained(board: Board, **asked: object) -> dict[str, object]:
    decision = make_agent("tank").decide(board)
    return explanation_json(explain_position(board, analyse(board), decision, **asked))  # type: ignore[arg-type]


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
    assert candidate_line(one) == (
        "Row 3, column 4: survives 85.0 %, wins 40.0 %, opens an area in 10 % of cases, 1.3 more "
        "safe cells after it on average"
    )


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

"""Decisions and results in one line."""

from __future__ import annotations

from dataclasses import replace

from bot.events import Blame, GameResult, Outcome
from bot.terminal.words import analysis_text, decision_line, result_line
from solver.agents.base import Action, Decision, Move, avoid_flags
from solver.analysis import analyse
from solver.board import Board, Cell

BOARD = Board.from_text("1#F\n###\n###")
WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)


def test_a_loss_is_told_with_its_blame() -> None:
    lost = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, why="A 20 % risk came true.")
    assert "lost (bad luck)" in result_line(lost)
    assert result_line(lost).endswith("A 20 % risk came true.")


def test_the_chance_is_told_only_where_something_was_guessed() -> None:
    assert result_line(replace(WON, guesses=0, chance=1.0)).endswith("7 clicks, 0 guesses.")
    assert "2 guesses; the chance to survive them was 80.0 %." in result_line(
        replace(WON, guesses=2)
    )


def test_a_won_game_is_told_with_its_efficiency() -> None:
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


def test_what_is_certain_is_counted_in_the_singular_and_in_the_plural() -> None:
    one, two = Board.from_text("1##", 1), Board.from_text("#1#", 1)
    assert analysis_text(analyse(one)) == (
        "1 layout fits; 1 cell certainly safe, 1 certainly a mine."
    )
    assert analysis_text(analyse(two)) == (
        "2 layouts fit; 0 cells certainly safe, 0 certainly mines."
    )


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

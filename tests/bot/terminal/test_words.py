"""Sentences for decisions, candidates, proofs and results."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from bot.events import Blame, GameResult, Outcome
from bot.terminal.console import PipeConsole
from bot.terminal.words import (
    best_line,
    candidates_of,
    candidates_table,
    decision_line,
    result_line,
    why_certain,
)
from solver.agents import Decision, make_agent
from solver.agents.base import Action, Move, avoid_flags
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.guesses import Candidate

CERTAIN = Board.from_text("###\n121\n000", mines=2)
BOARD = Board.from_text("1#F\n###\n###")
FLAGGED = Board.from_text("1F\n##", 1)

GUESS = Decision((Move(Cell(0, 1)),), "the least risk", survival=0.75, win=0.5)
FLAGS = Decision(tuple(Move(Cell(2, col), Action.FLAG) for col in range(3)), "mines", 1.0)
WON = GameResult(1, Outcome.WON, turns=3, clicks=7, guesses=1, seconds=2.5, chance=0.8)
LOST = replace(WON, outcome=Outcome.LOST, blame=Blame.BAD_LUCK, why="A 20 % risk came true.")
CHANCES = (0.1, 0.3, 0.2, 0.001, 0.2, 0.05, 0.0, 0.0, 0.0)
LUCK = replace(LOST, chance=0.5, why="The guess had a risk of 50.0 %.")


def test_what_is_said_of_decisions_and_results(compare: Callable[[str, str], None]) -> None:
    middle = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    found = tuple(candidates_of(middle, analyse(middle), make_agent("deep").decide(middle), 4))
    table = PipeConsole(file=io.StringIO(), width=80)
    table.print(candidates_table((Candidate(Cell(15, 29), 0.85, 0.4, CHANCES, 10.5),)))
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
        best_line(middle, found),
        *map(str.rstrip, table.file.getvalue().splitlines()),  # type: ignore[attr-defined]
    ]
    compare("words", "\n".join([*lines, ""]))

"""An adviser thinks about the newest board in its thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from bot.watch.hints import Advice, Adviser
from solver.agents import make_agent
from solver.agents.base import Decision, Move
from solver.board import Board, Cell
from solver.engine.calls import ignore_progress
from tests.bot.command_line import TOO_LARGE

SAFE = Board.from_text("#1001##\n#10011#", mines=2)
EVEN = Board.from_text("##\n11", mines=1)


class SlowAgent:
    """Thinks until it is let go, and asks meanwhile whether it should go on."""

    name = "slow"

    def __init__(self) -> None:
        self.on_progress: Callable[[int, int], None] = ignore_progress
        self.begun, self.let_go = threading.Event(), threading.Event()

    def decide(self, board: Board) -> Decision:
        self.begun.set()
        while not self.let_go.wait(0.01):
            self.on_progress(1, 8)
        return Decision((Move(Cell(0, 0)),), "let go", 0.5, win=0.25)


@contextmanager
def advising(agent: SlowAgent) -> Iterator[Adviser]:
    with closing(Adviser(agent)) as adviser:
        yield adviser


def next_advice(adviser: Adviser, wanted: Callable[[Advice], bool]) -> Advice:
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        advice = adviser.poll()
        if advice is not None and wanted(advice):
            return advice
        time.sleep(0.005)
    raise AssertionError("no such advice came")


def test_what_is_certain_comes_with_the_moves_and_the_chance_to_win() -> None:
    with closing(Adviser(make_agent("deep"))) as adviser:
        adviser.ask(SAFE)
        advice = next_advice(adviser, lambda one: one.decision is not None)
    assert advice.analysis is not None
    assert advice.decision is not None
    assert {move.cell for move in advice.decision.moves} == set(advice.analysis.safe)
    assert advice.win == 0.5


def test_thought_is_told_and_broken_off_for_another_board() -> None:
    agent = SlowAgent()
    with advising(agent) as adviser:
        adviser.ask(SAFE)
        thinking = next_advice(adviser, lambda one: one.thought is not None)
        assert (thinking.board, thinking.decision, thinking.thought) == (SAFE, None, (1, 8))
        assert thinking.analysis is not None, "what is certain is told at once"
        agent.begun.clear()
        adviser.ask(EVEN)
        assert agent.begun.wait(30), "the first thought was not broken off"
        agent.let_go.set()
        advice = next_advice(adviser, lambda one: one.decision is not None)
        assert (advice.board, advice.win) == (EVEN, 0.25)


def test_nothing_is_told_of_a_board_that_is_asked_about_no_more() -> None:
    agent = SlowAgent()
    with advising(agent) as adviser:
        adviser.ask(SAFE)
        assert agent.begun.wait(30)
        adviser.ask(None)
        assert adviser.poll() is None


@pytest.mark.slow
def test_a_board_that_cannot_be_analysed_says_why() -> None:
    with closing(Adviser(make_agent("deep"))) as adviser:
        adviser.ask(Board.from_text(TOO_LARGE))
        advice = next_advice(adviser, lambda one: True)
    assert advice.decision is not None
    assert not advice.decision.moves
    assert "give a smaller board" in advice.decision.reason

"""Advice and warnings while a scripted person plays the simulated window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from bot.events import Event, GameOver, GameResult, Outcome, Turn, each_of
from bot.record.games import Kind, Mistake
from bot.terminal.watch_view import LiveHints
from bot.watch.hints import Advice
from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import Board, Cell
from tests.bot.watch.test_spectator import board, desktop, watched

Choice = Callable[[Board], Cell]


class Reported:
    """Keeps what a view would show."""

    def __init__(self) -> None:
        self.advice: list[tuple[int, Advice]] = []
        self.warnings: list[tuple[Turn, Mistake]] = []
        self.results: list[GameResult] = []

    def advised(self, game: int, advice: Advice) -> None:
        self.advice.append((game, advice))

    def warned(self, turn: Turn, mistake: Mistake) -> None:
        self.warnings.append((turn, mistake))

    def __call__(self, event: Event) -> None:
        if isinstance(event, GameOver):
            self.results.append(event.result)


def reported_of(*choices: Choice) -> Reported:
    """Click, each time once the board before was advised on; wait for the advice or the end."""
    desk, reported = desktop(), Reported()

    def is_answered() -> bool:
        hints.poll()
        time.sleep(0.01)  # the threads think in real time
        decided = (one.board for _, one in reported.advice if one.decision is not None)
        return board(desk) in decided or bool(reported.results)

    def person() -> Iterator[None]:
        for choose in choices:
            while not is_answered():
                yield
            desk.click(desk.cell_point(choose(board(desk))))
            yield
        while not (is_answered() and reported.warnings):
            yield

    with closing(LiveHints(make_agent("deep"), reported)) as hints:
        watched(desk, person(), hints=hints, observer=each_of(reported, hints))
    return reported


def middle(board: Board) -> Cell:
    return Cell(4, 4)


def safe(board: Board) -> Cell:
    return analyse(board).safe[0]


def risky(board: Board) -> Cell:
    """A cell that may be a mine or not, while others are safe."""
    known = analyse(board)
    assert known.safe
    return next(c for c in board.hidden_cells() if 0.0 < known.probabilities[c] < 0.5)


def mine(board: Board) -> Cell:
    return analyse(board).mines[0]


@pytest.mark.slow
def test_a_needless_risk_is_warned_of_and_each_board_is_advised_on() -> None:
    reported = reported_of(middle, safe, risky, safe)
    ((turn, mistake),) = reported.warnings
    assert (turn.game, turn.number, mistake.kind) == (1, 3, Kind.NEEDLESS_RISK)
    known = analyse(turn.reading.board)
    cell, count = turn.decision.moves[0].cell, len(known.safe)
    risk = f"{100 * known.probabilities[cell]:.1f} %"
    assert mistake.text == f"{cell.place} had a risk of {risk} while {count} cells were safe"
    for game, advice in reported.advice:
        assert game == 1
        assert advice.analysis is not None
        assert advice.analysis.safe == analyse(advice.board).safe


def test_after_the_end_the_last_mistake_is_reported_and_nothing_is_advised() -> None:
    reported = reported_of(middle, mine)
    ((turn, mistake),) = reported.warnings
    assert (turn.number, mistake.kind) == (2, Kind.CERTAIN_MINE)
    assert [result.outcome for result in reported.results] == [Outcome.LOST]
    assert reported.advice[-1][1].board == turn.reading.board, "the last board before the end"

"""Hints and warnings while a scripted person plays the simulated window."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

import pytest

from bot.errors import StoppedByUser
from bot.events import Event, GameOver, GameResult, Outcome, Turn, each_of
from bot.record.games import Kind, Mistake
from bot.terminal.watch_view import LiveHints
from bot.tracking.follow import Wanted
from bot.watch.hints import Advice
from bot.watch.spectator import Spectator
from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Rule
from tests.simulated import FaultyDesktop

Click = Callable[[Board], Cell]


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


def reported_of(*clicks: Click, warnings: int) -> Reported:
    """Make the clicks, each once the board before it was advised on; wait for the warnings."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=4)
    reported, left, due = Reported(), list(clicks), 0.0
    with closing(LiveHints(make_agent("deep"), reported)) as hints:

        def person() -> None:
            nonlocal due
            hints.poll()
            if desk.clock.now() < due:
                return
            time.sleep(0.02)  # the threads think in real time
            board = Board(desk.game.board.tiles, 10)
            decided = [one.board for _, one in reported.advice if one.decision is not None]
            if left and board in decided:
                desk.click(desk.cell_point(left.pop(0)(board)))
                due = desk.clock.now() + 1.0
            elif (
                not left
                and len(reported.warnings) >= warnings
                and (reported.results or board in decided)
            ):
                raise StoppedByUser("The person has finished.")

        spectator = Spectator(
            desk.screen,
            desk.pointer,
            desk.clock,
            observer=each_of(reported, hints),
            before_frame=person,
            hints=hints,
            wanted=Wanted(mines=10),
        )
        with pytest.raises(StoppedByUser):
            spectator.watch()
    return reported


@pytest.mark.slow
def test_a_needless_risk_is_warned_of_and_each_board_is_advised_on() -> None:
    reported = reported_of(middle, safe, risky, safe, warnings=1)
    (turn, mistake) = reported.warnings[0]
    assert len(reported.warnings) == 1
    assert (turn.game, turn.number, mistake.kind) == (1, 3, Kind.NEEDLESS_RISK)
    known = analyse(turn.reading.board)
    cell = turn.decision.moves[0].cell
    risk, count = known.probabilities[cell], len(known.safe)
    assert mistake.text == (
        f"{cell.place} had a risk of {100 * risk:.1f} % while {count} cells were safe"
    )
    for _, advice in reported.advice:
        exact = analyse(advice.board)
        assert advice.analysis is not None
        assert advice.analysis.safe == exact.safe
    assert {game for game, _ in reported.advice} == {1}


def test_after_the_end_the_last_mistake_is_reported_and_nothing_is_advised() -> None:
    reported = reported_of(middle, mine, warnings=1)
    (turn, mistake) = reported.warnings[0]
    assert (turn.number, mistake.kind) == (2, Kind.CERTAIN_MINE)
    assert [result.outcome for result in reported.results] == [Outcome.LOST]
    assert reported.advice[-1][1].board == turn.reading.board, "the last board before the end"

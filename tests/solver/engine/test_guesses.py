"""Guesses before the endgame: what stands apart, what is looked ahead, what is rolled out."""

from typing import Any

import numpy as np
import pytest

from solver.agents import make_agent
from solver.analysis import analyse, number_chances
from solver.board import Board, Cell, Tile
from solver.engine import calls
from solver.engine.calls import Method, PolicyKind
from solver.game import Game, Status
from solver.levels import LEVELS, SearchLimits

NO_ENDGAME = SearchLimits(layouts=1)

FIFTY_FIFTY = "#11##### #33##### ##3#####" + 5 * " ########"
"""One mine in the two cells of the corner; those below them are mines."""

DECIDED_LATER = "#11##### #22##### #22#####" + 5 * " ########"
"""The same with (2, 1) open: the cells below it may show where its mines are."""

CLOSED = "0012#### 111##### #123#### 112##### 223#3### ##33#### #6#5#### ########"
"""Two mines in three cells at the lower left, behind a wall of mines."""


def drawn(text: str, mines: int) -> Board:
    return Board.from_text("\n".join(text.split()), mines)


def decide(
    board: Board, limits: SearchLimits, policy: PolicyKind = PolicyKind.DEEP, **options: Any
) -> calls.Guess:
    assert board.mines is not None
    return calls.decide(board.tiles, board.mines, policy, limits, **options)


def guesses(size: tuple[int, int, int], seeds: range) -> list[Board]:
    """Return the boards of games on which nothing is certain, played on by the least risk."""
    found = []
    for seed in seeds:
        game = Game.random(*size, seed=seed)
        game.open(Cell(0, 0))
        while game.status is Status.PLAYING:
            known = analyse(game.board)
            if not known.safe:
                found.append(game.board)
            cell = np.unravel_index(np.nanargmin(known.probabilities), known.probabilities.shape)
            for one in known.safe or [Cell(*map(int, cell))]:
                game.open(one)
    return found


@pytest.mark.parametrize(
    ("text", "cells", "method"),
    [
        (FIFTY_FIFTY, [(0, 0), (1, 0)], Method.INDEPENDENT),
        (CLOSED, [(6, 0), (7, 0), (7, 1)], Method.INDEPENDENT),
        (DECIDED_LATER, [], Method.LOOK_AHEAD),
    ],
)
def test_what_nothing_can_decide_later_comes_first(
    text: str, cells: list[tuple[int, int]], method: Method
) -> None:
    guess = decide(drawn(text, 20), LEVELS["none"])
    assert guess.method is method
    assert divmod(guess.cell, 8) in cells or not cells


def test_a_fifty_fifty_is_explained() -> None:
    decision = make_agent("deep").decide(drawn(FIFTY_FIFTY, 20))
    assert decision.survival == pytest.approx(0.5)
    assert decision.reason.startswith("no other cell can ever show what is here")
    assert decision.reason.endswith("on average")  # the rivals are as good later


def exact_wins(board: Board, cells: list[int]) -> dict[int, float]:
    """Return what the best play wins with each of these cells opened next, and with the best one.

    The key of the best one is -1; nothing where exact search takes too much work.
    """
    limits = SearchLimits(layouts=20_000, positions=400_000)
    exact = decide(board, limits, compared=1, estimated=8, also=cells)
    wins = {one.cell: one.win for one in exact.candidates if one.win is not None}
    if exact.win is None or not set(cells) <= wins.keys():
        return {}
    return {-1: exact.win} | wins


@pytest.mark.slow
def test_an_independent_guess_is_made_at_once() -> None:
    """Exact search over all layouts wins no more with any other first cell."""
    found = 0
    for board in guesses((6, 6, 10), range(250)):
        apart = decide(board, SearchLimits(layouts=60, positions=100_000))
        if apart.method is not Method.INDEPENDENT:
            continue
        if wins := exact_wins(board, [apart.cell]):
            found += 1
            assert wins[apart.cell] == pytest.approx(wins[-1])
    assert found > 3


@pytest.mark.slow
def test_looking_ahead_wins_more_than_the_least_risk_and_nearly_all_there_is() -> None:
    lost_ahead, lost_safest = [], []
    for board in guesses((8, 8, 13), range(120)):
        ahead, safest = decide(board, NO_ENDGAME), decide(board, NO_ENDGAME, PolicyKind.TANK)
        if wins := exact_wins(board, [ahead.cell, safest.cell]):
            lost_ahead.append(wins[-1] - wins[ahead.cell])
            lost_safest.append(wins[-1] - wins[safest.cell])
    assert len(lost_ahead) > 50
    assert min(lost_ahead) > -1e-9
    assert np.mean(lost_ahead) < 0.7 * np.mean(lost_safest)
    assert np.mean(lost_ahead) < 0.02


def test_what_a_guess_may_show_is_what_counting_says() -> None:
    for board in guesses((9, 9, 10), range(12))[:20]:
        guess = decide(board, NO_ENDGAME, compared=6)
        known = analyse(board)
        for one in guess.candidates:
            cell = Cell(*divmod(one.cell, board.cols))
            assert one.safe == pytest.approx(1 - known.probabilities[cell])
            np.testing.assert_allclose(one.shows, number_chances(board, cell), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("mines", [None, 129])
def test_little_is_counted_where_each_count_is_slow(mines: int | None) -> None:
    """Lone numbers beside each other everywhere: more than 100,000 nodes where a game has 600."""
    cells = np.full((16, 30), int(Tile.HIDDEN), np.int8)
    rows, cols = np.indices(cells.shape)
    cells[(rows + cols) % 4 == 0] = 2
    board = Board(cells, mines)
    guess = decide(board.with_mines(mines or 129), LEVELS["high"])
    assert guess.method is Method.LOOK_AHEAD, "no world is tried"
    decision = make_agent("deep:think=high").decide(board)
    (move,) = decision.moves
    assert board.covered[move.cell]
    assert analyse(board).probabilities[move.cell] < 0.5


@pytest.mark.slow
def test_roll_outs_estimate_what_best_play_wins_or_a_little_less() -> None:
    """The worlds are played less well than exact search plays; their mean is never above it."""
    gaps = []
    for board in guesses((8, 8, 13), range(60)):
        exact = decide(board, SearchLimits(layouts=2_000, positions=200_000))
        if exact.method is not Method.ENDGAME or exact.win is None:
            continue
        rolled = decide(board, NO_ENDGAME, compared=1, estimated=2, sample=512, also=[exact.cell])
        wins = {one.cell: one.win for one in rolled.candidates}
        gaps.append(exact.win - (wins[exact.cell] or 0.0))
    assert len(gaps) > 20
    assert -0.01 < np.mean(gaps) < 0.06
    assert min(gaps) > -0.15


def test_more_thought_costs_more_worlds_and_reports_progress() -> None:
    reported: list[tuple[int, int]] = []
    board = next(
        board
        for board in guesses((16, 16, 40), range(20))
        if decide(board, LEVELS["low"]).method is Method.ROLL_OUTS
    )
    agent = make_agent("deep:think=medium")
    agent.on_progress = lambda done, most: reported.append((done, most))  # type: ignore[attr-defined]
    agent.decide(board)
    assert reported
    assert all(0 < done <= most == LEVELS["medium"].worlds for done, most in reported)


def test_a_stopped_thought_ends_at_once() -> None:
    board = guesses((16, 30, 120), range(3, 4))[0]  # many close rivals: a thought of seconds
    agent = make_agent("deep:think=high")

    class StopNow(Exception):
        pass

    def stop(done: int, most: int) -> None:
        raise StopNow

    agent.on_progress = stop  # type: ignore[attr-defined]
    with pytest.raises(StopNow):
        agent.decide(board)
    assert make_agent("deep:think=none").decide(board).moves, "the work space can be used again"

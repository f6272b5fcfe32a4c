"""Exact play: against a search that tries everything, and the known optima of small boards."""

import random
from math import comb

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board, Cell, Tile
from solver.engine import calls
from solver.engine.calls import Guess, Method, PolicyKind
from solver.game import Rule
from solver.levels import SearchLimits
from tests.solver.brute import best_wins, layouts, random_board

WHOLE = SearchLimits(layouts=400_000, positions=30_000_000)


def decide(board: Board, limits: SearchLimits = WHOLE, compared: int = 0) -> Guess:
    assert board.mines is not None
    return calls.decide(
        board.tiles, board.mines, PolicyKind.DEEP, limits, compared=compared, estimated=compared
    )


def searchable(rng: random.Random, most_covered: int = 8) -> tuple[Board, list[np.ndarray]]:
    """Draw a board with a total on which something is left to guess, and its layouts."""
    while True:
        board = random_board(rng, most_covered=most_covered)
        if board.mines is None or (board.tiles < Tile.HIDDEN).any():
            continue
        fitting = layouts(board)
        safe = board.covered & ~np.any(fitting, axis=0) if fitting else board.covered
        if len(fitting) > 1 and not safe.any():
            return board, fitting


def opened(board: Board) -> frozenset[Cell]:
    return frozenset(cell for cell in board.cells() if board.open[cell])


MIDDLE_GAME = Board.from_text("#####\n#1###\n#3###\n#####", 5)


def wins_after(board: Board, fitting: list[np.ndarray], cell: Cell) -> int:
    """Count what the best play wins once a cell is open, by trying everything."""
    kept: dict[int, list[np.ndarray]] = {}
    for mined in fitting:
        if not mined[cell]:
            number = sum(mined[near] for near in board.neighbours(cell))
            kept.setdefault(int(number), []).append(mined)
    return sum(best_wins(part, opened(board) | {cell}) for part in kept.values())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(10))
def test_brute_force_agrees(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        board, fitting = searchable(rng)
        guess = decide(board)
        best = best_wins(fitting, opened(board))
        assert guess.method is Method.ENDGAME
        assert guess.win == pytest.approx(best / len(fitting))
        assert wins_after(board, fitting, Cell(*divmod(guess.cell, board.cols))) == best


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_every_cell_compared_wins_what_brute_force_says(seed: int) -> None:
    rng = random.Random(50 + seed)
    for _ in range(10):
        board, fitting = searchable(rng)
        guess = decide(board, compared=12)
        assert guess.candidates[0].cell == guess.cell
        for one in guess.candidates:
            cell = Cell(*divmod(one.cell, board.cols))
            assert one.win == pytest.approx(wins_after(board, fitting, cell) / len(fitting))
            assert one.safe == pytest.approx(1 - np.mean([mined[cell] for mined in fitting]))


OPTIMA = [  # chance to win with the best first click: unprotected, safe, zero
    (3, 3, 2, 0.666667, 0.857143, 1.0),
    (4, 4, 2, 0.850000, 0.971429, 1.0),
    (4, 4, 3, 0.714286, 0.879121, 1.0),
    (4, 4, 4, 961 / 1820, 0.704029, 0.971429),
    (4, 4, 5, 1461 / 4368, 0.486513, 0.952381),
    (4, 4, 6, 1584 / 8008, 0.316484, 1.0),
    (4, 5, 4, 2950 / 4845, 0.761094, 0.936364),
    (4, 5, 5, 6998 / 15504, 0.601823, 0.919913),
    (5, 5, 2, 0.886667, 0.963768, 0.971429),
    (5, 5, 3, 1798 / 2300, 0.888340, 0.914286),
    (5, 5, 4, 8236 / 12650, 0.775080, 0.855495),
    (2, 5, 3, 0.175000, 0.250000, 0.500000),
    (1, 10, 5, 24 / 252, 0.190476, 0.333333),
    (3, 7, 10, 14096 / 352716, 0.076295, 0.439394),
]

MOST_LAYOUTS = {Rule.NONE: 9_000, Rule.SAFE: 9_000, Rule.ZERO: 20_000}
"""Larger boards take too long."""

CASES = [
    pytest.param(case, rule, id="{}x{}x{}-{}".format(*case[:3], rule.value))
    for case in OPTIMA
    for rule in Rule
    if comb(case[0] * case[1], case[2]) <= MOST_LAYOUTS[rule]
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("case", "rule"), CASES)
def test_known_optima(case: tuple[int, int, int, float, float, float], rule: Rule) -> None:
    rows, cols, mines, *best = case
    spared = list(Rule).index(rule)
    found = calls.first_click(rows, cols, mines, spared, WHOLE)
    assert found.win == pytest.approx(best[spared], abs=1e-6)


@pytest.mark.parametrize("think", ["none", "brief"])
def test_the_published_middle_game_is_played_best(think: str) -> None:
    decision = make_agent(f"deep:think={think}").decide(MIDDLE_GAME)
    assert decision.moves[0].cell == Cell(0, 2)
    assert decision.win == decide(MIDDLE_GAME).win == pytest.approx(285 / 360)


def test_more_work_than_allowed_is_given_up() -> None:
    board = MIDDLE_GAME
    assert decide(board, SearchLimits(positions=3)).method is not Method.ENDGAME
    assert decide(board, SearchLimits(layouts=359)).method is not Method.ENDGAME
    assert decide(board, SearchLimits(layouts=360)).method is Method.ENDGAME
    with pytest.raises(calls.TooLarge):
        calls.first_click(4, 4, 4, 0, SearchLimits(layouts=1819))
    with pytest.raises(calls.TooLarge):
        calls.first_click(4, 4, 4, 0, SearchLimits(layouts=1820, positions=5))

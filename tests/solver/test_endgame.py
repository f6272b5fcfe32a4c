"""Exact play: against a search that tries everything, and the known optima of small boards."""

import random

import numpy as np
import pytest

from solver.analysis import field_of
from solver.board import Board, Tile
from solver.endgame import GIVEN_UP, begin_search, list_layouts, numbers_shown, wins
from solver.game import Rule
from solver.guess import decide_first
from solver.limit import Limit
from solver.play import begin, look
from tests.solver.brute import best_wins, layouts, random_board

WHOLE = Limit(layouts=20_000, positions=8_000_000)


def search_wins(board: Board, positions: int = 100_000) -> tuple[int, int]:
    """Return the wins of the best line and the number of layouts."""
    assert board.mines is not None
    play = begin(field_of(board), board.cols, board.mines)
    cells, found = list_layouts(play.field, play.near, look(play), 5000)
    shown = numbers_shown(play.field, play.near, cells, found)
    everything = np.arange(len(found), dtype=np.int32)
    return wins(begin_search(shown, positions), everything)[0], len(found)


@pytest.mark.parametrize("seed", range(10))
def test_brute_force_agrees(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        board = random_board(rng, most_covered=8)
        fitting = layouts(board)
        if board.mines is None or not fitting or (board.tiles < Tile.HIDDEN).any():
            continue
        opened = frozenset(cell for cell in board.cells() if board.open[cell])
        assert search_wins(board) == (best_wins(fitting, opened), len(fitting))


OPTIMA = [  # wins of the best first click among all layouts: unprotected, safe, zero
    (3, 3, 2, 0.666667, 0.857143, 1.0),
    (4, 4, 2, 0.850000, 0.971429, 1.0),
    (4, 4, 3, 0.714286, 0.879121, 1.0),
    (4, 4, 4, 961 / 1820, 0.704029, 0.971429),
    (4, 4, 5, 1461 / 4368, 0.486513, 0.952381),
    (2, 5, 3, 0.175000, 0.250000, 0.500000),
    (1, 10, 5, 24 / 252, 0.190476, 0.333333),
    (5, 5, 2, 0.886667, 0.963768, 0.971429),
]


@pytest.mark.parametrize("case", OPTIMA, ids=lambda case: "{}x{}x{}".format(*case))
@pytest.mark.parametrize("rule", [Rule.NONE, Rule.SAFE, Rule.ZERO])
def test_known_optima(case: tuple[int, int, int, float, float, float], rule: Rule) -> None:
    rows, cols, mines, *best = case
    spared = list(Rule).index(rule)
    field = field_of(Board(np.full((rows, cols), Tile.HIDDEN), mines))
    _, win = decide_first(field, cols, mines, WHOLE, spared)
    assert win == pytest.approx(best[spared], abs=1e-6)


def test_published_middle_game() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    assert search_wins(board) == (285, 360)


def test_gives_up_past_the_allowed_work() -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    assert search_wins(board, positions=3)[0] == GIVEN_UP


def test_too_many_layouts_are_not_listed() -> None:
    board = Board(np.full((16, 30), Tile.HIDDEN), 99)
    play = begin(field_of(board), 30, 99)
    assert len(list_layouts(play.field, play.near, look(play), 100)[1]) == 0

"""Drawn layouts fit the board, and each comes as often as any other."""

from collections import Counter

import numpy as np
import pytest

from solver.analysis import analyse, field_of
from solver.board import Board
from solver.exact.sampling import draw_layout, uniform
from solver.search.game_state import begin_state, study_state
from tests.solver.brute import layouts, shows


def drawn(board: Board, count: int) -> list[np.ndarray]:
    state = begin_state(field_of(board), board.cols, -1 if board.mines is None else board.mines)
    known = study_state(state)
    random = np.array([7], np.uint64)
    drawn_layouts = []
    for _ in range(count):
        draw_layout(state.field, known, random, state.mined)
        grid = state.mined.reshape(board.rows + 2, board.cols + 2)[1:-1, 1:-1]
        drawn_layouts.append(grid.copy())
    return drawn_layouts


@pytest.mark.parametrize(
    ("text", "mines"),
    [
        ("####\n#2##\n####", 4),
        ("#1#1#\n#####", 2),
        ("1##\n#3#\n##1\n###", 4),
        ("#1##1#", 2),
        ("*2##\n####", 3),
    ],
)
def test_every_layout_comes_alike(text: str, mines: int) -> None:
    board = Board.from_text(text, mines)
    fitting = {layout.tobytes() for layout in layouts(board)}
    count = 400 * len(fitting)
    seen = Counter(layout.tobytes() for layout in drawn(board, count))
    assert set(seen) == fitting
    expected = count / len(fitting)
    chi = sum((seen[layout] - expected) ** 2 / expected for layout in fitting)
    freedom = max(1, len(fitting) - 1)
    assert chi < freedom + 5 * (2 * freedom) ** 0.5  # five sigmas over the mean


def test_worlds_of_a_long_frontier_fit_and_match_the_chances() -> None:
    board = Board.from_text("\n".join(["#" * 40, "2" * 40, "#" * 40]), None)
    drawn_layouts = drawn(board, 2000)
    assert all(shows(board, layout) for layout in drawn_layouts[:50])
    chances = analyse(board).probabilities
    seen = np.where(board.covered, np.mean(drawn_layouts, axis=0), np.nan)
    assert np.nanmax(abs(seen - chances)) < 0.06


def test_generator_is_even() -> None:
    random = np.array([1], np.uint64)
    numbers = np.array([uniform(random) for _ in range(20_000)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts = np.histogram(numbers, 20, (0, 1))[0]
    assert abs(counts - 1000).max() < 160

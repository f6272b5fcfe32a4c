"""Boards played at once do what the plain game does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.game import Rule
from solver.learning.boards import LOST_CODE, PLAYING_CODE, Boards
from tests.solver.learning.slow_boards import SlowBoard

ROWS, COLS, MINES = 6, 7, 8


def same_cell(row: int, col: int, count: int) -> np.ndarray:
    return np.full(count, row * COLS + col)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 7),
    st.integers(1, 7),
    st.floats(0, 1),
    st.sampled_from(Rule),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_whole_games_are_those_of_the_slow_twin(
    rows: int, cols: int, density: float, rule: Rule, report_game: bool, seed: int
) -> None:
    mines = int(density * (rows * cols - 1))
    boards = Boards(4, rows, cols, mines, rule, seed, report_game=report_game)
    words = np.random.default_rng(seed).integers(0, 2**63, 4).tolist()
    twins = [SlowBoard(rows, cols, mines, rule, word, report_game=report_game) for word in words]
    rng = np.random.default_rng(seed)
    for _ in range(12):
        cells = rng.integers(-1, rows * cols, 4)
        moves = [divmod(cell, cols) if cell >= 0 else None for cell in cells.tolist()]
        opened = [twin.open(move) for twin, move in zip(twins, moves, strict=True)]
        assert boards.open(cells).tolist() == opened
        check_twins(boards, twins)
        lost = (boards.status == LOST_CODE) & (rng.random(4) < 0.5)
        boards.survive(lost)
        again = (boards.status != PLAYING_CODE) & (rng.random(4) < 0.5)
        boards.deal(again)
        for number, twin in enumerate(twins):
            if lost[number]:
                twin.survive()
            if again[number]:
                twin.deal()
        check_twins(boards, twins)


def check_twins(boards: Boards, twins: list[SlowBoard]) -> None:
    for number, twin in enumerate(twins):
        tiles = [twin.tile(place) for place in twin.places]
        assert boards.tiles[number].ravel().tolist() == tiles
        assert boards.status[number] == twin.status
        assert boards.left[number] == twin.left
        assert boards.laid[number] == twin.laid
        if twin.laid:
            assert set(zip(*boards.mined[number].nonzero(), strict=True)) == twin.mined


def test_moves_and_choices_of_wrong_sizes_are_refused() -> None:
    boards = Boards(2, ROWS, COLS, MINES, Rule.SAFE, seed=6)
    for cells in ([0, ROWS * COLS], [-2, 0], [0, 2**32], [0], [0, 1, 2]):
        with pytest.raises(ValueError, match=r"number from|contiguous array"):
            boards.open(cells)
    for chosen in (np.ones(3, np.bool_), np.ones(2, np.int64), np.ones(4, np.bool_)[::2]):
        with pytest.raises(ValueError, match="contiguous array"):
            boards.deal(chosen)
    assert (boards.tiles == -1).all()

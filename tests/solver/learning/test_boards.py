"""Boards played at once keep the rules of the plain game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.board import Board, Cell, count_neighbours, flooded
from solver.game import Rule
from solver.learning import boards as module
from solver.learning.boards import HIT, LOST_CODE, PLAYING_CODE, WON_CODE, Boards

COUNT = 4


def check_board(boards: Boards, k: int, before: np.ndarray, cell: int, gained: int) -> None:
    """Check what a move on the ``k``-th board did to tiles that looked so ``before``."""
    tiles, mined, report_game = boards.tiles[k], boards.mined[k], boards._struct.report_game
    was_open = before >= 0
    if cell < 0 or was_open.ravel()[cell] or gained in (0, HIT):
        assert (tiles == before).all()
        assert (gained == HIT) == (
            boards.status[k] == LOST_CODE and mined.ravel()[cell] and cell >= 0
        )
        return
    assert mined.sum() == boards.mines
    opened = was_open.copy()
    opened.ravel()[cell] = True
    numbers = count_neighbours(mined)
    zeros = (numbers == 0) & ~mined
    reached = flooded(opened & (~was_open | zeros), zeros & ~was_open)
    opened |= reached & zeros if report_game else reached
    assert (tiles == np.where(opened, numbers, -1)).all()
    assert gained == opened.sum() - was_open.sum()
    assert boards.left[k] == tiles.size - boards.mines - opened.sum()
    assert boards.status[k] == (PLAYING_CODE if boards.left[k] else WON_CODE)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7),
    st.integers(1, 7),
    st.floats(0, 1),
    st.sampled_from(Rule),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_every_move_keeps_the_rules(
    rows: int, cols: int, density: float, rule: Rule, report_game: bool, seed: int
) -> None:
    mines = int(density * (rows * cols - 1))
    boards = Boards(COUNT, rows, cols, mines, rule, seed, report_game=report_game)
    rng, blank = np.random.default_rng(seed), Board(np.full((rows, cols), -1))
    for _ in range(12):
        cells, before = rng.integers(-1, rows * cols, COUNT), boards.tiles.copy()
        playing, laid = boards.status == PLAYING_CODE, boards.laid.copy()
        gained = boards.open(cells)
        for k, cell in enumerate(cells.tolist()):
            if not playing[k]:
                assert gained[k] == 0
                assert (boards.tiles[k] == before[k]).all()
                continue
            check_board(boards, k, before[k], cell, int(gained[k]))
            if cell >= 0 and not laid[k]:
                spared = rule.spared(blank, Cell(*divmod(cell, cols)))
                fit = mines <= rows * cols - len(spared)
                assert not fit or not any(boards.mined[k][one] for one in spared)
                assert rule is Rule.NONE or not boards.mined[k].ravel()[cell]
        lost = (boards.status == LOST_CODE) & (rng.random(COUNT) < 0.5)
        before = boards.tiles.copy()
        boards.survive(lost)
        for k in np.flatnonzero(lost):
            new = (boards.tiles[k] >= 0) & (before[k] < 0)
            beside = count_neighbours(before[k] >= 0) > 0
            safe = ~boards.mined[k] & (before[k] < 0)
            assert new.any()
            assert not (new & boards.mined[k]).any()
            assert (new & beside).any() or not (safe & beside).any()
        again = (boards.status != PLAYING_CODE) & (rng.random(COUNT) < 0.5)
        boards.deal(again)
        if not report_game:  # which opens zeros at once
            assert (boards.status[again] == PLAYING_CODE).all()
            assert (boards.tiles[again] == -1).all()


def test_mines_lie_anywhere_as_the_seed_says(monkeypatch: pytest.MonkeyPatch) -> None:
    mined = []
    for block in (module.CELLS_A_CALL, 3 * 30, 1):
        monkeypatch.setattr(module, "CELLS_A_CALL", block)
        boards = Boards(2000, 5, 6, 9, Rule.SAFE, seed=6)
        boards.open(np.full(2000, 14))
        mined.append(boards.mined)
    assert (mined[0] == mined[1]).all()
    assert (mined[0] == mined[2]).all()
    share = mined[0].mean(axis=0).ravel()
    assert share[14] == 0
    assert np.delete(share, 14) == pytest.approx(9 / 29, abs=0.05)


def test_moves_and_choices_of_wrong_sizes_are_refused() -> None:
    boards = Boards(2, 6, 7, 8, Rule.SAFE, seed=6)
    for cells in ([0, 42], [-2, 0], [0, 2**32], [0], [0, 1, 2]):
        with pytest.raises(ValueError, match=r"number from|contiguous array"):
            boards.open(cells)
    for chosen in (np.ones(3, np.bool_), np.ones(2, np.int64), np.ones(4, np.bool_)[::2]):
        with pytest.raises(ValueError, match="contiguous array"):
            boards.deal(chosen)
    assert (boards.tiles == -1).all()

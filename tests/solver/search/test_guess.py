"""Independent guesses: pairs that stay 50:50 for ever, and closed regions."""

import numpy as np
import pytest

from solver.agents import make_agent
from solver.analysis import analyse, field_of
from solver.board import Board, Cell, Tile
from solver.exact.codes import HIDDEN
from solver.exact.probability import risk_of
from solver.search import lookahead
from solver.search.endgame.best_play import most_wins
from solver.search.endgame.layouts import MINED, list_layouts, numbers_shown
from solver.search.endgame.memo import begin_search
from solver.search.first_click import wins_after
from solver.search.game_state import begin_state, study_state
from solver.search.guess import begin_located, independent_guess, is_slow
from solver.search.limit import Limit
from solver.search.whole_games import advance, lay_mines, open_cell, untouched_field

FIFTY_FIFTY = """
    #11#####
    #33#####
    ##3#####
    ########
    ########
    ########
    ########
    ########
"""
"""One mine in the two cells of the corner; those below them are mines."""

TOLD_APART = """
    #11#####
    #22#####
    #22#####
    ########
    ########
    ########
    ########
    ########
"""
"""The same with (2, 1) open: the cells below it may tell where its mines lie."""

CLOSED = """
    0012####
    111#####
    #123####
    112#####
    223#3###
    ##33####
    #6#5####
    ########
"""
"""Two mines in three cells at the lower left, behind a wall of mines."""


def independent_on(text: str, mines: int) -> Cell | None:
    """Return the cell to guess before all others."""
    board = Board.from_text("\n".join(text.split()), mines)
    state = begin_state(field_of(board), board.cols, mines)
    place = independent_guess(state, study_state(state), Limit())
    wide = board.cols + 2
    return None if place is None else Cell(place // wide - 1, place % wide - 1)


def test_a_fifty_fifty_comes_first() -> None:
    assert independent_on(FIFTY_FIFTY, 20) in (Cell(0, 0), Cell(1, 0))
    decision = make_agent("deep").decide(Board.from_text("\n".join(FIFTY_FIFTY.split()), 20))
    assert decision.survival == pytest.approx(0.5)
    assert "nothing that may be learned" in decision.reason


def test_no_fifty_fifty_beside_a_cell_that_may_tell() -> None:
    assert independent_on(TOLD_APART, 20) is None


def test_a_closed_region_comes_first() -> None:
    assert independent_on(CLOSED, 20) in (Cell(6, 0), Cell(7, 0), Cell(7, 1))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_betters_what_stands_apart(seed: int) -> None:
    """Exact search over all layouts wins no more with any other first cell."""
    rng, limit, cols, found = np.random.default_rng(seed), Limit(), 6, 0
    for _ in range(60):
        state = begin_state(untouched_field(6, cols), cols, 10)
        lay_mines(state, rng.permutation(36).astype(np.int32), cols, cols + 3, 10, False)
        open_cell(state, cols + 3)
        while True:
            over, known = advance(state)
            if over:
                break
            searchable = known.log_layouts < np.log(2000)
            cell = independent_guess(state, known, limit) if searchable else None
            if cell is not None:
                found += 1
                cells, layouts = list_layouts(state.field, state.near, known, 2000)
                shown = numbers_shown(state.field, state.near, cells, layouts)
                search = begin_search(shown, np.empty((0, 0), np.int32), 400_000)
                most, _ = most_wins(search, np.arange(len(layouts), dtype=np.int32), 0)
                assert wins_after(search, shown[cells.tolist().index(cell)], MINED, 0) == most
            living = np.flatnonzero((state.field == HIDDEN) & ~state.mined)
            open_cell(state, int(min(living, key=lambda place: risk_of(known, place))))
    assert found > 10


@pytest.mark.parametrize("mines", [None, 129])
def test_little_is_counted_where_each_count_is_slow(
    mines: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lone numbers beside each other everywhere: more than 100,000 nodes where a game has 600."""
    cells = np.full((16, 30), int(Tile.HIDDEN), np.int8)
    rows, cols = np.indices(cells.shape)
    cells[(rows + cols) % 4 == 0] = 2
    board = Board(cells, mines)
    assert is_slow(begin_located(field_of(board), board.cols, mines or 129)[1])
    describe_guesses, counts = lookahead.describe_guesses, 0

    def count(*args: object) -> object:
        nonlocal counts
        counts += 1
        return describe_guesses(*args)

    monkeypatch.setattr(lookahead, "describe_guesses", count)
    decision = make_agent("deep:think=high").decide(board)
    assert counts == 1
    (move,) = decision.moves
    assert board.covered[move.cell]
    assert analyse(board).probabilities[move.cell] < 0.5

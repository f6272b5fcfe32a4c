"""Guesses that need no judging: toss-ups nothing can settle, and closed regions."""

import numpy as np
import pytest

from solver.agents import make
from solver.analysis import field_of
from solver.board import Board, Cell
from solver.codes import HIDDEN
from solver.endgame import wins
from solver.guess import _wins_after, apart
from solver.layouts import MINED, list_layouts, numbers_shown
from solver.limit import Limit
from solver.memo import begin_search
from solver.play import advance, begin, fresh, lay, look, risk_of, uncover

TOSS_UP = """
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


def apart_on(text: str, mines: int) -> Cell | None:
    """Return the cell to guess before all others."""
    board = Board.from_text("\n".join(text.split()), mines)
    play = begin(field_of(board), board.cols, mines)
    place = apart(play, look(play), Limit())
    wide = board.cols + 2
    return Cell(place // wide - 1, place % wide - 1) if place >= 0 else None


def test_a_toss_up_comes_first() -> None:
    assert apart_on(TOSS_UP, 20) in (Cell(0, 0), Cell(1, 0))
    decision = make("deep").decide(Board.from_text("\n".join(TOSS_UP.split()), 20))
    assert decision.survival == pytest.approx(0.5)
    assert "nothing that may be learned" in decision.reason


def test_no_toss_up_beside_a_cell_that_may_tell() -> None:
    assert apart_on(TOLD_APART, 20) is None


def test_a_closed_region_comes_first() -> None:
    assert apart_on(CLOSED, 20) in (Cell(6, 0), Cell(7, 0), Cell(7, 1))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_betters_what_stands_apart(seed: int) -> None:
    """Exact search over all layouts wins no more with any other first cell."""
    rng, limit, cols, found = np.random.default_rng(seed), Limit(), 6, 0
    for _ in range(60):
        play = begin(fresh(6, cols), cols, 10)
        lay(play, rng.permutation(36).astype(np.int32), cols, cols + 3, 10, False)
        uncover(play, cols + 3)
        while True:
            over, known = advance(play)
            if over:
                break
            cell = apart(play, known, limit) if known.log_layouts < np.log(2000) else -1
            if cell >= 0:
                found += 1
                cells, layouts = list_layouts(play.field, play.near, known, 2000)
                shown = numbers_shown(play.field, play.near, cells, layouts)
                search = begin_search(shown, np.empty((0, 0), np.int32), 400_000)
                most, _ = wins(search, np.arange(len(layouts), dtype=np.int32), 0)
                assert _wins_after(search, shown[cells.tolist().index(cell)], MINED, 0) == most
            living = np.flatnonzero((play.field == HIDDEN) & ~play.mined)
            uncover(play, int(min(living, key=lambda place: risk_of(known, place))))
    assert found > 10

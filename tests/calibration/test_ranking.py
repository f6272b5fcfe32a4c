"""One score ranks the grids that are proposed: the right one first, no board below `REFUSE`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.boards.ranking import (
    ACCEPT,
    best_at_each_place,
    judged,
)
from calibration.grid import Grid
from calibration.locate.sides import Proposal
from solver.board import Cell
from tests.calibration.screens import screen_named


def others(grid: Grid) -> dict[str, Grid]:
    """Return wrong grids at the place of a right one."""
    last = Cell(grid.rows - 1, grid.cols - 1)
    doubled = replace(
        grid,
        tile_w=2 * grid.tile_w,
        tile_h=2 * grid.tile_h,
        rows=grid.rows // 2,
        cols=grid.cols // 2,
    )
    return {
        "half a tile off": grid.moved(grid.tile_w / 2, grid.tile_h / 2),
        "half a tile right": grid.moved(grid.tile_w / 2, 0),
        "four tiles as one": doubled,
        "a column too many": grid.widened(0, 1, 0, 0),
        "two rows too many": grid.widened(0, 0, 2, 0),
        "a strip": grid.part(Cell(0, 0), Cell(2, last.col)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["12x9_early", "wm_beg_mid", "sg_beg_won", "16x16_t27_early"])
@pytest.mark.parametrize("known", [True, False])
def test_the_right_grid_is_first_of_all_at_its_place(name: str, known: bool) -> None:
    screen = screen_named(name)
    frame, themes = screen.frame(), None if known else ()
    right = judged(frame, Proposal(screen.grid), themes)
    assert right.score >= ACCEPT
    for kind, grid in others(screen.grid).items():
        wrong = judged(frame, Proposal(grid), themes)
        assert wrong.score < right.score, kind
        assert best_at_each_place([wrong, right]) == [right], kind

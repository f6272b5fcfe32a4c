"""One score ranks the grids that are proposed: the right one first, no board below `REFUSE`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.boards.ranking import (
    ACCEPT,
    REFUSE,
    GridEvidence,
    best_at_each_place,
    judged,
    rivals,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.sides import Proposal
from solver.board import Cell
from tests.calibration.drawing import PLAYED, drawn
from tests.calibration.screens import screen_named

FRESH = GridEvidence(*[0.0] * len(GridEvidence._fields))._replace(drawn=1.0)
"""A fresh board of an unusual size and an unknown program, with all its lines."""


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


@pytest.mark.parametrize(
    ("signs", "low", "high"),
    [
        ({}, REFUSE, ACCEPT),
        ({"numbers": 1.0}, ACCEPT, np.inf),
        ({"usual": 1.0}, ACCEPT, np.inf),
        ({"known": 1.0, "unread": 0.2}, ACCEPT, np.inf),
        ({"unread": 1.0, "implausible": 1.0, "numbers": 1.0, "usual": 1.0}, -np.inf, REFUSE),
        ({"repeats_only": 1.0}, -np.inf, REFUSE),
        ({"few": 1.0}, -np.inf, REFUSE),
        ({"faint": 1.0}, -np.inf, REFUSE),
        ({"halved": 1.0, "usual": 1.0}, -np.inf, REFUSE),
        ({"goes_on": 1.0, "numbers": 1.0}, -np.inf, REFUSE),
        ({"stray": 1.0, "numbers": 1.0, "usual": 1.0}, -np.inf, ACCEPT),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else None,
)
def test_which_grids_are_accepted_and_which_refused(
    signs: dict[str, float], low: float, high: float
) -> None:
    assert low <= FRESH._replace(**signs).score <= high


def test_a_piece_is_no_choice_at_the_place_of_a_board_that_goes_on() -> None:
    frame, grid = drawn(PLAYED)
    going_on = judged(frame, Proposal(grid, hidden_at=("left",)), ())
    piece = judged(frame, Proposal(grid), ())
    for found in ([piece, going_on], [going_on, piece]):
        assert best_at_each_place(found) == [going_on]


def test_a_grid_far_less_likely_than_a_board_is_no_choice_beside_it() -> None:
    frame, grid = drawn(PLAYED)
    board = judged(frame, Proposal(grid), ())
    pattern = board._replace(evidence=FRESH)
    assert board.score > pattern.score + 2
    assert rivals([board, board]) == [board, board]
    assert rivals([board, pattern._replace(evidence=FRESH._replace(thin=1.0))]) == [board]


def test_a_plain_page_is_no_board() -> None:
    plain = Frame(np.full((400, 400, 3), 90, np.uint8))
    assert judged(plain, Proposal(Grid(50, 50, 30, 30, 7, 8, 0.2)), ()).score <= REFUSE

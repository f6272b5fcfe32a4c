"""What is drawn on the window of the game."""

from __future__ import annotations

import numpy as np
import pytest

from bot.watch.hints import DARK, GUESS_COLOUR, MINE_COLOUR, SAFE_COLOUR, WHITE, Advice, marks_of
from calibration.grid import Grid
from solver.agents import make_agent
from solver.agents.tank import decide
from solver.analysis import analyse
from solver.board import Board, Cell

GRID = Grid(x0=100, y0=50, tile_w=24, tile_h=24, rows=3, cols=4)


def advice_on(text: str, mines: int) -> Advice:
    board = Board.from_text(text, mines=mines)
    return Advice(board, analyse(board), decide(make_agent("deep"), board))


def colours(
    advice: Advice, grid: Grid = GRID, brightness: float = 200.0
) -> dict[Cell, set[object]]:
    marks = marks_of(advice, grid, lambda _: brightness)
    return {cell: {mark.colour for mark in some} for cell, some in marks.items()}


def test_safe_cells_and_mines_without_a_flag_are_marked() -> None:
    marked = colours(advice_on("###F\n1221\n0000", mines=2))
    assert marked == {
        Cell(0, 0): {SAFE_COLOUR},
        Cell(0, 1): {MINE_COLOUR},
        Cell(0, 2): {MINE_COLOUR},
    }


def test_a_board_with_nothing_left_to_open_has_no_marks() -> None:
    assert colours(advice_on("1##1\n1221\n0000", mines=2)) == {}


@pytest.mark.parametrize(("brightness", "figures"), [(200.0, DARK), (40.0, WHITE)])
def test_a_guess_has_its_risk_in_figures_that_can_be_read(
    brightness: float, figures: object
) -> None:
    marked = colours(advice_on("##\n11", mines=1), brightness=brightness)
    assert list(marked.values()) == [{GUESS_COLOUR, figures}]


def test_what_is_certain_is_marked_while_the_agent_thinks() -> None:
    advice = advice_on("#1001##\n#10012#", mines=3)
    thinking = Advice(advice.board, advice.analysis)
    assert set(colours(thinking)) == {*advice.analysis.safe, *advice.analysis.mines}


@pytest.mark.parametrize("tile", [12, 16, 24.5, 60])
def test_marks_lie_within_their_tile_and_leave_most_of_it_free(tile: float) -> None:
    grid = Grid(x0=100, y0=50, tile_w=tile, tile_h=tile, rows=3, cols=4)
    for advice in (advice_on("####\n1221\n0000", mines=2), advice_on("##\n11", mines=1)):
        for cell, marks in marks_of(advice, grid, lambda _: 200.0).items():
            box, free = grid.box(cell), np.ones((200, 400), bool)
            for (x0, y0, x1, y1), _ in marks:
                assert box.x0 < x0 < x1 < box.x1
                assert box.y0 < y0 < y1 < box.y1
                free[y0:y1, x0:x1] = False
            # A change of the tile must be seen beside its marks.
            assert free[box.y0 : box.y1, box.x0 : box.x1].mean() > 0.3

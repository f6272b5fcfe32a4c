"""Cells and pixels of a grid, with even lines and with uneven ones."""

from __future__ import annotations

import doctest
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibration.frame
import calibration.grid
from calibration.grid import Grid, PixelPoint
from solver.board import Cell

GRIDS = st.builds(
    Grid,
    st.floats(-50, 2000),
    st.floats(-50, 2000),
    st.floats(8, 90),
    st.floats(8, 90),
    st.integers(1, 60),
    st.integers(1, 60),
)


@given(GRIDS, st.data())
def test_the_centre_of_a_cell_lies_in_it(grid: Grid, data: st.DataObject) -> None:
    cell = Cell(data.draw(st.integers(0, grid.rows - 1)), data.draw(st.integers(0, grid.cols - 1)))
    assert grid.cell_at(grid.centre(cell)) == cell
    x0, y0, x1, y1 = grid.box(cell)
    assert x0 <= grid.centre(cell).x <= x1
    assert y0 <= grid.centre(cell).y <= y1


@given(GRIDS, st.floats(-90, 90), st.floats(-90, 90))
def test_a_moved_grid_keeps_its_shape(grid: Grid, dx: float, dy: float) -> None:
    moved = grid.moved(dx, dy)
    np.testing.assert_allclose(moved.x_lines, grid.x_lines + dx)
    np.testing.assert_allclose(moved.y_lines, grid.y_lines + dy)


def test_points_beside_the_board_are_in_no_cell() -> None:
    grid = Grid(10, 20, 16, 16, 2, 3)
    assert grid.cell_at(PixelPoint(9.9, 21)) is None
    assert grid.cell_at(PixelPoint(58.1, 21)) is None
    assert grid.cell_at(PixelPoint(10, 52.1)) is None
    assert grid.bounds == (10, 20, 58, 52)


def test_uneven_lines_move_boxes_and_centres() -> None:
    grid = Grid(0, 0, 10, 10, 1, 2, x_shifts=(0.0, 2.0, 0.0))
    assert grid.box(Cell(0, 0)) == (0, 0, 12, 10)
    assert grid.box(Cell(0, 1)) == (12, 0, 20, 10)
    assert grid.centre(Cell(0, 1)) == PixelPoint(16, 5)
    assert grid.cell_at(PixelPoint(11, 5)) == Cell(0, 0)


@pytest.mark.parametrize(
    "change", [{"rows": 0}, {"tile_w": 0.0}, {"x_shifts": (0.0,)}, {"y_shifts": (0.0, 1.0, 2.0)}]
)
def test_what_is_no_grid_is_refused(change: dict[str, Any]) -> None:
    good = {"x0": 0.0, "y0": 0.0, "tile_w": 9.0, "tile_h": 9.0, "rows": 1, "cols": 1}
    with pytest.raises(ValueError, match="needs"):
        Grid(**{**good, **change})


@pytest.mark.parametrize("module", [calibration.frame, calibration.grid])
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed

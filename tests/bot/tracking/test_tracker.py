"""Two grids of different sizes on one lattice."""

import pytest

from bot.tracking.places import same_lattice
from calibration.grid import Grid

BOARD = Grid(404.4, 179.8, 31.0, 31.0, 9, 9)


@pytest.mark.parametrize(
    ("found", "same"),
    [
        pytest.param(Grid(404.9, 179.8 + 5 * 31, 30.9, 31.0, 4, 9), True, id="a piece of it"),
        pytest.param(Grid(253.1, 147.3, 31.0, 31.0, 11, 20), True, id="more than it"),
        pytest.param(BOARD, False, id="itself"),
        pytest.param(Grid(390.0, 164.0, 31.0, 31.0, 16, 16), False, id="other lines"),
        pytest.param(Grid(404.4, 179.8, 20.0, 20.0, 16, 16), False, id="smaller tiles"),
        pytest.param(Grid(404.4 + 31 * 20, 179.8, 31.0, 31.0, 16, 16), False, id="beside it"),
    ],
)
def test_a_grid_of_another_size_may_lie_on_the_lines_of_a_board(found: Grid, same: bool) -> None:
    assert same_lattice(found, BOARD) is same

"""A board cut off by the picture's edge is told from one that stands close to it."""

import numpy as np
import pytest

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.margins import cut_sides, is_cut_out

PITCH = 24


def draw(rows, cols, margin):
    """Draw a board of bevelled tiles with a window frame of ``margin`` pixels around it."""
    board = np.full((rows * PITCH, cols * PITCH, 3), 190, dtype=np.uint8)
    for edge in range(3):
        board[edge::PITCH] = board[:, edge::PITCH] = 250
        board[PITCH - 1 - edge :: PITCH] = board[:, PITCH - 1 - edge :: PITCH] = 120
    return np.pad(board, ((margin, margin), (margin, margin), (0, 0)), constant_values=100)


@pytest.mark.parametrize("margin", [0, 1, 3, 8])
def test_a_picture_cut_out_along_a_board_is_told(margin):
    grid = Grid(margin, margin, PITCH, PITCH, 9, 12)
    assert is_cut_out(Frame(draw(9, 12, margin)), grid)


@pytest.mark.parametrize("margin", [5, 8, 20, 60])
def test_a_whole_board_is_not_cut_off_however_close_the_edge(margin):
    grid = Grid(margin, margin, PITCH, PITCH, 9, 12)
    assert cut_sides(Frame(draw(9, 12, margin)), grid) == ()


@pytest.mark.parametrize("left_over", [0, 2, 5, 12, 20])
@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_part_of_a_tile_at_the_edge_gives_the_cut_away(side, left_over):
    pixels = draw(9, 12, 40)
    cut = 40 + 3 * PITCH - left_over  # two tiles and a part of the third are gone
    x = cut if side == "left" else 0
    y = cut if side == "top" else 0
    right = -cut if side == "right" else None
    bottom = -cut if side == "bottom" else None
    part = Frame(np.ascontiguousarray(pixels[y:bottom, x:right]))
    rows, cols = (6, 12) if side in ("top", "bottom") else (9, 6 + 3)
    grid = Grid(
        left_over if side == "left" else 40, left_over if side == "top" else 40,
        PITCH, PITCH, rows, cols,
    )  # fmt: skip
    assert cut_sides(part, grid) == (side,)
    assert not is_cut_out(part, grid)

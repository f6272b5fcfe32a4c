"""What the network sees of each tile: at any size and place, and close-ups of what is drawn."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from calibration.grid import Grid
from calibration.read.network import VIEW_SIDE, cut_views


def squares(side: int, rows: int, cols: int, glyph: float = 0.4) -> np.ndarray:
    """Draw tiles with a bright square in the middle of each."""
    picture = np.full((rows * side + 40, cols * side + 40, 3), 60, np.uint8)
    half = round(glyph * side / 2)
    for row in range(rows):
        for col in range(cols):
            x, y = 20 + col * side + side // 2, 20 + row * side + side // 2
            cv2.rectangle(picture, (x - half, y - half), (x + half, y + half), (200, 220, 240), -1)
    return picture


@pytest.mark.parametrize("side", [9, 16, 21, 40, 75])
def test_the_middle_of_each_view_is_the_middle_of_its_tile(side: int) -> None:
    cut = cut_views(squares(side, 3, 4), Grid(20, 20, side, side, 3, 4))
    assert cut.views.shape == (12, VIEW_SIDE, VIEW_SIDE, 3)
    middle = cut.views[:, 11:13, 11:13].mean(axis=(1, 2, 3))
    assert (middle > 190).all()
    assert (cut.views[:, 3, 3].mean(axis=1) < 90).all()


def test_uneven_columns_are_cut_where_they_lie() -> None:
    picture = np.zeros((60, 100, 3), np.uint8)
    starts = [10, 31, 50, 71]  # columns of 21, 19 and 21 pixels
    for start, end in pairwise(starts):
        picture[20:40, start + 8 : end - 8] = 255
    shifts = tuple(float(x - (10 + k * 61 / 3)) for k, x in enumerate(starts))
    grid = Grid(10, 20, 61 / 3, 20, 1, 3, x_shifts=shifts)
    views = cut_views(picture, grid).views
    bright = views.mean(axis=(1, 3)) > 128
    for row in bright:
        at = np.flatnonzero(row)
        assert abs(at.mean() - (VIEW_SIDE - 1) / 2) <= 1


def test_a_board_beyond_the_picture_repeats_its_border() -> None:
    cut = cut_views(squares(20, 2, 2), Grid(-20, 20, 20, 20, 2, 6))
    assert cut.views.shape[0] == 12
    assert (cut.views[0] == cut.views[0][0, 0]).all()

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


@pytest.mark.parametrize("gap", [8, 20])
def test_wide_gaps_between_tiles_are_narrowed(gap: int) -> None:
    picture = np.full((64 + 8, 100, 3), 60, np.uint8)
    for col in range(2):
        left = 4 + col * (20 + gap) + gap // 2
        picture[:, left : left + 20] = 200
    grid = Grid(4, 0, 20 + gap, 20 + gap, 1, 2, gap_w=gap, gap_h=gap)
    inner = cut_views(picture, grid).views[:, 8, 2:-2].mean(axis=2)
    assert (inner > 130).mean(axis=1) == pytest.approx(1 - min(0.2, gap / (20 + gap)), abs=0.11)


@pytest.mark.parametrize("glyph", [0.12, 0.3, 0.5])
def test_a_close_up_is_filled_by_what_is_drawn(glyph: float) -> None:
    cut = cut_views(squares(60, 2, 2, glyph), Grid(20, 20, 60, 60, 2, 2))
    pictures, hints = cut.close_ups(np.arange(4))
    share = (pictures.mean(axis=3) > 130).mean(axis=(1, 2))
    assert (share > 0.3).all()
    assert hints[:, :2] == pytest.approx(0.5, abs=0.06)
    assert hints[:, 2] == pytest.approx(max(1.25 * glyph, 14 / 60), abs=0.12)


def test_a_frame_around_a_glyph_is_left_out_of_the_close_up() -> None:
    picture = squares(60, 1, 1, 0.3)
    cv2.rectangle(picture, (20, 20), (79, 79), (250, 250, 250), 8)
    _, hints = cut_views(picture, Grid(20, 20, 60, 60, 1, 1)).close_ups(np.arange(1))
    assert hints[0, 2] < 0.5


def test_a_board_beyond_the_picture_repeats_its_border() -> None:
    cut = cut_views(squares(20, 2, 2), Grid(-20, 20, 20, 20, 2, 6))
    assert cut.views.shape[0] == 12
    assert (cut.views[0] == cut.views[0][0, 0]).all()

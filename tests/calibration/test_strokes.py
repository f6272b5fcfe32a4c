"""Segments looked up in sums equal counted ones; a board ends where its lines do."""

import numpy as np
import pytest

from calibration.comb import Comb
from calibration.extent import Axis, find_extent
from calibration.strokes import DRAWN, Strokes


@pytest.mark.parametrize("seed", range(4))
def test_segments_looked_up_equal_segments_counted(seed):
    rng = np.random.default_rng(seed)
    mask = (rng.random((90, 120)) < 0.55).astype(np.uint8)
    along, places, play = Comb(-7.3, 14.6), np.array([-3.0, 0.4, 20.2, 77.7, 119.0, 140.0]), 2
    [strokes] = Strokes.of(mask)
    drawn = strokes.drawn(along, range(7), places, play)
    for row in range(7):
        top, bottom = (round(along.line(row + share)) for share in (0.22, 0.78))
        for line, place in enumerate(places):
            x = round(place - 0.5)
            columns = mask[max(0, top) : bottom, max(0, x - play) : x + play + 1]
            inside = top >= 0 and bottom <= 90 and 0 <= x < 120
            expected = inside and columns.sum(axis=0).max() > DRAWN * (bottom - top)
            assert drawn[row, line] == expected, (row, line)


@pytest.mark.parametrize("seen", [(9, 14), (12, 16), (4, 24)])
def test_the_end_of_the_lines_is_found_from_any_part_of_them(seen):
    x_lines, y_lines = 40 + 10 * np.arange(31), 60 + 10 * np.arange(17)
    upright, lying = np.zeros((2, 300, 400), np.uint8)
    upright[60:220, x_lines] = 1
    lying[y_lines, 40:340] = 1
    strokes, turned = Strokes.of(upright, np.ascontiguousarray(lying.T))
    across, down = Axis(Comb(40.5, 10.0), range(*seen)), Axis(Comb(60.5, 10.0), range(5, 11))
    cols, rows = find_extent(strokes, turned, across, down)
    assert cols.outside == (40.5, 340.5)
    assert rows.outside == (60.5, 220.5)

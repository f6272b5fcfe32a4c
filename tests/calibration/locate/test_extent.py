"""Segments looked up in sums equal those counted one by one; a board ends where its lines end."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.locate.extent import DRAWN_SHARE, Axis, LineSums, find_extent
from calibration.locate.lines import LineFit


@pytest.mark.parametrize("seed", range(4))
def test_segments_looked_up_equal_segments_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = (rng.random((90, 120)) < 0.55).astype(np.uint8)
    along, positions, slack_px = (
        LineFit(-7.3, 14.6),
        np.array([-3.0, 0.4, 20.2, 77.7, 119.0, 140.0]),
        2,
    )
    [sums] = LineSums.of_masks(mask)
    drawn = sums.drawn_segments(along, range(7), positions, slack_px)
    for row in range(7):
        top, bottom = (round(along.position(row + share)) for share in (0.22, 0.78))
        for line, position in enumerate(positions):
            x = round(position - 0.5)
            columns = mask[max(0, top) : bottom, max(0, x - slack_px) : x + slack_px + 1]
            inside = top >= 0 and bottom <= 90 and 0 <= x < 120
            expected = inside and columns.sum(axis=0).max() > DRAWN_SHARE * (bottom - top)
            assert drawn[row, line] == expected, (row, line)


@pytest.mark.parametrize("seen", [(9, 14), (12, 16), (4, 24)])
def test_the_end_of_the_lines_is_found_from_any_part_of_them(seen: tuple[int, int]) -> None:
    x_lines, y_lines = 40 + 10 * np.arange(31), 60 + 10 * np.arange(17)
    vertical, horizontal = np.zeros((2, 300, 400), np.uint8)
    vertical[60:220, x_lines] = 1
    horizontal[y_lines, 40:340] = 1
    sums, transposed_sums = LineSums.of_masks(vertical, np.ascontiguousarray(horizontal.T))
    across, down = Axis(LineFit(40.5, 10.0), range(*seen)), Axis(LineFit(60.5, 10.0), range(5, 11))
    extent = find_extent(sums, transposed_sums, across, down)
    assert extent is not None
    cols, rows = extent
    assert cols.ends == (40.5, 340.5)
    assert rows.ends == (60.5, 220.5)

"""What is counted in packed numbers or looked up in sums equals a direct count."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration.locate.crosses import (
    BLOCK,
    COARSE,
    FINE,
    Crosses,
    Resolution,
    _count_squares,
)
from calibration.locate.extent import DRAWN_SHARE, Axis, LineSums, find_extent
from calibration.locate.lines import LineFit
from calibration.read.place import largest_sum


@given(
    arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(-9, 9))
)
def test_no_rectangle_has_a_larger_sum(values: np.ndarray) -> None:
    rows, cols = largest_sum(values)
    high, wide = values.shape
    ranges = product(range(high), range(high + 1), range(wide), range(wide + 1))
    most = max(values[a:b, c:d].sum() for a, b, c, d in ranges)
    assert values[rows, cols].sum() == max(0, most)


@pytest.mark.parametrize("size", [(200, 330), (64, 64), (129, 70), (40, 500)])
@pytest.mark.parametrize("resolution", [FINE, COARSE], ids=["fine", "coarse"])
def test_packed_count_equals_counting_by_hand(
    size: tuple[int, int], resolution: Resolution
) -> None:
    rng = np.random.default_rng(size[0])
    crosses = np.where(rng.random(size) < 0.2, 255, 0).astype(np.uint8)
    count = _count_squares(Crosses.of((crosses > 0).astype(np.uint8), resolution))
    marked = crosses > 0
    for index, (across, down) in list(enumerate(resolution.sizes))[::23]:
        squares = np.zeros(np.multiply(count.shape[:2], BLOCK), bool)
        if across < size[1] and down < size[0]:
            corners = marked[:-down, :-across] & marked[:-down, across:]
            corners &= marked[down:, :-across] & marked[down:, across:]
            squares[: corners.shape[0], : corners.shape[1]] = corners
        blocks = squares.reshape(count.shape[0], BLOCK, count.shape[1], BLOCK).sum((1, 3))
        assert (count[:, :, index] == blocks).all(), (across, down)


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

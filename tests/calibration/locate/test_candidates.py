"""Squares of crosses counted in packed numbers equal a direct count."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.locate.crosses import (
    BLOCK,
    COARSE,
    FINE,
    Crosses,
    Resolution,
    _count_squares,
    halved,
)


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


@given(st.integers(1, 40), st.integers(1, 200), st.integers(0, 999), st.floats(0.02, 0.98))
def test_crosses_are_packed_at_half_the_size_each_with_the_pixels_before_it(
    height: int, width: int, seed: int, share: float
) -> None:
    mask = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    half = cv2.dilate(mask, np.ones((2, 2), np.uint8))[::2, : width // 2 * 2 : 2]
    crosses = Crosses.of(halved(mask), FINE)
    assert crosses.shape == half.shape
    bits = crosses.words.T[:, :, None] >> np.arange(BLOCK, dtype=np.uint64) & np.uint64(1)
    unpacked = bits.reshape(len(bits), -1)
    assert (unpacked[: half.shape[0], : half.shape[1]] == half).all()
    assert unpacked.sum() == half.sum()

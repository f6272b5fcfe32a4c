"""Packed masks do what cv2 does with plain ones."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.bits import Bits


def masks(height, width, seed, share):
    return (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)


drawn = st.builds(
    masks, st.integers(1, 40), st.integers(1, 200), st.integers(0, 999), st.floats(0.02, 0.98)
)


@given(drawn)
def test_a_mask_is_unpacked_as_it_was_packed(mask):
    assert (Bits.of(mask).mask() == mask).all()


@given(drawn, st.integers(0, 9), st.integers(0, 9))
def test_growing_and_shrinking_are_those_of_cv2(mask, y, x):
    around = np.ones((2 * y + 1, 2 * x + 1), np.uint8)
    assert (Bits.of(mask).grown(y, x).mask() == cv2.dilate(mask, around)).all()
    assert (Bits.of(mask).shrunk(y, x).mask() == cv2.erode(mask, around)).all()


@given(drawn)
def test_a_halved_mask_holds_each_pixel_and_the_ones_before_it(mask):
    spread = cv2.dilate(mask, np.ones((2, 2), np.uint8))
    halved = spread[::2, : mask.shape[1] // 2 * 2 : 2]
    assert (Bits.of(mask).halved().mask() == halved).all()


@pytest.mark.parametrize("width", [63, 64, 65, 128])
def test_nothing_moves_from_one_row_to_the_next(width):
    mask = np.zeros((2, width), np.uint8)
    mask[0, -1] = mask[1, 0] = 1
    grown = Bits.of(mask).grown(0, 5).mask()
    assert grown[0].sum() == grown[1].sum() == 6

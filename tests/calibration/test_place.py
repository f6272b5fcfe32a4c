"""Where the network sees a board: the largest rectangle, and boards drawn without lines."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration.grid import Grid
from calibration.read.place import ShownPicture, largest_sum, place_board
from tests.calibration.drawing import FRESH, HALF_PLAYED, drawn_apart


@given(
    arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(-9, 9))
)
def test_no_rectangle_has_a_larger_sum(values: np.ndarray) -> None:
    rows, cols = largest_sum(values)
    high, wide = values.shape
    ranges = product(range(high), range(high + 1), range(wide), range(wide + 1))
    most = max(values[a:b, c:d].sum() for a, b, c, d in ranges)
    assert values[rows, cols].sum() == max(0, most)


@pytest.mark.parametrize("text", [FRESH, HALF_PLAYED], ids=["fresh", "half played"])
@pytest.mark.parametrize("off", [(0.0, 0.0), (0.5, 0.25), (-0.4, 0.9)])
def test_a_board_is_placed_wherever_the_lattice_begins(text: str, off: tuple[float, float]) -> None:
    frame, truth = drawn_apart(text, pitch=(41, 41), share=0.9)
    lattice = truth.moved(off[0] * truth.tile_w, off[1] * truth.tile_h).widened(-1, 1, -2, 0)
    placed = place_board(ShownPicture(frame.pixels), lattice)
    assert placed is not None
    assert (placed.grid.rows, placed.grid.cols) == (truth.rows, truth.cols)
    assert placed.grid.has_lines_of(truth, 0.12)


def test_nothing_is_placed_on_noise() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (400, 400, 3), np.uint8)
    placed = place_board(ShownPicture(noise), Grid(20.0, 20.0, 30.0, 30.0, 11, 11))
    assert placed is None or placed.odds < 0

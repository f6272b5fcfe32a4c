"""Tile pictures: which count as one appearance, and that a part is cut as the whole is."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.tiles import SAME_APPEARANCE, SIDE, TilePictures, coarse, gather
from tests.calibration.drawing import HALF_PLAYED
from tests.calibration.sketches import drawn

BLUE = np.array([14, 17, 54], np.uint8)


@pytest.mark.parametrize(
    ("step", "uneven", "groups"), [((4, 6, 1), 0, 2), ((2, 3, 1), 0, 1), ((4, 6, 1), 3, 1)]
)
def test_even_tiles_differ_from_four_steps_on(
    step: tuple[int, int, int], uneven: int, groups: int
) -> None:
    """Tiles that are drawn, or blurred, look the same up to eight steps."""
    pictures = np.empty((2, SIDE, SIDE, 3), np.uint8)
    pictures[0], pictures[1] = BLUE, BLUE + np.array(step, np.uint8)
    pictures[:, ::2] += np.uint8(uneven)
    found, _ = gather(coarse(pictures), SAME_APPEARANCE)
    assert found.max() + 1 == groups


@pytest.mark.parametrize("pitch", [16.0, 23.4])
def test_a_part_of_a_board_is_cut_as_the_whole_is(pitch: float) -> None:
    frame, grid = drawn(HALF_PLAYED.split(), {"tile": [pitch, pitch], "inner": [14, 14]})
    marked = np.zeros((8, 8), np.bool_)
    marked[2:4, 4:8], marked[6, 7] = True, True
    board = TilePictures(frame, grid)
    part = board.coarse_of(marked)
    assert board.pictures is board.pictures, "the whole is cut once"
    assert np.abs(part - board.coarse_of(marked)).max() <= 1.0
    assert (board.coarse_of(marked) == board.coarse[marked.ravel()]).all()

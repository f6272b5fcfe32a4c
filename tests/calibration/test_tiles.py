"""Which tile pictures count as one appearance."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.tiles import SAME_APPEARANCE, SIDE, coarse, gather

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

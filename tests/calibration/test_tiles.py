"""Tile pictures: which count as one appearance, and that a part is cut as the whole is."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.classify.features import FORM_SIDE, normal_form
from calibration.tiles import SAME_APPEARANCE, SIDE, TilePictures, coarse, gather
from tests.calibration.desktops import STYLES, desktop

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


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("pitch", [16.0, 23.4])
def test_a_part_of_a_board_is_cut_as_the_whole_is(style: str, pitch: float) -> None:
    drawn = desktop(style, 9, 12, pitch)
    marked = np.zeros((9, 12), np.bool_)
    marked[2:4, 5:9], marked[6, 7] = True, True
    board = TilePictures(drawn.frame, drawn.grid)
    part = board.coarse_of(marked)
    assert board.pictures is board.pictures, "the whole is cut once"
    assert np.abs(part - board.coarse_of(marked)).max() <= 1.0
    assert (board.coarse_of(marked) == board.coarse[marked.ravel()]).all()


def test_normal_form_keeps_proportions_and_ignores_the_position() -> None:
    glyph = np.zeros((24, 24), np.float32)
    glyph[3:19, 10:14] = 1
    form = normal_form(glyph)
    assert form is not None
    assert form.shape == (FORM_SIDE, FORM_SIDE)
    assert form[:, 6:10].min() == 1
    assert form[:, :6].max() == form[:, 10:].max() == 0
    moved = normal_form(np.roll(glyph, (2, 5), (0, 1)))
    assert moved is not None
    np.testing.assert_allclose(form, moved)


def test_a_picture_without_ink_has_no_normal_form() -> None:
    assert normal_form(np.zeros((24, 24), np.float32)) is None

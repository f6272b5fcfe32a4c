"""The normal form of a glyph."""

from __future__ import annotations

import numpy as np

from calibration.classify.features import FORM_SIDE, normal_form


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

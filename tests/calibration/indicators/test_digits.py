"""Digits of other fonts than those of the reference glyphs are recognised by their shape."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.glyphs import normal_form
from calibration.indicators.digits import match_digits

HERSHEY = {
    "simplex": cv2.FONT_HERSHEY_SIMPLEX,
    "duplex": cv2.FONT_HERSHEY_DUPLEX,
    "complex": cv2.FONT_HERSHEY_COMPLEX,
    "triplex": cv2.FONT_HERSHEY_TRIPLEX,
}


def form_of(glyph: NDArray[np.float32]) -> NDArray[np.float32]:
    form = normal_form(glyph)
    assert form is not None
    return form


def drawn(symbol: str, font: int, *, size: int, weight: int) -> NDArray[np.float32]:
    """Draw a symbol large and shrink it, so that its edges are soft as on a screen."""
    canvas = np.zeros((240, 240), np.uint8)
    cv2.putText(canvas, symbol, (60, 200), font, 6.0, 255, weight, cv2.LINE_AA)
    small = cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) / np.float32(255)


@pytest.mark.parametrize("font", HERSHEY)
@pytest.mark.parametrize("size", [20, 28, 48])
@pytest.mark.parametrize("weight", [12, 24])
def test_digits_of_other_fonts_are_recognised(font: str, size: int, weight: int) -> None:
    forms = [
        form_of(drawn(digit, HERSHEY[font], size=size, weight=weight)) for digit in "0123456789"
    ]
    assert match_digits(np.stack(forms)).argmax(axis=1).tolist() == list(range(10))

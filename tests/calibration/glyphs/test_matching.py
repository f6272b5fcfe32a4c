"""Digits of other fonts than those of the reference glyphs are recognised by shape alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.glyphs.matching import SIDE, closed_loops, match_digits, normal_form
from calibration.glyphs.references import SYMBOLS

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
        form_of(drawn(symbol, HERSHEY[font], size=size, weight=weight)) for symbol in SYMBOLS[:8]
    ]
    scores = match_digits(np.stack(forms))
    assert "".join(SYMBOLS[best] for best in scores.argmax(axis=1)) == "12345678"


def test_normal_form_keeps_proportions_and_ignores_the_position() -> None:
    glyph = np.zeros((24, 24), np.float32)
    glyph[3:19, 10:14] = 1
    form = form_of(glyph)
    assert form.shape == (SIDE, SIDE)
    assert form[:, 6:10].min() == 1
    assert form[:, :6].max() == form[:, 10:].max() == 0
    np.testing.assert_allclose(form, form_of(np.roll(glyph, (2, 5), (0, 1))))


def test_a_picture_without_ink_has_no_normal_form() -> None:
    assert normal_form(np.zeros((24, 24), np.float32)) is None


@pytest.mark.parametrize(("symbol", "loops"), [("1", 0), ("6", 1), ("8", 2)])
def test_closed_loops_are_counted(symbol: str, loops: int) -> None:
    form = form_of(drawn(symbol, HERSHEY["simplex"], size=80, weight=8))
    assert closed_loops(form) == loops


BROAD = """
..###.###. ##########
..###.###. ##########
.###..###. .......###
.###..###. .......###
########## ......###.
########## ......###.
......###. .....###..
......###. .....###..
......###. ....###...
......###. ....###...
"""
"""The four and the seven of Windows 2000, which many programs copy."""


@pytest.mark.parametrize("column", [0, 1], ids="47")
@pytest.mark.parametrize("shift", [0.0, 0.3, 0.5])
def test_broad_digits_stay_clear_when_sampled_between_pixels(column: int, shift: float) -> None:
    rows = [row.split()[column] for row in BROAD.split("\n") if row]
    ink = np.pad(np.array([[char == "#" for char in row] for row in rows], np.float32), 3)
    step = np.array([[1 / 1.5, 0, shift], [0, 1 / 1.5, shift]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    glyph = np.asarray(cv2.warpAffine(ink, step, (24, 24), flags=flags), np.float32)
    scores = match_digits(form_of(glyph)[None])[0, :8]
    assert "12345678"[scores.argmax()] == "47"[column]
    assert scores.max() > 0.88
    assert np.sort(scores)[-2] < 0.7

"""Digits drawn in lettering the references were not made of must be told by shape alone."""

import cv2
import numpy as np
import pytest

from calibration.glyphs import SIDE, closed_loops, match_digits, normal_form
from calibration.letterings import SYMBOLS

HERSHEY = {
    "simplex": cv2.FONT_HERSHEY_SIMPLEX,
    "duplex": cv2.FONT_HERSHEY_DUPLEX,
    "complex": cv2.FONT_HERSHEY_COMPLEX,
    "triplex": cv2.FONT_HERSHEY_TRIPLEX,
}


def drawn(symbol, font, *, size, weight):
    """Draw a symbol large and shrink it, so that its edges are soft as on a screen."""
    canvas = np.zeros((240, 240), np.uint8)
    cv2.putText(canvas, symbol, (60, 200), font, 6.0, 255, weight, cv2.LINE_AA)
    small = cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA)
    return small.astype(np.float32) / 255


@pytest.mark.parametrize("font", HERSHEY)
@pytest.mark.parametrize("size", [20, 28, 48])
@pytest.mark.parametrize("weight", [12, 24])
def test_digits_are_told_in_other_lettering(font, size, weight):
    forms = [
        normal_form(drawn(symbol, HERSHEY[font], size=size, weight=weight))
        for symbol in SYMBOLS[:8]
    ]
    scores = match_digits(np.stack(forms))
    assert "".join(SYMBOLS[best] for best in scores.argmax(axis=1)) == "12345678"


def test_form_keeps_proportions_and_ignores_place():
    drawing = np.zeros((24, 24), np.float32)
    drawing[3:19, 10:14] = 1
    form = normal_form(drawing)
    assert form.shape == (SIDE, SIDE)
    assert form[:, 6:10].min() == 1
    assert form[:, :6].max() == form[:, 10:].max() == 0
    np.testing.assert_allclose(form, normal_form(np.roll(drawing, (2, 5), (0, 1))))


def test_nothing_has_no_form():
    assert normal_form(np.zeros((24, 24), np.float32)) is None


@pytest.mark.parametrize(("symbol", "loops"), [("1", 0), ("6", 1), ("8", 2)])
def test_loops(symbol, loops):
    form = normal_form(drawn(symbol, HERSHEY["simplex"], size=80, weight=8))
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
def test_broad_digits_stay_clear_between_pixels(column, shift):
    rows = [row.split()[column] for row in BROAD.split("\n") if row]
    ink = np.pad(np.array([[char == "#" for char in row] for row in rows], np.float32), 3)
    step = np.array([[1 / 1.5, 0, shift], [0, 1 / 1.5, shift]])
    drawing = cv2.warpAffine(ink, step, (24, 24), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    scores = match_digits(normal_form(drawing)[None])[0, :8]
    assert "12345678"[scores.argmax()] == "47"[column]
    assert scores.max() > 0.88
    assert np.sort(scores)[-2] < 0.7

"""Which digit a glyph of text shows, whatever its font: it is correlated with reference glyphs.

These are drawn by strokes of a pen, in a box 60 wide and 100 high, y down. They are our own; a few
strokes a digit, in several weights and widths, cover most fonts. No font file is needed.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.glyphs import FORM_SIDE, normal_form

Stroke = list[tuple[float, float]]
"""The points of one line of the pen."""


def arc(
    cx: float, cy: float, rx: float, ry: float, start: float = 0.0, end: float = 360.0
) -> Stroke:
    """Return points of an ellipse; degrees count clockwise from the right."""
    angles = np.radians(np.linspace(start, end, 25))
    return [
        (float(x), float(y))
        for x, y in zip(cx + rx * np.cos(angles), cy + ry * np.sin(angles), strict=True)
    ]


def _line(*points: tuple[float, float]) -> Stroke:
    return list(points)


STROKES: dict[int, tuple[list[Stroke], ...]] = {
    0: (
        [arc(30, 50, 25, 45)],
        [arc(30, 50, 22, 45)],
        [arc(30, 50, 25, 45), [(15, 80), (45, 20)]],  # slashed, to differ from an O
        [arc(30, 50, 25, 45), [(30, 45), (30, 55)]],
    ),
    1: (
        [_line((12, 24), (36, 5), (36, 95))],
        [_line((12, 24), (34, 5), (34, 95)), _line((8, 95), (58, 95))],
        [_line((18, 14), (34, 5), (34, 95)), _line((14, 95), (54, 95))],
        [_line((30, 5), (30, 95))],
        [_line((12, 8), (32, 8), (32, 95)), _line((6, 95), (58, 95))],
        [_line((14, 8), (30, 5), (30, 95)), _line((14, 95), (46, 95))],
    ),
    2: (
        [arc(30, 30, 25, 25, 185, 400) + _line((6, 95), (56, 95))],
        [arc(29, 29, 22, 24, 200, 420) + _line((6, 93), (56, 95))],
        [arc(30, 30, 25, 25, 180, 380) + _line((40, 60), (8, 88), (6, 95), (56, 95))],
        [_line((5, 5), (55, 5), (55, 50), (5, 50), (5, 95), (55, 95))],
    ),
    3: (
        [arc(28, 27, 22, 22, 205, 450), arc(28, 72, 26, 23, 270, 515)],
        [arc(27, 28, 25, 23, 220, 440), arc(27, 71, 27, 24, 280, 500)],
        [_line((6, 5), (54, 5), (28, 40)) + arc(28, 68, 26, 27, 275, 510)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95)), _line((12, 50), (55, 50))],
    ),
    4: (
        [_line((42, 95), (42, 5), (4, 70), (58, 70))],
        [_line((42, 95), (42, 5), (36, 5), (4, 62), (4, 72), (58, 72))],
        [_line((42, 95), (42, 5), (4, 70), (58, 70)), _line((26, 95), (56, 95))],
        [_line((52, 95), (52, 5), (4, 64), (52, 64))],
        [_line((10, 5), (6, 58), (58, 58)), _line((44, 30), (44, 95))],
        [_line((5, 5), (5, 50), (55, 50)), _line((55, 5), (55, 95))],
        [_line((5, 5), (5, 62), (55, 62)), _line((52, 5), (52, 95))],
    ),
    5: (
        [_line((52, 5), (12, 5), (9, 46)) + arc(29, 66, 27, 28, 225, 505)],
        [_line((52, 5), (10, 5), (10, 44)) + arc(27, 67, 28, 27, 245, 490)],
        [_line((50, 5), (14, 5), (8, 50)) + arc(28, 66, 26, 27, 215, 520)],
        [_line((55, 5), (5, 5), (5, 48), (55, 48), (55, 95), (5, 95))],
    ),
    6: (
        [arc(30, 67, 25, 27), arc(47, 60, 42, 55, 170, 272)],
        [arc(30, 68, 25, 26), arc(32, 50, 27, 45, 150, 310)],
        [arc(30, 66, 25, 28), _line((42, 5), (12, 50))],
        [arc(30, 66, 26, 28), arc(50, 64, 46, 59, 180, 265)],
        [_line((52, 5), (5, 5), (5, 95), (55, 95), (55, 48), (5, 48))],
        [_line((5, 5), (5, 95), (55, 95), (55, 50), (5, 50))],
    ),
    7: (
        [_line((5, 5), (55, 5), (22, 95))],
        [_line((5, 22), (5, 5), (55, 5), (24, 95))],
        [_line((5, 5), (55, 5)) + arc(70, 95, 44, 76, 245, 180)],
        [_line((5, 5), (55, 5), (55, 20), (28, 60), (28, 95))],
        [_line((5, 5), (55, 5), (55, 95))],
    ),
    8: (
        [arc(30, 27, 21, 22), arc(30, 72, 25, 23)],
        [arc(30, 27, 24, 22), arc(30, 72, 26, 23)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95), (5, 5)), _line((5, 50), (55, 50))],
    ),
}
STROKES[9] = tuple([[(60 - x, 100 - y) for x, y in line] for line in six] for six in STROKES[6][:4])

PEN_WIDTHS, BOX_WIDTHS = (7, 12, 17), (0.85, 1.0, 1.15)
"""The widths of the pen, and the factors of the width of the box, that references are drawn in."""


def match_digits(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Correlate normal forms ``(n, FORM_SIDE, FORM_SIDE)`` with the reference glyphs.

    Returns ``(n, 10)``: the best correlation with each digit.
    """
    references, digits = _references()
    correlation = features(forms) @ references.T
    return np.stack([correlation[:, digits == digit].max(axis=1) for digit in range(10)], axis=1)


@cache
def _references() -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Draw the reference glyphs: their features, a row each, and their digits."""
    drawn = [
        (digit, normal_form(draw(strokes, weight, width)))
        for digit, ways in STROKES.items()
        for strokes, weight, width in product(ways, PEN_WIDTHS, BOX_WIDTHS)
    ]
    forms = np.stack([form for _, form in drawn if form is not None])
    return features(forms), np.array([digit for digit, form in drawn if form is not None])


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring each row to mean 0 and length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(length, 1e-6), dtype=np.float32)


def features(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Describe normal forms ``(n, FORM_SIDE, FORM_SIDE)`` by their ink and the way its edges run.

    The first part is the blurred ink. The second part is the strength of edges in eight
    directions, pooled over 5 by 5 pixels (the idea of histograms of oriented gradients, Dalal
    and Triggs 2005). Both parts weigh the same in a scalar product. Float32, one row a form.
    """
    count = len(forms)
    padded = np.pad(forms, ((0, 0), (2, 2), (2, 2))).reshape(-1, FORM_SIDE + 4)
    blurred = np.asarray(cv2.GaussianBlur(padded, (0, 0), 0.8), dtype=np.float32)
    across = cv2.Sobel(blurred, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(blurred, cv2.CV_32F, 0, 1)
    strength, angle = cv2.cartToPolar(across, down)
    sector = angle * (8 / (2 * np.pi))
    planes = []
    for direction in range(8):
        off = np.abs((sector - direction + 4) % 8 - 4)
        plane = cv2.blur(strength * np.clip(1 - off, 0, 1), (5, 5))
        planes.append(
            plane.reshape(count, FORM_SIDE + 4, FORM_SIDE + 4)[:, 2::4, 2::4].reshape(count, -1)
        )
    ink = blurred.reshape(count, FORM_SIDE + 4, FORM_SIDE + 4)[:, 2:-2:1, 2:-2:1].reshape(count, -1)
    return np.hstack([_unit(ink), _unit(np.hstack(planes))]) / np.float32(np.sqrt(2))


def draw(strokes: list[Stroke], weight: float, width: float) -> NDArray[np.float32]:
    """Draw strokes at half size, float32 ``(72, 72)``, 0..1.

    A heavy pen is moved inwards, so that the box keeps its size. ``weight`` is the width of the
    pen, ``width`` a factor for the width of the box.
    """
    canvas = np.zeros((72, 72), dtype=np.uint8)
    inset = weight / 2
    for stroke in strokes:
        points = np.array(stroke, dtype=np.float64)
        points[:, 0] = inset + points[:, 0] * (60 * width - weight) / 60
        points[:, 1] = inset + (points[:, 1] - 5) * (100 - weight) / 90
        fixed = np.round((points / 2 + 8) * 16).astype(np.int32)
        cv2.polylines(canvas, [fixed], False, 255, max(1, round(weight / 2)), cv2.LINE_AA, 4)
    return np.asarray(canvas / 255, dtype=np.float32)

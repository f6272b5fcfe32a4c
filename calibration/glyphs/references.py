"""Reference glyphs: the many ways in which fonts draw 1 to 8 and ``?``.

Most are drawn by strokes of a pen, in a box 60 wide and 100 high, y down. They are our own; a
few strokes a digit, in several weights and widths, cover most fonts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

SYMBOLS = "12345678?"
"""The symbols of the reference glyphs, in the order of their indices."""

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


STROKES: dict[str, tuple[list[Stroke], ...]] = {
    "1": (
        [_line((12, 24), (36, 5), (36, 95))],
        [_line((12, 24), (34, 5), (34, 95)), _line((8, 95), (58, 95))],
        [_line((18, 14), (34, 5), (34, 95)), _line((14, 95), (54, 95))],
        [_line((30, 5), (30, 95))],
        [_line((12, 8), (32, 8), (32, 95)), _line((6, 95), (58, 95))],
        [_line((14, 8), (30, 5), (30, 95)), _line((14, 95), (46, 95))],
    ),
    "2": (
        [arc(30, 30, 25, 25, 185, 400) + _line((6, 95), (56, 95))],
        [arc(29, 29, 22, 24, 200, 420) + _line((6, 93), (56, 95))],
        [arc(30, 30, 25, 25, 180, 380) + _line((40, 60), (8, 88), (6, 95), (56, 95))],
        [_line((5, 5), (55, 5), (55, 50), (5, 50), (5, 95), (55, 95))],
    ),
    "3": (
        [arc(28, 27, 22, 22, 205, 450), arc(28, 72, 26, 23, 270, 515)],
        [arc(27, 28, 25, 23, 220, 440), arc(27, 71, 27, 24, 280, 500)],
        [_line((6, 5), (54, 5), (28, 40)) + arc(28, 68, 26, 27, 275, 510)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95)), _line((12, 50), (55, 50))],
    ),
    "4": (
        [_line((42, 95), (42, 5), (4, 70), (58, 70))],
        [_line((42, 95), (42, 5), (36, 5), (4, 62), (4, 72), (58, 72))],
        [_line((42, 95), (42, 5), (4, 70), (58, 70)), _line((26, 95), (56, 95))],
        [_line((52, 95), (52, 5), (4, 64), (52, 64))],
        [_line((10, 5), (6, 58), (58, 58)), _line((44, 30), (44, 95))],
        [_line((5, 5), (5, 50), (55, 50)), _line((55, 5), (55, 95))],
        [_line((5, 5), (5, 62), (55, 62)), _line((52, 5), (52, 95))],
    ),
    "5": (
        [_line((52, 5), (12, 5), (9, 46)) + arc(29, 66, 27, 28, 225, 505)],
        [_line((52, 5), (10, 5), (10, 44)) + arc(27, 67, 28, 27, 245, 490)],
        [_line((50, 5), (14, 5), (8, 50)) + arc(28, 66, 26, 27, 215, 520)],
        [_line((55, 5), (5, 5), (5, 48), (55, 48), (55, 95), (5, 95))],
    ),
    "6": (
        [arc(30, 67, 25, 27), arc(47, 60, 42, 55, 170, 272)],
        [arc(30, 68, 25, 26), arc(32, 50, 27, 45, 150, 310)],
        [arc(30, 66, 25, 28), _line((42, 5), (12, 50))],
        [arc(30, 66, 26, 28), arc(50, 64, 46, 59, 180, 265)],
        [_line((52, 5), (5, 5), (5, 95), (55, 95), (55, 48), (5, 48))],
        [_line((5, 5), (5, 95), (55, 95), (55, 50), (5, 50))],
    ),
    "7": (
        [_line((5, 5), (55, 5), (22, 95))],
        [_line((5, 22), (5, 5), (55, 5), (24, 95))],
        [_line((5, 5), (55, 5)) + arc(70, 95, 44, 76, 245, 180)],
        [_line((5, 5), (55, 5), (55, 20), (28, 60), (28, 95))],
        [_line((5, 5), (55, 5), (55, 95))],
    ),
    "8": (
        [arc(30, 27, 21, 22), arc(30, 72, 25, 23)],
        [arc(30, 27, 24, 22), arc(30, 72, 26, 23)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95), (5, 5)), _line((5, 50), (55, 50))],
    ),
    "?": (
        [arc(30, 28, 24, 23, 185, 405) + _line((31, 57), (30, 70)), _line((30, 92), (30, 95))],
        [arc(29, 28, 24, 23, 200, 430) + _line((28, 60), (28, 70)), _line((28, 92), (28, 95))],
        [arc(30, 28, 24, 23, 180, 450) + _line((30, 72)), _line((30, 92), (30, 95))],
    ),
}

_WEIGHTS = (7, 13, 19, 26)
_WIDTHS = (0.8, 1.0, 1.25)

# Fonts of coarse pixels: five by seven as on small displays; the heavy font with square ends of
# classic programs; and the broad four, open at its top, and the straight seven of some others.
_SLIM = """
..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
.##.. #...# #...# ..##. #.... #.... ....# #...# #...#
..#.. ....# ....# .#.#. ####. ####. ...#. #...# ....#
..#.. ..##. ..##. #..#. ....# #...# ...#. .###. ..##.
..#.. .#... ....# ##### ....# #...# ..#.. #...# ..#..
..#.. #.... #...# ...#. #...# #...# ..#.. #...# .....
.###. ##### .###. ...#. .###. .###. ..#.. .###. ..#..
"""
_HEAVY = """
...##... .######. #######. ....###. ######## .######. ######## .######. .######.
..###... ######## ######## ...####. ######## ######## ######## ######## ########
.####... ##....## ......## ..##.##. ##...... ##...... ......## ##....## ##....##
####.... ......## ......## .##..##. ##...... ##...... .....### ##....## ......##
..##.... ....###. ..#####. ##...##. #######. #######. ....###. .######. ....###.
..##.... ..####.. ..#####. ######## .####### ######## ....##.. .######. ...###..
..##.... ####.... ......## ######## ......## ##....## ...###.. ##....## ...##...
..##.... ##...... ......## .....##. ......## ##....## ..###... ##....## ........
######.. ######## ######## .....##. ######## ######## ..##.... ######## ...##...
######.. ######## #######. .....##. #######. .######. ..##.... .######. ...##...
"""
_BROAD = """
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
_PIXEL_FONTS = ((_SLIM, SYMBOLS), (_HEAVY, SYMBOLS), (_BROAD, "47"))


def reference_glyphs() -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Draw all reference glyphs: the index of each in `SYMBOLS`, and its ink, float32 0..1."""
    for index, symbol in enumerate(SYMBOLS):
        for strokes, weight, width in product(STROKES[symbol], _WEIGHTS, _WIDTHS):
            yield index, draw(strokes, weight, width)
    for font, symbols in _PIXEL_FONTS:
        rows = [line.split() for line in font.split("\n") if line]
        for position, width in product(range(len(symbols)), (24, 30, 36)):
            cells = np.array([[char == "#" for char in row[position]] for row in rows], np.float32)
            scaled = cv2.resize(cells, (width, 40), interpolation=cv2.INTER_AREA)
            yield SYMBOLS.index(symbols[position]), np.asarray(scaled, dtype=np.float32)


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

"""Reference digits, drawn by strokes: the many ways a hand or a font writes 1 to 8 and ``?``.

Each drawing is a list of strokes in a box 60 wide and 100 high, y down. They are our own; a
few strokes a digit and several weights and widths cover most fonts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

SYMBOLS = "12345678?"

Stroke = list[tuple[float, float]]


def arc(
    cx: float, cy: float, rx: float, ry: float, start: float = 0.0, end: float = 360.0
) -> Stroke:
    """Return points of an ellipse; degrees run clockwise from the right."""
    angles = np.radians(np.linspace(start, end, 25))
    return [
        (float(x), float(y))
        for x, y in zip(cx + rx * np.cos(angles), cy + ry * np.sin(angles), strict=True)
    ]


def _bar(*points: tuple[float, float]) -> Stroke:
    return list(points)


STROKES: dict[str, tuple[list[Stroke], ...]] = {
    "1": (
        [_bar((12, 24), (36, 5), (36, 95))],
        [_bar((12, 24), (34, 5), (34, 95)), _bar((8, 95), (58, 95))],
        [_bar((18, 14), (34, 5), (34, 95)), _bar((14, 95), (54, 95))],
        [_bar((30, 5), (30, 95))],
        [_bar((12, 8), (32, 8), (32, 95)), _bar((6, 95), (58, 95))],
        [_bar((14, 8), (30, 5), (30, 95)), _bar((14, 95), (46, 95))],
    ),
    "2": (
        [arc(30, 30, 25, 25, 185, 400) + _bar((6, 95), (56, 95))],
        [arc(29, 29, 22, 24, 200, 420) + _bar((6, 93), (56, 95))],
        [arc(30, 30, 25, 25, 180, 380) + _bar((40, 60), (8, 88), (6, 95), (56, 95))],
        [_bar((5, 5), (55, 5), (55, 50), (5, 50), (5, 95), (55, 95))],
    ),
    "3": (
        [arc(28, 27, 22, 22, 205, 450), arc(28, 72, 26, 23, 270, 515)],
        [arc(27, 28, 25, 23, 220, 440), arc(27, 71, 27, 24, 280, 500)],
        [_bar((6, 5), (54, 5), (28, 40)) + arc(28, 68, 26, 27, 275, 510)],
        [_bar((5, 5), (55, 5), (55, 95), (5, 95)), _bar((12, 50), (55, 50))],
    ),
    "4": (
        [_bar((42, 95), (42, 5), (4, 70), (58, 70))],
        [_bar((42, 95), (42, 5), (36, 5), (4, 62), (4, 72), (58, 72))],
        [_bar((42, 95), (42, 5), (4, 70), (58, 70)), _bar((26, 95), (56, 95))],
        [_bar((52, 95), (52, 5), (4, 64), (52, 64))],
        [_bar((10, 5), (6, 58), (58, 58)), _bar((44, 30), (44, 95))],
        [_bar((5, 5), (5, 50), (55, 50)), _bar((55, 5), (55, 95))],
        [_bar((5, 5), (5, 62), (55, 62)), _bar((52, 5), (52, 95))],
    ),
    "5": (
        [_bar((52, 5), (12, 5), (9, 46)) + arc(29, 66, 27, 28, 225, 505)],
        [_bar((52, 5), (10, 5), (10, 44)) + arc(27, 67, 28, 27, 245, 490)],
        [_bar((50, 5), (14, 5), (8, 50)) + arc(28, 66, 26, 27, 215, 520)],
        [_bar((55, 5), (5, 5), (5, 48), (55, 48), (55, 95), (5, 95))],
    ),
    "6": (
        [arc(30, 67, 25, 27), arc(47, 60, 42, 55, 170, 272)],
        [arc(30, 68, 25, 26), arc(32, 50, 27, 45, 150, 310)],
        [arc(30, 66, 25, 28), _bar((42, 5), (12, 50))],
        [arc(30, 66, 26, 28), arc(50, 64, 46, 59, 180, 265)],
        [_bar((52, 5), (5, 5), (5, 95), (55, 95), (55, 48), (5, 48))],
        [_bar((5, 5), (5, 95), (55, 95), (55, 50), (5, 50))],
    ),
    "7": (
        [_bar((5, 5), (55, 5), (22, 95))],
        [_bar((5, 22), (5, 5), (55, 5), (24, 95))],
        [_bar((5, 5), (55, 5)) + arc(70, 95, 44, 76, 245, 180)],
        [_bar((5, 5), (55, 5), (55, 20), (28, 60), (28, 95))],
        [_bar((5, 5), (55, 5), (55, 95))],
    ),
    "8": (
        [arc(30, 27, 21, 22), arc(30, 72, 25, 23)],
        [arc(30, 27, 24, 22), arc(30, 72, 26, 23)],
        [_bar((5, 5), (55, 5), (55, 95), (5, 95), (5, 5)), _bar((5, 50), (55, 50))],
    ),
    "?": (
        [arc(30, 28, 24, 23, 185, 405) + _bar((31, 57), (30, 70)), _bar((30, 92), (30, 95))],
        [arc(29, 28, 24, 23, 200, 430) + _bar((28, 60), (28, 70)), _bar((28, 92), (28, 95))],
        [arc(30, 28, 24, 23, 180, 450) + _bar((30, 72)), _bar((30, 92), (30, 95))],
    ),
}

_WEIGHTS = (7, 13, 19, 26)
_WIDTHS = (0.8, 1.0, 1.25)

# Letterings of coarse pixels: five by seven as on small displays, the heavy one with square ends
# of classic programs, and the broad open four and straight seven that others of them have.
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
_LETTERINGS = ((_SLIM, SYMBOLS), (_HEAVY, SYMBOLS), (_BROAD, "47"))


def drawings() -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Draw every reference: the symbol's index in `SYMBOLS` and its ink, 0..1."""
    for index, symbol in enumerate(SYMBOLS):
        for strokes, weight, width in product(STROKES[symbol], _WEIGHTS, _WIDTHS):
            yield index, draw(strokes, weight, width)
    for lettering, symbols in _LETTERINGS:
        rows = [line.split() for line in lettering.split("\n") if line]
        for place, width in product(range(len(symbols)), (24, 30, 36)):
            cells = np.array([[char == "#" for char in row[place]] for row in rows], np.float32)
            scaled = cv2.resize(cells, (width, 40), interpolation=cv2.INTER_AREA)
            yield SYMBOLS.index(symbols[place]), np.asarray(scaled, dtype=np.float32)


def draw(strokes: list[Stroke], weight: float, width: float) -> NDArray[np.float32]:
    """Draw strokes at half size; a heavy pen moves inwards, so that the box stays 60 by 100."""
    canvas = np.zeros((72, 72), dtype=np.uint8)
    inset = weight / 2
    for stroke in strokes:
        points = np.array(stroke, dtype=np.float64)
        points[:, 0] = inset + points[:, 0] * (60 * width - weight) / 60
        points[:, 1] = inset + (points[:, 1] - 5) * (100 - weight) / 90
        fixed = np.round((points / 2 + 8) * 16).astype(np.int32)
        cv2.polylines(canvas, [fixed], False, 255, max(1, round(weight / 2)), cv2.LINE_AA, 4)
    return np.asarray(canvas / 255, dtype=np.float32)

"""The signs of the game as shapes: digits in three hands, flag, mine, cross, face, lamp digits.

Each function returns a `Stencil` of the tile's size, ready to ink. Shapes are described in a
unit box and scaled, so they exist at any size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.simulated.paint import Point, Stencil, arc

_STROKES: dict[int, list[list[Point]]] = {
    1: [[(0.24, 0.24), (0.56, 0.04), (0.56, 0.96)]],
    2: [[*arc(0.48, 0.3, 0.34, 0.26, (-165, 35)), (0.14, 0.95), (0.86, 0.95)]],
    3: [
        [*arc(0.45, 0.27, 0.32, 0.23, (-150, 90)), (0.38, 0.5)],
        [(0.38, 0.5), *arc(0.45, 0.72, 0.36, 0.24, (-90, 155))],
    ],
    4: [[(0.68, 0.97), (0.68, 0.05), (0.1, 0.68), (0.92, 0.68)]],
    5: [[(0.82, 0.05), (0.24, 0.05), (0.2, 0.46), *arc(0.46, 0.66, 0.36, 0.29, (-125, 150))]],
    6: [
        [*arc(0.5, 0.68, 0.33, 0.27, (0, 360))],
        [*arc(0.62, 0.62, 0.45, 0.58, (-80, -180)), (0.17, 0.68)],
    ],
    7: [[(0.12, 0.06), (0.86, 0.06), (0.4, 0.96)]],
    8: [[*arc(0.5, 0.27, 0.28, 0.22, (0, 360))], [*arc(0.5, 0.72, 0.34, 0.24, (0, 360))]],
}
"""Digits as pen strokes in a unit box."""

_SLABS: dict[int, list[list[Point]]] = {
    1: [[(0.2, 0.96), (0.92, 0.96)]],
    2: [[(0.86, 0.95), (0.88, 0.78)]],
    4: [[(0.46, 0.97), (0.9, 0.97)]],
    5: [[(0.82, 0.05), (0.84, 0.16)]],
    7: [[(0.12, 0.06), (0.1, 0.22)]],
}
"""What the third hand adds to the strokes."""

_BITMAPS: dict[int, tuple[str, ...]] = {
    1: ("..##..", ".###..", "####..", "..##..", "..##..", "..##..", "######"),
    2: ("#####.", "....##", "....##", "..###.", ".##...", "##....", "######"),
    3: ("#####.", "....##", "....##", ".####.", "....##", "....##", "#####."),
    4: ("...##.", "..###.", ".####.", "##.##.", "######", "...##.", "...##."),
    5: ("######", "##....", "##....", "#####.", "....##", "....##", "#####."),
    6: (".#####", "##....", "##....", "#####.", "##..##", "##..##", ".####."),
    7: ("######", "....##", "...##.", "...##.", "..##..", "..##..", ".##..."),
    8: (".####.", "##..##", "##..##", ".####.", "##..##", "##..##", ".####."),
}
"""Digits as heavy pixels."""

_LAMPS = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "fgbc",
    "5": "afgcd",
    "6": "afgedc",
    "7": "abc",
    "8": "abcdefg",
    "9": "gfabcd",
    "-": "g",
    " ": "",
}
"""Which of the seven lamps are lit: a top, then clockwise, g in the middle."""


def digit(number: int, hand: str, width: int, height: int, *, weight: float = 0.17) -> Stencil:
    """Draw a digit in the middle of a tile; ``hand`` is ``pixel``, ``round`` or ``slab``."""
    return _HANDS[hand](number, width, height, weight)


def _pixel(number: int, width: int, height: int, weight: float) -> Stencil:
    rows = _BITMAPS[number]
    high = min(width, height) * 0.62
    wide = high * len(rows[0]) / len(rows) * 1.1
    x0, y0 = round((width - wide) / 2), round((height - high) / 2)
    return Stencil(width, height).bitmap(rows, x0, y0, x0 + round(wide), y0 + round(high))


def _round(number: int, width: int, height: int, weight: float) -> Stencil:
    side = min(width, height)
    high, wide = side * 0.5, side * 0.34
    x0, y0 = (width - wide) / 2, (height - high) / 2
    stencil = Stencil(width, height)
    for stroke in _STROKES[number]:
        points = [(x0 + x * wide, y0 + y * high) for x, y in stroke]
        stencil.line(points, side * weight * 0.6)
    return stencil


def _slab(number: int, width: int, height: int, weight: float) -> Stencil:
    side = min(width, height)
    high, wide = side * 0.54, side * 0.42
    x0, y0 = (width - wide) / 2, (height - high) / 2
    stencil = Stencil(width, height)
    for stroke in _STROKES[number] + _SLABS.get(number, []):
        stencil.line([(x0 + x * wide, y0 + y * high) for x, y in stroke], side * weight * 0.7)
    return stencil


_HANDS: dict[str, Callable[[int, int, int, float], Stencil]] = {
    "pixel": _pixel,
    "round": _round,
    "slab": _slab,
}


class Sign:
    """Draws in a unit box centred in a tile; ``fill`` is the box's share of the tile."""

    def __init__(self, width: int, height: int, share: float = 0.7) -> None:
        self.stencil = Stencil(width, height)
        self.side = min(width, height) * share
        self._x0 = (width - self.side) / 2
        self._y0 = (height - self.side) / 2

    def at(self, points: Sequence[Point]) -> list[Point]:
        """Place unit points in the tile."""
        return [(self._x0 + x * self.side, self._y0 + y * self.side) for x, y in points]

    def polygon(self, *points: Point) -> Sign:
        """Fill a polygon of unit points."""
        self.stencil.polygon(self.at(points))
        return self

    def line(self, thickness: float, *points: Point) -> Sign:
        """Draw a line through unit points, ``thickness`` in units."""
        self.stencil.line(self.at(points), thickness * self.side)
        return self

    def disc(self, cx: float, cy: float, radius: float) -> Sign:
        """Fill a circle of unit size."""
        return self.polygon(*arc(cx, cy, radius, radius, (0, 360)))


def flag_cloth(width: int, height: int) -> Stencil:
    """Draw the cloth of a flag."""
    return Sign(width, height, 0.62).polygon((0.62, 0.0), (0.62, 0.56), (0.04, 0.28)).stencil


def flag_pole(width: int, height: int) -> Stencil:
    """Draw the pole and foot of a flag."""
    sign = Sign(width, height, 0.62)
    sign.polygon((0.56, 0.0), (0.68, 0.0), (0.68, 0.85), (0.56, 0.85))
    sign.polygon((0.3, 0.76), (0.9, 0.76), (1.0, 1.0), (0.12, 1.0))
    return sign.stencil


def mine(width: int, height: int) -> Stencil:
    """Draw a mine: a ball with eight spikes."""
    sign = Sign(width, height, 0.78).disc(0.5, 0.5, 0.33)
    sign.line(0.1, (0.5, 0.02), (0.5, 0.98)).line(0.1, (0.02, 0.5), (0.98, 0.5))
    sign.line(0.1, (0.18, 0.18), (0.82, 0.82)).line(0.1, (0.18, 0.82), (0.82, 0.18))
    return sign.stencil


def glint(width: int, height: int) -> Stencil:
    """Draw the light on a mine."""
    return Sign(width, height, 0.78).disc(0.4, 0.4, 0.09).stencil


def disc(width: int, height: int) -> Stencil:
    """Draw a plain ball: the mine of the flat looks."""
    return Sign(width, height, 0.5).disc(0.5, 0.5, 0.5).stencil


def cross(width: int, height: int) -> Stencil:
    """Draw the cross over a wrong flag."""
    sign = Sign(width, height, 0.7)
    return sign.line(0.13, (0.0, 0.0), (1.0, 1.0)).line(0.13, (0.0, 1.0), (1.0, 0.0)).stencil


def question(width: int, height: int) -> Stencil:
    """Draw a question mark."""
    sign = Sign(width, height, 0.6)
    sign.line(0.17, *arc(0.5, 0.26, 0.25, 0.22, (-170, 60)), (0.5, 0.52), (0.5, 0.66))
    return sign.disc(0.5, 0.92, 0.11).stencil


def lamps(text: str, width: int, height: int, *, lit: bool) -> Stencil:
    """Draw the lit, or the dark, lamps of a seven-segment display filling the box."""
    stencil = Stencil(width, height)
    step = width / len(text)
    for index, char in enumerate(text):
        chosen = set(_LAMPS[char]) if lit else set("abcdefg") - set(_LAMPS[char])
        for lamp in chosen:
            _lamp(stencil, lamp, index * step, step, height)
    return stencil


def _lamp(stencil: Stencil, lamp: str, left: float, step: float, height: float) -> None:
    """Draw one lamp: a bar with pointed ends, on a digit two boxes high."""
    half = height * 0.05
    x0, x1 = left + step * 0.22, left + step * 0.78
    y0, y1, y2 = height * 0.1, height * 0.5, height * 0.9
    (ax, ay), (bx, by) = {
        "a": ((x0, y0), (x1, y0)),
        "b": ((x1, y0), (x1, y1)),
        "c": ((x1, y1), (x1, y2)),
        "d": ((x0, y2), (x1, y2)),
        "e": ((x0, y1), (x0, y2)),
        "f": ((x0, y0), (x0, y1)),
        "g": ((x0, y1), (x1, y1)),
    }[lamp]
    gap = half * 0.6
    if ay == by:
        ax, bx = ax + gap, bx - gap
        stencil.polygon(
            [
                (ax, ay),
                (ax + half, ay - half),
                (bx - half, ay - half),
                (bx, ay),
                (bx - half, ay + half),
                (ax + half, ay + half),
            ]
        )
    else:
        ay, by = ay + gap, by - gap
        stencil.polygon(
            [
                (ax, ay),
                (ax + half, ay + half),
                (ax + half, by - half),
                (ax, by),
                (ax - half, by - half),
                (ax - half, ay + half),
            ]
        )

"""The glyphs of the game as shapes: digits in three styles, symbols, seven-segment numbers.

Each function returns a `Stencil` of the given size, to be coloured by `Stencil.ink`. The shapes
are defined in a unit box and scaled, so they can be drawn at any size.
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
"""Digits as lines through points of a unit box."""

_SERIFS: dict[int, list[list[Point]]] = {
    1: [[(0.2, 0.96), (0.92, 0.96)]],
    2: [[(0.86, 0.95), (0.88, 0.78)]],
    4: [[(0.46, 0.97), (0.9, 0.97)]],
    5: [[(0.82, 0.05), (0.84, 0.16)]],
    7: [[(0.12, 0.06), (0.1, 0.22)]],
}
"""The short lines that the style ``slab`` adds to `_STROKES`."""

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
"""Digits as bitmaps, for the style ``pixel``."""

_LIT_SEGMENTS = {
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
"""The lit segments of each character: a is the top, b to f follow clockwise, g is the middle."""


def digit(number: int, style: str, width: int, height: int, *, weight: float = 0.17) -> Stencil:
    """Draw a digit in the middle of a tile; ``style`` is ``pixel``, ``round`` or ``slab``."""
    return _STYLES[style](number, width, height, weight)


def _pixel(number: int, width: int, height: int, weight: float) -> Stencil:
    rows = _BITMAPS[number]
    glyph_height = min(width, height) * 0.62
    glyph_width = glyph_height * len(rows[0]) / len(rows) * 1.1
    x0, y0 = round((width - glyph_width) / 2), round((height - glyph_height) / 2)
    return Stencil(width, height).bitmap(
        rows, x0, y0, x0 + round(glyph_width), y0 + round(glyph_height)
    )


def _round(number: int, width: int, height: int, weight: float) -> Stencil:
    side = min(width, height)
    glyph_height, glyph_width = side * 0.5, side * 0.34
    x0, y0 = (width - glyph_width) / 2, (height - glyph_height) / 2
    stencil = Stencil(width, height)
    for stroke in _STROKES[number]:
        points = [(x0 + x * glyph_width, y0 + y * glyph_height) for x, y in stroke]
        stencil.line(points, side * weight * 0.6)
    return stencil


def _slab(number: int, width: int, height: int, weight: float) -> Stencil:
    side = min(width, height)
    glyph_height, glyph_width = side * 0.54, side * 0.42
    x0, y0 = (width - glyph_width) / 2, (height - glyph_height) / 2
    stencil = Stencil(width, height)
    for stroke in _STROKES[number] + _SERIFS.get(number, []):
        stencil.line(
            [(x0 + x * glyph_width, y0 + y * glyph_height) for x, y in stroke], side * weight * 0.7
        )
    return stencil


_STYLES: dict[str, Callable[[int, int, int, float], Stencil]] = {
    "pixel": _pixel,
    "round": _round,
    "slab": _slab,
}


class UnitBox:
    """Draws in unit coordinates, in a square box in the middle of a tile.

    ``share`` is the side of the box as a fraction of the tile's smaller side.
    """

    def __init__(self, width: int, height: int, share: float = 0.7) -> None:
        self.stencil = Stencil(width, height)
        self.side = min(width, height) * share
        self._x0 = (width - self.side) / 2
        self._y0 = (height - self.side) / 2

    def at(self, points: Sequence[Point]) -> list[Point]:
        """Convert unit coordinates to pixels of the tile."""
        return [(self._x0 + x * self.side, self._y0 + y * self.side) for x, y in points]

    def polygon(self, *points: Point) -> UnitBox:
        """Fill a polygon."""
        self.stencil.polygon(self.at(points))
        return self

    def line(self, thickness: float, *points: Point) -> UnitBox:
        """Draw a line through ``points``; ``thickness`` is in units, too."""
        self.stencil.line(self.at(points), thickness * self.side)
        return self

    def disc(self, cx: float, cy: float, radius: float) -> UnitBox:
        """Fill a circle."""
        return self.polygon(*arc(cx, cy, radius, radius, (0, 360)))


def flag_cloth(width: int, height: int) -> Stencil:
    """Draw the cloth of a flag."""
    return UnitBox(width, height, 0.62).polygon((0.62, 0.0), (0.62, 0.56), (0.04, 0.28)).stencil


def flag_pole(width: int, height: int) -> Stencil:
    """Draw the pole and foot of a flag."""
    box = UnitBox(width, height, 0.62)
    box.polygon((0.56, 0.0), (0.68, 0.0), (0.68, 0.85), (0.56, 0.85))
    box.polygon((0.3, 0.76), (0.9, 0.76), (1.0, 1.0), (0.12, 1.0))
    return box.stencil


def mine(width: int, height: int) -> Stencil:
    """Draw a mine: a ball with eight spikes."""
    box = UnitBox(width, height, 0.78).disc(0.5, 0.5, 0.33)
    box.line(0.1, (0.5, 0.02), (0.5, 0.98)).line(0.1, (0.02, 0.5), (0.98, 0.5))
    box.line(0.1, (0.18, 0.18), (0.82, 0.82)).line(0.1, (0.18, 0.82), (0.82, 0.18))
    return box.stencil


def mine_highlight(width: int, height: int) -> Stencil:
    """Draw the light spot on a mine."""
    return UnitBox(width, height, 0.78).disc(0.4, 0.4, 0.09).stencil


def disc(width: int, height: int) -> Stencil:
    """Draw a plain disc: the mine of the skins in the family ``checker``."""
    return UnitBox(width, height, 0.5).disc(0.5, 0.5, 0.5).stencil


def cross(width: int, height: int) -> Stencil:
    """Draw the cross over a wrong flag."""
    box = UnitBox(width, height, 0.7)
    return box.line(0.13, (0.0, 0.0), (1.0, 1.0)).line(0.13, (0.0, 1.0), (1.0, 0.0)).stencil


def question(width: int, height: int) -> Stencil:
    """Draw a question mark."""
    box = UnitBox(width, height, 0.6)
    box.line(0.17, *arc(0.5, 0.26, 0.25, 0.22, (-170, 60)), (0.5, 0.52), (0.5, 0.66))
    return box.disc(0.5, 0.92, 0.11).stencil


def seven_segments(text: str, width: int, height: int, *, lit: bool) -> Stencil:
    """Draw the lit segments of a seven-segment display, or the dark ones without ``lit``."""
    stencil = Stencil(width, height)
    step = width / len(text)
    for index, char in enumerate(text):
        chosen = set(_LIT_SEGMENTS[char]) if lit else set("abcdefg") - set(_LIT_SEGMENTS[char])
        for segment in chosen:
            _draw_segment(stencil, segment, index * step, step, height)
    return stencil


def _draw_segment(stencil: Stencil, segment: str, left: float, step: float, height: float) -> None:
    """Draw one segment: a bar with pointed ends, on a digit of two squares, one above the other."""
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
    }[segment]
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

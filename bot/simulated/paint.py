"""Smooth shapes on RGB arrays: a stencil drawn large and shrunk, and the few things made of it.

All coordinates are pixels, as floats; ``y`` runs down. Pictures are uint8 ``(height, width, 3)``.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom; the last two excluded. A `PixelBox` is one."""

SAMPLES = 4
"""Stencils are drawn this many times larger, each way, and shrunk by area."""

_SHIFT = 4
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_HEIGHT = 21.0
"""Height of a capital letter of the built-in vector font at scale 1, in pixels."""
_FONT_IS_OUTLINE = int(cv2.__version__.split(".")[0]) >= 5
"""OpenCV 5 fills outlines and reads thickness as weight; before, the pen's width was literal."""


class Stencil:
    """A mask of ``width`` x ``height`` pixels to draw shapes on and then ink with a colour."""

    def __init__(self, width: int, height: int) -> None:
        self._mask = np.zeros((max(1, height) * SAMPLES, max(1, width) * SAMPLES), np.uint8)

    def polygon(self, points: Sequence[Point], *, value: int = 255) -> Stencil:
        """Fill a polygon."""
        cv2.fillPoly(self._mask, [_fixed(points)], value, cv2.LINE_8, _SHIFT)
        return self

    def line(self, points: Sequence[Point], thickness: float, *, value: int = 255) -> Stencil:
        """Draw a line through ``points`` with round joints."""
        wide = max(1, round(thickness * SAMPLES))
        cv2.polylines(self._mask, [_fixed(points)], False, value, wide, cv2.LINE_8, _SHIFT)
        return self

    def ellipse(self, cx: float, cy: float, rx: float, ry: float, *, value: int = 255) -> Stencil:
        """Fill an ellipse."""
        return self.polygon(arc(cx, cy, rx, ry, (0, 360)), value=value)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, *, radius: float = 0.0, value: int = 255
    ) -> Stencil:
        """Fill a box, its corners rounded by ``radius``."""
        # A filled polygon takes in the samples on its edges, one too many to the right and below.
        x1, y1 = x1 - 1 / SAMPLES, y1 - 1 / SAMPLES
        r = max(0.0, min(radius, (x1 - x0) / 2, (y1 - y0) / 2))
        if r == 0.0:
            return self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], value=value)
        return self.polygon(
            [
                *arc(x0 + r, y0 + r, r, r, (180, 270)),
                *arc(x1 - r, y0 + r, r, r, (270, 360)),
                *arc(x1 - r, y1 - r, r, r, (0, 90)),
                *arc(x0 + r, y1 - r, r, r, (90, 180)),
            ],
            value=value,
        )

    def bitmap(self, rows: Sequence[str], x0: float, y0: float, x1: float, y1: float) -> Stencil:
        """Fill the box with a bitmap, one row a string, ``#`` set."""
        bits = np.array([[char == "#" for char in row] for row in rows], np.uint8) * 255
        left, top = round(x0 * SAMPLES), round(y0 * SAMPLES)
        wide, high = round((x1 - x0) * SAMPLES), round((y1 - y0) * SAMPLES)
        patch = cv2.resize(bits, (max(1, wide), max(1, high)), interpolation=cv2.INTER_NEAREST)
        target = self._mask[max(0, top) : top + high, max(0, left) : left + wide]
        np.maximum(target, patch[: target.shape[0], : target.shape[1]], out=target)
        return self

    def text(self, text: str, x: float, baseline: float, height: float) -> Stencil:
        """Write ``text`` with capitals ``height`` pixels tall, its left end at ``x``."""
        scale = height * SAMPLES / _FONT_HEIGHT
        cv2.putText(
            self._mask,
            text,
            (round(x * SAMPLES), round(baseline * SAMPLES)),
            _FONT,
            scale,
            255,
            _pen(scale),
            cv2.LINE_AA,
        )
        return self

    @property
    def cover(self) -> NDArray[np.float32]:
        """How much of each pixel is covered, 0..1, ``(height, width)``."""
        high, wide = (side // SAMPLES for side in self._mask.shape)
        small = cv2.resize(self._mask, (wide, high), interpolation=cv2.INTER_AREA)
        return small.astype(np.float32) / 255.0

    def ink(self, picture: Pixels, colour: Colour, x: int = 0, y: int = 0) -> None:
        """Colour ``picture`` through the stencil laid with its corner at ``x, y``."""
        cover = self.cover
        x0, y0 = max(0, x), max(0, y)
        x1 = min(picture.shape[1], x + cover.shape[1])
        y1 = min(picture.shape[0], y + cover.shape[0])
        if x0 < x1 and y0 < y1:
            blend(picture[y0:y1, x0:x1], colour, cover[y0 - y : y1 - y, x0 - x : x1 - x])


def _fixed(points: Sequence[Point]) -> NDArray[np.int32]:
    """Convert pixels to the fixed-point samples cv2 takes; edges between pixels stay sharp."""
    at = np.asarray(points, np.float64) * SAMPLES - 0.5
    return np.round(at * (1 << _SHIFT)).astype(np.int32)


def arc(cx: float, cy: float, rx: float, ry: float, sweep: tuple[float, float]) -> list[Point]:
    """Return points on an ellipse; ``sweep`` is two angles in degrees, clockwise from the right."""
    start, end = sweep
    angles = np.radians(np.linspace(start, end, max(3, round(abs(end - start) / 10) + 1)))
    return list(zip(cx + rx * np.cos(angles), cy + ry * np.sin(angles), strict=True))


def blend(target: Pixels, colour: Colour | Pixels, cover: float | NDArray[np.float32]) -> None:
    """Mix ``colour`` into ``target`` in place; ``cover`` 1 replaces it."""
    weight = cover[..., None] if isinstance(cover, np.ndarray) else cover
    mixed = target + (np.asarray(colour, np.float32) - target) * weight
    target[...] = np.rint(mixed).astype(np.uint8)


def shade(colour: Colour, factor: float) -> Colour:
    """Lighten towards white (factor over 1) or darken towards black (under 1)."""
    if factor <= 1.0:
        return tuple(round(channel * factor) for channel in colour)  # type: ignore[return-value]
    return tuple(round(255 - (255 - channel) / factor) for channel in colour)  # type: ignore[return-value]


def blank(width: int, height: int, colour: Colour) -> Pixels:
    """Return a picture of one colour."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = colour
    return picture


def fill(picture: Pixels, box: Box, colour: Colour) -> None:
    """Fill a box of whole pixels."""
    x0, y0, x1, y1 = box
    picture[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)] = colour


def bevel(picture: Pixels, box: Box, edge: int, light: Colour, dark: Colour) -> None:
    """Draw a raised edge ``edge`` pixels wide inside a box; swap the colours to sink it."""
    x0, y0, x1, y1 = box
    for step in range(edge):
        left, top, right, bottom = x0 + step, y0 + step, x1 - step, y1 - step
        fill(picture, (left, top, right - 1, top + 1), light)
        fill(picture, (left, top, left + 1, bottom - 1), light)
        fill(picture, (left + 1, bottom - 1, right, bottom), dark)
        fill(picture, (right - 1, top + 1, right, bottom), dark)


def text_width(text: str, height: float) -> float:
    """Return the width in pixels of ``text`` written by `write`."""
    scale = height * SAMPLES / _FONT_HEIGHT
    (width, _), _ = cv2.getTextSize(text, _FONT, scale, _pen(scale))
    return float(width) / SAMPLES


def _pen(scale: float) -> int:
    return 1 if _FONT_IS_OUTLINE else max(1, round(scale * 1.4))


def write(
    picture: Pixels,
    text: str,
    at: Point,
    height: float,
    colour: Colour,
    *,
    align: float = 0.0,
) -> None:
    """Write ``text`` on a baseline.

    ``height`` is that of a capital letter; ``align`` 0 puts the left end of the text at ``at``,
    0.5 its middle, 1 its right end.
    """
    x, baseline = at
    width = text_width(text, height)
    left = x - align * width
    corner_x, corner_y = int(left) - 2, int(baseline - height * 1.4) - 2
    stencil = Stencil(int(width) + 6, int(height * 2) + 6)
    stencil.text(text, left - corner_x, baseline - corner_y, height)
    stencil.ink(picture, colour, corner_x, corner_y)

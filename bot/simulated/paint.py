"""Draw smooth shapes and text on RGB arrays.

A shape is drawn several times larger into a mask and then scaled down. All coordinates are pixels,
as floats; ``y`` points down. Pictures are uint8 ``(height, width, 3)``.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import PixelBox

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom, the last two exclusive; a `PixelBox` is one, too."""

SAMPLES = 4
"""Masks are drawn this many times wider and higher, then scaled down by averaging."""

_SHIFT = 4
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_HEIGHT = 21.0
"""Height of a capital letter of the built-in vector font at scale 1, in pixels."""
_FONT_IS_OUTLINE = int(cv2.__version__.split(".")[0]) >= 5
"""OpenCV 5 fills font outlines and takes thickness as a weight; OpenCV 4 takes it as a width."""


class Stencil:
    """A mask of ``width`` x ``height`` pixels: shapes are drawn on it, then coloured through it."""

    def __init__(self, width: int, height: int) -> None:
        self._mask = np.zeros((max(1, height) * SAMPLES, max(1, width) * SAMPLES), np.uint8)

    def polygon(self, points: Sequence[Point], *, value: int = 255) -> Stencil:
        """Fill a polygon."""
        cv2.fillPoly(self._mask, [_fixed(points)], value, cv2.LINE_8, _SHIFT)
        return self

    def line(self, points: Sequence[Point], thickness: float, *, value: int = 255) -> Stencil:
        """Draw a line through ``points`` with round joints."""
        width = max(1, round(thickness * SAMPLES))
        cv2.polylines(self._mask, [_fixed(points)], False, value, width, cv2.LINE_8, _SHIFT)
        return self

    def ellipse(self, cx: float, cy: float, rx: float, ry: float, *, value: int = 255) -> Stencil:
        """Fill an ellipse."""
        return self.polygon(arc(cx, cy, rx, ry, (0, 360)), value=value)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, *, radius: float = 0.0, value: int = 255
    ) -> Stencil:
        """Fill a box, its corners rounded by ``radius``."""
        # cv2 also fills the samples on the right and the lower edge: one too many each way.
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
        """Scale a bitmap into the box: one string a row, ``#`` for a filled pixel."""
        bits = np.array([[char == "#" for char in row] for row in rows], np.uint8) * 255
        left, top = round(x0 * SAMPLES), round(y0 * SAMPLES)
        width, height = round((x1 - x0) * SAMPLES), round((y1 - y0) * SAMPLES)
        patch = cv2.resize(bits, (max(1, width), max(1, height)), interpolation=cv2.INTER_NEAREST)
        target = self._mask[max(0, top) : top + height, max(0, left) : left + width]
        np.maximum(target, patch[: target.shape[0], : target.shape[1]], out=target)
        return self

    def text(self, text: str, x: float, baseline: float, height: float) -> Stencil:
        """Write ``text`` from ``x`` on; ``height`` is that of a capital letter."""
        scale = height * SAMPLES / _FONT_HEIGHT
        cv2.putText(
            self._mask,
            text,
            (round(x * SAMPLES), round(baseline * SAMPLES)),
            _FONT,
            scale,
            255,
            _line_width(scale),
            cv2.LINE_AA,
        )
        return self

    @property
    def coverage(self) -> NDArray[np.float32]:
        """The covered fraction of each pixel, 0 to 1, ``(height, width)``."""
        height, width = (side // SAMPLES for side in self._mask.shape)
        small = cv2.resize(self._mask, (width, height), interpolation=cv2.INTER_AREA)
        return small.astype(np.float32) / 255.0

    def ink(self, picture: Pixels, colour: Colour, x: int = 0, y: int = 0) -> None:
        """Colour ``picture`` through the mask, whose top-left corner lies at ``x, y``."""
        coverage = self.coverage
        x0, y0 = max(0, x), max(0, y)
        x1 = min(picture.shape[1], x + coverage.shape[1])
        y1 = min(picture.shape[0], y + coverage.shape[0])
        if x0 < x1 and y0 < y1:
            blend(picture[y0:y1, x0:x1], colour, coverage[y0 - y : y1 - y, x0 - x : x1 - x])


def _fixed(points: Sequence[Point]) -> NDArray[np.int32]:
    """Convert pixels to the fixed-point coordinates of cv2; edges between pixels stay sharp."""
    at = np.asarray(points, np.float64) * SAMPLES - 0.5
    return np.round(at * (1 << _SHIFT)).astype(np.int32)


def arc(cx: float, cy: float, rx: float, ry: float, sweep: tuple[float, float]) -> list[Point]:
    """Return points on an ellipse between two angles in degrees, clockwise from the right."""
    start, end = sweep
    angles = np.radians(np.linspace(start, end, max(3, round(abs(end - start) / 10) + 1)))
    return list(zip(cx + rx * np.cos(angles), cy + ry * np.sin(angles), strict=True))


def blend(target: Pixels, colour: Colour | Pixels, opacity: float | NDArray[np.float32]) -> None:
    """Mix ``colour`` into ``target`` in place; ``opacity`` 1 replaces it."""
    weight = opacity[..., None] if isinstance(opacity, np.ndarray) else opacity
    mixed = target + (np.asarray(colour, np.float32) - target) * weight
    target[...] = np.rint(mixed).astype(np.uint8)


def shade(colour: Colour, factor: float) -> Colour:
    """Return a lighter colour (factor over 1) or a darker one (under 1)."""
    if factor <= 1.0:
        return tuple(round(channel * factor) for channel in colour)  # type: ignore[return-value]
    return tuple(round(255 - (255 - channel) / factor) for channel in colour)  # type: ignore[return-value]


def solid(width: int, height: int, colour: Colour) -> Pixels:
    """Return a picture of one colour."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = colour
    return picture


def clip(box: PixelBox, bounds: PixelBox) -> PixelBox:
    """Cut a box to ``bounds``; the result may be empty."""
    return PixelBox(
        max(box.x0, bounds.x0),
        max(box.y0, bounds.y0),
        min(box.x1, bounds.x1),
        min(box.y1, bounds.y1),
    )


def fill(picture: Pixels, box: Box, colour: Colour) -> None:
    """Fill a box of whole pixels."""
    x0, y0, x1, y1 = box
    picture[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)] = colour


def bevel(picture: Pixels, box: Box, edge: int, light: Colour, dark: Colour) -> None:
    """Draw a raised edge ``edge`` pixels width inside a box; swap the colours to sink it."""
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
    (width, _), _ = cv2.getTextSize(text, _FONT, scale, _line_width(scale))
    return float(width) / SAMPLES


def _line_width(scale: float) -> int:
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
    """Write ``text``; ``height`` is that of a capital letter in pixels.

    ``at`` is a point of the baseline: the left end of the text with ``align`` 0, its middle with
    0.5, its right end with 1.
    """
    x, baseline = at
    width = text_width(text, height)
    left = x - align * width
    corner_x, corner_y = int(left) - 2, int(baseline - height * 1.4) - 2
    stencil = Stencil(int(width) + 6, int(height * 2) + 6)
    stencil.text(text, left - corner_x, baseline - corner_y, height)
    stencil.ink(picture, colour, corner_x, corner_y)

"""Boxes of pixels: grown, joined, cut into strips, turned into slices of an array."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.points import PixelBox

ALIGN = 4
"""Boxes start at multiples of this many pixels, which are whole mouse units at any scale."""


def grow_box(box: PixelBox, by: int, frame: Frame) -> PixelBox:
    """Grow a box by ``by`` pixels on each side, within the frame, to multiples of `ALIGN`."""
    return PixelBox(
        max(0, box.x0 - by) // ALIGN * ALIGN,
        max(0, box.y0 - by) // ALIGN * ALIGN,
        min(frame.width, -(-(box.x1 + by) // ALIGN) * ALIGN),
        min(frame.height, -(-(box.y1 + by) // ALIGN) * ALIGN),
    )


def bounding_box(one: PixelBox, other: PixelBox) -> PixelBox:
    """Return the smallest box that holds both."""
    return PixelBox(
        min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1)
    )


def border_strips(inner: PixelBox, outer: PixelBox) -> tuple[PixelBox, ...]:
    """Cut the area between two boxes into four strips."""
    return (
        PixelBox(outer.x0, outer.y0, outer.x1, inner.y0),
        PixelBox(outer.x0, inner.y1, outer.x1, outer.y1),
        PixelBox(outer.x0, inner.y0, inner.x0, inner.y1),
        PixelBox(inner.x1, inner.y0, outer.x1, inner.y1),
    )


def box_slices(box: PixelBox, within: PixelBox) -> tuple[slice, slice]:
    """Return the rows and columns of ``box`` in a picture that shows ``within``."""
    return (
        slice(max(0, box.y0 - within.y0), max(0, box.y1 - within.y0)),
        slice(max(0, box.x0 - within.x0), max(0, box.x1 - within.x0)),
    )


def cut_strips(
    screen: Frame, box: PixelBox, slices: Iterable[tuple[slice, slice]]
) -> tuple[NDArray[np.uint8], ...]:
    """Cut strips, given within a box, out of the whole screen."""
    pixels = screen.pixels[box_slices(box, PixelBox(0, 0, 0, 0))]
    return tuple(pixels[strip].copy() for strip in slices)

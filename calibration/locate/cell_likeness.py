"""Which cells of a scaled picture look alike: each pixel stands for the cell that begins at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]

TILE_PX, EDGE_PX = 16, 2
"""Side of a tile in the scaled picture, in pixels, and how many of them are its edge on each side.
The edge is not compared: something beside the board may touch it. A lattice may start at each of
the ``TILE_PX * TILE_PX`` pixels, its offset."""

NEARBY = 3
"""Largest distance of two cells that are compared, in tiles."""

ALIKE_LIMIT = (0.25, 2.0, 24.0)
"""Largest difference of cells that look alike: a share of their contrast, and its two bounds."""

_INNER, _WHOLE = (EDGE_PX, TILE_PX - EDGE_PX, EDGE_PX, TILE_PX - EDGE_PX), (0, TILE_PX, 0, TILE_PX)


def contrast_in_cells(picture: Picture) -> Picture:
    """Return the contrast of the cell at each pixel: the largest range of a colour in it.

    The edges count one side at a time, and the side that gives the least decides: a tile in one
    colour differs from its surroundings at all four sides, a cell beside the board at one only.
    """
    contrast = np.full(picture.shape[:2], 255, np.uint8)
    for side in range(4):
        part = list(_INNER)
        part[side] = _WHOLE[side]
        span = [
            _greatest_in_cells(one, part) - (255 - _greatest_in_cells(255 - one, part))
            for one in _planes(picture)
        ]
        contrast = np.minimum(contrast, _greatest(span))
    return contrast


def mark_alike_cells(picture: Picture, contrast: Picture) -> Mask:
    """Mark the pixels whose cell looks like one in another column and like one in another row."""
    planes = _planes(picture)
    share, low, high = ALIKE_LIMIT
    limit = np.clip(share * contrast, low, high).astype(np.uint8)
    across, down = np.zeros((2, *contrast.shape), np.bool_)
    for i in range(NEARBY + 1):
        for j in range(-NEARBY if i else 1, NEARBY + 1):
            here, there = _shifted_overlap(contrast.shape, i * TILE_PX, j * TILE_PX)
            off = _greatest_in_cells(
                _greatest([cv2.absdiff(one[here], one[there]) for one in planes]), _INNER
            )
            same = off <= cv2.min(limit[here], limit[there])
            for marks, counts in ((across, j != 0), (down, i != 0)):
                if counts:
                    marks[here] |= same
                    marks[there] |= same
    return np.asarray(across & down)


def _planes(picture: Picture) -> list[Picture]:
    """Split a picture into its colours."""
    return [np.asarray(plane, np.uint8) for plane in cv2.split(picture)]


def _greatest(planes: Sequence[Any]) -> Picture:
    """Return the greatest of several planes at each pixel."""
    return np.asarray(np.maximum.reduce(planes), np.uint8)


def _greatest_in_cells(values: Any, part: Sequence[int]) -> Picture:
    """Return the greatest value in a part (top, bottom, left, right) of the cell at each pixel."""
    top, bottom, left, right = part
    reach = np.ones((bottom - top, right - left), np.uint8)
    return np.roll(cv2.dilate(values, reach, anchor=(0, 0)), (-top, -left), (0, 1))


def _shifted_overlap(
    shape: tuple[int, ...], down: int, right: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the two parts of a picture that overlap when it is shifted over itself."""
    high, wide = shape
    left, far = max(0, -right), min(wide, wide - right)
    here = slice(0, high - down), slice(left, far)
    return here, (slice(down, high), slice(left + right, far + right))

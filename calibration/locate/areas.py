"""Areas of a picture without an edge in them, and the boxes around them."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

EDGE_STEP = 12
"""Difference of a colour between neighbouring pixels from which an edge lies between them; the
gradients of tiles have smaller ones."""


class Areas(NamedTuple):
    """The areas of a picture.

    ``of_pixel`` ``(height, width)`` is the number of the area of each pixel, 0 for pixels behind an
    edge; ``boxes`` ``(count, 4)`` are left, top, width and height of the areas from 1 on, in
    pixels, ``sizes`` ``(count,)`` their pixels.
    """

    of_pixel: NDArray[np.int32]
    boxes: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8]) -> Areas:
        """Find the areas of a picture ``(height, width, 3)``."""
        plain = np.ones(pixels.shape[:2], np.uint8)
        for plane in cv2.split(pixels):
            plain[:, 1:] &= cv2.absdiff(plane[:, 1:], plane[:, :-1]) <= EDGE_STEP
            plain[1:] &= cv2.absdiff(plane[1:], plane[:-1]) <= EDGE_STEP
        _, of_pixel, stats, _ = cv2.connectedComponentsWithStats(plain, connectivity=4)
        found = np.array(stats[1:], np.intp)
        # The first pixels behind an edge are not plain, though they belong to the area.
        boxes = found[:, :4] + np.array([-1, -1, 1, 1])
        return cls(np.asarray(of_pixel, np.int32), boxes, found[:, 4])

    @property
    def at_edge(self) -> NDArray[np.bool_]:
        """Whether each area reaches the edge of the picture, ``(count,)``."""
        high, wide = self.of_pixel.shape
        beyond = self.boxes[:, :2] + self.boxes[:, 2:] >= (wide, high)
        return np.asarray(np.any((self.boxes[:, :2] < 0) | beyond, axis=1))

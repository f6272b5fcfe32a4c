"""Detect the loss of a life, where lives are a row of equal pictures, such as hearts."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import SAME_PIXEL, colour_steps
from calibration.points import PixelBox

Pixels = NDArray[np.uint8]

SMALLEST_LIFE, LARGEST_LIFE = 8, 90
"""Least and largest side of a picture that stands for a life, in pixels at scale 1."""

GAP = 5
"""Pixels between parts of one picture."""

SAME, GREYED_OUTLINE = 0.95, 0.6
"""Least correlation of two equal pictures, and of the outlines of a picture and of the same one
turned grey."""

EVEN, GREYED = 10.0, 0.5
"""Spread of the colours where a picture is gone, and the largest share of its tint that is left if
it turned grey."""


def life_lost(before: Frame, after: Frame, grid: Grid) -> bool:
    """Whether one of a row of equal pictures beside a board turned grey or disappeared.

    Both frames show the same part of the screen. The other pictures of the row stay as they are. A
    changed digit of a counter is another drawing, not a grey one.
    """
    if before.pixels.shape != after.pixels.shape:
        return False
    off = colour_steps(before.pixels, after.pixels) > SAME_PIXEL
    x0, y0, x1, y1 = grid.bounds
    off[max(0, y0) : y1, max(0, x0) : x1] = False
    joined = cv2.dilate(off.astype(np.uint8), np.ones((GAP, GAP), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    margin = GAP // 2
    for x, y, width, height, _ in stats[1:].tolist():
        inner = PixelBox(x + margin, y + margin, x + width - margin, y + height - margin)
        sides = (inner.x1 - inner.x0, inner.y1 - inner.y0)
        if min(sides) < SMALLEST_LIFE or max(sides) > LARGEST_LIFE * max(1.0, before.scale):
            continue
        gone = _turned_grey(before.pixels, after.pixels, inner)
        if gone and _has_twin(before.pixels, off, inner):
            return True
    return False


def _turned_grey(before: Pixels, after: Pixels, box: PixelBox) -> bool:
    """Whether a picture disappeared, or lost its colour and kept its outline."""
    old, new = (one[box.y0 : box.y1, box.x0 : box.x1] for one in (before, after))
    if new.std(axis=(0, 1)).max() <= EVEN:
        return True
    tints = [float(np.ptp(one.astype(np.int16), axis=2).mean()) for one in (old, new)]
    grey = [one.mean(axis=2).astype(np.float32) for one in (old, new)]
    outlines = [np.abs(cv2.Laplacian(one, cv2.CV_32F)).ravel() for one in grey]
    if tints[1] > GREYED * tints[0] or not all(np.ptp(one) for one in outlines):
        return False  # it kept its colour, or nothing was drawn there
    return float(np.corrcoef(*outlines)[0, 1]) >= GREYED_OUTLINE


def _has_twin(before: Pixels, off: NDArray[np.bool_], box: PixelBox) -> bool:
    """Whether the same picture stands beside it in a row or a column, unchanged."""
    picture = before[box.y0 : box.y1, box.x0 : box.x1]
    high, wide = picture.shape[:2]
    for strip in (
        (slice(box.y0, box.y1), slice(None)),
        (slice(None), slice(box.x0, box.x1)),
    ):
        found = cv2.matchTemplate(before[strip], picture, cv2.TM_CCOEFF_NORMED)
        changed = cv2.boxFilter(
            off[strip].astype(np.float32), -1, (wide, high), anchor=(0, 0), normalize=False
        )[: found.shape[0], : found.shape[1]]
        if ((found >= SAME) & (changed == 0)).any():
            return True
    return False

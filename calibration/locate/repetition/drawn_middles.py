"""Where the tiles of a repeating region begin, told by what is drawn in them.

Digits, flags and mines stand in the middle of their tiles. Where no line and no edge is seen
between open tiles, their middles show how the lattice lies, to a few hundredths of a tile: on
boards without lines that were found half a tile off, 0.02 tiles in the median and 0.05 at most.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.locate.repetition.autocorrelation import RepeatingRegion

GROUND_WINDOW = 0.9
"""Side of the window whose median is the background of its middle, in tiles: a digit covers less
than half of it."""

LEAST_DRAWN_STEP = 40
"""Colour steps between a drawing and its background."""

LEAST_HIGH, LEAST_WIDE, LARGEST = 0.22, 0.08, 0.8
"""Sides of a drawing, in tiles; larger ones are tiles."""

PARTS, NEAR = 24, 0.08
"""Parts of a tile in which middles are counted, and how far from the most frequent place they
lie, in tiles."""

FEWEST_DRAWINGS, LEAST_IN_PLACE = 8, 0.6
"""Fewest drawings with their middles at one place of their tiles, and their share of all: in text
it is a quarter."""


def drawn_phase(frame: Frame, region: RepeatingRegion) -> tuple[float, float] | None:
    """Return x and y at which a tile begins, in pixels, if most drawings lie as in tiles."""
    part = np.ascontiguousarray(frame.pixels[region.rows, region.columns])
    middles = _middles(part, region) / (region.pitch_x, region.pitch_y)
    phases = middles % 1
    places = (phases * PARTS).astype(np.intp) % PARTS
    count = np.zeros((PARTS, PARTS), np.float32)
    np.add.at(count, (places[:, 0], places[:, 1]), 1)
    padded = cv2.copyMakeBorder(count, 1, 1, 1, 1, cv2.BORDER_WRAP)
    around = cv2.boxFilter(padded, -1, (3, 3), normalize=False)[1:-1, 1:-1]
    best = (np.array(np.unravel_index(int(around.argmax()), around.shape)) + 0.5) / PARTS
    off = (phases - best + 0.5) % 1 - 0.5
    near = (np.abs(off) <= NEAR).all(axis=1)
    if near.sum() < FEWEST_DRAWINGS or near.mean() < LEAST_IN_PLACE:
        return None
    x, y = best + np.median(off[near], axis=0) - 0.5
    x0, y0 = region.columns.start, region.rows.start
    return float(x0 + x * region.pitch_x), float(y0 + y * region.pitch_y)


def _middles(pixels: NDArray[np.uint8], region: RepeatingRegion) -> NDArray[Any]:
    """Return the middles x, y of what is drawn in tiles ``(n, 2)``, in pixels."""
    window = int(GROUND_WINDOW * min(region.pitch_x, region.pitch_y)) | 1
    drawn = cv2.absdiff(pixels, cv2.medianBlur(pixels, window)).max(axis=2) > LEAST_DRAWN_STEP
    joined = cv2.morphologyEx(drawn.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3)))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    x, y, wide, high = stats[1:, :4].T.astype(np.float64)
    across, down = wide / region.pitch_x, high / region.pitch_y
    glyphs = (across >= LEAST_WIDE) & (down >= LEAST_HIGH) & (np.maximum(across, down) <= LARGEST)
    return np.asarray(np.stack([x + wide / 2, y + high / 2], axis=1)[glyphs])

"""Which segments of a lattice are drawn: look-ups in sums over a frame's line pixels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import Comb, Mask, Profile

Drawn = NDArray[np.bool_]
"""Segments that are drawn: a row for each cell along the lines, a column for each line."""

DRAWN = 0.55
"""Share of a segment that must be line to count as drawn."""


@dataclass(frozen=True)
class Strokes:
    """Upright line pixels of a frame, as sums over all pixels above and left of each.

    ``sums`` is ``(height + 1, width + 1)``: the line pixels in any rectangle are four look-ups.
    The lying lines of a frame are the upright ones of the transposed frame.
    """

    sums: NDArray[np.int32]

    @classmethod
    def of(cls, *masks: Mask) -> list[Strokes]:
        """Sum masks of 0 and 1 and of one size, turned or not.

        They share one block of memory: two of half its size go back to the system after every
        frame, and to get them anew took 2.5 ms more.
        """
        size = (masks[0].shape[0] + 1) * (masks[0].shape[1] + 1)
        block = np.empty((len(masks), size), np.int32)
        return [
            cls(np.asarray(cv2.integral(mask, out.reshape(mask.shape[0] + 1, -1))))
            for mask, out in zip(masks, block, strict=True)
        ]

    @property
    def height(self) -> int:
        """Height of the frame in pixels."""
        return int(self.sums.shape[0]) - 1

    @property
    def width(self) -> int:
        """Width of the frame in pixels."""
        return int(self.sums.shape[1]) - 1

    def profile(self, lo: float, hi: float) -> Profile:
        """Return how much upright line each column holds between rows ``lo`` and ``hi``."""
        first, last = max(0, int(lo)), min(self.height, int(hi))
        return np.asarray(np.diff(self.sums[last] - self.sums[first]), np.float64)

    def drawn(self, along: Comb, rows: range, places: Profile, play: float) -> Drawn:
        """Tell which segments of upright lines are drawn, ``(len(rows), len(places))``.

        Entry ``(j, k)`` is for the line at ``places[k]`` (in x) between lines ``j`` and ``j + 1``
        of ``along`` (in y). It may lie ``play`` pixels off, at least one. The ends of a segment
        do not count, corners may be rounded. What lies outside of the frame is not drawn.
        """
        reach = max(1, round(play))
        starts = along.lines(rows)
        top = np.rint(starts + 0.22 * along.pitch).astype(np.intp)
        bottom = np.rint(starts + 0.78 * along.pitch).astype(np.intp)
        at = np.rint(places - 0.5).astype(np.intp)
        left, right = max(0, int(at.min()) - reach), min(self.width, int(at.max()) + reach + 1)
        if right <= left:
            return np.zeros((len(rows), len(places)), np.bool_)
        part = self.sums[:, left : right + 1]
        strip = part[bottom.clip(0, self.height)] - part[top.clip(0, self.height)]
        pixels = (strip[:, 1:] - strip[:, :-1]).astype(np.uint8)
        band = cv2.dilate(pixels, np.ones((1, 2 * reach + 1), np.uint8))
        drawn = band[:, (at - left).clip(0, right - left - 1)] > DRAWN * (bottom - top)[:, None]
        drawn[(top < 0) | (bottom > self.height)] = False
        drawn[:, (at < 0) | (at >= self.width)] = False
        return np.asarray(drawn, np.bool_)

"""Tell which segments of a lattice are drawn, by look-ups in sums over the line masks.

A segment is the part of a line beside one cell. The sums are an integral image (summed-area
table): they give the number of line pixels in any rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.locate.line_fit import Floats, LineFit, Mask

DrawnSegments = NDArray[np.bool_]
"""Whether each segment is drawn: one row for each cell along the lines, one column a line."""

DRAWN_SHARE = 0.55
"""Least share of line pixels along a segment that is drawn."""


@dataclass(frozen=True)
class LineSums:
    """The integral image of a mask of vertical lines.

    ``sums[y, x]`` counts the line pixels above ``y`` and left of ``x``; its shape is
    ``(height + 1, width + 1)``. Horizontal lines are kept as the vertical lines of the transposed
    frame.
    """

    sums: NDArray[np.int32]

    @classmethod
    def of_masks(cls, *masks: Mask) -> list[LineSums]:
        """Sum masks of 0 and 1 that have the same number of pixels; some may be transposed.

        They share one block of memory. Two smaller blocks would be returned to the system after
        every frame, and fetching them again took 2.5 ms more.
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

    def profile(self, lo: float, hi: float) -> Floats:
        """Count the line pixels of each column between the rows ``lo`` and ``hi``."""
        first, last = max(0, int(lo)), min(self.height, int(hi))
        return np.asarray(np.diff(self.sums[last] - self.sums[first]), np.float64)

    def drawn_segments(
        self, along: LineFit, rows: range, positions: Floats, slack_px: float
    ) -> DrawnSegments:
        """Tell which segments of vertical lines are drawn: ``(len(rows), len(positions))``.

        Entry ``(j, k)`` is the part of the line at x = ``positions[k]`` between the lines ``j``
        and ``j + 1`` of ``along`` (in y). The line may lie up to ``slack_px`` pixels off, at least
        one. The ends of a segment do not count, because corners may be rounded. A segment outside
        the frame is not drawn.
        """
        reach = max(1, round(slack_px))
        starts = along.positions(rows)
        top = np.rint(starts + 0.22 * along.pitch).astype(np.intp)
        bottom = np.rint(starts + 0.78 * along.pitch).astype(np.intp)
        at = np.rint(positions - 0.5).astype(np.intp)
        left, right = max(0, int(at.min()) - reach), min(self.width, int(at.max()) + reach + 1)
        if right <= left:
            return np.zeros((len(rows), len(positions)), np.bool_)
        part = self.sums[:, left : right + 1]
        strip = part[bottom.clip(0, self.height)] - part[top.clip(0, self.height)]
        pixels = (strip[:, 1:] - strip[:, :-1]).astype(np.uint8)
        band = cv2.dilate(pixels, np.ones((1, 2 * reach + 1), np.uint8))
        drawn = (
            band[:, (at - left).clip(0, right - left - 1)] > DRAWN_SHARE * (bottom - top)[:, None]
        )
        drawn[(top < 0) | (bottom > self.height)] = False
        drawn[:, (at < 0) | (at >= self.width)] = False
        return np.asarray(drawn, np.bool_)

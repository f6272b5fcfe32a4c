"""Where to leave the pointer: beside the board, on one plain colour, far from every corner."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import PixelPoint

PATCH_PX = 12
"""Half the side of the square around the pointer that should be plain: smaller than any button."""

FRAME_EDGE_PX = 40
"""Least distance from the edges of the frame, where corners and panels are."""


def choose_parking_point(frame: Frame, grid: Grid) -> PixelPoint:
    """Choose the plainest place around the board; of equally plain ones, the nearest.

    The pointer must not lie on a tile, which may change its colour under it, nor on a control.
    """
    box = grid.bounds
    # If the board fills the screen, only the board is left.
    middle = PixelPoint((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    return min(_candidates(frame, grid), key=lambda place: _roughness(frame, place), default=middle)


def _candidates(frame: Frame, grid: Grid) -> Iterator[PixelPoint]:
    """Yield points ever further from the board: below, beside, and last above (counters, menus)."""
    box = grid.bounds
    edge = min(FRAME_EDGE_PX, frame.width // 8, frame.height // 8)
    for away in range(PATCH_PX + 2, 400, 9):
        for share in (0.5, 0.25, 0.75, 0.05, 0.95):
            x = box.x0 + share * (box.x1 - box.x0)
            y = box.y0 + share * (box.y1 - box.y0)
            for place in (
                PixelPoint(x, box.y1 + away),
                PixelPoint(box.x1 + away, y),
                PixelPoint(box.x0 - away, y),
                PixelPoint(x, box.y0 - away),
            ):
                if edge <= place.x < frame.width - edge and edge <= place.y < frame.height - edge:
                    yield place


def _roughness(frame: Frame, place: PixelPoint) -> int:
    """Return the largest difference of one channel within the square around a point."""
    x, y = round(place.x), round(place.y)
    patch = frame.pixels[
        max(0, y - PATCH_PX) : y + PATCH_PX + 1, max(0, x - PATCH_PX) : x + PATCH_PX + 1
    ]
    return int(np.ptp(patch.reshape(-1, 3), axis=0).max())

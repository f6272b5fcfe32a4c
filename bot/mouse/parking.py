"""Where to leave the pointer: beside the board, on plain ground, away from every corner."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.frame import Frame, PixelPoint
from calibration.grid import Grid

PATCH_PX = 12
"""Half the side of the ground that must be plain around the pointer: under any button's size."""

EDGE_PX = 40
"""Distance to keep from the edges of the picture, where corners and panels are."""


def parking_place(frame: Frame, grid: Grid) -> PixelPoint:
    """Choose the plainest place around the board, the nearer one of two equals.

    The pointer must not lie on a tile, which may light up under it, nor on a control.
    """
    box = grid.bounds
    # A board that fills the screen leaves only itself; a tile lit up by the pointer is borne.
    middle = PixelPoint((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    return min(_places(frame, grid), key=lambda place: _roughness(frame, place), default=middle)


def _places(frame: Frame, grid: Grid) -> Iterator[PixelPoint]:
    """Walk outwards from the board's sides, below and beside before above (counters, menus)."""
    box = grid.bounds
    edge = min(EDGE_PX, frame.width // 8, frame.height // 8)
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
    """Return the largest difference of one channel around a place."""
    x, y = round(place.x), round(place.y)
    patch = frame.pixels[
        max(0, y - PATCH_PX) : y + PATCH_PX + 1, max(0, x - PATCH_PX) : x + PATCH_PX + 1
    ]
    return int(np.ptp(patch.reshape(-1, 3), axis=0).max())

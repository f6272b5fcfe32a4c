"""A frame that is kept: when it was grabbed, and what of it is the board's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.tracking.places import calibration_in_region
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.points import PixelBox


@dataclass(frozen=True)
class Moment:
    """When a frame was grabbed, in seconds of the run, and where the board lay by then.

    ``screen`` has the origin and the scale of the whole screen's frame.
    """

    at_s: float
    screen: Frame
    calibration: Calibration

    def in_frame(self, frame: Frame) -> Calibration:
        """Return the calibration in pixels of a frame."""
        return calibration_in_region(self.calibration, self.screen, frame)

    def shown(self, frame: Frame) -> list[PixelBox]:
        """Return the boxes of a frame that show the board, with half a tile, and its counter."""
        counter, grid = self.calibration.counter, self.in_frame(frame).grid
        boxes = [_grown(grid.bounds, round(max(grid.tile_w, grid.tile_h) / 2))]
        if counter is not None:
            x, y = round(grid.x0), round(grid.y0)  # the counter's box counts from this corner
            x0, y0, x1, y1 = counter.box
            boxes.append(PixelBox(x0 + x, y0 + y, x1 + x, y1 + y))
        cut = (
            PixelBox(max(0, x0), max(0, y0), min(frame.width, x1), min(frame.height, y1))
            for x0, y0, x1, y1 in boxes
        )
        return [box for box in cut if box.x0 < box.x1 and box.y0 < box.y1]

    def border(self, frame: Frame) -> NDArray[np.uint8]:
        """Return the pixels of half a tile around the board, one a row."""
        grid = self.in_frame(frame).grid
        x0, y0, x1, y1 = (max(0, side) for side in grid.bounds)
        box = self.shown(frame)[0]
        around = np.zeros((frame.height, frame.width), bool)
        around[box.y0 : box.y1, box.x0 : box.x1] = True
        around[y0:y1, x0:x1] = False
        return frame.pixels[around]


def _grown(box: PixelBox, by: int) -> PixelBox:
    return PixelBox(box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by)

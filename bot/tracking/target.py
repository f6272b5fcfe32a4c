"""The board that is followed: where it lies on the screen, its reader, its border."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.tracking.boxes import box_slices, cut_strips
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint
from calibration.reader import Reader

Pixels = NDArray[np.uint8]

BORDER_DIFFERENCE = 24
"""Difference of one channel that counts as a change: more than dithering, less than any edge."""


@dataclass(frozen=True, eq=False)
class Target:
    """The board that is followed: where it lies on the screen, and its reader.

    ``on_screen`` is the calibration in pixels of the whole screen, ``in_region`` the same in
    pixels of the region. Both boxes are in pixels of the whole screen: ``region`` holds the board
    and its indicators (counter, smiley, line of text), ``board_box`` the board and a narrow
    border. ``border_slices`` cut the four strips of the border out of a picture of
    ``board_box``; ``border_pixels`` are these strips as they were when the board was found.
    The pointer rests on ``parking_point``; ``border_point`` is the place of the border nearest to
    the parking point that was chosen first.
    """

    on_screen: Calibration
    in_region: Calibration
    reader: Reader
    region: PixelBox
    board_box: PixelBox
    border_slices: tuple[tuple[slice, slice], ...]
    border_pixels: tuple[Pixels, ...]
    parking_point: ScreenPoint
    border_point: ScreenPoint

    @property
    def nudge_points(self) -> tuple[ScreenPoint, ScreenPoint]:
        """The two places to which a nudge moves the pointer."""
        return self.border_point, self.parking_point

    def region_on(self, screen: Frame) -> Frame:
        """Cut the region out of a picture of the whole screen."""
        return Frame(screen.pixels[box_slices(self.region, PixelBox(0, 0, 0, 0))])

    def border_change(self, board_pixels: Pixels) -> float:
        """Return the share of the border (0 to 1) that changed since the board was found."""
        changed = total = 0
        for strip, before in zip(self.border_slices, self.border_pixels, strict=True):
            now = board_pixels[strip]
            if now.shape != before.shape:
                return 1.0
            # Comparing the strips takes 0.1 ms; comparing the whole board took 4.
            differs = cv2.absdiff(now, before) > BORDER_DIFFERENCE if before.size else before
            changed += int(differs.any(axis=2).sum())
            total += before.shape[0] * before.shape[1]
        return changed / max(1, total)

    def with_border_of(self, screen: Frame) -> Target:
        """Return the target with its border as it is on the whole screen now."""
        pixels = cut_strips(screen, self.board_box, self.border_slices)
        return replace(self, border_pixels=pixels)

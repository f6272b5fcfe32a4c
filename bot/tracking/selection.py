"""A click that takes away a selection of text, and does nothing else.

Quick clicks may select the text of a page: its digits are white on blue then, and the board cannot
be read. A click on a 0 around which all is open opens nothing in any program.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.tracking.boxes import box_slices
from bot.tracking.tracker import BoardTracker
from calibration.points import PixelBox, ScreenPoint
from calibration.theme import LEARNED
from solver.board import Board, Cell, Tile, count_neighbours

LEAST_SELECTED = 2
"""Numbers that look different from the last board that was read, if text is selected."""

OUTLINE = 60.0
"""Change of brightness across a pixel, in grey levels of a Sobel filter, that is an outline."""

LEAST_OUTLINED = 0.6
"""Share of a digit's outline that is still one when the digit and its ground change colour."""


def deselecting_point(tracker: BoardTracker, after: Board) -> ScreenPoint | None:
    """Return where to click, if numbers of ``after`` changed their colours, but not their outlines.

    A card over the board would take the click: it hides digits, zeros or flags. None if one of
    these is changed, if no 0 lies amid open tiles, and for a known program. Hidden tiles may have
    been opened meanwhile.
    """
    read, now = tracker.last_read, tracker.last_frame
    if read is None or now is None or tracker.target.on_screen.theme.program != LEARNED:
        return None
    idle = _cells((after.tiles == 0) & (count_neighbours(~after.open) == 0))
    if not idle or now.pixels.shape != read[0].pixels.shape:
        return None
    changed = tracker.changed_cells(read[0], now, _cells(after.tiles != Tile.HIDDEN))
    if len(changed) < LEAST_SELECTED or any(after[cell] <= 0 for cell in changed):
        return None
    boxes = [tracker.target.in_region.grid.box(cell) for cell in changed]
    old, new = (_outlines(frame.pixels) for frame in (read[0], now))
    for tile in (box_slices(box, PixelBox(0, 0, 0, 0)) for box in boxes):
        if np.count_nonzero(new[tile] & old[tile]) < LEAST_OUTLINED * np.count_nonzero(old[tile]):
            return None
    return tracker.click_point(now, idle[0])


def _outlines(pixels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the pixels ``(h, w)`` where the brightness changes most."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    across, down = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, ksize=3) for dx in (1, 0))
    return cv2.magnitude(across, down) > OUTLINE


def _cells(marked: NDArray[np.bool_]) -> list[Cell]:
    return [Cell(*cell) for cell in np.argwhere(marked).tolist()]

"""Find a board that moved by its last picture: most of its tiles look as before, to the pixel.

A window that is dragged, or a page that scrolls, takes its pixels along. So a board is followed
whose looks only the game taught, and which no fresh look at the screen can read.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import SAME_PIXEL, colour_steps
from solver.board import Cell

EDGE_SHARE = 0.1
"""Width of a tile's edge, as a share of it: its neighbours may have changed it."""

TELLING_TILES, LEAST_OF_OPEN, LEAST_OF_ALL = 6, 0.9, 0.5
"""Number of open tiles that is enough to locate a board; the least share of them, and of all tiles,
that match. The others were opened since, or the pointer is over one. With fewer open tiles,
`LEAST_OF_OPEN` of all tiles must match, because hidden tiles all look the same."""


def moved_copy(before: Frame, grid: Grid, opened: NDArray[np.bool_], now: Frame) -> Grid | None:
    """Return the grid of a board of ``before`` where it lies in another frame; None if nowhere.

    ``opened`` ``(rows, cols)`` marks its open tiles.
    """
    x0, y0, x1, y1 = (max(0, side) for side in grid.bounds)
    picture = before.pixels[y0:y1, x0:x1]
    if picture.shape[0] > now.height or picture.shape[1] > now.width:
        return None
    told = opened.sum() >= TELLING_TILES
    compared, insides = np.zeros(picture.shape[:2], np.uint8), []
    edge = round(EDGE_SHARE * grid.tile_w)
    for cell in np.ndindex(*opened.shape):
        box = grid.box(Cell(*cell))
        left, top, right, bottom = box.x0 - x0, box.y0 - y0, box.x1 - x0, box.y1 - y0
        compared[top:bottom, left:right] |= opened[cell] or not told
        insides.append(np.s_[top + edge : bottom - edge, left + edge : right - edge])
    grey, screen = (cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in (picture, now.pixels))
    off = cv2.matchTemplate(screen, grey, cv2.TM_SQDIFF, mask=compared)
    _, _, (x, y), _ = cv2.minMaxLoc(off)
    here = now.pixels[y : y + picture.shape[0], x : x + picture.shape[1]]
    changed = colour_steps(here, picture) > SAME_PIXEL
    same = np.array([not changed[inside].any() for inside in insides])
    if same.mean() < (LEAST_OF_ALL if told else LEAST_OF_OPEN):
        return None
    if told and same[opened.ravel()].mean() < LEAST_OF_OPEN:
        return None
    return grid.moved(x - x0, y - y0)

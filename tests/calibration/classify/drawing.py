"""Boards drawn for tests: flat tiles with gaps, in themes that no program has."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from solver.board import TILE_OF_TEXT, Tile

TILE_PX = 32

NO_THEME = Theme(LEARNED, ())

PLAYED = """
#####100
##F31100
###20000
##310111
##2001F#
##20012#
"""

IN_PART = """
########
##12F3##
#001122#
#1111000
####10##
"""


def tiles(text: str) -> NDArray[np.int8]:
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in text.split()], np.int8)


def drawn(
    text: str,
    *,
    ink: tuple[int, int, int] = (30, 30, 30),
    covered: tuple[int, int, int] = (150, 170, 190),
    opened: tuple[int, int, int] = (225, 225, 225),
    raised: bool = False,
) -> tuple[Frame, Grid]:
    """Draw tiles with gaps; digits in one ink, flags as filled triangles, ``!`` as noise."""
    board = tiles(text)
    rows, cols = board.shape
    rng = np.random.default_rng(3)
    pixels = np.full(((rows + 2) * TILE_PX, (cols + 2) * TILE_PX, 3), 250, np.uint8)
    for (row, col), tile in np.ndenumerate(board):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        corners = (x + 2, y + 2), (x + TILE_PX - 3, y + TILE_PX - 3)
        cv2.rectangle(pixels, *corners, covered if tile < 0 else opened, -1)
        box = pixels[y + 2 : y + TILE_PX - 2, x + 2 : x + TILE_PX - 2]
        if tile == UNREAD:
            blobs = rng.integers(0, 256, (4, 4, 3)).astype(np.uint8)
            box[:] = cv2.resize(blobs, box.shape[1::-1], interpolation=cv2.INTER_CUBIC)
        elif tile < 0 and raised:
            box[-3:], box[:, -3:], box[:3], box[:, :3] = 90, 90, 240, 240
        if tile > 0:
            place = (x + 8, y + TILE_PX - 8)
            cv2.putText(pixels, str(tile), place, 0, 0.75, ink, 2, cv2.LINE_AA)
        if tile == Tile.FLAG:
            cloth = np.array([(x + 10, y + 6), (x + 24, y + 11), (x + 10, y + 16)])
            cv2.fillPoly(pixels, [cloth], (220, 20, 20))
            cv2.line(pixels, (x + 10, y + 6), (x + 10, y + 26), (20, 20, 20), 2)
    return Frame(pixels), Grid(TILE_PX, TILE_PX, TILE_PX, TILE_PX, rows, cols)

"""Boards drawn for tests: tiles from rows of text, in themes that no program has."""

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


HALF_PLAYED = """
0001####
000112##
000001##
000012##
11002###
#2112###
########
########
"""
FRESH = "#########\n" * 9
INK = {1: (30, 60, 220), 2: (20, 130, 40)}
PAGE, HIDDEN, OPENED = (244, 244, 240), (120, 140, 170), (222, 226, 230)


def drawn_apart(
    text: str,
    *,
    pitch: tuple[float, float],
    share: float | tuple[float, float] = 0.8,
    disc: bool = False,
    page: tuple[int, int, int] = PAGE,
) -> tuple[Frame, Grid]:
    """Draw a page with a board whose tiles, squares or discs, fill a share of their cells."""
    board, pixels = tiles(text), np.full((720, 900, 3), page, np.uint8)
    grid = Grid(203.0, 151.0, float(pitch[0]), float(pitch[1]), *board.shape)
    half = np.multiply(share, pitch) / 2
    for (row, col), tile in np.ndenumerate(board):
        middle = np.array([grid.x_lines[col], grid.y_lines[row]]) + np.divide(pitch, 2)
        colour = HIDDEN if tile < 0 else OPENED
        if disc:
            x, y, wide, high = np.rint(16 * np.append(middle, half) - 8).astype(int).tolist()
            cv2.ellipse(pixels, (x, y), (wide, high), 0, 0, 360, colour, -1, cv2.LINE_AA, 4)
        else:
            (x0, y0), (x1, y1) = np.rint([middle - half, middle + half]).astype(int)
            pixels[y0:y1, x0:x1] = colour
        if tile > 0:
            scale = half[1] / 16
            (wide, high), _ = cv2.getTextSize(str(tile), 0, scale, 2)
            at = round(middle[0] - wide / 2), round(middle[1] + high / 2)
            cv2.putText(pixels, str(tile), at, 0, scale, INK[int(tile)], 2, cv2.LINE_AA)
    return Frame(pixels), grid

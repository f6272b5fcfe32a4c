"""Boards without lines drawn for tests: squares or discs on a page, with gaps between them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Floats2 = tuple[float, float]

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
FRESH = "\n".join(["#########"] * 9)
INK = {"1": (30, 60, 220), "2": (20, 130, 40)}
PAGE, HIDDEN, OPENED = (244, 244, 240), (120, 140, 170), (222, 226, 230)


def board_of(text: str) -> list[list[str]]:
    return [list(row) for row in text.split()]


def drawn(
    text: str,
    *,
    pitch: tuple[float, float],
    at: tuple[int, int] = (203, 151),
    share: float | Floats2 = 0.8,
    disc: bool = False,
    page: Colour = PAGE,
) -> tuple[Frame, Grid]:
    """Draw a page with a board whose tiles fill a share of their cells; return it and its grid."""
    rows = board_of(text)
    share_x, share_y = share if isinstance(share, tuple) else (share, share)
    pixels = np.full((720, 900, 3), page, np.uint8)
    grid = Grid(
        float(at[0]), float(at[1]), float(pitch[0]), float(pitch[1]), len(rows), len(rows[0])
    )
    for y, row in enumerate(rows):
        for x, tile in enumerate(row):
            middle = grid.x_lines[x] + pitch[0] / 2, grid.y_lines[y] + pitch[1] / 2
            half = share_x * pitch[0] / 2, share_y * pitch[1] / 2
            colour = HIDDEN if tile == "#" else OPENED
            _tile(pixels, middle, half, colour, disc)
            if tile in INK:
                _digit(pixels, middle, half, tile)
    return Frame(pixels), grid


def _tile(pixels: Pixels, middle: Floats2, half: Floats2, colour: Colour, disc: bool) -> None:
    fixed = [round(16 * value - 8) for value in (*middle, *half)]
    if disc:
        cv2.ellipse(
            pixels, tuple(fixed[:2]), tuple(fixed[2:]), 0, 0, 360, colour, -1, cv2.LINE_AA, 4
        )
        return
    x0, y0, x1, y1 = (
        round(edge)
        for edge in (
            middle[0] - half[0],
            middle[1] - half[1],
            middle[0] + half[0],
            middle[1] + half[1],
        )
    )
    pixels[y0:y1, x0:x1] = colour


def _digit(pixels: Pixels, middle: Floats2, half: Floats2, tile: str) -> None:
    scale = half[1] / 16
    (wide, high), _ = cv2.getTextSize(tile, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    at = round(middle[0] - wide / 2), round(middle[1] + high / 2)
    cv2.putText(pixels, tile, at, cv2.FONT_HERSHEY_SIMPLEX, scale, INK[tile], 2, cv2.LINE_AA)

"""Boards opened along a side where open tiles have no lines are found whole."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import find_lattices

PITCH, ROWS, COLS = 30, 9, 11
AT = 150


def draw(opened: int, side: str, *, opened_colour: int = 190, page: int = 190) -> Frame:
    """Draw a page with a bevelled board whose outermost ``opened`` rows or columns are open.

    The open area reaches two rows further in one place. Every other open tile has a digit; no lines
    are drawn between them.
    """
    pixels = np.full((600, 700, 3), page, np.uint8)
    for row in range(ROWS):
        for col in range(COLS):
            depth = {"left": col, "top": row, "right": COLS - 1 - col, "bottom": ROWS - 1 - row}
            x, y = AT + col * PITCH, AT + row * PITCH
            tile = pixels[y : y + PITCH, x : x + PITCH]
            notch = 2 * (opened > 0 and 3 <= (row if side in ("left", "right") else col) <= 6)
            if depth[side] >= opened + notch:
                tile[:] = 190
                tile[:3] = tile[:, :3] = 240
                tile[-3:] = tile[:, -3:] = 120
                continue
            tile[:] = opened_colour
            if (row + col) % 2:
                at, colour = (x + 9, y + 22), (0, 0, 200)
                cv2.putText(pixels, "1", at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 2)
    return Frame(pixels)


def found(frame: Frame) -> Grid:
    (one,) = (one.grid for one in find_lattices(frame) if one.is_whole)
    return one


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
@pytest.mark.parametrize("opened", [1, 3])
@pytest.mark.parametrize("colour", [190, 225], ids=["like the page", "unlike the page"])
def test_open_rows_with_digits_and_no_lines_are_added(side: str, opened: int, colour: int) -> None:
    grid = found(draw(opened, side, opened_colour=colour))
    assert (grid.rows, grid.cols) == (ROWS, COLS)
    assert (grid.x0, grid.y0) == pytest.approx((AT, AT), abs=1.5)

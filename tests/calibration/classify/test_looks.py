"""Which drawings are alike, and which are each looked at."""

from __future__ import annotations

import numpy as np

from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import recognise
from calibration.frame import Frame
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import drawn, tiles

DARK_ZEROS = """
##########
##########
##########
##########
1112FF####
0001222###
2210002###
FF10002F##
2210123###
00001FF###
"""


def test_flags_beside_zeros_show_which_ground_is_open() -> None:
    """Numbers stand on the ground of hidden tiles there, and flags on that of zeros."""
    text = DARK_ZEROS
    frame, grid = drawn(text, covered=(195,) * 3, opened=(127,) * 3, numbered=(195,) * 3)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(text) == Tile.FLAG):
        box = grid.box(Cell(int(row), int(col)))
        part = pixels[box.y0 : box.y1, box.x0 : box.x1]
        part[(part == 195).all(axis=2)] = 127
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()

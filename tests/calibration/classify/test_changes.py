"""What changed from one frame to the next, and what of it speaks of a cover."""

import numpy as np

from calibration.changes import Last, changed_tiles, veiled_tiles
from calibration.grid import Grid
from solver.board import Board

SIDE = 16
BEFORE = Board.from_text("1####\n1####\n1####\n1####").tiles
OPENED = Board.from_text("11###\n11###\n1#1##\n111##").tiles


def picture(tiles):
    """Black open tiles and green hidden ones."""
    colours = np.where((tiles >= 0)[..., None], np.uint8([0, 0, 0]), np.uint8([0, 128, 0]))
    return np.repeat(np.repeat(colours, SIDE, axis=0), SIDE, axis=1).astype(np.uint8)


def veiled(after, tiles, off=0):
    """The tiles that seem veiled, by a grid that lies ``off`` pixels beside the tiles."""
    rows, cols = BEFORE.shape
    before, after = (np.roll(pixels, (off, off), (0, 1)) for pixels in (picture(BEFORE), after))
    grid = Grid(0.0, 0.0, float(SIDE), float(SIDE), rows, cols)
    last = Last(before, BEFORE, np.ones(BEFORE.shape))
    return veiled_tiles(last, after, changed_tiles(after, before, grid), tiles)


def test_the_edge_of_an_opened_tile_is_no_cover():
    for off in (-2, -1, 0, 1, 2):
        assert not veiled(picture(OPENED), OPENED, off).any()


def test_a_notification_is_a_cover():
    covered = picture(BEFORE)
    covered[SIDE : 3 * SIDE, 2 * SIDE : 4 * SIDE] = (60, 60, 60)
    assert np.argwhere(veiled(covered, BEFORE)).tolist() == [[1, 2], [1, 3], [2, 2], [2, 3]]

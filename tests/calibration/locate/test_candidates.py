"""The packed count of squares of crosses equals a count by hand; a board is among the places."""

import numpy as np
import pytest

from calibration.bits import Bits
from calibration.crosses import cross_mask, line_masks
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.squares import BLOCK, SIZES, STEP, Crosses, _count, candidates
from tests.calibration.desktops import desktop, draw_board


@pytest.mark.parametrize("size", [(200, 330), (64, 64), (129, 70), (40, 500)])
def test_packed_count_equals_counting_by_hand(size):
    rng = np.random.default_rng(size[0])
    crosses = np.where(rng.random(size) < 0.2, 255, 0).astype(np.uint8)
    frame = np.zeros(np.multiply(size, STEP), np.uint8)
    frame[::STEP, ::STEP] = crosses
    count = _count(Crosses.of(Bits.of(frame)))
    marked = crosses > 0
    for index, (across, down) in list(enumerate(SIZES))[::23]:
        squares = np.zeros(np.multiply(count.shape[:2], BLOCK), bool)
        if across < size[1] and down < size[0]:
            corners = marked[:-down, :-across] & marked[:-down, across:]
            corners &= marked[down:, :-across] & marked[down:, across:]
            squares[: corners.shape[0], : corners.shape[1]] = corners
        blocks = squares.reshape(count.shape[0], BLOCK, count.shape[1], BLOCK).sum((1, 3))
        assert (count[:, :, index] == blocks).all(), (across, down)


@pytest.mark.parametrize("tile", [12, 17.5, 31, 48, 80])
def test_a_board_is_the_likeliest_place_for_its_tiles(tile):
    shown = desktop("bevel", 8, 9, tile, opened=0.2, at=(230, 110), decoys=False)
    place = next(candidates(Crosses.of(cross_mask(line_masks(shown.frame)))))
    x0, y0, x1, y1 = shown.grid.bounds
    assert max(abs(place.across - tile), abs(place.down - tile)) <= 2
    assert place.box.x0 < x0 + tile
    assert place.box.x1 > x1 - tile
    assert place.box.y0 < y0 + tile
    assert place.box.y1 > y1 - tile


def test_sizes_that_a_board_found_explains_are_passed_over_and_no_others():
    shown = desktop("bevel", 9, 9, 24, at=(100, 80), decoys=False)
    second = Grid(480.0, 90.0, 33.0, 33.0, 8, 8)
    pixels = shown.frame.pixels.copy()
    draw_board(pixels, second, "bevel", np.random.default_rng(1))
    crosses = Crosses.of(cross_mask(line_masks(Frame(pixels))))
    before = list(candidates(crosses))
    crosses.explain(shown.grid.bounds)
    after = list(candidates(crosses))
    passed_over = [place for place in before if place not in after]
    assert any(place.across > 40 for place in passed_over), "multiples of the tile are"
    assert all(place.box.x1 < 400 for place in passed_over)
    assert set(after) <= set(before)

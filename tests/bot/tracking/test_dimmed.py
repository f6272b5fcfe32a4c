"""Dimmed pictures of a board become as bright as before, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from bot.tracking.hidden import is_dimmed, undimmed
from calibration.frame import Frame
from calibration.points import PixelBox
from tests.calibration.screens import FIXTURES, Screen, labelled

SCREEN: Screen = next(one for one in labelled(FIXTURES) if "12x9_early" in one.name)
BOXES = [SCREEN.grid.box(cell) for cell in SCREEN.board.cells() if SCREEN.board.open[cell]]


def dimmed(share: float, colour: tuple[int, int, int]) -> Frame:
    pixels = SCREEN.frame().pixels * share + np.array(colour) * (1 - share)
    return Frame(pixels.round().astype(np.uint8))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
@pytest.mark.parametrize("colour", [(0, 0, 0), (20, 30, 60), (255, 255, 255)])
def test_a_dimmed_picture_becomes_as_bright_as_before(
    share: float, colour: tuple[int, int, int]
) -> None:
    before = SCREEN.frame()
    lit = undimmed(before, dimmed(share, colour), BOXES)
    assert lit is not None
    off = np.abs(lit.pixels.astype(np.int16) - before.pixels)
    assert off.max() <= 2 / share


@pytest.mark.parametrize("side", ["top", "bottom", "left", "right"])
def test_a_dialog_may_lie_over_more_than_half_of_the_board(side: str) -> None:
    screen = next(one for one in labelled(FIXTURES) if one.name == "30x16_late")
    before, grid, tiles = screen.frame(), screen.grid, screen.board
    after = (0.4 * before.pixels).round().astype(np.uint8)
    x0, y0, x1, y1 = grid.bounds
    x, y = (x1 - x0) // 5, (y1 - y0) // 5
    covered, seen = {
        "top": (np.s_[y0 : y1 - 2 * y, x0:x1], np.s_[y1 - 2 * y : y1, x0:x1]),
        "bottom": (np.s_[y0 + 2 * y : y1, x0:x1], np.s_[y0 : y0 + 2 * y, x0:x1]),
        "left": (np.s_[y0:y1, x0 : x1 - 2 * x], np.s_[y0:y1, x1 - 2 * x : x1]),
        "right": (np.s_[y0:y1, x0 + 2 * x : x1], np.s_[y0:y1, x0 : x0 + 2 * x]),
    }[side]
    after[covered] = 250
    boxes = [grid.box(cell) for cell in tiles.cells() if tiles.open[cell]]
    lit = undimmed(before, Frame(after), boxes)
    assert lit is not None
    assert np.abs(lit.pixels[seen].astype(np.int16) - before.pixels[seen]).max() <= 5


def test_another_picture_is_not_dimmed() -> None:
    before = SCREEN.frame()
    other = Frame(np.ascontiguousarray(before.pixels[:, ::-1]))
    assert undimmed(before, other, BOXES) is None
    assert undimmed(before, before, BOXES) is None, "as bright as before"
    assert undimmed(before, dimmed(0.05, (0, 0, 0)), BOXES) is None, "too dark to tell colours"
    assert undimmed(before, dimmed(0.5, (0, 0, 0)), BOXES[:3]) is None, "too few open tiles"
    even = [PixelBox(0, 0, 20, 20)] * 10
    assert undimmed(Frame(before.pixels * 0), Frame(before.pixels * 0), even) is None


def test_even_tiles_that_are_all_darker_by_one_share_are_dimmed() -> None:
    pixels = np.full((100, 100, 3), (229, 194, 159), np.uint8)
    pixels[50:] = 215, 184, 153
    tiles = [PixelBox(10 * k, 10 * k, 10 * k + 10, 10 * k + 10) for k in range(10)]
    before, after = Frame(pixels), Frame((pixels * 0.4).astype(np.uint8))
    assert undimmed(before, after, tiles) is None, "too even to tell the offset"
    assert is_dimmed(before, after, tiles)
    assert not is_dimmed(after, before, tiles)
    faded = after.pixels.copy()
    faded[80:, :20] = pixels[80:, :20]
    assert is_dimmed(before, Frame(faded), tiles)
    assert not is_dimmed(before, Frame(faded), tiles, [PixelBox(0, 80, 20, 100)])
    assert not is_dimmed(before, before, tiles)
    repainted = pixels.copy()
    repainted[:, :, 0] //= 3
    assert not is_dimmed(before, Frame(repainted), tiles)

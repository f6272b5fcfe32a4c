"""Words over a finished board hide little of the tiles below."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import recognise
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Tile
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles

LOST = """
*#X##*##
##*211#0
###201##
##*101*#
*##10111
###10000
##*10000
#*#10000
"""

WON = """
00112F10
123F2110
1FF32111
123F11F1
00111222
000001F1
11100111
1F100000
"""


def written_over(text: str, words: str) -> tuple[Frame, Grid]:
    """Draw a board with mines as discs, and words over its middle."""
    frame, grid = drawn(text, covered=(110, 130, 150))
    pixels = np.minimum(frame.pixels, 225)
    for row, col in np.argwhere(np.isin(tiles(text), (Tile.MINE, Tile.EXPLODED))):
        x, y = int(col + 1) * TILE_PX, int(row + 1) * TILE_PX
        if tiles(text)[row, col] == Tile.EXPLODED:
            cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (220, 30, 30), -1)
        cv2.circle(pixels, (x + 16, y + 16), 8, (20, 20, 20), -1, cv2.LINE_AA)
    place = (2 * TILE_PX, 5 * TILE_PX + 12)
    cv2.putText(pixels, words, place, 0, 1.2, (255, 60, 255), 3, cv2.LINE_AA)
    return Frame(pixels), grid


@pytest.mark.parametrize("text", [LOST, WON])
def test_tiles_below_words_are_read_by_what_is_left_of_them(text: str) -> None:
    seen = recognise(*written_over(text, "Game Over"), themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_a_mark_on_one_tile_is_not_looked_through() -> None:
    """What else a page draws on a tile that it marks, in a colour of its own, tells what it is."""
    frame, grid = drawn(LOST.replace("*", "#"))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(LOST) == Tile.MINE):
        cv2.circle(
            pixels, (int(col + 1) * TILE_PX + 16, int(row + 1) * TILE_PX + 16), 8, (0,) * 3, -1
        )
    star = np.array([(0, -11), (4, 9), (-11, -3), (11, -3), (-4, 9)])
    star += np.array((3, 8)) * TILE_PX + 16
    cv2.fillPoly(pixels, [star], (250, 210, 40))
    seen = recognise(Frame(pixels), grid, themes=())
    assert not (seen.tiles[7, 2] == Tile.HIDDEN and seen.confidence[7, 2] >= MARGIN)


def test_in_play_they_stay_in_doubt() -> None:
    """What lies over a board is not clicked, nor what is below."""
    seen = recognise(*written_over(PLAYED, "Paused"), themes=())
    assert (seen.confidence < MARGIN).any()


@pytest.mark.parametrize("text", [LOST, WON])
def test_a_card_with_words_is_not_looked_through(text: str) -> None:
    frame, grid = written_over(text, "Game Over")
    pixels = frame.pixels.copy()
    cv2.rectangle(pixels, (80, 130), (240, 200), (250, 250, 250), -1)
    cv2.putText(pixels, "Again", (90, 175), 0, 1.0, (40, 40, 200), 2, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    sure = seen.confidence >= MARGIN
    assert not sure.all()
    assert not (sure & (seen.tiles > 0))[3:5, 2:6].any()

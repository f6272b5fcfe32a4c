"""Marks whose colours say little: plain flags, flags on red, mines on another ground."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration, calibrate
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import label_clusters, recognise
from calibration.errors import Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reader import read
from calibration.theme import LEARNED, Theme
from solver.board import Cell, Tile
from solver.game import Status
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles
from tests.calibration.desktops import flat_board
from tests.calibration.reading import Frames

WON_IN_PLAIN_COLOURS = """
0001#1111
0001122#1
000113#31
0112F3#31
02#3122#1
02F200222
0111001#1
000000122
00000001#
"""


def test_a_few_coloured_tiles_are_the_flags_not_the_many_grey_ones() -> None:
    """With the two exchanged, every number fits as well."""
    seen = recognise(*drawn(WON_IN_PLAIN_COLOURS, plain_flag=(215, 225, 70)), themes=())
    assert np.array_equal(seen.tiles, tiles(WON_IN_PLAIN_COLOURS))
    assert (seen.confidence < 0.95).any()


FLAGGED = """
00001#####
00001F####
11001#####
F1001#####
11001F####
00002#####
00001F####
000012####
000001F###
000001####
"""


def in_blue_and_yellow(text: str) -> tuple[Frame, Grid]:
    """Draw a board with open tiles in blue and yellow flags."""
    frame, grid = drawn(text, ink=(250, 250, 250), plain_flag=(255, 255, 0), covered=(187,) * 3)
    pixels = frame.pixels.copy()
    pixels[(pixels == 225).all(axis=2)] = (12, 98, 170)
    return Frame(pixels), grid


def test_coloured_tiles_are_flags_though_open_tiles_have_a_colour_too() -> None:
    text = WON_IN_PLAIN_COLOURS.replace("\n00000001#", "\n00000001F")
    seen = recognise(*in_blue_and_yellow(text), themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_coloured_tiles_are_in_doubt_where_no_number_lacks_a_mine() -> None:
    """They may be the mines of a lost board, all of which are shown."""
    seen = recognise(*in_blue_and_yellow(FLAGGED), themes=())
    assert (seen.confidence[tiles(FLAGGED) == Tile.FLAG] < MARGIN).all()


def marked(text: str, marks: dict[str, tuple[int, int, int]]) -> tuple[Frame, Grid]:
    """Draw a board with discs of these colours on hidden tiles for some of its letters."""
    letters = np.array([list(row) for row in text.split()])
    frame, grid = drawn("".join("#" if char in marks else char for char in text))
    pixels = frame.pixels.copy()
    for letter, colour in marks.items():
        for row, col in np.argwhere(letters == letter):
            middle = (col + 1) * TILE_PX + 16, (row + 1) * TILE_PX + 16
            cv2.circle(pixels, middle, 9, colour, -1, cv2.LINE_AA)
    return Frame(pixels), grid


@pytest.mark.parametrize("text", [PLAYED.replace("##F3", "#FF3"), WON_IN_PLAIN_COLOURS])
@pytest.mark.parametrize("colour", [(215, 30, 30), (30, 30, 200), (40, 40, 40)])
def test_marks_are_flags_though_they_look_like_mines_if_others_are_not_shown(
    text: str, colour: tuple[int, int, int]
) -> None:
    seen = recognise(*marked(text, {"F": colour}), themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_plain_red_tiles_of_a_won_board_may_be_mines_or_flags() -> None:
    """All cells that are left are marked, and none of them is a drawing."""
    won = WON_IN_PLAIN_COLOURS.replace("#", "F")
    seen = recognise(*drawn(won, plain_flag=(200, 55, 45)), themes=())
    assert (seen.confidence[tiles(won) == Tile.FLAG] < MARGIN).all()
    assert (seen.confidence[tiles(won) != Tile.FLAG] >= MARGIN).all()


def test_the_only_plain_flag_of_a_won_board_may_be_the_mine_that_exploded_if_it_is_red() -> None:
    """Then the tiles that seem hidden are the mines of a lost board."""
    text = """
0000001#10
0000001110
0000000000
0000000011
000000001#
0001110011
0001#10000
1102231111
#112#2#22#
111#222F21
"""
    for colour, sure in (((250, 5, 5), False), ((240, 220, 40), True)):
        frame, grid = drawn(text, covered=(15, 15, 15), opened=(250,) * 3, plain_flag=colour)
        seen = recognise(frame, grid, themes=())
        assert (seen.confidence[tiles(text) == Tile.FLAG] >= MARGIN).all() == sure


def test_small_flags_on_all_tiles_that_a_win_left_are_not_taken_for_hidden_ones() -> None:
    won = WON_IN_PLAIN_COLOURS.replace("#", "F")
    frame, grid = drawn(won.replace("F", "#"))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(won) == Tile.FLAG):
        x, y = (col + 1) * TILE_PX + 16, (row + 1) * TILE_PX + 12
        cloth = np.array([(x - 4, y + 6), (x + 4, y + 6), (x, y)])
        cv2.fillPoly(pixels, [cloth], (220, 30, 30))
    seen = recognise(Frame(pixels), grid, themes=())
    hidden = (seen.tiles == Tile.HIDDEN) & (seen.confidence >= MARGIN)
    assert not hidden.any()


LOST = """
####M100
##M31100
#MM20000
##310111
#M2001N#
#M20012N
"""


def draw_bomb(pixels: NDArray[np.uint8], x: int, y: int) -> None:
    cv2.circle(pixels, (x + 16, y + 17), 8, (25, 25, 25), -1, cv2.LINE_AA)
    cv2.line(pixels, (x + 20, y + 11), (x + 25, y + 6), (120, 80, 20), 2, cv2.LINE_AA)
    cv2.circle(pixels, (x + 13, y + 14), 2, (230, 230, 230), -1)


@pytest.mark.parametrize("ground", [(200, 200, 90), (60, 160, 60), (225, 225, 225)])
def test_mines_on_another_ground_are_mines_whichever_exploded(
    ground: tuple[int, int, int],
) -> None:
    letters = np.array([list(row) for row in LOST.split()])
    frame, grid = drawn(LOST.translate(str.maketrans("MN", "##")))
    pixels, mines = frame.pixels.copy(), np.isin(letters, ("M", "N"))
    for row, col in np.argwhere(mines):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        if letters[row, col] == "N":
            pixels[y + 2 : y + TILE_PX - 2, x + 2 : x + TILE_PX - 2] = ground
        draw_bomb(pixels, x, y)
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.tiles[mines] == Tile.MINE).all()
    assert (seen.confidence >= MARGIN).all()


def test_one_disc_where_numbers_lack_mines_may_have_exploded() -> None:
    text = PLAYED.replace("2001F#", "2001##")
    seen = recognise(*marked(text, {"F": (215, 30, 30)}), themes=())
    assert (seen.confidence < MARGIN).any()


def test_red_tiles_of_a_board_that_seems_won_may_be_mines() -> None:
    won, colour = WON_IN_PLAIN_COLOURS.replace("F", "#"), (250, 40, 40)
    frame, grid = drawn(won, covered=colour)
    seen = recognise(frame, grid, themes=())
    assert (seen.confidence[tiles(won) == Tile.HIDDEN] < MARGIN).all()
    reader = Frames(Calibration(grid, Theme(LEARNED, ())))
    reader.read(drawn("#########\n" * 9, covered=colour)[0])
    assert np.array_equal(reader.read(frame).board.tiles, tiles(won))


def test_flags_on_red_hidden_tiles_are_no_wrong_ones() -> None:
    red = PLAYED.replace("F", "#")
    frame, grid = drawn(red, covered=(255, 80, 80))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(PLAYED) == Tile.FLAG):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        cloth = np.array([(x + 9, y + 9), (x + 23, y + 9), (x + 19, y + 14), (x + 23, y + 19)])
        cv2.fillPoly(pixels, [np.append(cloth, [(x + 9, y + 19)], axis=0)], (60, 10, 10))
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, tiles(PLAYED))
    assert (seen.confidence >= MARGIN).all()


def test_a_red_hidden_tile_in_another_shade_did_not_explode() -> None:
    """A pointer lies on it; before the first click all tiles were red."""
    red, text = (255, 80, 80), PLAYED.replace("F", "#")
    fresh, grid = drawn("########\n" * 6, covered=red)
    reader = Frames(Calibration(grid, Theme(LEARNED, ())))
    reader.read(fresh)
    frame, _ = drawn(text, covered=red)
    pixels = frame.pixels.copy()
    pixels[TILE_PX + 2 : 2 * TILE_PX - 2, 5 * TILE_PX + 2 : 6 * TILE_PX - 2] = (250, 90, 92)
    try:
        seen = reader.read(Frame(pixels)).board.tiles
    except Unreadable:
        return
    assert np.array_equal(seen, tiles(text))


def test_mines_of_a_lost_first_click_are_no_drawings_on_hidden_tiles() -> None:
    """More mines than can explode at once, no number, and nothing that is open."""
    frame, grid = drawn("\n".join(["#" * 8] * 8))
    pixels, places = frame.pixels.copy(), [(k, 3 * k % 8) for k in range(8)] + [(0, 6), (7, 0)]
    for row, col in places:
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        pixels[y + 2 : y + TILE_PX - 2, x + 2 : x + TILE_PX - 2] = 230, 40, 40
        cv2.circle(pixels, (x + 11, y + 11), 6, (10, 10, 10), -1, cv2.LINE_AA)
        for end in ((2, 11), (20, 11), (11, 2), (11, 20), (4, 4), (18, 18), (4, 18), (18, 4)):
            cv2.line(pixels, (x + 11, y + 11), (x + end[0], y + end[1]), (10,) * 3, 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    mines = tuple(np.transpose(places))
    assert ((seen.tiles[mines] != Tile.HIDDEN) | (seen.confidence[mines] < MARGIN)).all()


def test_question_marks_may_be_all_the_marks_there_are() -> None:
    """On some pages a right click sets a question mark, and nothing else."""
    text = FLAGGED.replace("F", "?")
    frame, grid = drawn(text)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(text) == Tile.QUESTION):
        place = (int(col + 1) * TILE_PX + 13, int(row + 2) * TILE_PX - 12)
        cv2.putText(pixels, "?", place, 0, 0.35, (20, 20, 20), 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_the_only_mine_with_a_red_frame_exploded() -> None:
    """So it is read with the theme that was learned from the board, too."""
    text = LOST.translate(str.maketrans("MN", "**"))
    frame, grid = drawn(text.translate(str.maketrans("*", "#")))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(text) == Tile.MINE):
        draw_bomb(pixels, (int(col) + 1) * TILE_PX, (int(row) + 1) * TILE_PX)
    struck = grid.box(Cell(2, 2))
    corners = (struck.x0 + 2, struck.y0 + 2), (struck.x1 - 3, struck.y1 - 3)
    cv2.rectangle(pixels, *corners, (240, 10, 10), 2)
    exploded = tiles(text)
    exploded[2, 2] = Tile.EXPLODED
    seen = recognise(Frame(pixels), grid, themes=())
    again = label_clusters(clusters := cluster_tiles(Frame(pixels), grid), seen.theme)
    assert np.array_equal(seen.tiles, exploded)
    assert np.array_equal(again.labels[clusters.of_tile], exploded)


def test_many_marks_on_red_are_no_wrong_flags() -> None:
    """A page marks mines so; the network takes its marks for flags, and nearly for wrong ones."""
    rows = [
        "01!1000000",
        "0111111000",
        "00001!1000",
        "1101333221",
        "!101!!2!!1",
        "1101222232",
        "000000001!",
        "0000000011",
        "1110000000",
        "1!10000000",
    ]
    frame = flat_board(rows)
    reading = read(frame, calibrate(frame))
    assert str(reading.board) == "\n".join(rows).replace("!", "F")
    assert reading.status is Status.WON

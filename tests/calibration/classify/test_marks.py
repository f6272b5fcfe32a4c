"""Marks, digits and zeros whose colours say little: plain flags, flags on red, thick digits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibrate import Calibration
from calibration.classify.checks.hidden import digits_read_otherwise
from calibration.classify.checks.marks import flags_shaped_as_mines, marks_alike
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.decoding.labels import COLUMN_OF
from calibration.classify.recognise import recognise
from calibration.classify.tile_network.network import CLASSES
from calibration.classify.witnesses import hear_witnesses
from calibration.errors import Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reader import Reader
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from calibration.tiles import SIDE
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles

ONE_THREE = """
#####100
##F31100
###20000
###20000
###10000
###10000
"""

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


@pytest.mark.parametrize(
    "text", [FLAGGED, WON_IN_PLAIN_COLOURS.replace("\n00000001#", "\n00000001F")]
)
def test_coloured_tiles_are_flags_though_open_tiles_have_a_colour_too(text: str) -> None:
    """In play they must be mines, or may be; on a won board the others are grey."""
    frame, grid = drawn(text, ink=(250, 250, 250), plain_flag=(255, 255, 0), covered=(187,) * 3)
    pixels = frame.pixels.copy()
    pixels[(pixels == 225).all(axis=2)] = (12, 98, 170)
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


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


LOST = """
####M100
##M31100
#MM20000
##310111
#M2001N#
#M20012N
"""


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
        cv2.circle(pixels, (x + 16, y + 17), 8, (25, 25, 25), -1, cv2.LINE_AA)
        cv2.line(pixels, (x + 20, y + 11), (x + 25, y + 6), (120, 80, 20), 2, cv2.LINE_AA)
        cv2.circle(pixels, (x + 13, y + 14), 2, (230, 230, 230), -1)
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.tiles[mines] == Tile.MINE).all()
    assert (seen.confidence >= MARGIN).all()


def test_one_disc_where_numbers_lack_mines_may_have_exploded() -> None:
    text = PLAYED.replace("2001F#", "2001##")
    seen = recognise(*marked(text, {"F": (215, 30, 30)}), themes=())
    assert (seen.confidence < MARGIN).any()


@pytest.mark.parametrize("colour", [(20, 20, 250), (250, 40, 40)])
def test_coloured_tiles_of_a_won_board_are_flags_mines_or_hidden(
    colour: tuple[int, int, int],
) -> None:
    won = WON_IN_PLAIN_COLOURS.replace("F", "#")
    frame, grid = drawn(won, covered=colour)
    seen = recognise(frame, grid, themes=())
    assert (seen.confidence[tiles(won) == Tile.HIDDEN] < MARGIN).all()
    reader = Reader(Calibration(grid, Theme(LEARNED, ())))
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


@pytest.mark.parametrize(
    ("text", "red"), [(PLAYED, (230, 0, 0)), (ONE_THREE, (230, 0, 0)), (ONE_THREE, (133, 6, 6))]
)
def test_digits_that_fill_their_tiles_are_read(text: str, red: tuple[int, int, int]) -> None:
    """More than half of such a tile has the colour of the ink."""
    text = text.replace("F", "#")
    board = tiles(text)
    frame, grid = drawn(text.translate(str.maketrans("123", "000")))
    pixels, inks = frame.pixels.copy(), {1: (0, 0, 255), 2: (0, 131, 0), 3: red}
    for (row, col), tile in np.ndenumerate(board):
        if tile > 0:
            x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
            pixels[y + 2 : y + 30, x + 3 : x + 29] = _thick_digit(int(tile), inks[int(tile)])
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, board)


@pytest.mark.parametrize(("rim", "on_a_mine"), [((225, 225, 225), False), ((230, 0, 0), True)])
def test_a_single_thick_red_digit_is_no_number_on_a_mine(
    rim: tuple[int, int, int], on_a_mine: bool
) -> None:
    """Its ink passes for the ground of its tile, but does not reach the rim."""
    frame, grid = drawn(ONE_THREE)
    pixels, (row, col) = frame.pixels.copy(), np.argwhere(tiles(ONE_THREE) == 3)[0] + 1
    tile = pixels[row * TILE_PX : (row + 1) * TILE_PX, col * TILE_PX : (col + 1) * TILE_PX]
    tile[:] = rim
    tile[4:-4, 4:-4] = (230, 0, 0)
    cv2.putText(tile, "3", (8, TILE_PX - 8), 0, 0.75, (225, 225, 225), 2, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    three = clusters.of_tile[tiles(ONE_THREE) == 3][0]
    shape = hear_witnesses(clusters)["shape"][three, COLUMN_OF[3]]
    assert bool(shape < 0) is on_a_mine


@pytest.mark.parametrize("disc", [(25, 130, 220), (180, 40, 40), (40, 40, 40)])
def test_digits_on_discs_are_told_apart(disc: tuple[int, int, int]) -> None:
    """The discs are alike; the digits on them change few of their pixels."""
    text = PLAYED.replace("F", "#")
    board = tiles(text)
    frame, grid = drawn(text.translate(str.maketrans("123", "000")))
    pixels = frame.pixels.copy()
    for (row, col), tile in np.ndenumerate(board):
        if tile > 0:
            x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
            cv2.circle(pixels, (x + 16, y + 16), 11, disc, -1, cv2.LINE_AA)
            cv2.putText(pixels, str(tile), (x + 12, y + 21), 0, 0.45, (250,) * 3, 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, board)


@pytest.mark.parametrize("font", [0, 3, 16])
@pytest.mark.parametrize("grey", [140, 250])
def test_small_digits_of_one_ink_on_large_tiles_are_told_apart(font: int, grey: int) -> None:
    """Their coarse pictures, and their glyphs, differ in few pixels."""
    rows = ["01#1001##", "0111001##", "0000011##", "000001###", "000013###", "11001####"]
    board = tiles("\n".join([*rows, "#2222####", "#########", "#########"]))
    side = 90
    pixels = np.full((side * 11, side * 11, 3), 34, np.uint8)
    for (row, col), tile in np.ndenumerate(board):
        x, y = (col + 1) * side, (row + 1) * side
        fill = (85, 85, 85) if tile < 0 else (50, 50, 50)
        cv2.rectangle(pixels, (x + 1, y + 1), (x + side - 2, y + side - 2), fill, -1)
        if tile > 0:
            place = (x + side // 2 - 5, y + side // 2 + 7)
            cv2.putText(pixels, str(tile), place, font, 0.7, (grey,) * 3, 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), Grid(side, side, side, side, 9, 9), themes=())
    assert np.array_equal(seen.tiles, board)


def _thick_digit(digit: int, ink: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Draw a digit that reaches the edges of its picture, ``(28, 26, 3)``."""
    large = np.full((200, 200, 3), 225, np.uint8)
    cv2.putText(large, str(digit), (50, 150), 0, 4.0, ink, 40, cv2.LINE_AA)
    rows, cols = np.nonzero((large != 225).any(axis=2))
    inked = large[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1]
    return np.asarray(cv2.resize(inked, (26, 28), interpolation=cv2.INTER_AREA), np.uint8)


def test_zeros_that_open_alone_are_known_once_some_were_seen() -> None:
    """Numbers stand on squares of their own, so that no ground tells what is open."""
    boards = ["######\n" * 6, "00####\n00####\n" + "######\n" * 4]
    boards += ["001###\n002###\n112###\n" + "######\n" * 3]
    boards += ["001###\n002###\n112###\n######\n###00#\n###00#"]
    _, grid = drawn(boards[0])
    reader = Reader(Calibration(grid, Theme(LEARNED, ())))
    for text, clicked in zip(boards, [None, Cell(0, 0), None, Cell(5, 4)], strict=True):
        frame, _ = drawn(text, numbered=(70, 200, 60))
        if clicked == Cell(0, 0):
            reader.expect_opening([clicked])
        assert np.array_equal(reader.read(frame).board.tiles, tiles(text))


def test_a_red_hidden_tile_in_another_shade_did_not_explode() -> None:
    """A pointer lies on it; before the first click all tiles were red."""
    red, text = (255, 80, 80), PLAYED.replace("F", "#")
    fresh, grid = drawn("########\n" * 6, covered=red)
    reader = Reader(Calibration(grid, Theme(LEARNED, ())))
    reader.read(fresh)
    frame, _ = drawn(text, covered=red)
    pixels = frame.pixels.copy()
    pixels[TILE_PX + 2 : 2 * TILE_PX - 2, 5 * TILE_PX + 2 : 6 * TILE_PX - 2] = (250, 90, 92)
    try:
        seen = reader.read(Frame(pixels)).board.tiles
    except Unreadable:
        return
    assert np.array_equal(seen, tiles(text))


@pytest.mark.parametrize(
    ("shift", "drawn_alike", "alike"), [(0, True, True), (2, True, True), (0, False, False)]
)
def test_one_drawing_is_no_wrong_flag_here_and_a_mine_there(
    shift: int, drawn_alike: bool, alike: bool
) -> None:
    """Crosses as flags; on tiles of a broken pitch they are cut a pixel to the side."""
    pictures = np.full((3, SIDE, SIDE, 3), (135, 196, 194), np.uint8)
    for x, picture in ((8, pictures[0]), (8 + shift, pictures[1])):
        for ends in (((x, 9), (x + 6, 15)), ((x, 15), (x + 6, 9))):
            cv2.line(picture, *ends, (20, 30, 30), 1, cv2.LINE_AA)
    if not drawn_alike:
        pictures[1] = pictures[2]
        cv2.circle(pictures[1], (12, 12), 5, (20, 30, 30), -1, cv2.LINE_AA)
    clusters: Any = SimpleNamespace(
        pictures=pictures,
        sizes=np.array([2, 1, 9]),
        empty=np.array([False, False, True]),
        features=SimpleNamespace(
            background_colour=pictures[:, 0, 0].astype(np.float32),
            ink_box=np.array([[0.35, 0.3, 0.65, 0.6]] * 3, np.float32),
        ),
    )
    labels = np.array([Tile.WRONG_FLAG, Tile.EXPLODED, Tile.HIDDEN], np.int8)
    marked = marks_alike(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [alike, alike, False]


@pytest.mark.parametrize(
    ("same_shape", "flag", "label", "ink", "doubted"),
    [
        (True, 0.3, Tile.FLAG, (20, 20, 200), True),
        (True, 0.95, Tile.FLAG, (20, 20, 200), False),
        (False, 0.3, Tile.FLAG, (20, 20, 200), False),
        (True, 0.3, Tile.EXPLODED, (20, 20, 200), True),
        (True, 0.3, Tile.EXPLODED, (240, 20, 20), False),
    ],
)
def test_a_mark_with_the_shape_of_the_mines_may_have_exploded(
    same_shape: bool, flag: float, label: Tile, ink: tuple[int, int, int], doubted: bool
) -> None:
    disc = cv2.circle(np.zeros((SIDE, SIDE), np.float32), (12, 12), 6, 1.0, -1)
    bar = cv2.rectangle(np.zeros((SIDE, SIDE), np.float32), (10, 3), (13, 20), 1.0, -1)
    scores = np.full((2, len(CLASSES)), np.log(0.01), np.float32)
    scores[0, CLASSES.index("flag")] = np.log(flag)
    clusters: Any = SimpleNamespace(
        sizes=np.array([1, 4]),
        empty=np.zeros(2, np.bool_),
        given=np.full(2, UNREAD, np.int8),
        seen_as=lambda name: scores[:, CLASSES.index(name)],
        features=SimpleNamespace(
            silhouette=np.stack([disc if same_shape else bar, disc]),
            ink_colour=np.array([ink, (20, 20, 20)], np.float32),
            red_ahead=np.zeros(2, np.float32),
        ),
    )
    labels = np.array([label, Tile.MINE], np.int8)
    marked = flags_shaped_as_mines(clusters, cast(Any, SimpleNamespace(labels=labels)))
    assert marked.tolist() == [doubted, False]


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


def test_a_written_zero_that_looks_like_no_digit_more_is_believed() -> None:
    """In a corner a small 0 looks a little like each digit: together more than like a 0."""
    chances = np.full((2, len(CLASSES)), 0.01)
    for row, seen in enumerate(({"zero": 0.27, "6": 0.2, "5": 0.2, "8": 0.2}, {"6": 0.5})):
        for name, chance in seen.items():
            chances[row, CLASSES.index(name)] = chance
    scores = np.log(chances)
    clusters = SimpleNamespace(
        given=np.full(2, UNREAD),
        sizes=np.array([19, 3]),
        network_scores=scores,
        seen_as=lambda name: scores[:, CLASSES.index(name)],
        digit_chance=np.exp(scores[:, 1:9]).sum(axis=1),
    )
    decoding = SimpleNamespace(labels=np.zeros(2, np.int8))
    doubted = digits_read_otherwise(cast(Any, clusters), cast(Any, decoding), None)
    assert doubted.tolist() == [False, True]

"""Joint decoding on drawn boards: what pictures leave open, the rules or the fresh board tell."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.checks.openings import LastClicks
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decode import decode
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.decoding.labels import COLUMN_OF, LABELS
from calibration.classify.decoding.looks import find_looks
from calibration.classify.explain import explain
from calibration.classify.recognise import has_gaps_as_tiles, label_clusters, recognise
from calibration.classify.witnesses import hear_witnesses, likeness_to_fresh
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from calibration.tiles import cut
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import PLAYED, TILE_PX, drawn, tiles
from tests.calibration.desktops import flat_board

NO_THEME = Theme(LEARNED, ())


@pytest.mark.parametrize("ink", [(30, 30, 30), (20, 90, 200)])
def test_a_board_whose_digits_have_one_colour(ink: tuple[int, int, int]) -> None:
    seen = recognise(*drawn(PLAYED, ink=ink), themes=())
    assert np.array_equal(seen.tiles, tiles(PLAYED))
    assert (seen.confidence > 0.5).all()


def test_a_board_of_many_colours_is_read_with_the_fresh_board_only() -> None:
    frame, grid = drawn(PLAYED, rainbow=True)
    alone = recognise(frame, grid, themes=())
    assert (alone.confidence[tiles(PLAYED) == Tile.HIDDEN] == 0).any()
    start = drawn(PLAYED.translate(str.maketrans("0123F", "#####")), rainbow=True)
    clusters = cluster_tiles(frame, grid)
    decoding = label_clusters(clusters, NO_THEME, likeness_to_fresh(clusters, cut(*start)))
    assert np.array_equal(decoding.labels[clusters.of_tile], tiles(PLAYED))
    assert (decoding.certainty[clusters.of_tile] > 0.5).all()


def test_a_fresh_board_in_the_colours_of_a_rainbow_is_hidden() -> None:
    """Its tiles have 26 colours, one a diagonal: more than are tried one by one."""
    frame, grid = drawn("\n".join(["#" * 14] * 14))
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(14, 14):
        hue = np.full((1, 1, 3), ((row + col) * 7, 120, 200), np.uint8)
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        fill = cv2.cvtColor(hue, cv2.COLOR_HSV2RGB)
        pixels[y + 1 : y + TILE_PX - 1, x + 1 : x + TILE_PX - 1] = fill
        pixels[y + 1 : y + 3, x + 1 : x + TILE_PX - 1] = fill // 2
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert (seen.confidence >= MARGIN).all()


WRONG_FLAG = """
001F102#
002F203#
001F102#
00111011
00000000
00000000
"""


def test_a_wrong_flag_that_contradicts_many_numbers_makes_no_board_impossible() -> None:
    """The flag between the two others is wrong: four numbers are too small."""
    seen = recognise(*drawn(WRONG_FLAG), themes=())
    assert np.array_equal(seen.tiles, tiles(WRONG_FLAG))
    assert (seen.confidence >= MARGIN).all()


def test_digits_on_filled_squares_are_each_looked_at() -> None:
    """The squares hide how little a 1 differs from a 2: each is named by its own picture."""
    frame, grid = drawn("11223300\n11223300\n00000000")
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(2, 6):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        pixels[y + 6 : y + TILE_PX - 6, x + 6 : x + TILE_PX - 6] = (90, 150, 190)
        place = (x + 11, y + TILE_PX - 11)
        cv2.putText(pixels, str(1 + col // 2), place, 0, 0.4, (255,) * 3, 1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    first = clusters.of_tile[0, :6:2]
    assert clusters.framed[first].all()
    for index, cluster in enumerate(first):
        alone = clusters.scores_of([Cell(0, 2 * index)])[0]
        assert np.allclose(clusters.network_scores[cluster], alone, atol=1e-4)


@pytest.mark.parametrize("at", [(3, 3), (8, 7), (11, 11)])
def test_keys_with_different_digits_are_different_drawings(at: tuple[int, int]) -> None:
    """In the middle of a tile or in its corner: what is inside of them tells, not their edges."""
    frame, grid = drawn("11224400\n11224400\n00000000")
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(2, 6):
        x, y = (col + 1) * TILE_PX + at[0], (row + 1) * TILE_PX + at[1]
        pixels[y - at[1] + 2 : y - at[1] + 29, x - at[0] + 2 : x - at[0] + 29] = 225
        key = pixels[y : y + 18, x : x + 18]
        key[:] = 120, 165, 190
        key[-3:] = key[:, -3:] = 70, 115, 140
        cv2.putText(key, "124"[col // 2], (4, 13), 0, 0.35, (240,) * 3, 1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    looks = find_looks(clusters, np.zeros((len(clusters.sizes), len(LABELS)), np.float32), 30.0)
    drawings = looks.drawing[looks.of_cluster[clusters.of_tile[0, :6:2]]]
    assert len(set(drawings.tolist())) == 3


FLAGGED = """
0001F1111
0001122F1
000113F31
0112F3F31
02F3122F1
02F200222
0111001F1
000000122
00000001F
"""


def test_a_digit_taken_for_a_flag_makes_no_hidden_tiles_of_all_flags() -> None:
    """Flags on open tiles, and no other hidden tile: two labels have to change at once."""
    frame, grid = drawn(FLAGGED, covered=(225, 225, 225))
    clusters = cluster_tiles(frame, grid)
    evidence = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    for cell, flag, hidden, other in (((0, 4), 3.6, -2.5, -6.0), ((2, 7), 12.5, -4.0, -1.4)):
        cluster = clusters.of_tile[cell]
        evidence[cluster] = -6.0
        for tile, score in ((Tile.FLAG, flag), (Tile.HIDDEN, hidden), (UNREAD, other)):
            evidence[cluster, COLUMN_OF[tile]] = score
    found = decode(clusters, evidence.astype(np.float32), at_rest=True)
    assert (found.labels[clusters.of_tile[tiles(FLAGGED) == Tile.FLAG]] == Tile.FLAG).all()


@pytest.mark.parametrize("colour", [(255, 255, 0), (128, 0, 128)])
def test_flags_that_are_plain_colours_stand_where_numbers_show_mines(
    colour: tuple[int, int, int],
) -> None:
    seen = recognise(*drawn(PLAYED, plain_flag=colour), themes=())
    assert np.array_equal(seen.tiles, tiles(PLAYED))
    assert (seen.confidence > 0.5).all()


@pytest.mark.parametrize("board", [PLAYED, PLAYED.replace("F", "#")])
def test_hidden_and_open_tiles_may_both_be_a_chessboard(board: str) -> None:
    seen = recognise(*drawn(board, chess=True), themes=())
    assert np.array_equal(seen.tiles, tiles(board))
    assert (seen.confidence > 0.5).all()


IN_PART = """
########
##12F3##
#001122#
#1110000
####10##
"""


@pytest.mark.parametrize("chess", [False, True])
def test_a_program_may_open_only_a_part_of_the_cells_around_zeros(chess: bool) -> None:
    seen = recognise(*drawn(IN_PART, chess=chess), themes=())
    assert np.array_equal(seen.tiles, tiles(IN_PART))
    assert (seen.confidence > 0.5).all()
    assert seen.plausibility > 0.9


def test_two_numbers_and_a_zero_are_an_opening_though_a_corner_stays_hidden() -> None:
    text = "01######\n1#######\n" + "########\n" * 6
    seen = recognise(*drawn(text), themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_numbers_beside_tiles_with_other_borders_are_an_opening() -> None:
    board = "01####\n02####\n02####\n01####\n01####\n01####"
    seen = recognise(*drawn(board, lined=True), themes=())
    assert np.array_equal(seen.tiles, tiles(board))
    assert (seen.confidence > 0.5).all()


def test_a_faint_digit_beside_hidden_cells_is_no_zero() -> None:
    frame, grid = drawn(IN_PART)
    pixels = frame.pixels.copy()
    place = (8 * TILE_PX + 8, 5 * TILE_PX - 8)
    cv2.putText(pixels, "1", place, 0, 0.75, (213, 213, 213), 2, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert seen.tiles[3, 7] != 0 or seen.confidence[3, 7] < 0.5 or seen.plausibility < 0.9


def test_a_hidden_tile_in_another_shade_is_no_flag() -> None:
    frame, grid = drawn(PLAYED.replace("F", "#"))
    x, y = 2 * TILE_PX, 6 * TILE_PX
    pixels = frame.pixels.copy()
    cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (165, 190, 215), -1)
    seen = recognise(Frame(pixels), grid, themes=())
    assert seen.tiles[5, 1] == Tile.HIDDEN


def test_flags_that_contradict_the_numbers_show_that_it_is_no_board() -> None:
    wrong = PLAYED.replace("#", "F").replace("31", "00").replace("2", "0")
    seen = recognise(*drawn(wrong), themes=())
    assert seen.plausibility < 0.4


def test_a_line_that_scaling_puts_into_each_tile_of_a_column_is_no_digit() -> None:
    frame, grid = drawn("#########\n" * 9)
    pixels = frame.pixels.copy()
    x = 8 * TILE_PX + 16
    pixels[TILE_PX : 10 * TILE_PX, x : x + 2] = (90, 110, 130)
    seen = recognise(Frame(pixels), grid, themes=())
    assert not (seen.tiles > 0).any()


def test_a_board_of_one_colour_is_a_fresh_one() -> None:
    seen = recognise(*drawn("####\n" * 4), themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert not seen.has_numbers


def test_two_plain_colours_without_a_number_are_no_fresh_board() -> None:
    """One may be that of open tiles, and no rule tells which."""
    text = "000000000\n00###0###\n00###0###\n00###0###\n000000###\n##0000000\n###0000##\n"
    seen = recognise(*drawn(text), themes=())
    assert (seen.confidence < MARGIN).any()


def with_star(text: str, cells: list[tuple[int, int]], *, over_edge: bool = False) -> Frame:
    """Draw a star on some tiles, over their edges too if so wanted."""
    frame, _ = drawn(text)
    pixels = frame.pixels.copy()
    for row, col in cells:
        x, y = (col + 1.5) * TILE_PX, (row + 1.5) * TILE_PX
        angle = np.arange(10) * np.pi / 5
        reach = np.where(np.arange(10) % 2, 5, 20 if over_edge else 11)
        star = np.stack([x + reach * np.sin(angle), y - reach * np.cos(angle)], axis=1)
        cv2.fillPoly(pixels, [star.round().astype(np.int32)], (250, 190, 30), cv2.LINE_AA)
    return Frame(pixels)


def test_what_a_program_draws_on_a_tile_before_the_first_click_is_a_hidden_tile() -> None:
    fresh = "#########\n" * 9
    _, grid = drawn(fresh)
    seen = recognise(with_star(fresh, [(4, 5)]), grid, themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert (seen.confidence >= MARGIN).all()


@pytest.mark.parametrize(
    ("cells", "over_edge"),
    [([(row, col) for row in (3, 4) for col in (4, 5)], False), ([(4, 5)], True)],
    ids=["several in a patch", "over the edges of its tile"],
)
def test_what_lies_over_a_fresh_board_is_no_hidden_tile(
    cells: list[tuple[int, int]], over_edge: bool
) -> None:
    fresh = "#########\n" * 9
    _, grid = drawn(fresh)
    seen = recognise(with_star(fresh, cells, over_edge=over_edge), grid, themes=())
    assert (seen.confidence < MARGIN).any()


CORNER = """
002###
013###
01####
01####
22####
######
"""


@pytest.mark.parametrize(("ahead", "read"), [(2.5, 3), (20.0, 2)])
def test_a_faint_digit_is_the_one_that_the_numbers_around_allow(ahead: float, read: int) -> None:
    frame, grid = drawn(CORNER)
    clusters = cluster_tiles(frame, grid)
    evidence = np.sum(list(hear_witnesses(clusters, None).values()), axis=0)
    three = clusters.of_tile[1, 2]
    evidence[three] = -30.0
    evidence[three, [COLUMN_OF[3], COLUMN_OF[2]]] = 0.0, ahead
    assert decode(clusters, evidence).labels[three] == read


ZEROS = """
000###
000###
00####
######
"""


@pytest.mark.parametrize(
    ("shown", "clicked", "read"),
    [
        (ZEROS, [(0, 0)], True),
        (ZEROS, [(3, 5)], False),  # what changed is not where the click was
        (ZEROS.replace("##\n######", "##\n#####0"), [(0, 0)], False),  # changed in two places
        (ZEROS.replace("0", "#").replace("#", "0", 1), [(0, 0)], True),
        ("\n000000" * 4, [(0, 0)], False),  # a dialog may lie over all of the board
    ],
)
def test_zeros_that_opened_alone_are_told_by_the_fresh_board_and_the_click(
    shown: str, clicked: list[tuple[int, int]], read: bool
) -> None:
    frame, grid = drawn(shown)
    start = drawn(shown.replace("0", "#"))
    clusters = cluster_tiles(frame, grid)
    marked = np.zeros((4, 6), np.bool_)
    marked[tuple(np.transpose(clicked))] = True
    like_fresh, clicks = likeness_to_fresh(clusters, cut(*start)), LastClicks(marked, None)
    decoding = label_clusters(clusters, NO_THEME, like_fresh, clicks)
    labels = np.where(decoding.certainty > 0.5, decoding.labels, UNREAD)[clusters.of_tile]
    assert np.array_equal(labels, tiles(shown)) is read
    assert not decoding.impossible(clusters.of_tile).any() or not read


def test_a_picture_that_the_first_click_opened_is_a_zero() -> None:
    shown = ["001#####", "111#####", "########", "########"]
    fresh, frame = (flat_board(rows) for rows in (["#" * 8] * 4, shown))
    grid = Grid(99.5, 119.5, 30, 30, 4, 8)
    pixels = frame.pixels.copy()
    for x in (100, 130):
        pixels[120:149, x : x + 29] = 128
        cv2.circle(pixels, (x + 14, 134), 11, (240, 190, 60), -1, cv2.LINE_AA)
        cv2.circle(pixels, (x + 14, 137), 4, (200, 90, 20), -1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    like_fresh, clicked = likeness_to_fresh(clusters, cut(fresh, grid)), np.zeros((4, 8), np.bool_)
    clicked[0, 0] = True
    read = [
        label_clusters(clusters, NO_THEME, like_fresh, clicks)
        for clicks in (None, LastClicks(clicked, None))
    ]
    zero = clusters.of_tile[0, 0]
    assert read[0].certainty[zero] < MARGIN
    assert read[1].certainty.min() >= MARGIN
    assert np.array_equal(read[1].labels[clusters.of_tile], tiles("\n".join(shown)))


def test_a_strange_picture_from_which_an_opening_spread_is_a_zero() -> None:
    """The cells around it are open, which no mine opens, unless the whole board is shown."""
    shown = ["01######", "12######", "########", "########"]
    fresh, frame = (flat_board(rows) for rows in (["#" * 8] * 4, shown))
    grid, pixels = Grid(99.5, 119.5, 30, 30, 4, 8), frame.pixels.copy()
    pixels[120:149, 100:129] = 128
    cv2.circle(pixels, (114, 134), 9, (30, 30, 30), -1, cv2.LINE_AA)
    cv2.line(pixels, (119, 128), (124, 123), (200, 90, 20), 2, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    like_fresh, clicked = likeness_to_fresh(clusters, cut(fresh, grid)), np.zeros((4, 8), np.bool_)
    clicked[0, 0] = True
    seen = label_clusters(clusters, NO_THEME, like_fresh, LastClicks(clicked, None))
    assert np.array_equal(seen.labels[clusters.of_tile], tiles("\n".join(shown)))
    assert seen.certainty.min() >= MARGIN
    clicked[3, 7] = True
    seen = label_clusters(clusters, NO_THEME, like_fresh, LastClicks(clicked, None))
    assert seen.labels[clusters.of_tile[0, 0]] != 0 or seen.certainty.min() < MARGIN


def test_a_number_on_the_only_red_tile_may_be_a_mine() -> None:
    frame, grid = drawn(PLAYED)
    pixels = frame.pixels.copy()
    box = grid.box(Cell(3, 5))
    pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2] = 255, 0, 0
    cv2.putText(pixels, "1", (box.x0 + 8, box.y1 - 8), 0, 0.75, (30, 30, 30), 2, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    decoding, one = label_clusters(clusters, NO_THEME), clusters.of_tile[3, 5]
    assert decoding.labels[one] != 1 or decoding.certainty[one] < MARGIN


def test_a_label_is_as_certain_as_its_own_chance() -> None:
    chances = np.zeros((1, len(LABELS)))
    chances[0, [COLUMN_OF[1], COLUMN_OF[Tile.EXPLODED]]] = 0.3, 0.7
    none = np.zeros(1, np.bool_)
    decoding = Decoding(np.array([1], np.int8), chances, 0.0, none, none)
    assert decoding.certainty[0] == 0.3
    assert decoding.rivals[0] == Tile.EXPLODED


def test_an_explanation_names_witnesses_and_the_rival() -> None:
    frame, grid = drawn(PLAYED)
    found = explain(frame, grid, NO_THEME)
    assert sum(len(one.cells) for one in found) == grid.rows * grid.cols
    board = tiles(PLAYED)
    for one in found:
        assert {int(board[cell]) for cell in one.cells} == {one.label}
        assert one.rival != one.label
        assert one.chances[one.label] > one.chances[one.rival]
        assert sum(one.chances.values()) == pytest.approx(1, abs=0.1)
    ones = next(one for one in found if one.label == 1)
    assert max(ones.witnesses["network"], key=ones.witnesses["network"].__getitem__) == 1


def test_what_is_given_stays() -> None:
    clusters = cluster_tiles(*drawn(PLAYED))
    given = np.full(len(clusters.sizes), -7, np.int8)
    two = int(clusters.of_tile[4, 2])
    given[two] = 2
    assert label_clusters(clusters.giving(given), NO_THEME).labels[two] == 2


def test_digits_that_a_page_draws_tiny_are_no_empty_tiles() -> None:
    frame, grid = drawn(PLAYED.replace("1", "0").replace("2", "0").replace("3", "0"))
    enlarged = cv2.resize(frame.pixels, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_NEAREST)
    pixels = np.asarray(enlarged, np.uint8)
    large = Grid(*(2.5 * TILE_PX,) * 4, grid.rows, grid.cols)
    for (row, col), tile in np.ndenumerate(tiles(PLAYED)):
        if tile > 0:
            x, y = int((col + 1.45) * large.tile_w), int((row + 1.56) * large.tile_h)
            cv2.putText(pixels, str(tile), (x, y), 0, 0.42, (40, 40, 40), 1, cv2.LINE_AA)
    seen = recognise(Frame(pixels), large, themes=())
    sure = seen.confidence > 0.5
    assert np.array_equal(seen.tiles[sure], tiles(PLAYED)[sure])


def test_gaps_between_columns_are_no_hidden_tiles() -> None:
    """Every other column of such a grid lies between two columns of the board."""
    board = tiles(PLAYED.replace("F", "#"))
    wide = np.full((len(board), 2 * board.shape[1] - 1), Tile.HIDDEN, np.int8)
    wide[:, ::2] = board
    assert has_gaps_as_tiles(wide)
    assert has_gaps_as_tiles(wide[:, 1:])
    assert not has_gaps_as_tiles(board)

"""The board before the first click: what it shows, and what is taken for one."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.classify.recognise import label_clusters, recognise
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.tiles import cut
from solver.board import Tile
from tests.calibration.classify.drawing import NO_THEME, PLAYED, TILE_PX, drawn, tiles


def test_a_board_of_many_colours_is_read_by_the_network_or_with_the_fresh_board() -> None:
    frame, grid = drawn(PLAYED, rainbow=True)
    alone = recognise(frame, grid, themes=())
    assert np.array_equal(alone.tiles, tiles(PLAYED))
    assert (label_clusters(cluster_tiles(frame, grid), NO_THEME).certainty == 0).any()
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


def test_a_board_of_one_colour_is_a_fresh_one() -> None:
    seen = recognise(*drawn("####\n" * 4), themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert not seen.has_numbers


def test_squares_with_wide_gaps_at_broken_distances_are_a_fresh_board() -> None:
    """Squares of 16 px, 19.4 px apart: one edge of a tile is brighter here, the other there."""
    pixels = np.full((230, 230, 3), (18, 28, 38), np.uint8)
    for x, row in product((14, 33, 52, 72, 91, 110, 130, 149, 169, 188), range(10)):
        pixels[12 + 17 * row : 28 + 17 * row, x : x + 16] = (255, 210, 100)
    grid = Grid(x0=12.0, y0=11.4, tile_w=19.37, tile_h=17.01, rows=10, cols=10)
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert (seen.confidence >= MARGIN).all()


def test_two_plain_colours_without_a_number_are_no_fresh_board() -> None:
    """One may be that of open tiles, and no rule shows which."""
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


@pytest.mark.parametrize("colour", [(208, 208, 208), (150, 170, 190), (20, 40, 60)])
@pytest.mark.parametrize("text", ["#########\n" * 9, PLAYED.replace("F", "#")])
def test_a_plain_window_over_hidden_tiles_is_no_part_of_the_board(
    text: str, colour: tuple[int, int, int]
) -> None:
    """It hides the lines between them; a fresh kmines was clicked through one in a grey like it."""
    frame, grid = drawn(text)
    pixels, hidden = frame.pixels.copy(), tiles(text) == Tile.HIDDEN
    corners = hidden[:-1, :-1] & hidden[1:, :-1] & hidden[:-1, 1:] & hidden[1:, 1:]
    row, col = np.argwhere(corners)[-1]
    x, y = int((col + 0.9) * TILE_PX), int((row + 0.9) * TILE_PX)
    pixels[y : y + 5 * TILE_PX // 2, x : x + 5 * TILE_PX // 2] = colour
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.confidence < MARGIN).any()


def test_the_same_drawing_on_all_tiles_is_a_fresh_board() -> None:
    """A page wrote a 0 on each hidden tile: no board shows zeros only."""
    frame, grid = drawn("\n".join(["#" * 9] * 9))
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(9, 9):
        left, bottom = (col + 1) * TILE_PX + 8, (row + 2) * TILE_PX - 7
        cv2.putText(pixels, "0", (left, bottom), 0, 0.6, (0, 0, 0), 2, cv2.LINE_AA)
    seen = recognise(Frame(pixels), grid, themes=())
    assert (seen.tiles == Tile.HIDDEN).all()
    assert (seen.confidence >= MARGIN).all()

"""How far tiles look as before the first click."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.classify.clusters import cluster_tiles
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.tiles import cut
from solver.board import Cell
from tests.calibration.classify.drawing import drawn


def test_a_tile_over_a_photograph_is_compared_with_what_it_was() -> None:
    """No two tiles are quite alike there, but most look as they did before the first click."""
    frame, grid = drawn("\n".join(["#" * 9] * 9))
    random = np.random.default_rng(2)
    noise = cv2.resize(random.integers(0, 20, (40, 40), np.uint8), (frame.width, frame.height))
    textured = cv2.add(frame.pixels, cv2.cvtColor(noise, cv2.COLOR_GRAY2RGB))
    before = Frame(np.asarray(textured, np.uint8))
    pixels, tile = before.pixels.copy(), grid.box(Cell(0, 0))
    pixels[tile.y0 + 3 : tile.y1 - 3, tile.x0 + 3 : tile.x1 - 3] = 20
    clusters = cluster_tiles(Frame(pixels), grid)
    like = likeness_to_fresh(clusters, cut(before, grid))
    assert 3 < len(clusters.sizes) < 80
    assert np.argwhere(like < 1).tolist() == [[0, 0]]


@pytest.mark.parametrize("moved", [False, True])
def test_where_nothing_moves_the_least_change_of_a_tile_opened_it(moved: bool) -> None:
    """Of a page in dark blue open tiles are six steps lighter; a moved one differs all over."""
    before, grid = drawn("#####\n" * 5, covered=(14, 17, 54))
    after = before.pixels.copy()
    box = grid.box(Cell(2, 2))
    after[box.y0 + 3 : box.y1 - 3, box.x0 + 3 : box.x1 - 3] = (18, 23, 55)
    if moved:
        after = after + np.uint8(2)
    clusters = cluster_tiles(Frame(after), grid)
    like = likeness_to_fresh(clusters, cut(before, grid))
    assert (like[2, 2] == 0) == (not moved)
    assert (np.delete(like.ravel(), 12) > 0).all()


def board(px: int = 24, side: int = 5) -> tuple[Grid, NDArray[np.uint8]]:
    """Return a grid of ``side`` by ``side`` tiles of ``px`` pixels, and a white picture of it."""
    pixels = np.full((px * (side + 2), px * (side + 2), 3), 255, np.uint8)
    return Grid(x0=px, y0=px, tile_w=px, tile_h=px, rows=side, cols=side), pixels


@pytest.mark.parametrize("opened", [1, 20])
def test_a_tile_of_glass_beside_an_opened_one_is_as_before(opened: int) -> None:
    """The line on that side became a light one; nothing else of it changed."""
    grid, pixels = board()
    random = np.random.default_rng(5)
    for place in np.ndindex(5, 5):
        box = grid.box(Cell(*place))
        pixels[box.y0 : box.y1, box.x0 : box.x1] = 0
        shade = 90 + 4 * (box.x0 + box.y0) // 24
        pixels[box.y0 + 1 : box.y1 - 1, box.x0 + 1 : box.x1 - 1] = shade
        pixels[box.y0 + 4 : box.y0 + 9, box.x0 + 4 : box.x1 - 6] = shade + 60
    before, cells = Frame(pixels.copy()), random.permutation(25)[:opened]
    for box in (grid.box(Cell(*divmod(int(cell), 5))) for cell in cells):
        pixels[box.y0 - 1 : box.y1 + 1, box.x0 - 1 : box.x1 + 1] = 230
    like = likeness_to_fresh(cluster_tiles(Frame(pixels), grid), cut(before, grid)).ravel()
    assert np.flatnonzero(like < 1).tolist() == sorted(cells.tolist())


def test_a_flat_tile_that_lost_its_lines_beside_numbers_is_open() -> None:
    """What it shows inside is what a hidden one showed there: nothing."""
    grid, pixels = board()
    pixels[24:144, 24:144] = 190
    pixels[24:144, 24 + 21 : 144 : 24] = pixels[24 + 21 : 144 : 24, 24:144] = 60
    before = Frame(pixels.copy())
    box, right, below = (grid.box(Cell(*cell)) for cell in ((1, 1), (1, 2), (2, 1)))
    pixels[box.y0 : box.y1, box.x0 : box.x1] = 190
    for number in (right, below):
        pixels[number.y0 + 6 : number.y1 - 6, number.x0 + 10 : number.x1 - 10] = (0, 0, 200)
    like = likeness_to_fresh(cluster_tiles(Frame(pixels), grid), cut(before, grid))
    assert like[1, 1] < 1
    assert (like[3:, 3:] == 1).all()


def test_a_flat_tile_with_a_line_beside_coloured_zeros_is_as_before() -> None:
    """Zeros have a colour of their own, so that a tile with the old one is hidden."""
    grid, pixels = board()
    pixels[24:144, 24:144] = (140, 200, 90)
    before = Frame(pixels.copy())
    for place in ((1, 2), (2, 1), (2, 2), (3, 2), (2, 3)):
        box = grid.box(Cell(*place))
        pixels[box.y0 - 2 : box.y1 + 2, box.x0 - 2 : box.x1 + 2] = (60, 110, 30)
    for place in ((1, 2), (2, 1), (2, 2), (3, 2), (2, 3)):
        box = grid.box(Cell(*place))
        pixels[box.y0 : box.y1, box.x0 : box.x1] = (215, 185, 150)
    like = likeness_to_fresh(cluster_tiles(Frame(pixels), grid), cut(before, grid))
    opened = np.zeros((5, 5), np.bool_)
    opened[[1, 2, 2, 3, 2], [2, 1, 2, 2, 3]] = True
    assert np.array_equal(like < 1, opened)

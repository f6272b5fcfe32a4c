"""What hidden tiles look like, and boards that a page dimmed."""

from __future__ import annotations

import numpy as np
import pytest

from bot.simulated import SKINS
from bot.tracking.hidden import HiddenTiles, is_dimmed, undimmed
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from solver.board import Board, Cell, Tile
from solver.game import Rule
from tests.calibration.screens import FIXTURES, Screen, labelled
from tests.simulated import FaultyDesktop

CELLS = [Cell(0, 0), Cell(2, 5), Cell(8, 8)]


def fresh(skin: str) -> tuple[HiddenTiles, Grid, np.ndarray, PixelBox]:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=3, skin=skin)
    frame, grid = desk.grab(), desk.truth_grid()
    box = PixelBox(0, 0, frame.width, frame.height)
    hidden = HiddenTiles().learning(Board(desk.truth_tiles()), grid, frame.pixels, box)
    return hidden, grid, frame.pixels.copy(), box


@pytest.mark.parametrize("skin", sorted(SKINS))
def test_hidden_tiles_are_known_again_and_what_lies_over_them_or_dims_them_is_not(
    skin: str,
) -> None:
    hidden, grid, pixels, box = fresh(skin)
    assert hidden.unlike(CELLS, grid, pixels, box) == []
    assert hidden.unlike(CELLS, grid.moved(1, -1), pixels, box) == [], "cut out a pixel off"
    assert hidden.unlike(CELLS, grid, (pixels * 0.5).astype(np.uint8), box) == CELLS
    over = grid.box(CELLS[1])
    pixels[over.y0 : over.y1, over.x0 : over.x1] = (236, 40, 90)
    assert hidden.unlike(CELLS, grid, pixels, box) == [CELLS[1]]


def window_over(
    pixels: np.ndarray, tile: PixelBox, shift: tuple[float, float], lighter: int
) -> None:
    """Lay a plain window of the size of a tile over one, in the colour of the tile or lighter."""
    colour = np.median(pixels[tile.y0 : tile.y1, tile.x0 : tile.x1], axis=(0, 1)) + lighter
    left, top = (round(by * (tile.x1 - tile.x0)) for by in shift)
    pixels[tile.y0 + top : tile.y1 + top, tile.x0 + left : tile.x1 + left] = colour


@pytest.mark.parametrize("skin", sorted(SKINS))
@pytest.mark.parametrize(
    ("shift", "lighter"),
    [((0.0, 0.5), 0), ((0.5, 0.0), 0), ((0.3, -0.4), 0), ((0.1, 0.1), 4), ((0, 0), 0)],
)
def test_a_window_of_one_tile_in_the_colour_of_hidden_tiles_is_noticed(
    skin: str, shift: tuple[float, float], lighter: int
) -> None:
    """It hides a line, or has an edge of its own, and was clicked on web pages and gnome-mines."""
    if skin == "checkerboard" and shift in ((0.1, 0.1), (0, 0)):
        return  # its tiles are plain, without clear lines
    hidden, grid, pixels, box = fresh(skin)
    cell = Cell(4, 4)
    window_over(pixels, grid.box(cell), shift, lighter)
    assert cell in (found := hidden.unlike([*CELLS, cell], grid, pixels, box))
    assert found == [cell] or shift != (0, 0)


def test_a_board_at_the_edge_of_what_is_seen_has_no_lines_to_lose() -> None:
    hidden, grid, pixels, box = fresh(sorted(SKINS)[0])
    narrow = PixelBox(box.x0, box.y0, grid.box(Cell(8, 8)).x1 - 5, box.y1)
    seen = pixels[:, : narrow.x1]
    assert hidden.unlike(CELLS[:2], grid, seen, narrow) == []
    hidden = hidden.learning(Board(np.full((9, 9), -1, np.int8)), grid, seen, narrow)
    assert hidden.unlike(CELLS[:2], grid, seen, narrow) == []


def test_the_shadow_of_an_open_neighbour_is_no_line_to_lose() -> None:
    """Of a page that draws a shadow to the right of tiles, a light step is left of the line."""
    grid, box = Grid(20, 20, 24, 24, 4, 4), PixelBox(0, 0, 136, 136)
    pixels = np.full((136, 136, 3), 234, np.uint8)
    for row, col in np.ndindex(4, 4):
        x, y = 20 + 24 * col, 20 + 24 * row
        pixels[y : y + 24, x : x + 24] = 157
        pixels[y : y + 21, x : x + 21] = 241
    cell, opened = Cell(1, 2), np.zeros((4, 4), np.bool_)
    hidden = HiddenTiles().learning(Board(np.full((4, 4), -1, np.int8)), grid, pixels, box)
    opened[1, 1] = True
    tile = grid.box(Cell(1, 1))
    pixels[tile.y0 : tile.y1, tile.x0 : tile.x1] = 234
    assert hidden.unlike([cell], grid, pixels, box, opened) == []
    window_over(pixels, grid.box(cell), (0.0, 0.3), 0)
    assert hidden.unlike([cell], grid, pixels, box, opened) == [cell]


@pytest.mark.parametrize("lighter", [0, 6])
def test_a_plain_window_exactly_over_a_tile_with_gaps_around_it_is_noticed(lighter: int) -> None:
    """It had nearly the colour of the squares that a page draws, and was clicked."""
    grid = Grid(20.0, 30.0, 36.0, 36.0, 9, 9)
    pixels = np.full((400, 400, 3), (255, 250, 230), np.uint8)
    for cell in (cells := [Cell(row, col) for row in range(9) for col in range(9)]):
        tile = grid.box(cell)
        pixels[tile.y0 + 5 : tile.y1 - 5, tile.x0 + 5 : tile.x1 - 5] = (224, 224, 224)
    board, box = Board(np.full((9, 9), Tile.HIDDEN, np.int8)), PixelBox(0, 0, 400, 400)
    hidden = HiddenTiles().learning(board, grid, pixels, box)
    assert hidden.unlike(cells, grid, pixels, box) == []
    window_over(pixels, grid.box(Cell(4, 3)), (0, 0), lighter)
    assert hidden.unlike(cells, grid, pixels, box) == [Cell(4, 3)]


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
    rows, cols = np.mgrid[y0:y1, x0:x1]
    from_side = {"top": rows - y0, "bottom": y1 - rows, "left": cols - x0, "right": x1 - cols}
    covered = from_side[side] < 0.6 * from_side[side].max()
    after[y0:y1, x0:x1][covered] = 250
    lit = undimmed(before, Frame(after), [grid.box(c) for c in tiles.cells() if tiles.open[c]])
    assert lit is not None
    off = np.abs(lit.pixels.astype(np.int16) - before.pixels)
    assert off[y0:y1, x0:x1][~covered].max() <= 5


def test_another_picture_is_not_dimmed() -> None:
    before = SCREEN.frame()
    other = Frame(np.ascontiguousarray(before.pixels[:, ::-1]))
    assert undimmed(before, other, BOXES) is None
    assert undimmed(before, before, BOXES) is None, "as bright as before"
    assert undimmed(before, dimmed(0.05, (0, 0, 0)), BOXES) is None, "too dark to show colours"
    assert undimmed(before, dimmed(0.5, (0, 0, 0)), BOXES[:3]) is None, "too few open tiles"
    even = [PixelBox(0, 0, 20, 20)] * 10
    assert undimmed(Frame(before.pixels * 0), Frame(before.pixels * 0), even) is None


def test_even_tiles_that_are_all_darker_by_one_share_are_dimmed() -> None:
    pixels = np.full((100, 100, 3), (229, 194, 159), np.uint8)
    pixels[50:] = 215, 184, 153
    tiles = [PixelBox(10 * k, 10 * k, 10 * k + 10, 10 * k + 10) for k in range(10)]
    before, after = Frame(pixels), Frame((pixels * 0.4).astype(np.uint8))
    assert undimmed(before, after, tiles) is None, "too even to show the offset"
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

"""What changed from one frame to the next, and which changes mean that something covers it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.classify.refusals import (
    PreviousBoard,
    changed_numbers,
    changed_tiles,
    has_moved,
    obscured_tiles,
)
from calibration.grid import Grid
from solver.board import Board, Tile

Pixels = NDArray[np.uint8]

SIDE = 16
BEFORE = Board.from_text("1####\n1####\n1####\n1####").tiles
OPENED = Board.from_text("11###\n11###\n1#1##\n111##").tiles


def picture(tiles: NDArray[np.int8]) -> Pixels:
    """Draw black open tiles and green hidden ones."""
    colours = np.where(
        (tiles >= 0)[..., None], np.array([0, 0, 0], np.uint8), np.array([0, 128, 0], np.uint8)
    )
    return np.repeat(np.repeat(colours, SIDE, axis=0), SIDE, axis=1).astype(np.uint8)


def obscured(after: Pixels, tiles: NDArray[np.int8], off: int = 0) -> NDArray[np.bool_]:
    """Return the tiles that seem covered, read with a grid ``off`` pixels beside the tiles."""
    rows, cols = BEFORE.shape
    before, after = (np.roll(pixels, (off, off), (0, 1)) for pixels in (picture(BEFORE), after))
    grid = Grid(0.0, 0.0, float(SIDE), float(SIDE), rows, cols)
    last = PreviousBoard(before, BEFORE, np.ones(BEFORE.shape))
    return obscured_tiles(last, after, changed_tiles(after, before, grid), tiles)


@pytest.mark.parametrize(("confidence", "marked"), [(0.99, [[0, 1]]), (0.6, [])])
def test_only_a_number_that_was_sure_may_not_change(
    confidence: float, marked: list[list[int]]
) -> None:
    previous = PreviousBoard(picture(OPENED), OPENED, np.full(OPENED.shape, confidence))
    now = OPENED.copy()
    now[0, 1] = 3
    assert np.argwhere(changed_numbers(previous, now)).tolist() == marked


@pytest.mark.parametrize("later", [3, Tile.EXPLODED])
def test_what_is_painted_late_on_an_open_cell_is_no_change_of_it(later: int) -> None:
    """kmines opens a cell first, and paints its number or its mine up to 0.1 s later."""
    early = OPENED.copy()
    early[0, 1] = 0
    previous = PreviousBoard(picture(early), early, np.ones(early.shape))
    now = early.copy()
    now[0, 1] = later
    assert not changed_numbers(previous, now).any()
    early[:2, 2] = now[:2, 2] = 1
    assert np.argwhere(changed_numbers(previous, now)).tolist() == [[0, 1]]


def test_the_edge_of_an_opened_tile_is_no_cover() -> None:
    for off in (-2, -1, 0, 1, 2):
        assert not obscured(picture(OPENED), OPENED, off).any()


def test_a_notification_is_a_cover() -> None:
    covered = picture(BEFORE)
    covered[SIDE : 3 * SIDE, 2 * SIDE : 4 * SIDE] = (60, 60, 60)
    assert np.argwhere(obscured(covered, BEFORE)).tolist() == [[1, 2], [1, 3], [2, 2], [2, 3]]


@pytest.mark.parametrize(("off", "moved"), [((5, 0), True), ((-4, 4), True), ((1, 0), False)])
def test_a_board_that_moved_by_less_than_half_a_tile_is_noticed(
    off: tuple[int, int], moved: bool
) -> None:
    noise = np.random.default_rng(0).integers(0, 9, (12, 12)).astype(np.int8)
    before = picture(np.where(noise > 4, np.int8(Tile.HIDDEN), noise))
    grid = Grid(0.0, 0.0, float(SIDE), float(SIDE), 12, 12)
    after = np.roll(before, off, (0, 1))
    last = PreviousBoard(before, noise, np.ones(noise.shape))
    assert has_moved(last, after, changed_tiles(after, before, grid), grid) == moved


def test_a_board_that_is_dimmed_or_opened_has_not_moved() -> None:
    tiles = np.tile(BEFORE, (3, 3))
    grid = Grid(0.0, 0.0, float(SIDE), float(SIDE), *tiles.shape)
    before = picture(tiles) + np.uint8(20)
    last = PreviousBoard(before, tiles, np.ones(tiles.shape))
    for after in (before // 2, picture(np.zeros_like(tiles))):
        assert not has_moved(last, after, np.ones(tiles.shape, np.bool_), grid)


@pytest.mark.parametrize("outlined", [False, True])
def test_a_window_in_the_colour_of_hidden_tiles_hides_their_lines(outlined: bool) -> None:
    before = picture(BEFORE)
    for at in range(0, before.shape[0], SIDE):
        before[at] = 90
    for at in range(0, before.shape[1], SIDE):
        before[:, at] = 90
    after = before.copy()
    after[SIDE : 3 * SIDE, 2 * SIDE : 4 * SIDE] = (1, 129, 1)
    if outlined:  # as a program may draw around the tile that has the focus
        after = before.copy()
        after[SIDE + 1 : 2 * SIDE, 2 * SIDE + 1 : 3 * SIDE] = 200
        after[SIDE + 3 : 2 * SIDE - 2, 2 * SIDE + 3 : 3 * SIDE - 2] = (0, 128, 0)
    last = PreviousBoard(before, BEFORE, np.ones(BEFORE.shape))
    seen = obscured_tiles(last, after, np.ones(BEFORE.shape, np.bool_), BEFORE)
    assert seen.any() != outlined
    assert seen[1:3, 2:4].all() != outlined

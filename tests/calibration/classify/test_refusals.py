"""Why a board is refused: what may follow the board before, which error it is, its evidence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.classify.refusals import (
    PreviousBoard,
    changed_numbers,
    changed_tiles,
    check_possible,
    check_successor,
    crop_tiles,
    few_unknown,
    has_moved,
    largest_patch,
    name_cells,
    obscured_tiles,
    unreadable_error,
)
from calibration.errors import BoardCovered, ImpossibleBoard, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.tiles import board_pixels
from solver.board import Cell, Tile
from tests.calibration.drawing import PLAYED, drawn, tiles

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

FRAME = Frame(np.arange(40 * 60 * 3, dtype=np.uint64).reshape(40, 60, 3).astype(np.uint8))
GRID = Grid(-2.0, 4.0, 8.0, 8.0, 5, 8)
BEFORE = tiles("1#### 1#### 1#### 1####")
OPENED = tiles("11### 11### 1#1## 111##")
NONE: list[list[int]] = []


def marked(*cells: tuple[int, int], shape: tuple[int, int] = (5, 8)) -> Mask:
    mask = np.zeros(shape, np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask


def previous(pixels: Pixels, board: NDArray[np.int8], confidence: float = 1.0) -> PreviousBoard:
    return PreviousBoard(pixels, board, np.full(board.shape, confidence))


def picture(board: NDArray[np.int8], side: int = 16) -> Pixels:
    """Draw black open tiles and green hidden ones."""
    colours = np.where((board >= 0)[..., None], np.array([0, 0, 0]), np.array([0, 128, 0]))
    return colours.astype(np.uint8).repeat(side, 0).repeat(side, 1)


# ---- what may follow the board before ------------------------------------------------------------


def test_a_tile_changed_if_any_pixel_of_it_did() -> None:
    grid = Grid(5.4, 3.2, 7.3, 9.1, 3, 4)
    before = board_pixels(FRAME, grid)
    x, y = (np.rint(lines - lines[0]).astype(int) for lines in (grid.x_lines, grid.y_lines))
    for row, col in np.ndindex(3, 4):
        for place in ((y[row], x[col], 0), (y[row + 1] - 1, x[col + 1] - 1, 2)):
            after = before.copy()
            after[place] ^= 1
            assert np.argwhere(changed_tiles(after, before, grid)).tolist() == [[row, col]]
    assert changed_tiles(before, None, grid).all()
    assert changed_tiles(before, before[:-1], grid).all()


@pytest.mark.parametrize(
    ("before", "after", "confidence", "changed"),
    [
        ("11### 11###", "13### 11###", 0.9, [[0, 1]]),
        ("11### 11###", "13### 11###", 0.89, NONE),  # it was not sure
        ("11### 11###", "13### 13###", 1.0, [[0, 1], [1, 1]]),
        ("11### 11###", "13### 33###", 1.0, NONE),  # more than half: a new game
        ("11### 11###", "13111 11111", 1.0, [[0, 1]]),  # hidden tiles may be opened
        # kmines opens a cell first, and paints its number or its mine up to 0.1 s later.
        ("10### 11###", "13### 11###", 1.0, NONE),
        ("10### 11###", "1X### 11###", 1.0, NONE),
        ("101## 111##", "131## 111##", 1.0, [[0, 1]]),  # no cell beside it is hidden
    ],
)
def test_an_open_number_that_was_sure_never_changes(
    before: str, after: str, confidence: float, changed: list[list[int]]
) -> None:
    last = previous(picture(tiles(before)), tiles(before), confidence)
    assert np.argwhere(changed_numbers(last, tiles(after))).tolist() == changed


def obscured(after: Pixels, board: NDArray[np.int8], off: int = 0) -> list[list[int]]:
    """Return the tiles that seem covered, read with a grid ``off`` pixels beside the tiles."""
    before, after = (np.roll(pixels, (off, off), (0, 1)) for pixels in (picture(BEFORE), after))
    changed = changed_tiles(after, before, Grid(0.0, 0.0, 16.0, 16.0, *BEFORE.shape))
    return np.argwhere(obscured_tiles(previous(before, BEFORE), after, changed, board)).tolist()


def test_a_notification_is_a_cover_and_the_edge_of_an_opened_tile_is_none() -> None:
    for off in range(-2, 3):
        assert obscured(picture(OPENED), OPENED, off) == NONE
    covered = picture(BEFORE)
    covered[16:48, 32:64] = (60, 60, 60)
    four = [[1, 2], [1, 3], [2, 2], [2, 3]]
    assert obscured(covered, BEFORE) == four
    assert obscured(covered, np.where(BEFORE == 1, np.int8(Tile.MINE), BEFORE)) == NONE
    few = marked((1, 2), (1, 3), shape=BEFORE.shape)  # as the pointer may change
    last = previous(picture(BEFORE), BEFORE)
    assert not obscured_tiles(last, covered, few, BEFORE).any()
    ring = picture(BEFORE)
    for row, col in four:
        tile = ring[16 * row : 16 * row + 16, 16 * col : 16 * col + 16]
        inside = tile[4:12, 4:12].copy()
        tile[:], tile[4:12, 4:12] = 255, inside
    assert obscured(ring, BEFORE) == NONE, "only the middles of tiles count"


@pytest.mark.parametrize(("covered", "is_cover"), [(2, False), (3, True), (12, True), (13, False)])
def test_a_flash_or_an_end_changes_nearly_all_of_the_hidden_tiles(
    covered: int, is_cover: bool
) -> None:
    """There are 15 of them beside the four numbers and one flag."""
    before = BEFORE.copy()
    before[3, 4] = Tile.FLAG
    dark = np.zeros(before.shape, np.bool_)
    dark[tuple(np.argwhere(before == Tile.HIDDEN)[:covered].T)] = True
    after = picture(before)
    after[dark.repeat(16, 0).repeat(16, 1)] = 60
    last = previous(picture(before), before)
    seen = obscured_tiles(last, after, np.ones(before.shape, np.bool_), before)
    assert seen.sum() == (covered if is_cover else 0)


@pytest.mark.parametrize(("side", "before", "after"), [(16, 4, 4), (12, 3, 3), (4, 1, 2)])
def test_lines_are_gone_at_a_corner_where_nothing_but_the_ground_is_left(
    side: int, before: int, after: int
) -> None:
    """A window in the colour of hidden tiles hides their lines: so near to the corner they count.

    ``before`` and ``after`` are the pixels before and after the corner of four tiles.
    """
    board = np.full((4, 5), Tile.HIDDEN, np.int8)
    changed, four = np.ones(board.shape, np.bool_), [[1, 1], [1, 2], [2, 1], [2, 2]]
    plain = np.full((4 * side, 5 * side, 3), 90, np.uint8)
    for near, found in ((-before, four), (after - 1, four), (-before - 1, NONE), (after, NONE)):
        lined = plain.copy()
        lined[2 * side + near, 2 * side + near] = 120
        seen = obscured_tiles(previous(lined, board), plain, changed, board)
        assert np.argwhere(seen).tolist() == found, near
        assert not obscured_tiles(previous(lined, board), lined, changed, board).any()
        none = np.zeros_like(changed)
        none[0, :3] = True
        assert not obscured_tiles(previous(lined, board), plain, none, board).any()


NOISE = np.random.default_rng(0).integers(-4, 5, (12, 12)).clip(-1).astype(np.int8)


@pytest.mark.parametrize(
    ("off", "moved"),
    [((5, 0), True), ((-4, 4), True), ((0, 5), True), ((-7, 7), True), ((1, 0), False)],
)
def test_a_board_that_moved_by_less_than_half_a_tile_is_noticed(
    off: tuple[int, int], moved: bool
) -> None:
    before, grid = picture(NOISE), Grid(0.0, 0.0, 16.0, 16.0, 12, 12)
    after = np.roll(before, off, (0, 1))
    changed = np.arange(144).reshape(12, 12) <= 72
    assert has_moved(previous(before, NOISE), after, changed, grid) is moved
    fresh = np.full_like(NOISE, Tile.HIDDEN)
    assert not has_moved(previous(before, fresh), after, changed, grid)
    changed[6, 0] = False
    assert not has_moved(previous(before, NOISE), after, changed, grid), "half of them changed"


def test_a_board_that_is_dimmed_or_opened_has_not_moved() -> None:
    board = np.tile(BEFORE, (3, 3))
    before, grid = picture(board) + np.uint8(20), Grid(0.0, 0.0, 16.0, 16.0, *board.shape)
    for after in (before // 2, picture(np.zeros_like(board))):
        assert not has_moved(previous(before, board), after, np.ones(board.shape, np.bool_), grid)


def test_a_board_that_cannot_follow_the_one_before_is_refused() -> None:
    frame, grid = drawn(PLAYED)
    board, size = tiles(PLAYED), int(grid.tile_w)
    before, changed = previous(board_pixels(frame, grid), board), np.ones(board.shape, np.bool_)
    check_successor(frame, grid, before, board, changed)
    with pytest.raises(BoardCovered, match="has moved on the screen"):
        check_successor(Frame(np.roll(frame.pixels, 6, 1)), grid, before, board, changed)
    other = board.copy()
    other[2, 3] = 3
    with pytest.raises(ImpossibleBoard, match="Row 3, column 4 changed") as refused:
        check_successor(frame, grid, before, other, changed)
    assert [*refused.value.tiles] == [Cell(2, 3)]
    covered = frame.pixels.copy()
    covered[3 * size : 6 * size, size : 3 * size] = 60
    with pytest.raises(BoardCovered, match="6 hidden tiles look unlike") as over:
        check_successor(Frame(covered), grid, before, board, changed)
    assert {*over.value.tiles} == {Cell(row, col) for row in (2, 3, 4) for col in (0, 1)}


# ---- the error and its evidence ------------------------------------------------------------------

COLUMN = [(row, 2) for row in range(5)]


@pytest.mark.parametrize(
    ("cells", "kind", "says"),
    [
        ([(1, 2)], UnreadableTiles, "Row 2, column 3 cannot be read with confidence"),
        ([(1, 2), (3, 3)], UnreadableTiles, "Row 2, column 3 and 1 more tile cannot be read"),
        ([*COLUMN, (0, 4)], UnreadableTiles, "Row 1, column 3 and 5 more tiles cannot be read"),
        ([*COLUMN, (0, 3)], BoardCovered, "over the board: 6 tiles in one patch cannot be read"),
        ([*COLUMN[1:], (0, 1), (0, 0)], BoardCovered, "6 tiles in one patch"),  # by a corner
    ],
)
def test_one_patch_of_tiles_in_doubt_is_a_cover(
    cells: list[tuple[int, int]], kind: type[Unreadable], says: str
) -> None:
    error = unreadable_error(FRAME, GRID, marked(*cells), np.zeros((5, 8)))
    assert type(error) is kind
    assert says in str(error)
    assert str(error).endswith("confidence.")
    assert {*error.tiles} == {Cell(*cell) for cell in cells}
    assert (error.labels, error.rivals, error.confidence) == (None, None, None)


def test_the_error_holds_what_was_read_and_what_else_it_may_be() -> None:
    likeliest, next_likely = np.full((5, 8), 3, np.int8), np.full((5, 8), 8, np.int8)
    likeliest[1, 2], next_likely[1, 2] = Tile.FLAG, UNREAD
    doubtful, sure = marked((1, 2), (4, 7)), np.full((5, 8), 0.7)
    error = unreadable_error(FRAME, GRID, doubtful, sure, (likeliest, next_likely))
    assert str(error).endswith("with confidence: a flag or no tile of the game.")
    assert error.labels is not None
    assert error.rivals is not None
    assert np.array_equal(error.labels, np.where(doubtful, UNREAD, 3))
    assert np.array_equal(error.rivals, [likeliest, next_likely])
    assert error.confidence is sure


@pytest.mark.parametrize(
    ("shape", "cells", "few"),
    [
        ((9, 9), [], True),
        ((9, 9), [(0, 0), (5, 5)], True),
        ((9, 9), [(0, 0), (5, 5), (8, 8)], False),
        ((10, 15), [(0, 0), (5, 5), (8, 8)], True),  # two of a hundred
        ((10, 15), [(0, 0), (5, 5), (8, 8), (2, 2)], False),
        ((16, 30), [(0, col) for col in range(5)], True),
        ((16, 30), [(0, col) for col in range(6)], False),  # in one patch
    ],
)
def test_few_scattered_tiles_may_be_unknown(
    shape: tuple[int, int], cells: list[tuple[int, int]], few: bool
) -> None:
    unknown = marked(*cells, shape=shape)
    assert few_unknown(np.where(unknown, np.int8(UNREAD), np.int8(0))) is few
    assert largest_patch(unknown) == (len(cells) if len(cells) > 4 else min(1, len(cells)))


def test_tiles_are_named_and_cut_out_as_far_as_the_picture_goes() -> None:
    every = np.ones((5, 8), np.bool_)
    assert name_cells(marked((4, 0))) == "Row 5, column 1"
    assert name_cells(every) == "Row 1, column 1 and 39 more tiles"
    crops = crop_tiles(FRAME, GRID, every)
    assert [*crops] == [Cell(row, col) for row in range(5) for col in range(8)]
    assert np.array_equal(crops[Cell(4, 7)], FRAME.pixels[36:40, 54:60])
    for dx, dy, shown in (
        (0, 0, np.s_[4:12, 0:6]),
        (2, -4, np.s_[0:8, 0:8]),
        (2, -5, np.s_[0:7, 0:8]),
        (-20, 0, np.s_[4:12, 0:0]),
        (0, -20, np.s_[0:0, 0:6]),
    ):
        found = crop_tiles(FRAME, GRID.moved(dx, dy), every)[Cell(0, 0)]
        assert np.array_equal(found, FRAME.pixels[shown])
    assert [*crop_tiles(FRAME, GRID, every, limit=3)] == [Cell(0, col) for col in range(3)]
    assert len(crop_tiles(FRAME, Grid(0, 0, 4, 4, 9, 9), np.ones((9, 9), np.bool_))) == 64


def test_numbers_that_cannot_be_right_are_refused() -> None:
    board = np.zeros((5, 8), np.int8)
    check_possible(FRAME, GRID, board, marked())
    with pytest.raises(ImpossibleBoard, match=r"Row 2, column 3 cannot be right") as refused:
        check_possible(FRAME, GRID, board, marked((1, 2)))
    assert [*refused.value.tiles] == [Cell(1, 2)]
    with pytest.raises(ImpossibleBoard, match="130 numbers are open, but no tile without one"):
        check_possible(FRAME, GRID, np.ones((10, 13), np.int8), np.zeros((10, 13), np.bool_))

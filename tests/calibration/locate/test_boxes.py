"""Boards whose tiles are boxes are found by them, whatever lies between and around the boxes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.boards.ranking import has_tiles_beside
from calibration.boards.search import FINDERS
from calibration.calibration import calibrate
from calibration.errors import CalibrationError, NoGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.boxes import find_box_grids
from calibration.locate.sides import Proposal
from calibration.points import PixelBox
from calibration.reader import read
from solver.board import Cell, Tile
from tests.calibration.locate.drawing import FRESH, HALF_PLAYED, board_of, drawn

SEEN_PX = 10
"""Of a tile of 38 px, what may be hidden while the rest counts as a whole tile."""


def assert_same(found: Grid, truth: Grid) -> None:
    assert (found.rows, found.cols) == (truth.rows, truth.cols)
    assert np.abs(found.x_lines - truth.x_lines).max() < 0.05 * truth.tile_w
    assert np.abs(found.y_lines - truth.y_lines).max() < 0.05 * truth.tile_h


def photograph(shape: tuple[int, ...], block_px: int) -> NDArray[np.uint8]:
    """Noise in blocks, as in a small photograph that is scaled up without smoothing."""
    high, wide = -(-shape[0] // block_px), -(-shape[1] // block_px)
    small = np.random.default_rng(7).integers(40, 220, (high, wide, 3), np.uint8)
    large = small.repeat(block_px, axis=0).repeat(block_px, axis=1)
    return large[: shape[0], : shape[1]]


@pytest.mark.parametrize("text", [FRESH, HALF_PLAYED], ids=["fresh", "half played"])
@pytest.mark.parametrize(
    ("pitch", "share"),
    [((62, 33), (0.5, 0.94)), ((36, 60), (0.9, 0.55)), ((60, 60), 0.45), ((16, 30), (0.9, 0.5))],
    ids=["wide gaps across", "wide gaps down", "wide gaps", "small tiles"],
)
def test_tiles_with_gaps_of_any_width_are_found_and_read(
    text: str, pitch: tuple[float, float], share: float | tuple[float, float]
) -> None:
    frame, truth = drawn(text, pitch=pitch, share=share)
    found = calibrate(frame)
    assert_same(found.grid, truth)
    assert [list(row) for row in read(frame, found).board.text_rows()] == board_of(text)


def test_boxes_that_can_be_read_count_more_than_a_lattice_that_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, truth = drawn(HALF_PLAYED, pitch=(60, 60), share=0.6)
    between = Proposal(truth.moved(18, 18))
    monkeypatch.setattr("calibration.boards.search.FINDERS", [lambda _: [between], *FINDERS])
    assert_same(calibrate(frame).grid, truth)


@pytest.mark.slow
@pytest.mark.parametrize("text", [FRESH, HALF_PLAYED], ids=["fresh", "half played"])
@pytest.mark.parametrize("block_px", [5, 19, 41])
def test_a_photograph_around_a_board_is_no_part_of_it(text: str, block_px: int) -> None:
    frame, truth = drawn(text, pitch=(41, 41), share=0.95, page=(20, 20, 20))
    pixels = photograph(frame.pixels.shape, block_px)
    x0, y0, x1, y1 = truth.bounds
    pixels[y0:y1, x0:x1] = frame.pixels[y0:y1, x0:x1]
    found = calibrate(Frame(pixels))
    assert_same(found.grid, truth)
    assert [list(row) for row in read(Frame(pixels), found).board.text_rows()] == board_of(text)


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
@pytest.mark.parametrize("hidden_px", [6, 20, 33])
def test_a_board_of_which_a_row_is_partly_in_sight_is_none(side: str, hidden_px: int) -> None:
    frame, truth = drawn(FRESH, pitch=(42, 42), share=0.9)
    x0, y0, x1, y1 = truth.bounds
    box = {
        "left": PixelBox(x0 + hidden_px, y0 - 60, x1 + 60, y1 + 60),
        "top": PixelBox(x0 - 60, y0 + hidden_px, x1 + 60, y1 + 60),
        "right": PixelBox(x0 - 60, y0 - 60, x1 - hidden_px, y1 + 60),
        "bottom": PixelBox(x0 - 60, y0 - 60, x1 + 60, y1 - hidden_px),
    }[side]
    part = frame.pixels[box.y0 : box.y1, box.x0 : box.x1]
    assert find_box_grids(Frame(part)) == []
    if hidden_px < SEEN_PX:
        return  # all of the board can be clicked
    covered = np.full_like(frame.pixels, 90)
    covered[box.y0 : box.y1, box.x0 : box.x1] = part
    assert find_box_grids(Frame(covered)) == []


@pytest.mark.parametrize("text", ["#######\n" * 6, "##########\n" * 5], ids=["6x7", "5x10"])
def test_plain_boxes_of_an_unusual_number_are_no_board(text: str) -> None:
    frame, truth = drawn(text, pitch=(66, 44), share=(0.6, 0.9))
    assert_same(find_box_grids(frame)[0], truth)
    with pytest.raises(NoGrid):
        calibrate(frame)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "pitch"),
    [("#####\n" * 5, (58, 58)), (("#" * 15 + "\n") * 10, (40, 40))],
)
def test_a_fresh_board_of_an_unusual_size_is_found_if_each_cell_has_an_edge(
    text: str, pitch: tuple[int, int]
) -> None:
    frame, truth = drawn(text, pitch=pitch, share=0.6)
    assert_same(calibrate(frame).grid, truth)


def test_a_page_of_the_colour_of_the_tiles_does_not_carry_the_board_on() -> None:
    """Only a small mark on each hidden tile distinguishes it from the page."""
    frame, truth = drawn(("#" * 13 + "\n") * 11, pitch=(44, 44), share=0.9)
    x0, y0, x1, y1 = truth.bounds
    pixels = np.full_like(frame.pixels, 200)
    pixels[y0:y1, x0:x1] = np.where(frame.pixels[y0:y1, x0:x1, :1] == 120, 200, 40)
    for row, col in np.ndindex(truth.rows, truth.cols):
        middle = truth.centre(Cell(row, col))
        x, y = round(middle.x), round(middle.y)
        pixels[y - 2 : y + 2, x - 2 : x + 2] = 60
    hidden = np.full((truth.rows, truth.cols), Tile.HIDDEN, np.int8)
    assert not has_tiles_beside(Frame(pixels), truth, hidden)
    assert has_tiles_beside(Frame(pixels), truth.part(Cell(0, 0), Cell(8, 12)), hidden[:9])


@pytest.mark.slow
def test_a_calendar_is_no_board() -> None:
    frame, truth = drawn("#######\n" * 5, pitch=(66, 44), share=(0.6, 0.9))
    pixels = frame.pixels.copy()
    for day in range(1, 32):
        middle = truth.centre(Cell(*divmod(day + 1, 7)))
        at = round(middle.x) - 8, round(middle.y) + 6
        cv2.putText(pixels, str(day), at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    with pytest.raises(CalibrationError):
        calibrate(Frame(pixels))

"""Boards without lines are found because they repeat; other things that repeat are not taken."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import calibrate
from calibration.errors import CalibrationError, NoGrid, UnreadableGrid
from calibration.frame import Frame
from calibration.images import load_image
from calibration.locate.repetition import repeating_regions
from calibration.reader import read
from solver.board import Cell, Tile
from tests.calibration.desktops import desktop
from tests.calibration.drawing import FRESH, HALF_PLAYED, OPENED, drawn_apart, tiles
from tests.calibration.screens import FIXTURES

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Floats2 = tuple[float, float]

SCENES = sorted((FIXTURES / "scenes").glob("*.json"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", [FRESH, HALF_PLAYED], ids=["fresh", "half played"])
@pytest.mark.parametrize(
    ("pitch", "share", "disc"),
    [
        ((34, 34), 0.85, True),
        ((52.5, 52.5), 0.8, True),
        ((44, 44), 0.66, False),
        ((42, 33), 0.9, False),
        ((30, 38), 0.9, True),
    ],
    ids=["discs", "discs of a broken pitch", "wide gaps", "broad tiles", "tall discs"],
)
def test_a_board_without_lines_is_found_and_read(
    text: str, pitch: tuple[float, float], share: float, disc: bool
) -> None:
    frame, truth = drawn_apart(text, pitch=pitch, share=share, disc=disc)
    found = calibrate(frame)
    assert (found.grid.rows, found.grid.cols) == (truth.rows, truth.cols)
    assert np.abs(found.grid.x_lines - truth.x_lines).max() < 0.08 * pitch[0]
    assert np.abs(found.grid.y_lines - truth.y_lines).max() < 0.08 * pitch[1]
    assert (read(frame, found).board.tiles == tiles(text)).all()


@pytest.mark.parametrize("text", [FRESH, HALF_PLAYED], ids=["fresh", "half played"])
def test_the_panel_around_a_board_and_the_rules_beside_it_are_not_part_of_it(text: str) -> None:
    frame, truth = drawn_apart(text, pitch=(42, 42), share=0.66, page=(250, 250, 250))
    x0, y0, x1, y1 = truth.bounds
    around = np.ones(frame.pixels.shape[:2], np.bool_)
    around[y0 - 9 : y1 + 9, x0 - 9 : x1 + 9] = False
    pixels = frame.pixels.copy()
    pixels[around] = 255
    pixels[[y0 - 71, y0 - 29, y1 + 29, y1 + 71], 20:-20] = 221
    found = calibrate(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (truth.rows, truth.cols)
    assert (read(Frame(pixels), found).board.tiles == tiles(text)).all()


def test_a_board_that_may_go_on_with_open_tiles_is_refused() -> None:
    """Its first row is open, and open tiles look like the page: seven rows could be all."""
    text = HALF_PLAYED.replace("0001####", "00000000", 1).replace("000112##", "00000111", 1)
    frame, _ = drawn_apart(text, pitch=(42, 42), share=0.7, page=OPENED)
    with pytest.raises(UnreadableGrid, match="not clear where it ends"):
        calibrate(frame)


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("label", SCENES, ids=lambda label: label.stem)
def test_scenes_that_cannot_be_read_end_in_a_typed_error(label: Path) -> None:
    frame = load_image(label.with_suffix(".webp"))
    try:
        board = read(frame, calibrate(frame)).board
    except CalibrationError:
        return
    assert "fresh" in label.stem
    assert (board.tiles == Tile.HIDDEN).all()


def test_the_pitch_is_found_below_the_pixel() -> None:
    frame, _ = drawn_apart(FRESH, pitch=(52.5, 50.25), disc=True)
    first = repeating_regions(frame)[0]
    assert first.pitch_x == pytest.approx(52.5, abs=0.05)
    assert first.pitch_y == pytest.approx(50.25, abs=0.05)


def test_a_smooth_gradient_that_repeats_is_no_grid() -> None:
    """Its cells look alike and differ from what is around, but nothing in them has an edge."""
    wave = np.abs(np.arange(600) % 40 - 20)
    pixels = np.full((640, 700, 3), 90, np.uint8)
    pixels[20:620, 50:650] += (wave[:, None] + wave)[..., None].astype(np.uint8)
    with pytest.raises(NoGrid, match="no Minesweeper board"):
        calibrate(Frame(pixels))


@pytest.mark.parametrize("text", ["#######\n" * 6, "##########\n" * 5, "#######\n" * 5])
def test_plain_boxes_of_an_unusual_number_are_no_board(text: str) -> None:
    with pytest.raises(NoGrid):
        calibrate(drawn_apart(text, pitch=(66, 44), share=(0.6, 0.9))[0])


@pytest.mark.slow
def test_a_calendar_is_no_board() -> None:
    frame, truth = drawn_apart("#######\n" * 5, pitch=(66, 44), share=(0.6, 0.9))
    pixels = frame.pixels.copy()
    for day in range(1, 32):
        middle = truth.centre(Cell(*divmod(day + 1, 7)))
        at = round(middle.x) - 8, round(middle.y) + 6
        cv2.putText(pixels, str(day), at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    with pytest.raises(CalibrationError):
        calibrate(Frame(pixels))


@pytest.mark.slow
@pytest.mark.parametrize("block_px", [5, 41])
def test_a_photograph_around_a_board_is_no_part_of_it(block_px: int) -> None:
    """It is scaled up without smoothing, so that its pixels are blocks."""
    frame, truth = drawn_apart(HALF_PLAYED, pitch=(41, 41), share=0.95, page=(20, 20, 20))
    small = np.random.default_rng(7).integers(40, 220, (150, 200, 3), np.uint8)
    photograph = small.repeat(block_px, axis=0).repeat(block_px, axis=1)
    pixels = photograph[: frame.height, : frame.width].copy()
    x0, y0, x1, y1 = truth.bounds
    pixels[y0:y1, x0:x1] = frame.pixels[y0:y1, x0:x1]
    found = calibrate(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (truth.rows, truth.cols)
    assert (read(Frame(pixels), found).board.tiles == tiles(HALF_PLAYED)).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_desktop_without_a_board_holds_none(seed: int) -> None:
    scene = desktop("flat", 9, 9, seed=seed)
    x0, y0, x1, y1 = scene.grid.bounds
    pixels = scene.frame.pixels.copy()
    pixels[y0 - 4 : y1 + 4, x0 - 4 : x1 + 4] = (236, 236, 233)
    with pytest.raises(NoGrid):
        calibrate(Frame(pixels))

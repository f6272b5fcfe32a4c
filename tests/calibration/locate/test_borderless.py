"""Boards without lines are found because they repeat; other things that repeat are not taken."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import calibrate
from calibration.errors import CalibrationError, NoGrid
from calibration.frame import Frame
from calibration.images import load_image
from calibration.reader import read
from solver.board import Cell, Tile
from tests.calibration.drawing import HALF_PLAYED, tiles
from tests.calibration.screens import FIXTURES
from tests.calibration.sketches import drawn

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Floats2 = tuple[float, float]

SCENES = sorted((FIXTURES / "scenes").glob("*.json"))


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


def test_a_smooth_gradient_that_repeats_is_no_grid() -> None:
    """Its cells look alike and differ from what is around, but nothing in them has an edge."""
    wave = np.abs(np.arange(600) % 40 - 20)
    pixels = np.full((640, 700, 3), 90, np.uint8)
    pixels[20:620, 50:650] += (wave[:, None] + wave)[..., None].astype(np.uint8)
    with pytest.raises(NoGrid, match="no Minesweeper board"):
        calibrate(Frame(pixels))


@pytest.mark.slow
def test_a_calendar_is_no_board() -> None:
    boxes = {"tile": [66, 44], "inner": [40, 40], "page": "#f4f4f0", "between": "#f4f4f0"}
    frame, truth = drawn(["#######"] * 5, boxes)
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
    style = {"tile": [41, 41], "inner": [39, 39], "page": "#141414", "between": "#141414"}
    frame, truth = drawn(HALF_PLAYED.split(), {**style, "margin": [200, 150], "scale": 1.2})
    small = np.random.default_rng(7).integers(40, 220, (150, 200, 3), np.uint8)
    photograph = small.repeat(block_px, axis=0).repeat(block_px, axis=1)
    pixels = photograph[: frame.height, : frame.width].copy()
    x0, y0, x1, y1 = truth.bounds
    pixels[y0:y1, x0:x1] = frame.pixels[y0:y1, x0:x1]
    found = calibrate(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (truth.rows, truth.cols)
    assert (read(Frame(pixels), found).board.tiles == tiles(HALF_PLAYED)).all()

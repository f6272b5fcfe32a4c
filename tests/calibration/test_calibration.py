"""From a screenshot to a calibration: the right board and its mine total, or a typed error."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration, calibrate
from calibration.errors import BadCalibration, NoGrid, SeveralGrids, UnreadableGrid
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, PixelPoint
from calibration.indicators.counter import CounterPlace
from calibration.reader import read
from calibration.theme import Theme, builtin_themes
from solver.board import Cell
from tests.calibration.gate import changed
from tests.calibration.screens import Screen, first_beside, screen_named, with_pointer
from tests.simulated import FaultyDesktop

Pixels = NDArray[np.uint8]


def name(screen: Screen) -> str:
    return screen.name


@pytest.mark.parametrize(
    ("change", "says"),
    [("cut", "cut off"), ("bar", "not completely visible")],
)
@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_a_board_that_is_shown_in_part_is_said_to_be(side: str, change: str, says: str) -> None:
    with pytest.raises(NoGrid, match=says):
        calibrate(changed(screen_named("16x16_t27_early"), f"{change} {side} 1.5", 0))


@pytest.mark.parametrize("missing", [(0, 0, 0), (3, 0, 0), (0, 3, 0), (2, 1, 3)])
def test_a_board_in_play_that_fills_its_picture_is_read(missing: tuple[int, int, int]) -> None:
    screen, (left, right, bottom) = screen_named("google_flags"), missing
    x0, y0, x1, y1 = screen.grid.bounds
    pixels = screen.frame().pixels[y0 - 60 : y1 - bottom, x0 + left : x1 - right]
    frame = Frame(np.ascontiguousarray(pixels))
    assert read(frame, calibrate(frame)).board.text_rows() == screen.board.text_rows()


@pytest.mark.parametrize(("rows", "cols", "tile"), [(8, 10, 45), (14, 18, 30), (20, 24, 25)])
@pytest.mark.parametrize("missing", [(0, 0, 0), (3, 0, 0), (0, 3, 3), (1, 2, 3)])
def test_a_fresh_chessboard_that_fills_its_picture_is_found(
    rows: int, cols: int, tile: int, missing: tuple[int, int, int]
) -> None:
    (left, right, bottom), dark = missing, np.indices((rows, cols)).sum(axis=0) % 2 == 1
    tiles = np.where(dark[..., None], (162, 209, 73), (170, 215, 81)).astype(np.uint8)
    pixels = np.pad(tiles.repeat(tile, 0).repeat(tile, 1), ((60, 0), (0, 0), (0, 0)), "edge")
    pixels[:60] = (74, 117, 44)
    part = pixels[: len(pixels) - bottom, left : cols * tile - right]
    grid = calibrate(Frame(np.ascontiguousarray(part))).grid
    assert (grid.rows, grid.cols) == (rows, cols)
    assert abs(grid.x0 + left) < 1
    assert abs(grid.y0 - 60) < 1


@pytest.mark.slow
def test_two_boards_are_an_error_unless_one_is_chosen() -> None:
    first, second = screen_named("12x9_early"), screen_named("30x16_t20_fresh")
    frame = Frame(first_beside(first, second))
    with pytest.raises(SeveralGrids):
        calibrate(with_pointer(first, Cell(4, 5), frame))
    with pytest.raises(SeveralGrids, match="--near") as caught:
        calibrate(frame)
    assert len(caught.value.grids) == 2
    for screen in (first, second):
        corner = PixelPoint(screen.grid.x0 - 10, screen.grid.y0 - 10)
        found = calibrate(frame, near=corner).grid
        assert (found.rows, found.cols) == (screen.grid.rows, screen.grid.cols)


@pytest.mark.slow
def test_the_total_comes_from_the_person_or_the_counter() -> None:
    frame = screen_named("16x16_t27_early").frame()
    counted = calibrate(frame)
    assert (counted.mines, counted.mines_from) == (40, "counter")
    assert counted.counter is not None
    assert calibrate(frame, mines=41).mines_from == "given"
    pixels = frame.pixels.copy()
    x0, _, x1, y1 = counted.grid.bounds
    pixels[y1 + 12 :, x0 - 60 : x1 + 60] = pixels[y1 + 12, x0]
    without = calibrate(Frame(pixels))
    assert (without.mines, without.mines_from) == (None, "unknown"), "40 is usual, but not known"
    older = counted.to_toml().replace('mines_from = "counter"', 'mines_from = "size"')
    assert Calibration.from_toml(older).mines is None, "older files took the usual total for known"


def squares_with_a_line() -> Pixels:
    """Draw 17 by 3 squares, and a window's edge down the middle column, which looks like ones."""
    picture = np.full((600, 800, 3), 200, np.uint8)
    for at in range(30, 30 + 34 * 18, 34):
        picture[at : at + 2, 300:404] = 120
    for at in range(300, 300 + 34 * 4, 34):
        picture[30:610, at : at + 2] = 120
    picture[20:, 350:354] = (20, 40, 200)
    return picture


@pytest.mark.parametrize(
    "pixels",
    [
        squares_with_a_line(),
        np.zeros((600, 800, 3), np.uint8),
        np.random.default_rng(1).integers(0, 256, (600, 800, 3), dtype=np.uint8),
    ],
    ids=["line", "black", "noise"],
)
def test_pictures_without_a_board_are_refused(pixels: Pixels) -> None:
    with pytest.raises((NoGrid, UnreadableGrid)):
        calibrate(Frame(np.pad(pixels, ((60, 60), (80, 80), (0, 0)), constant_values=90)))


def test_a_grid_without_tiles_is_distinguished_from_no_grid() -> None:
    rng, pixels = np.random.default_rng(2), np.full((500, 600, 3), 245, np.uint8)
    for row, col in np.ndindex(10, 10):
        x, y = 100 + 36 * col, 60 + 36 * row
        cv2.rectangle(pixels, (x, y), (x + 36, y + 36), (120, 120, 120), 1)
        for _ in range(4):
            (a, b), (c, d) = rng.integers(5, 31, (2, 2)).tolist()
            ink = tuple(rng.integers(0, 200, 3).tolist())
            cv2.line(pixels, (x + a, y + b), (x + c, y + d), ink, 2, cv2.LINE_AA)
    with pytest.raises(NoGrid, match=r"a grid of 10×10 near .* its tiles cannot be read"):
        calibrate(Frame(pixels))


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["classic", "flat", "checkerboard"])
def test_a_desktop_whose_board_is_minimised_holds_none(skin: str) -> None:
    desktop = FaultyDesktop(rows=9, cols=9, mines=10, skin=skin)
    assert calibrate(desktop.grab()).grid.rows == 9
    desktop.minimise()
    with pytest.raises(NoGrid):
        calibrate(desktop.grab())


def sample() -> Calibration:
    return Calibration(
        Grid(10.25, 20.5, 30.125, 30.0, 9, 12, 0.75, tuple(np.linspace(0.0, 0.5, 13).tolist())),
        builtin_themes()[0],
        10,
        "counter",
        CounterPlace("text", PixelBox(-10, 280, 40, 295)),
    )


def test_a_calibration_is_saved_and_loaded_again(tmp_path: Path) -> None:
    for calibration in (sample(), Calibration(Grid(0, 0, 16, 16, 9, 9), Theme("learned", ()))):
        calibration.save(tmp_path / "c.toml", replace=True)
        assert Calibration.load(tmp_path / "c.toml") == calibration


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows = 9", "rows = 0"),
        ("rows = 9", 'rows = "many"'),
        ("x0 = 10.25", "x0 = nan"),
        ("[grid]", "[gird]"),
        ("[theme]", "[them]"),
        ("tile_w = 30.125", "tile_w = -3.0"),
        ("mines = 10", "mines = []"),
        ("mines = 10", "mines = inf"),
        ("rows = 9", "rows = inf"),
        ("rows = 9", "rows = 999999999"),
        ("tile_w = 30.125", "tile_w = 1e-300"),
        ("tile_w = 30.125", "tile_w = 2.9"),
    ],
)
def test_a_garbled_calibration_is_refused_in_a_sentence(tmp_path: Path, old: str, new: str) -> None:
    text = sample().to_toml()
    assert old in text
    (tmp_path / "c.toml").write_text(text.replace(old, new))
    with pytest.raises(BadCalibration, match=r"c\.toml cannot be read as a saved calibration: "):
        Calibration.load(tmp_path / "c.toml")


def test_what_is_no_calibration_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe not TOML")
    with pytest.raises(BadCalibration):
        Calibration.load(tmp_path / "c.toml")
    with pytest.raises(BadCalibration, match=r"none\.toml cannot be read: No such file"):
        Calibration.load(tmp_path / "none.toml")
    with pytest.raises(BadCalibration):
        sample().save(tmp_path / "c.toml" / "c.toml")

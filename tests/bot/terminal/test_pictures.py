"""Overlays do not change their frame and draw everything at the right place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.terminal.pictures import (
    Picture,
    draw_candidates,
    draw_heatmap,
    draw_reading,
    draw_refusal,
    draw_values,
    save_picture,
    text_width,
)
from calibration.calibration import calibrate
from calibration.errors import BadImage, SeveralGrids, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.images import load_image
from solver.agents.base import Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.proof import Proof
from tests.simulated import FaultyDesktop

BOARD = Board.from_text(
    """
    1#
    1#
    """,
    mines=1,
)

GRID = Grid(100.0, 80.0, 40.0, 40.0, 2, 2)


@pytest.fixture
def frame() -> Frame:
    return Frame(np.full((240, 320, 3), 200, dtype=np.uint8))


LEFT, TOP = text_width("2", 12) + 12, 24
"""Width and height of the labels of rows and columns, at 40 px a tile."""


def without_labels(picture: Picture) -> Picture:
    """Cut the labels of rows and columns off."""
    return picture[TOP:, LEFT:]


def cell_of(picture: Picture, row: int, col: int) -> NDArray[np.int_]:
    """Cut a cell out of a heat map: 0.6 tiles of margin, no enlargement at 40 px."""
    picture = without_labels(picture)
    y, x = 24 + 40 * row, 24 + 40 * col
    return picture[y : y + 40, x : x + 40].astype(int)


def test_the_heat_map_is_greener_where_it_is_safer(frame: Frame) -> None:
    board = Board.from_text("1##\n1##", mines=2)
    analysis = analyse(board)
    picture = draw_heatmap(frame, Grid(100.0, 80.0, 40.0, 40.0, 2, 3), analysis)
    for row, col in ((0, 1), (0, 2)):
        cell = cell_of(picture, row, col)[2:38, 2:38].reshape(-1, 3)
        red, green = np.median(cell[:, 0]), np.median(cell[:, 1])
        risk = analysis.probabilities[row, col]
        assert (red > green) == (risk > 0.4)
    assert (frame.pixels == 200).all()


def test_the_move_carries_a_ring_and_the_reason_stands_below(frame: Frame) -> None:
    decision = Decision((Move(Cell(0, 1)),), "why not", 0.5)
    plain = draw_heatmap(frame, GRID, analyse(BOARD))
    marked = draw_heatmap(frame, GRID, analyse(BOARD), decision)
    assert marked.shape[0] > plain.shape[0]
    marked, plain = without_labels(marked)[:128, :128], without_labels(plain)[:128, :128]
    changed = np.argwhere((marked != plain).any(axis=2))
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    assert 22 <= top <= bottom <= 66
    assert 62 <= left <= right <= 106


def shifted_grid_and_frame() -> tuple[Grid, Frame]:
    """A 2x3 board whose inner lines are shifted, with its lines drawn in black where they are."""
    grid = Grid(
        100.0, 80.0, 40.0, 40.0, 2, 3, x_shifts=(0.0, 1.0, 4.0, 4.0), y_shifts=(0.0, -3.0, 0.0)
    )
    pixels = np.full((240, 320, 3), 200, dtype=np.uint8)
    pixels[80:161, [100, 141, 184, 224]] = 0
    pixels[[80, 117, 160], 100:225] = 0
    return grid, Frame(pixels)


def test_shifted_lines_are_drawn_where_the_grid_has_them() -> None:
    grid, frame = shifted_grid_and_frame()
    picture = without_labels(draw_reading(frame, grid, Board.from_text("###\n###", mines=1)))
    margin = 60
    window = picture[: frame.height - 80 + margin, : frame.width - 100 + margin]
    coloured = (window == (0, 200, 255)).all(axis=2)
    drawn_rows = np.flatnonzero(coloured.sum(axis=1) > 100)
    drawn_cols = np.flatnonzero(coloured.sum(axis=0) > 60)
    assert (drawn_cols - margin + 100).tolist() == [100, 141, 184, 224]
    assert (drawn_rows - margin + 80).tolist() == [80, 117, 160]
    assert not (window == 0).all(axis=2).any(), "every black line is covered by a drawn one"


def test_values_are_red_where_they_are_best_and_open_cells_stay(frame: Frame) -> None:
    values = np.array([[np.nan, 0.9], [np.nan, -0.4]])
    picture = draw_values(frame, GRID, values)
    best, least, shown = (
        cell_of(picture, *cell)[4:12, 4:12].mean((0, 1)) for cell in ((0, 1), (1, 1), (0, 0))
    )
    assert best[0] > 2 * best[1]
    assert least.max() < 80
    assert (shown == 200).all()


def test_the_heat_map_tints_cells_between_shifted_lines() -> None:
    grid, frame = shifted_grid_and_frame()
    board = Board.from_text("###\n###", mines=2)
    picture = without_labels(draw_heatmap(frame, grid, analyse(board)))[:120, :168]
    margin = round(0.6 * 40)
    tinted = (picture != 200).any(axis=2) & (picture != 0).any(axis=2)
    # A tint ends one pixel before each line and starts one pixel after it. No text lies 5 px below
    # the top line and 5 px right of the left one.
    edges = np.flatnonzero(np.diff(tinted[margin + 5].astype(int))) + 1 - margin + 100
    assert edges.tolist() == [101, 140, 142, 183, 185, 223]
    edges = np.flatnonzero(np.diff(tinted[:, margin + 5].astype(int))) + 1 - margin + 80
    assert edges.tolist() == [81, 116, 118, 159]


def test_labels_are_green_where_the_reading_is_confident_and_pink_where_it_is_not(
    frame: Frame,
) -> None:
    confidence = np.array([[1.0, 1.0], [0.0, 1.0]])
    picture = without_labels(draw_reading(frame, GRID, BOARD, confidence=confidence))
    confident, doubtful = picture[60 + 3, 60 + 3], picture[60 + 40 + 3, 60 + 3]
    assert confident.tolist() == [20, 170, 60]
    assert doubtful.tolist() == [230, 30, 140]


def test_candidates_keep_the_screen_and_number_the_grids(frame: Frame) -> None:
    picture = draw_candidates(frame, [GRID], "two boards")
    assert picture.shape[1] == 320
    assert (picture[90:150, 110:170] == 200).all(), "a candidate keeps its brightness"
    assert picture[200, 300, 0] < 200, "the rest is darker"


def test_flags_stay_visible_and_far_cells_are_quiet(frame: Frame) -> None:
    board = Board.from_text("F1#\n###", mines=1)
    analysis = analyse(board)
    grid = Grid(100.0, 80.0, 40.0, 40.0, 2, 3)
    picture = draw_heatmap(frame, grid, analysis, board=board)
    assert (cell_of(picture, 0, 0)[16:32, 4:36] == 200).all()
    far = Board.from_text("1####\n#####", mines=3)
    grid = Grid(100.0, 80.0, 40.0, 40.0, 2, 5)
    picture = draw_heatmap(frame, grid, analyse(far), board=far)
    quiet, loud = cell_of(picture, 0, 4), cell_of(picture, 0, 1)
    assert np.abs(quiet - 200).max() < np.abs(loud - 200).max()
    assert (quiet[4:36, 4:36] == quiet[20, 20]).all(), "no figure stands on a far cell"


def test_the_numbers_of_a_proof_are_outlined(frame: Frame) -> None:
    board = Board.from_text("1#\n1#", mines=1)
    proof = Proof(Cell(0, 1), True, (Cell(0, 0),))
    picture = draw_heatmap(frame, GRID, analyse(board), board=board, proof=proof)
    assert cell_of(picture, 0, 0)[3, 20].tolist() == [240, 190, 0]
    assert cell_of(picture, 0, 1)[3, 20].tolist() == [200, 0, 200]


@pytest.mark.parametrize("scale", [1, 2, 4])
def test_captions_grow_with_the_picture_and_stay_within_it(scale: int) -> None:
    pixels = np.full((240 * scale, 320 * scale, 3), 200, np.uint8)
    side = 40.0 * scale
    grid = Grid(60.0 * scale, 60.0 * scale, side, side, 2, 2)
    decision = Decision((Move(Cell(0, 1)),), "a reason of many words " * 4, 0.5)
    heat = draw_heatmap(Frame(pixels), grid, analyse(BOARD), decision, board=BOARD)
    assert heat.shape[1] < 240 * scale
    below = heat[-round(0.3 * side * 1.5) :]
    assert below.min() < 60, "the last line of the caption has letters"
    assert (heat[:, -2:] >= 200).all(), "nothing is cut off at the right"


def test_a_refused_picture_shows_the_boards_to_choose_from(frame: Frame) -> None:
    picture = draw_refusal(frame, SeveralGrids("two boards", (GRID,)))
    assert (picture[110:150, 110:170] == 200).all()


def test_a_refused_picture_outlines_doubtful_tiles_and_says_what_they_may_be() -> None:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    frame = desk.grab()
    grid = calibrate(frame).grid
    x0, y0, x1, y1 = grid.box(Cell(2, 2))
    pixels = frame.pixels.copy()
    pixels[y0 + 4 : y1 - 4, x0 + 4 : x1 - 4 : 2] = (0, 90, 160)
    error = UnreadableTiles("One tile cannot be read.", {Cell(2, 2): pixels[y0:y1, x0:x1]})
    picture = draw_refusal(Frame(pixels), error, grid)
    pink = (picture == (230, 30, 140)).all(axis=2)
    assert pink[: picture.shape[0] // 2].any()
    only = draw_refusal(Frame(pixels), UnreadableTiles("One tile cannot be read.", {}), grid)
    assert picture.shape[0] > only.shape[0], "what it may be stands below"


def test_a_picture_is_saved_with_its_folder(frame: Frame, tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.png"
    picture = draw_reading(frame, GRID, BOARD)
    save_picture(picture, path)
    assert np.array_equal(load_image(path).pixels, picture)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadImage, match="cannot be written"):
        save_picture(draw_reading(frame, GRID, BOARD), tmp_path / "file" / "a.png")

"""Overlays do not change their frame and draw everything at the right place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bot.terminal.pictures import (
    Picture,
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
from tests.bot.conftest import KEPT, half_played

BOARD = Board.from_text("1#\n1#", mines=1)
FLAGGED = Board.from_text("F1#\n###", mines=1)
FAR = Board.from_text("1####\n#####", mines=3)
GRID = Grid(100.0, 80.0, 40.0, 40.0, 2, 2)
PROOF = Proof(Cell(0, 1), True, (Cell(0, 0),))
MOVE = Decision((Move(Cell(0, 1)),), "why not", 0.5)


def plain_frame() -> Frame:
    return Frame(np.full((240, 320, 3), 200, dtype=np.uint8))


def grid_of(board: Board) -> Grid:
    return Grid(100.0, 80.0, 40.0, 40.0, *board.tiles.shape)


def heat(board: Board, **more: object) -> Picture:
    return draw_heatmap(plain_frame(), grid_of(board), analyse(board), board=board, **more)  # type: ignore[arg-type]


DRAWN = {
    "risks": lambda: heat(Board.from_text("1##\n1##", mines=2)),
    "move": lambda: heat(BOARD, decision=MOVE),
    "proof": lambda: heat(BOARD, proof=PROOF),
    "flags": lambda: heat(FLAGGED),
    "far-cells": lambda: heat(FAR),
    "values": lambda: draw_values(plain_frame(), GRID, np.array([[np.nan, 0.9], [np.nan, -0.4]])),
    "reading": lambda: draw_reading(
        plain_frame(), GRID, BOARD, confidence=np.array([[1.0, 1.0], [0.0, 1.0]])
    ),
    "several-boards": lambda: draw_refusal(plain_frame(), SeveralGrids("two boards", (GRID,))),
}
MOST_CHANGED = 0.003
"""The share of pixels that may differ: another OpenCV rounds the edges of letters otherwise."""


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_looks_as_it_did(name: str, request: pytest.FixtureRequest) -> None:
    """Look at the pictures of ``kept/pictures`` after ``pytest tests/bot --update``."""
    picture, file = DRAWN[name](), KEPT / "pictures" / f"{name}.png"
    if request.config.getoption("--update"):
        save_picture(picture, file, replace=True)
    kept = load_image(file).pixels
    assert picture.shape == kept.shape
    differ = np.abs(picture.astype(int) - kept).max(axis=2) > 24
    assert differ.mean() <= MOST_CHANGED


def test_the_frame_and_what_is_open_or_flagged_stay_as_they_are() -> None:
    frame = plain_frame()
    picture = draw_heatmap(frame, GRID, analyse(BOARD), MOVE, board=BOARD)
    assert (frame.pixels == 200).all()
    assert (cell_of(picture, 0, 0)[2:38, 2:38] == 200).all()
    assert (cell_of(heat(FLAGGED), 0, 0)[16:32, 4:36] == 200).all()
    far = cell_of(heat(FAR), 0, 4)
    assert (far[4:36, 4:36] == far[20, 20]).all(), "no figure stands on a far cell"


LEFT, TOP = text_width("2", 12) + 12, 24
"""Width and height of the labels of rows and columns, at 40 px a tile."""


def without_labels(picture: Picture) -> Picture:
    """Cut the labels of rows and columns off."""
    return picture[TOP:, LEFT:]


def cell_of(picture: Picture, row: int, col: int) -> Picture:
    """Cut a cell out of a heat map: 0.6 tiles of margin, no enlargement at 40 px."""
    y, x = 24 + 40 * row, 24 + 40 * col
    return without_labels(picture)[y : y + 40, x : x + 40]


def test_cells_and_lines_are_drawn_where_a_shifted_grid_has_them() -> None:
    grid = Grid(100, 80, 40, 40, 2, 3, x_shifts=(0.0, 1.0, 4.0, 4.0), y_shifts=(0.0, -3.0, 0.0))
    pixels = np.full((240, 320, 3), 200, dtype=np.uint8)
    pixels[80:161, [100, 141, 184, 224]] = 0
    pixels[[80, 117, 160], 100:225] = 0
    board = Board.from_text("###\n###", mines=2)
    margin = 60
    picture = without_labels(draw_reading(Frame(pixels), grid, board))
    window = picture[: 240 - 80 + margin, : 320 - 100 + margin]
    coloured = (window == (0, 200, 255)).all(axis=2)
    rows, cols = (np.flatnonzero(coloured.sum(axis=axis) > 60) - margin for axis in (1, 0))
    assert [(cols + 100).tolist(), (rows + 80).tolist()] == [[100, 141, 184, 224], [80, 117, 160]]
    assert not (window == 0).all(axis=2).any(), "every black line is covered by a drawn one"
    # A tint ends one pixel before each line and starts one pixel after it. No text lies 5 px below
    # the top line and 5 px right of the left one.
    margin = round(0.6 * 40)
    picture = without_labels(draw_heatmap(Frame(pixels), grid, analyse(board)))[:120, :168]
    tinted = (picture != 200).any(axis=2) & (picture != 0).any(axis=2)
    edges = np.flatnonzero(np.diff(tinted[margin + 5].astype(int))) + 1 - margin + 100
    assert edges.tolist() == [101, 140, 142, 183, 185, 223]
    edges = np.flatnonzero(np.diff(tinted[:, margin + 5].astype(int))) + 1 - margin + 80
    assert edges.tolist() == [81, 116, 118, 159]


@pytest.mark.parametrize("scale", [1, 2, 4])
def test_captions_grow_with_the_picture_and_stay_within_it(scale: int) -> None:
    frame = Frame(np.full((240 * scale, 320 * scale, 3), 200, np.uint8))
    side = 40.0 * scale
    grid = Grid(60.0 * scale, 60.0 * scale, side, side, 2, 2)
    decision = Decision((Move(Cell(0, 1)),), "a reason of many words " * 4, 0.5)
    drawn = draw_heatmap(frame, grid, analyse(BOARD), decision, board=BOARD)
    assert drawn.shape[1] < 240 * scale
    below = drawn[-round(0.3 * side * 1.5) :]
    assert below.min() < 60, "the last line of the caption has letters"
    assert (drawn[:, -2:] >= 200).all(), "nothing is cut off at the right"


def test_a_refused_picture_outlines_doubtful_tiles_and_says_what_they_may_be() -> None:
    frame = half_played().grab()
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


def test_a_picture_is_saved_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.png"
    picture = draw_reading(plain_frame(), GRID, BOARD)
    save_picture(picture, path)
    assert np.array_equal(load_image(path).pixels, picture)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadImage, match="cannot be written"):
        save_picture(picture, tmp_path / "file" / "a.png")

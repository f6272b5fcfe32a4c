"""Overlays leave their frame alone and show at the right place what they are told."""

import numpy as np
import pytest

from calibration.errors import BadImage
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.overlay import draw_candidates, draw_heatmap, draw_reading, save_picture
from calibration.pictures import load_image
from solver.agents.base import Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell

BOARD = Board.from_text(
    """
    1#
    1#
    """,
    mines=1,
)
GRID = Grid(100.0, 80.0, 40.0, 40.0, 2, 2)


@pytest.fixture
def frame():
    return Frame(np.full((240, 320, 3), 200, dtype=np.uint8))


def cell_of(picture, row, col):
    """Cut a cell out of a heat map: 0.6 tiles of margin, no enlargement at 40 px."""
    y, x = 24 + 40 * row, 24 + 40 * col
    return picture[y : y + 40, x : x + 40].astype(int)


def test_the_heat_map_is_greener_where_it_is_safer(frame):
    board = Board.from_text("1##\n1##", mines=2)
    analysis = analyse(board)
    picture = draw_heatmap(frame, Grid(100.0, 80.0, 40.0, 40.0, 2, 3), analysis)
    for row, col in ((0, 1), (0, 2)):
        cell = cell_of(picture, row, col)[2:38, 2:38].reshape(-1, 3)
        red, green = np.median(cell[:, 0]), np.median(cell[:, 1])
        risk = analysis.probabilities[row, col]
        assert (red > green) == (risk > 0.4)
    assert (frame.pixels == 200).all()


def test_the_move_carries_a_ring_and_the_reason_stands_below(frame):
    decision = Decision((Move(Cell(0, 1)),), "why not", 0.5)
    plain = draw_heatmap(frame, GRID, analyse(BOARD))
    marked = draw_heatmap(frame, GRID, analyse(BOARD), decision)
    assert marked.shape[0] > plain.shape[0]
    changed = np.argwhere((marked[: plain.shape[0], : plain.shape[1]] != plain).any(axis=2))
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    assert 22 <= top <= bottom <= 66
    assert 62 <= left <= right <= 106


def test_doubtful_tiles_are_framed(frame):
    plain = draw_reading(frame, GRID, BOARD)
    marked = draw_reading(frame, GRID, BOARD, doubtful=[Cell(1, 1)])
    assert plain.shape == marked.shape
    changed = np.argwhere((plain != marked).any(axis=2))
    assert (changed.min(axis=0) >= 60 + 40).all()


def test_candidates_keep_the_screen_and_number_the_grids(frame):
    picture = draw_candidates(frame, [GRID], "two boards")
    assert picture.shape[1] == 320
    assert (picture[90:150, 110:170] == 200).all(), "a candidate stands in full light"
    assert picture[200, 300, 0] < 200, "the rest is dimmed"


def test_a_picture_is_saved_with_its_folder(frame, tmp_path):
    path = tmp_path / "new" / "a.png"
    picture = draw_reading(frame, GRID, BOARD)
    save_picture(picture, path)
    assert np.array_equal(load_image(path).pixels, picture)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadImage, match="cannot be written"):
        save_picture(draw_reading(frame, GRID, BOARD), tmp_path / "file" / "a.png")

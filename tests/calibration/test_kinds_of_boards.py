"""Kinds of boards that players publish pictures of, drawn for the test."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from bot.desktop.ports import Button
from calibration.calibration import calibrate
from calibration.frame import Frame
from calibration.reader import Reader
from solver.board import Board, Cell, Tile, count_neighbours
from tests.calibration.drawing import PLAYED, drawn
from tests.calibration.reading import desktop, frames_of
from tests.calibration.screens import screen_named

COVERED = (150, 170, 190)


def read_rows(frame: Frame) -> list[str]:
    return Reader(calibrate(frame)).read_in_part(frame).board.text_rows()


@pytest.mark.parametrize("axis", [0, 1])
def test_hidden_tiles_that_shade_from_one_side_of_the_board_to_the_other(axis: int) -> None:
    frame, _ = drawn(PLAYED, covered=COVERED)
    plain = (frame.pixels == COVERED).all(axis=2)
    shade = np.linspace(0, 90, frame.pixels.shape[axis])
    shade = shade[:, None, None] if axis == 0 else shade[None, :, None]
    shaded = np.where(plain[..., None], frame.pixels - shade * (1, 1, 0.3), frame.pixels)
    shown = np.array([list(row) for row in read_rows(Frame(shaded.astype(np.uint8)))])
    unlike = shown[shown != np.array([list(row) for row in PLAYED.split()])]
    assert len(unlike) <= 2, "a tile at the end of the shading may look like a mark"
    assert (unlike == "~").all()


def test_flags_before_the_first_click() -> None:
    desk = desktop("classic", tile_px=24)
    reader = frames_of(desk)
    for cell in (Cell(0, 0), Cell(2, 5), Cell(4, 1), Cell(6, 7), Cell(8, 3)):
        desk.click(desk.cell_point(cell), Button.RIGHT)
    desk.clock.sleep(1)
    read = reader.read_in_part(desk.grab()).board
    assert read.text_rows() == Board(desk.truth_tiles()).text_rows()


@pytest.mark.parametrize("quality", [50, 75])
@pytest.mark.parametrize("name", ["wm_beg_mid", "gm_bgc_int_mid"])
def test_the_noise_of_a_jpeg(name: str, quality: int) -> None:
    screen = screen_named(name)
    pixels = cv2.cvtColor(screen.frame().pixels, cv2.COLOR_RGB2BGR)
    _, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    unpacked = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert unpacked is not None
    noisy = np.asarray(cv2.cvtColor(unpacked, cv2.COLOR_BGR2RGB), np.uint8)
    read = Reader(calibrate(Frame(noisy))).read_in_part(Frame(noisy)).board
    assert ((read.tiles == screen.board.tiles) | read.unknown).all()


def buttons(board: Board, side: int = 26) -> Frame:
    """Draw raised buttons for hidden tiles and numbers alike; zeros are flat."""
    pixels = np.full(((board.rows + 4) * side, (board.cols + 4) * side, 3), 220, np.uint8)
    corner = ((board.cols + 2) * side, (board.rows + 2) * side)
    cv2.rectangle(pixels, (2 * side - 2, 2 * side - 2), corner, (60, 60, 60))
    for cell in board.cells():
        x, y = (cell.col + 2) * side, (cell.row + 2) * side
        if board[cell] == 0:
            continue
        cv2.rectangle(pixels, (x, y), (x + side - 1, y + side - 1), (250, 250, 250))
        end = (x + side - 1, y + side - 1)
        cv2.line(pixels, (x, end[1]), end, (90, 90, 90), 2)
        cv2.line(pixels, (end[0], y), end, (90, 90, 90), 2)
        if board[cell] > 0:
            place = (x + side // 3, y + 3 * side // 4)
            cv2.putText(
                pixels, str(board[cell]), place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, 16
            )
    return Frame(pixels)


def test_the_reading_counts_that_some_layout_of_mines_fits() -> None:
    """Zeros are flat and hidden tiles raised: exchanged, no number has mines enough around it."""
    mines = np.zeros((9, 9), np.bool_)
    mines[[0, 1, 2, 4, 6, 7, 8], [2, 7, 6, 8, 7, 8, 1]] = True
    numbers = count_neighbours(mines)
    reached = np.zeros_like(mines)
    reached[4, 4] = True
    for _ in range(20):
        reached |= (count_neighbours(reached & (numbers == 0)) > 0) & ~mines
    board = Board(np.where(reached, numbers, Tile.HIDDEN))
    assert read_rows(buttons(board)) == board.text_rows()

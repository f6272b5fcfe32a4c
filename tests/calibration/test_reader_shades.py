"""Tiles that change their shade, under the pointer or after a loss, did not explode."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from bot.simulated import SKINS
from calibration.calibration import Calibration
from calibration.classify.recognise import recognise
from calibration.errors import Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.game import Status
from tests.calibration.reading import Frames, desktop, frames_of, opened, painted
from tests.calibration.screens import screen_named


def shaded(frame: Frame, grid: Grid, cell: Cell, step: int) -> Frame:
    """Make one tile lighter or darker by ``step``, as programs do under the pointer."""
    box = grid.box(cell)
    tile = frame.pixels[box.y0 : box.y1, box.x0 : box.x1].astype(np.int16) + step
    return painted(frame, box, np.clip(tile, 0, 255).astype(np.uint8))


def hidden_beside_numbers(board: Board) -> Cell:
    """Return a hidden cell, one beside a number if there is any."""
    cells = [cell for cell in board.cells() if board[cell] == Tile.HIDDEN]
    return max(cells, key=lambda cell: any(board[near] > 0 for near in board.neighbours(cell)))


def assert_lives(reader: Frames, frame: Frame, grid: Grid, step: int) -> None:
    """Assert that a shaded tile is not taken for an exploded one."""
    board = reader.read(frame).board
    cell = hidden_beside_numbers(board)
    with contextlib.suppress(Unreadable):
        reading = reader.read(shaded(frame, grid, cell, step))
        assert reading.board == board
        assert reading.status is Status.PLAYING


@pytest.mark.sampled(8)
@pytest.mark.parametrize("skin", SKINS)
@pytest.mark.parametrize("clicked", [False, True])
@pytest.mark.parametrize("step", [-35, 20, 35])
def test_a_tile_that_changes_its_shade_did_not_explode(skin: str, clicked: bool, step: int) -> None:
    desk = desktop(skin)
    reader = frames_of(desk)
    reader.read(desk.grab())
    assert_lives(reader, opened(desk) if clicked else desk.grab(), desk.truth_grid(), step)


@pytest.mark.parametrize("step", [-25, 25])
@pytest.mark.parametrize(
    "name", ["gm_bgc_exp_fresh", "gm_bgc_int_mid", "medium_classic_fresh", "medium_classic_mid"]
)
def test_a_tile_of_a_known_program_under_the_pointer_did_not_explode(name: str, step: int) -> None:
    screen = screen_named(name)
    frame = screen.frame()
    known = Calibration(screen.grid, recognise(frame, screen.grid).theme)
    assert_lives(Frames(known), frame, screen.grid, step)


def test_a_lost_board_may_darken_all_tiles_that_stay_hidden() -> None:
    desk = desktop("flat")
    reader, truth = frames_of(desk), desk.truth_grid()
    reader.read(desk.grab())
    board = reader.read(opened(desk)).board
    mine = analyse(board).mines[0]
    lost = opened(desk, *mine)
    over = desk.game.board
    hidden = [cell for cell in over.cells() if over[cell] == Tile.HIDDEN]
    assert hidden
    for cell in hidden:
        lost = shaded(lost, truth, cell, -50)
    reading = reader.read(lost)
    assert reading.status is Status.LOST
    assert reading.board == over

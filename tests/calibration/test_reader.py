"""The reader from frame to frame: what it keeps, what it learns, what it refuses."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bot.simulated import SKINS
from calibration.calibration import Calibration, calibrate
from calibration.classify.recognise import recognise
from calibration.errors import (
    BoardCovered,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
)
from calibration.frame import Frame
from calibration.grid import PixelBox
from calibration.images import load_image
from calibration.reader import read
from solver.board import Cell, Tile
from solver.game import Status
from tests.calibration.drawing import NO_THEME, PLAYED, TILE_PX, drawn
from tests.calibration.reading import Frames, desktop, frames_of, opened, painted
from tests.calibration.screens import FIXTURES, labelled, screen_named, with_pointer


def noise_in(box: PixelBox) -> NDArray[np.uint8]:
    shape = box.y1 - box.y0, box.x1 - box.x0, 3
    return np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)


def test_a_memory_of_before_may_be_used_again() -> None:
    """Nothing in it changes, whatever is read with it: the same is read, and remembered."""
    desk = desktop("flat")
    reader, fresh, frame = frames_of(desk).reader, desk.grab(), opened(desk)
    first = reader.read(fresh).memory
    second = reader.read(frame, first)
    assert desk.game.mines is not None
    reader.read(opened(desk, *np.argwhere(~desk.game.mines)[0].tolist()), second.memory)
    covered = painted(frame, box := desk.truth_grid().bounds, noise_in(box))
    assert isinstance(reader.read(covered, first).result, Unreadable)
    again = reader.read(frame, first)
    assert again.reading.board == second.reading.board
    assert (again.reading.tile_confidence == second.reading.tile_confidence).all()
    assert first.labelled is not None
    assert (first.labelled.tiles == Tile.HIDDEN).all()
    assert first.trouble is second.memory.trouble is None
    assert first.fresh is not None
    assert again.memory.fresh is first.fresh


def test_an_unreadable_board_gives_the_same_error_until_it_changes() -> None:
    desk = desktop("flat")
    reader, frame = frames_of(desk).reader, opened(desk)
    before = reader.read(frame).memory
    covered = painted(frame, box := desk.truth_grid().bounds, noise_in(box))
    problem, memory = reader.read(covered, before)
    assert isinstance(problem, Unreadable)
    assert reader.read(covered, memory).result is problem
    assert memory.previous is before.previous
    assert reader.read(frame, memory).reading.board == reader.read(frame, before).reading.board


def test_what_cannot_follow_a_frame_is_noticed() -> None:
    desk = desktop("flat")
    reader, fresh, frame = frames_of(desk), desk.grab(), opened(desk)
    tiles, grid = reader.read(frame).board.tiles, desk.truth_grid()
    first, last = grid.box(Cell(2, 2)), grid.box(Cell(6, 6))
    box = first._replace(x0=first.x0 + 5, y0=first.y0 + 5, x1=last.x1 - 5, y1=last.y1 - 5)
    with pytest.raises(BoardCovered) as caught:
        reader.read(painted(frame, box, noise_in(box)))
    assert caught.value.tiles
    one, two = (grid.box(Cell(*np.argwhere(tiles == number)[0].tolist())) for number in (1, 2))
    with pytest.raises(ImpossibleBoard):  # an open number never changes
        reader.read(painted(frame, two, frame.pixels[one.y0 : one.y1, one.x0 : one.x1]))
    assert (reader.read(fresh).board.tiles == Tile.HIDDEN).all(), "a new game may cover all"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", SKINS)
def test_nothing_wrong_is_learned_from_a_half_painted_window(skin: str) -> None:
    desk = desktop(skin)
    fresh = desk.grab()
    opened(desk)
    whole = desk.grab()
    tiles, grid = desk.truth_tiles(), desk.truth_grid()
    zeros = [Cell(int(row), int(col)) for row, col in np.argwhere(tiles == 0)]
    pixels = fresh.pixels.copy()
    for box in (grid.box(cell) for cell in zeros):
        pixels[box.y0 : box.y1, box.x0 : box.x1] = whole.pixels[box.y0 : box.y1, box.x0 : box.x1]
    reader = frames_of(desk)
    for frame in (fresh, Frame(pixels)):
        with contextlib.suppress(Unreadable):
            reader.read(frame)
    assert np.array_equal(reader.read(whole).board.tiles, tiles)


def test_tiles_of_a_known_program_below_another_smiley_do_not_show_a_win() -> None:
    """Xdemineur wants all mines flagged first; a page with its tiles may not."""
    early, won = (
        next(one for one in labelled(FIXTURES) if one.program == "xdemineur" and one.name == name)
        for name in ("12x9_early", "12x9_won")
    )
    pixels = early.frame().pixels.copy()
    box = early.grid.box(early.board.hidden_cells()[0])
    hidden = pixels[box.y0 : box.y1, box.x0 : box.x1].copy()
    (x0, y0, x1, y1), (x, y, right, bottom) = early.grid.bounds, won.grid.bounds
    pixels[y0:y1, x0:x1] = won.frame().pixels[y:bottom, x:right]
    for row, col in np.argwhere(won.board.tiles == Tile.FLAG).tolist():
        box = early.grid.box(Cell(row, col))
        size = box.x1 - box.x0, box.y1 - box.y0
        pixels[box.y0 : box.y1, box.x0 : box.x1] = cv2.resize(hidden, size)
    calibration = Calibration(early.grid, recognise(early.frame(), early.grid).theme)
    assert read(Frame(pixels), calibration).status is Status.PLAYING
    middle = (x0 + x1) // 2
    pixels[y0 - 60 : y0 - 4, middle - 30 : middle + 30] = pixels[y0 - 8, middle - 30]
    with pytest.raises(StatusUnclear, match="smiley above them"):
        read(Frame(pixels), calibration)


def test_the_reported_tiles_are_those_that_a_dialog_covers() -> None:
    """Without the earlier frames, another 16 tiles would be in doubt."""
    frame = load_image(FIXTURES / "gnome-mines" / "gm_bgc_int_mid.webp")
    calibration = calibrate(frame)
    reader, bounds = Frames(calibration), calibration.grid.bounds
    reader.read(frame)
    covered = frame.pixels.copy()
    left = round(bounds.x1 - 2.7 * calibration.grid.tile_w)
    covered[bounds.y0 - 40 : bounds.y1 - 20, left : bounds.x1 + 60] = (246, 245, 244)
    with pytest.raises(BoardCovered) as trouble:
        reader.read(Frame(covered))
    assert {cell.col for cell in trouble.value.tiles} == {13, 14, 15}


@pytest.mark.slow
def test_an_unknown_tile_has_its_two_likeliest_labels() -> None:
    screen = screen_named("gm_bgc_int_mid")
    cell = screen.board.hidden_cells()[100]
    frame = with_pointer(screen, cell)
    reader = Frames(calibrate(frame))
    with pytest.raises(Unreadable):
        reader.read(frame)
    reading = reader.read_in_part(frame)
    assert reading.unknown == (cell,)
    assert len({*reading.likeliest(cell)}) == 2
    with pytest.raises(ValueError, match="is known"):
        reading.likeliest(Cell(0, 0))


def test_a_mine_that_took_a_life_ends_no_game() -> None:
    """Otherwise another sign of a loss would be needed, or the game would be reported as lost."""
    frame, grid = drawn(PLAYED)
    pixels = frame.pixels.copy()
    reader = Frames(Calibration(grid, NO_THEME))
    before = reader.read(frame)
    hidden = next(cell for cell in before.board.hidden_cells() if cell != Cell(0, 0))
    x, y = ((hidden.col + 1) * TILE_PX, (hidden.row + 1) * TILE_PX)
    cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (230, 20, 20), -1)
    cv2.circle(pixels, (x + 16, y + 16), 7, (20, 20, 20), -1)
    exploded = Frame(pixels)
    with contextlib.suppress(StatusUnclear):
        assert reader.read(exploded).status is Status.LOST
    reader.memory = replace(reader.memory, survived=frozenset([hidden]))
    after = reader.read(exploded)
    assert after.status is Status.PLAYING
    assert after.board[hidden] in (Tile.MINE, Tile.EXPLODED)
    assert reader.read(frame, same_game=False).status is Status.PLAYING

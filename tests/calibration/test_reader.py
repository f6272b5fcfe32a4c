"""The reader from frame to frame: what it keeps, what it learns, what it refuses."""

import contextlib

import numpy as np
import pytest

from bot.simulated import LOOKS, SimulatedDesktop
from calibration.calibrate import Calibration
from calibration.errors import BoardCovered, ImpossibleBoard, Unreadable
from calibration.frame import Frame, PixelBox
from calibration.learn import recognise
from calibration.reader import Reader
from calibration.theme import Theme
from solver.board import Cell, Tile
from solver.game import Rule

NO_THEME = Theme("learned", ())


def desktop(look, *, tile_px=None, seed=3):
    return SimulatedDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, look=look, tile_px=tile_px, windows=()
    )


def opened(desk, row=4, col=4):
    desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    return desk.grab()


def reader_of(desk):
    return Reader(Calibration(desk.truth_grid(), NO_THEME, 10))


def painted(frame, box, colour):
    pixels = frame.pixels.copy()
    pixels[box.y0 : box.y1, box.x0 : box.x1] = colour
    return Frame(pixels)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("tile_px", [16, 24, 40, 60])
def test_a_game_in_a_look_never_seen(look, tile_px):
    desk = desktop(look, tile_px=tile_px)
    reader = reader_of(desk)
    assert (reader.read(desk.grab()).board.tiles == desk.truth_tiles()).all()
    frame = opened(desk)
    assert (reader.read(frame).board.tiles == desk.truth_tiles()).all()
    free = np.argwhere(~desk.game.mines)
    for row, col in free[::3].tolist():
        frame = opened(desk, row, col)
        assert (reader.read(frame).board.tiles == desk.truth_tiles()).all()


@pytest.mark.parametrize("look", LOOKS)
def test_flags_on_a_won_board_without_a_hidden_tile_left(look):
    desk = SimulatedDesktop(rows=16, cols=16, mines=40, rule=Rule.ZERO, seed=5, look=look)
    reader = reader_of(desk)
    reader.read(desk.grab())
    reader.read(opened(desk, 8, 8))
    for row, col in np.argwhere(~desk.game.mines).tolist():
        desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    reading = reader.read(desk.grab())
    assert (reading.board.tiles == desk.truth_tiles()).all()
    assert (desk.truth_tiles() == Tile.FLAG).sum() == 40


def test_the_same_frame_is_read_the_same_again():
    desk = desktop("flat")
    reader, frame = reader_of(desk), opened(desk)
    assert reader.read(frame).board == reader.read(frame).board


def test_a_patch_over_the_board_is_noticed():
    desk = desktop("classic")
    reader, frame = reader_of(desk), opened(desk)
    reader.read(frame)
    grid = desk.truth_grid()
    first, last = grid.box(Cell(2, 2)), grid.box(Cell(6, 6))
    box = first._replace(x0=first.x0 + 5, y0=first.y0 + 5, x1=last.x1 - 5, y1=last.y1 - 5)
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 256, (box.y1 - box.y0, box.x1 - box.x0, 3), dtype=np.uint8)
    with pytest.raises(BoardCovered) as caught:
        reader.read(painted(frame, box, noise))
    assert caught.value.tiles


def test_an_open_number_never_changes():
    desk = desktop("flat")
    reader, frame = reader_of(desk), opened(desk)
    board = reader.read(frame).board
    rows, cols = np.nonzero(board.tiles == 1)
    source = desk.truth_grid().box(Cell(int(rows[0]), int(cols[0])))
    rows, cols = np.nonzero(board.tiles == 2)
    target = desk.truth_grid().box(Cell(int(rows[0]), int(cols[0])))
    one = frame.pixels[source.y0 : source.y1, source.x0 : source.x1]
    with pytest.raises(ImpossibleBoard):
        reader.read(painted(frame, target, one))


def test_a_new_game_may_close_what_was_open():
    desk = desktop("flat")
    fresh = desk.grab()
    reader = reader_of(desk)
    reader.read(opened(desk))
    assert (reader.read(fresh).board.tiles == -1).all()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_is_no_board(seed):
    desk = desktop("flat")
    rng = np.random.default_rng(seed)
    frame = desk.grab()
    noise = Frame(rng.integers(0, 256, frame.pixels.shape, dtype=np.uint8))
    assert recognise(noise, desk.truth_grid()).plausibility < 0.4
    with pytest.raises(Unreadable):
        reader_of(desk).read(noise)


@pytest.mark.parametrize("look", LOOKS)
def test_a_window_caught_half_painted_teaches_nothing_wrong(look):
    desk = desktop(look)
    fresh = desk.grab()
    opened(desk)
    whole = desk.grab()
    tiles, grid = desk.truth_tiles(), desk.truth_grid()
    zeros = [Cell(int(row), int(col)) for row, col in np.argwhere(tiles == 0)]
    pixels = fresh.pixels.copy()
    for box in (grid.box(cell) for cell in zeros):
        pixels[box.y0 : box.y1, box.x0 : box.x1] = whole.pixels[box.y0 : box.y1, box.x0 : box.x1]
    reader = reader_of(desk)
    for frame in (fresh, Frame(pixels)):
        with contextlib.suppress(Unreadable):
            reader.read(frame)
    assert np.array_equal(reader.read(whole).board.tiles, tiles)


def test_what_was_learned_outlives_a_frame_that_cannot_be_read(monkeypatch):
    desk = desktop("classic")
    fresh = desk.grab()
    reader = reader_of(desk)
    frame = opened(desk)
    reader.read(frame)
    noise = np.random.default_rng(1).integers(0, 255, (40, 60, 3))
    box = desk.truth_grid().box(Cell(4, 4))
    with pytest.raises(Unreadable):
        reader.read(painted(frame, PixelBox(box.x0, box.y0, box.x0 + 60, box.y0 + 40), noise))

    def learn(draft):
        raise AssertionError("learned again")

    monkeypatch.setattr("calibration.learn.name_looks", learn)
    assert (reader.read(fresh, same_game=False).board.tiles == Tile.HIDDEN).all()

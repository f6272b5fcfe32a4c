"""A tile or two that something hides are unknown; more of them, or a patch, hide the board."""

from __future__ import annotations

import pytest

from calibration.calibration import calibrate
from calibration.errors import Unreadable
from calibration.reader import Reader
from solver.board import Cell, Tile
from tests.calibration.reading import Frames
from tests.calibration.screens import screen_named, with_pointer


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


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["gm_bgc_int_mid", "km_cla_exp_early", "30x16_late"])
def test_the_mine_total_of_a_usual_size_is_kept_below_a_pointer(name: str) -> None:
    screen = screen_named(name)
    cell = screen.board.hidden_cells()[5]
    frame = with_pointer(screen, cell)
    assert Reader(calibrate(frame)).read_in_part(frame).unknown == (cell,)
    assert calibrate(frame).mines == screen.board.mines


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["16x16_mid", "30x16_late"])
def test_a_flag_below_a_pointer_never_makes_a_wrong_total(name: str) -> None:
    screen = screen_named(name)
    flags = [cell for cell in screen.board.cells() if screen.board[cell] == Tile.FLAG]
    for cell in flags[:: len(flags) // 4]:
        assert calibrate(with_pointer(screen, cell)).mines in (None, screen.board.mines)


@pytest.mark.slow
def test_a_game_that_an_unknown_tile_may_have_won_is_not_said_to_go_on() -> None:
    screen = screen_named("wm_beg_won")
    cell = next(cell for cell in screen.board.cells() if screen.board[cell] == 1)
    frame = with_pointer(screen, cell)
    try:
        status = Reader(calibrate(frame)).read_in_part(frame).status.value
    except Unreadable:
        status = "refused"
    assert status in ("won", "refused")

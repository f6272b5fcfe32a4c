"""How the simulated program behaves, and what can go wrong in it."""

from __future__ import annotations

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import ScreenGone
from calibration.grid import ScreenPoint
from solver.board import Cell, Tile
from solver.game import Status
from tests.bot.simulated.desktops import desktop, lose, open_cell, settle, win
from tests.simulated import Behaviour, Faults, Hit


def test_every_third_click_is_dropped() -> None:
    desk = desktop(faults=Faults(drop_every=3))
    for col in range(6):
        desk.click(desk.cell_point(Cell(0, col)), Button.RIGHT)
    settle(desk)
    assert (desk.truth_tiles()[0, :6] == Tile.FLAG).tolist() == [True, True, False] * 2


def test_a_doubled_right_click_takes_its_flag_away() -> None:
    desk = desktop(faults=Faults(double_every=2))
    for col in range(2):
        desk.click(desk.cell_point(Cell(0, col)), Button.RIGHT)
    assert [click.deliveries for click in desk.clicks] == [1, 2]
    settle(desk)
    assert (desk.truth_tiles()[0, :2] == Tile.FLAG).tolist() == [True, False]


def test_after_click_comes_right_after_its_click() -> None:
    desk = desktop(after_click={2: lambda d: d.move_window(40, -10)})
    start = desk.truth_grid()
    desk.click(desk.cell_point(Cell(0, 0)))
    assert desk.truth_grid() == start
    desk.click(desk.cell_point(Cell(0, 0)))
    assert desk.truth_grid() == start.moved(40, -10)


def test_a_moved_window_leaves_nothing_behind() -> None:
    desk = desktop()
    still = desk.grab().pixels
    desk.move_window(30, 20)
    assert not np.array_equal(desk.grab().pixels, still)
    desk.move_window(-30, -20)
    assert np.array_equal(desk.grab().pixels, still)


def test_a_resized_window_keeps_its_game() -> None:
    desk = desktop()
    open_cell(desk, 4, 4)
    tiles = desk.truth_tiles()
    desk.resize_window(1.4)
    assert desk.truth_grid().tile_w == pytest.approx(16 * 1.4)
    assert np.array_equal(desk.truth_tiles(), tiles)
    desk.click(desk.cell_point(Cell(8, 8)), Button.RIGHT)
    assert desk.clicks[-1].cell == Cell(8, 8)


@pytest.mark.parametrize("cover", [
    lambda desk: desk.popup(lasts_s=1.0),
    lambda desk: desk.minimise(lasts_s=1.0),
    lambda desk: desk.go_black(lasts_s=1.0),
    lambda desk: desk.notify(lasts_s=1.0),
])  # fmt: skip
def test_what_lasts_a_second_is_gone_after_it(cover: object) -> None:
    desk = desktop()
    clear = desk.grab().pixels
    cover(desk)  # type: ignore[operator]
    desk.clock.sleep(0.5)
    assert not np.array_equal(desk.grab().pixels, clear)
    desk.clock.sleep(0.6)
    assert np.array_equal(desk.grab().pixels, clear)


def test_a_minimised_window_takes_neither_click_nor_key() -> None:
    desk = desktop()
    open_cell(desk, 4, 4)
    desk.minimise()
    desk.press("f2")
    desk.click(desk.new_game_point)
    assert desk.game.started
    assert desk.clicks[-1].hit is Hit.ELSEWHERE


def test_a_black_screen_is_black() -> None:
    desk = desktop()
    desk.go_black()
    assert not desk.grab().pixels.any()


def test_night_light_dims_blue_and_brings_it_back() -> None:
    desk = desktop()
    day = desk.grab().pixels
    desk.night_light()
    night = desk.grab().pixels
    assert night[..., 2].mean() < 0.7 * day[..., 2].mean()
    assert np.array_equal(night[..., 0], day[..., 0])
    desk.night_light(None)
    assert np.array_equal(desk.grab().pixels, day)


def test_hover_draws_the_hidden_tile_under_the_pointer_lighter() -> None:
    desk = desktop(faults=Faults(hover=True))
    dark = desk.grab().pixels
    desk.move(desk.cell_point(Cell(2, 2)))
    lit = desk.grab().pixels
    assert lit.mean() > dark.mean()
    desk.move(ScreenPoint(20, 20))
    assert np.array_equal(desk.grab().pixels, dark)


def test_a_wrong_counter_and_none_change_the_header_only() -> None:
    plain = desktop().grab().pixels
    for faults in (Faults(counter_error=-3), Faults(counter_absent=True)):
        desk = desktop(faults=faults)
        changed = np.argwhere((desk.grab().pixels != plain).any(axis=2))
        assert len(changed)
        assert changed[:, 0].max() < desk.truth_grid().y0


def test_grabs_fail_as_often_as_asked() -> None:
    desk = desktop()
    desk.fail_grabs(2)
    for _ in range(2):
        with pytest.raises(ScreenGone):
            desk.grab()
    desk.grab()


def test_a_person_moves_the_mouse_and_lets_go() -> None:
    desk = desktop()
    desk.move(ScreenPoint(100, 100))
    desk.user_moves(lasts_s=0.5)
    seen = set()
    for _ in range(20):
        desk.clock.sleep(0.05)
        seen.add(desk.position())
    assert len(seen) > 5
    rest = desk.position()
    desk.clock.sleep(1)
    assert desk.position() == rest
    desk.slam()
    assert desk.position() == ScreenPoint(0, 0)


def test_a_slow_repaint_comes_late() -> None:
    desk = desktop(faults=Faults(repaint_s=0.8))
    desk.click(desk.cell_point(Cell(0, 0)), Button.RIGHT)
    desk.clock.sleep(0.7)
    assert desk.truth_tiles()[0, 0] == Tile.HIDDEN
    desk.clock.sleep(0.2)
    assert desk.truth_tiles()[0, 0] == Tile.FLAG


@pytest.mark.parametrize(("end", "behaviour"), [
    (win, Behaviour(win_dialog=True)),
    (lose, Behaviour(loss_dialog=True)),
])  # fmt: skip
def test_a_dialog_takes_all_clicks_until_escape(end: object, behaviour: Behaviour) -> None:
    desk = desktop(behaviour=behaviour)
    end(desk)  # type: ignore[operator]
    settle(desk)
    open_board = desk.grab().pixels
    desk.click(desk.new_game_point)
    assert desk.clicks[-1].hit is Hit.DIALOG
    assert desk.game.status is not Status.PLAYING
    desk.press("escape")
    assert not np.array_equal(desk.grab().pixels, open_board)
    desk.click(desk.new_game_point)
    assert desk.game.status is Status.PLAYING


def test_a_new_game_closes_the_note_of_the_old_one() -> None:
    desk = desktop(behaviour=Behaviour(loss_bubble=True))
    settle(desk)
    fresh = desk.grab().pixels
    lose(desk)
    settle(desk)
    desk.new_game()
    desk.clock.sleep(5)
    assert np.array_equal(desk.grab().pixels, fresh)


def test_a_won_board_flashes_and_comes_back() -> None:
    plain, flashing = desktop(), desktop(behaviour=Behaviour(win_flash=True))
    for desk in (plain, flashing):
        win(desk)
        desk.clock.sleep(0.2)
    assert not np.array_equal(plain.grab().pixels, flashing.grab().pixels)
    for desk in (plain, flashing):
        desk.clock.sleep(3)
    assert np.array_equal(plain.grab().pixels, flashing.grab().pixels)


def test_a_loss_may_show_only_the_exploded_mine() -> None:
    desk = desktop(behaviour=Behaviour(shows_mines=False))
    lose(desk)
    settle(desk)
    assert (desk.truth_tiles() == Tile.EXPLODED).sum() == 1
    assert (desk.truth_tiles() == Tile.MINE).sum() == 0


def test_a_win_may_leave_the_mines_hidden() -> None:
    desk = desktop(behaviour=Behaviour(flags_on_win=False))
    win(desk)
    settle(desk)
    assert (desk.truth_tiles() == Tile.HIDDEN).sum() == 10


def test_the_timer_runs_from_the_first_opening_to_the_end() -> None:
    desk = desktop()
    idle = desk.grab().pixels
    desk.clock.sleep(5)
    assert np.array_equal(desk.grab().pixels, idle)
    open_cell(desk, 4, 4)
    early = desk.grab().pixels
    desk.clock.sleep(2)
    assert not np.array_equal(desk.grab().pixels, early)
    lose(desk)
    settle(desk)
    end = desk.grab().pixels
    desk.clock.sleep(30)
    assert np.array_equal(desk.grab().pixels, end)

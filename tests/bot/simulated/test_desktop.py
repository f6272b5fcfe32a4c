"""The simulated desktop takes clicks, shows the game, and has faults only when told to."""

from __future__ import annotations

import time

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import ScreenGone, UsageError
from bot.simulated import Behaviour, FakeClock, Faults, Hit, SimulatedDesktop
from calibration.points import PixelBox, ScreenPoint
from solver.board import Cell, Tile
from solver.game import Rule, Status


def desktop(**changes: object) -> SimulatedDesktop:
    settings: dict[str, object] = {
        "rows": 9,
        "cols": 9,
        "mines": 10,
        "rule": Rule.ZERO,
        "screen_size": (800, 600),
        "windows": (),
        **changes,
    }
    return SimulatedDesktop(**settings)  # type: ignore[arg-type]


def settle(desk: SimulatedDesktop) -> None:
    desk.clock.sleep(1.0)
    desk.grab()


def open_cell(desk: SimulatedDesktop, row: int, col: int) -> None:
    desk.click(desk.cell_point(Cell(row, col)))
    settle(desk)


def win(desk: SimulatedDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    for row, col in np.argwhere(~desk.game.mines).tolist():
        if desk.game.status is Status.PLAYING:
            desk.click(desk.cell_point(Cell(row, col)))


def lose(desk: SimulatedDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    row, col = np.argwhere(desk.game.mines)[0].tolist()
    desk.click(desk.cell_point(Cell(row, col)))


# ---- clicks --------------------------------------------------------------------------------------


def test_an_opening_shows_after_the_latency_ring_by_ring() -> None:
    desk = desktop(behaviour=Behaviour(latency_s=0.1, ripple_s=0.05))
    desk.click(desk.cell_point(Cell(4, 4)))
    assert (desk.truth_tiles() == Tile.HIDDEN).all()
    desk.clock.sleep(0.11)
    first = (desk.truth_tiles() >= 0).sum()
    assert first == 1
    desk.clock.sleep(0.05)
    assert 1 < (desk.truth_tiles() >= 0).sum() <= 9
    settle(desk)
    assert np.array_equal(desk.truth_tiles(), desk.game.board.tiles)


def test_the_screen_changes_only_where_tiles_changed() -> None:
    desk = desktop()
    before = desk.grab().pixels
    desk.click(desk.cell_point(Cell(0, 0)), Button.RIGHT)
    desk.clock.sleep(0.5)
    changed = np.argwhere((desk.grab().pixels != before).any(axis=2))
    box = desk.truth_grid().box(Cell(0, 0))
    inside = (changed >= (box.y0, box.x0)).all(axis=1) & (changed < (box.y1, box.x1)).all(axis=1)
    header = changed[:, 0] < desk.truth_grid().bounds.y0
    assert inside.any()
    assert header.any()
    assert (inside | header).all()


def test_an_old_frame_keeps_its_pixels() -> None:
    desk = desktop()
    old = desk.grab()
    kept = old.pixels.copy()
    open_cell(desk, 4, 4)
    assert np.array_equal(old.pixels, kept)
    assert not np.array_equal(desk.grab().pixels, kept)
    with pytest.raises(ValueError, match="read-only"):
        old.pixels[0, 0] = 0


def test_right_click_flags_and_the_flag_stops_a_left_click() -> None:
    desk = desktop()
    desk.click(desk.cell_point(Cell(0, 0)), Button.RIGHT)
    open_cell(desk, 0, 0)
    assert desk.truth_tiles()[0, 0] == Tile.FLAG


def test_question_marks_are_switched_on() -> None:
    desk = desktop(behaviour=Behaviour(question_marks=True))
    for _ in range(2):
        desk.click(desk.cell_point(Cell(0, 0)), Button.RIGHT)
    settle(desk)
    assert desk.truth_tiles()[0, 0] == Tile.QUESTION


@pytest.mark.parametrize(
    ("skin", "button", "opens"),
    [
        ("classic", Button.MIDDLE, True),
        ("classic", Button.LEFT, False),
        ("flat", Button.LEFT, True),
    ],
)
def test_chords_open_around_a_satisfied_number(skin: str, button: Button, opens: bool) -> None:
    desk = desktop(skin=skin, seed=2)
    open_cell(desk, 4, 4)
    board, mines = desk.game.board, desk.game.mines
    assert mines is not None
    number = next(
        cell
        for cell in board.cells()
        if board[cell] > 0
        and any(board[near] == Tile.HIDDEN and not mines[near] for near in board.neighbours(cell))
    )
    for near in board.neighbours(number):
        if mines[near]:
            desk.click(desk.cell_point(near), Button.RIGHT)
    before = (desk.game.board.tiles >= 0).sum()
    desk.click(desk.cell_point(number), button)
    assert bool((desk.game.board.tiles >= 0).sum() > before) is opens


def test_games_follow_their_seeds() -> None:
    one, other = desktop(seed=7), desktop(seed=6)
    other.new_game()
    for desk in (one, other):
        open_cell(desk, 4, 4)
    assert np.array_equal(one.game.board.tiles, other.game.board.tiles)


def test_win_and_loss_are_counted() -> None:
    desk = desktop()
    win(desk)
    settle(desk)
    assert (desk.truth_tiles() == Tile.FLAG).sum() == 10
    desk.press("F2")
    settle(desk)
    assert (desk.truth_tiles() == Tile.HIDDEN).all()
    lose(desk)
    assert desk.results == [Status.WON, Status.LOST]


@pytest.mark.parametrize("keys", ["f2", "n", "Ctrl+N"])
def test_keys_start_a_new_game(keys: str) -> None:
    desk = desktop()
    open_cell(desk, 4, 4)
    desk.press(keys)
    settle(desk)
    assert not desk.game.started


def test_the_button_starts_a_new_game_and_is_no_stray_click() -> None:
    desk = desktop()
    open_cell(desk, 4, 4)
    desk.click(desk.new_game_point)
    assert not desk.game.started
    assert desk.stray_clicks == []


def test_stray_clicks_are_counted_with_what_they_hit() -> None:
    desk = desktop()
    grid = desk.truth_grid()
    desk.click(ScreenPoint(3, 3))
    desk.click(ScreenPoint(round(grid.x0) - 4, round(grid.y0) + 30))
    desk.popup()
    desk.click(desk.cell_point(Cell(4, 4)))
    assert [click.hit for click in desk.stray_clicks] == [Hit.ELSEWHERE, Hit.ELSEWHERE, Hit.COVER]
    assert not desk.game.started


def test_points_are_in_mouse_units_on_a_dense_screen() -> None:
    desk = desktop(pixel_ratio=2.0)
    frame = desk.grab()
    assert frame.scale == 2.0
    point = frame.to_screen(desk.truth_grid().centre(Cell(3, 5)))
    desk.click(point)
    assert desk.clicks[-1].cell == Cell(3, 5)
    assert desk.monitors()[0][2:] == (400, 300)


def test_a_box_is_grabbed_with_its_own_origin() -> None:
    desk = desktop()
    part = desk.grab(PixelBox(100, 50, 300, 200))
    assert (part.width, part.height, part.origin) == (200, 150, ScreenPoint(100, 50))
    assert np.array_equal(part.pixels, desk.grab().pixels[50:200, 100:300])


def test_a_board_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="does not fit"):
        desktop(rows=16, cols=30, mines=99, scale=3)


# ---- behaviour -----------------------------------------------------------------------------------


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


# ---- faults --------------------------------------------------------------------------------------


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


# ---- costs ---------------------------------------------------------------------------------------


def test_an_unchanged_screen_costs_next_to_nothing() -> None:
    """A grab of an unchanged screen copies no pixels."""
    desk = desktop(screen_size=(1920, 1080))
    first = desk.grab()
    desk.clock.sleep(1)
    assert np.shares_memory(desk.grab().pixels, first.pixels)


def test_the_fake_clock_never_goes_back_and_never_waits() -> None:
    clock = FakeClock()
    start = time.monotonic()
    clock.sleep(1000)
    clock.sleep(-5)
    assert clock.now() == 1000
    assert time.monotonic() - start < 1000

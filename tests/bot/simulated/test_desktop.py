"""The simulated desktop takes clicks and shows the game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import UsageError
from bot.simulated import FakeClock
from calibration.grid import PixelBox, ScreenPoint
from solver.board import Cell, Tile
from solver.game import Rule
from tests.simulated import Behaviour, FaultyDesktop


def desktop(**changes: Any) -> FaultyDesktop:
    settings: dict[str, Any] = {
        "rows": 9, "cols": 9, "mines": 10, "rule": Rule.ZERO, "screen_size": (800, 600),
        "windows": (),
    }  # fmt: skip
    return FaultyDesktop(**{**settings, **changes})


def open_cell(desk: FaultyDesktop, row: int, col: int) -> None:
    desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(1.0)


def test_an_opening_shows_after_the_latency_ring_by_ring() -> None:
    desk = desktop(behaviour=Behaviour(latency_s=0.1, ripple_s=0.05))
    desk.click(desk.cell_point(Cell(4, 4)))
    assert (desk.truth_tiles() == Tile.HIDDEN).all()
    desk.clock.sleep(0.11)
    first = (desk.truth_tiles() >= 0).sum()
    assert first == 1
    desk.clock.sleep(0.05)
    assert 1 < (desk.truth_tiles() >= 0).sum() <= 9
    desk.clock.sleep(1.0)
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


@pytest.mark.parametrize("keys", ["n", "Ctrl+N"])
def test_keys_start_a_new_game_and_a_second_right_click_sets_a_question_mark(keys: str) -> None:
    desk = desktop(behaviour=Behaviour(question_marks=True))
    for _ in range(2):
        desk.click(desk.cell_point(Cell(0, 0)), Button.RIGHT)
    desk.clock.sleep(1.0)
    assert desk.truth_tiles()[0, 0] == Tile.QUESTION
    open_cell(desk, 4, 4)
    desk.press(keys)
    desk.clock.sleep(1.0)
    assert not desk.game.started
    assert (desk.truth_tiles() == Tile.HIDDEN).all()


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


def test_an_unchanged_screen_costs_next_to_nothing() -> None:
    """A grab of an unchanged screen copies no pixels."""
    desk = desktop(screen_size=(1920, 1080))
    first = desk.grab()
    desk.clock.sleep(1)
    assert np.shares_memory(desk.grab().pixels, first.pixels)


def test_the_fake_clock_never_goes_back() -> None:
    clock = FakeClock()
    clock.sleep(1000)
    clock.sleep(-5)
    assert clock.now() == 1000

"""The simulated desktop takes clicks and shows the game, whose window is drawn as its grid says."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from bot.desktop.ports import Button
from bot.errors import UsageError
from bot.simulated.render import SKINS, MineWindow, draw_tile, skin_named
from solver.board import Cell, Tile
from solver.game import Rule, Status
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


def test_an_old_frame_keeps_its_pixels_and_an_unchanged_screen_is_not_copied() -> None:
    desk = desktop()
    old = desk.grab()
    kept = old.pixels.copy()
    desk.clock.sleep(1)
    assert np.shares_memory(desk.grab().pixels, old.pixels)
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
def test_keys_start_a_new_game(keys: str) -> None:
    desk = desktop()
    open_cell(desk, 4, 4)
    desk.press(keys)
    desk.clock.sleep(1.0)
    assert not desk.game.started
    assert (desk.truth_tiles() == Tile.HIDDEN).all()


def test_a_board_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="does not fit"):
        desktop(rows=16, cols=30, mines=99, scale=3)


# ---- the drawn window ----------------------------------------------------------------------------


@pytest.mark.parametrize("side", [12, 40])
@pytest.mark.parametrize("name", SKINS)
def test_no_two_tiles_look_alike_and_digits_differ_by_shape_alone(name: str, side: int) -> None:
    """If all digits have one colour, or for the colour-blind, the shapes must differ."""
    codes = (*range(9), *(int(tile) for tile in Tile if tile is not Tile.UNKNOWN))
    tiles = {code: draw_tile(SKINS[name], code, (side, side)).astype(int) for code in codes}
    for one, other in combinations(codes, 2):
        differs = np.abs(tiles[one] - tiles[other]).max(axis=2)
        assert differs.mean() > 4, (one, other)
    inks = [np.array(SKINS[name].digits[number - 1]) for number in range(1, 9)]
    masks = [np.abs(tiles[n] - ink).max(axis=2) < 40 for n, ink in enumerate(inks, start=1)]
    for one, other in combinations(masks if side == 40 else [], 2):
        assert (one ^ other).sum() > 0.15 * min(one.sum(), other.sum())


@pytest.mark.parametrize("name", SKINS)
@pytest.mark.parametrize("pitch", [12.0, 20.5, 30.67])
def test_what_is_painted_changes_only_its_own_box(name: str, pitch: float) -> None:
    shown = MineWindow(SKINS[name], 7, 11, pitch=pitch)
    shown.paint_tiles((Cell(row, col), Tile.HIDDEN) for row in range(7) for col in range(11))
    assert shown.grid.bounds.x1 <= shown.size[0]
    assert shown.grid.bounds.y1 <= shown.size[1]
    above = shown.grid.bounds.y0
    for paint, below in (
        (lambda: shown.paint_tiles([(Cell(4, 6), 3)]), shown.grid.box(Cell(4, 6)).y1),
        (lambda: shown.paint_counter(10, 3), above),
        (lambda: shown.paint_timer(75), above),
        *((lambda status=status: shown.paint_new_game(status), above) for status in Status),
    ):
        before = shown.picture.copy()
        box = paint()  # type: ignore[no-untyped-call]
        changed = np.argwhere((shown.picture != before).any(axis=2))
        assert len(changed), "each face differs from the one before"
        assert (changed >= (box.y0, box.x0)).all()
        assert (changed < (min(box.y1, below), box.x1)).all()


def test_checkerboard_shades_alternate() -> None:
    shown = MineWindow(SKINS["checkerboard"], 4, 4, pitch=20)
    shown.paint_tiles((Cell(row, col), Tile.HIDDEN) for row in range(4) for col in range(4))
    middles = [shown.grid.centre(Cell(0, col)) for col in range(3)]
    one, other, third = (shown.picture[int(at.y), int(at.x)].tolist() for at in middles)
    assert one == third != other


def test_an_unknown_skin_is_a_usage_error_that_lists_the_known() -> None:
    with pytest.raises(UsageError, match="Known: "):
        skin_named("wrong")

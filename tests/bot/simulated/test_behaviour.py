"""How a simulated program behaves: dialogs, the end of a game, the timer."""

from __future__ import annotations

import numpy as np
import pytest

from bot.simulated import Behaviour, Hit
from solver.board import Tile
from solver.game import Status
from tests.bot.simulated.desktops import desktop, lose, open_cell, settle, win


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

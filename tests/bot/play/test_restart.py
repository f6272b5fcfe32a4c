"""Before and between games: how a new one is started, and which keys a program gets."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from bot.errors import BotError, WindowStuck
from bot.options import Limits, parse_new_game
from bot.play.player import Player
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.grid import ScreenPoint
from calibration.images import load_image
from solver.agents import make_agent
from tests.bot.fake_ports import FakePorts
from tests.bot.play.playing import described, desktop, play, with_dialogs
from tests.calibration.screens import FIXTURES
from tests.simulated import FaultyDesktop

NO_BOARD = (BotError, CalibrationError)


@pytest.mark.slow
def test_a_key_that_starts_no_game_is_tried_a_few_times_only() -> None:
    desk = desktop()
    with pytest.raises(WindowStuck, match="--new-game"):
        play(desk, games=2, new_game="f7")
    assert len(desk.results) == 1


@pytest.mark.slow
def test_the_program_is_recognised_once_a_bubble_over_its_finished_board_is_gone() -> None:
    """It is kmines, which lays one over a board that was won; nothing changes this one."""
    won = load_image(FIXTURES / "kmines" / "km_cla_beg_won.webp").pixels
    covered = won.copy()
    cv2.rectangle(covered, (1240, 480), (1590, 570), (250, 250, 250), -1)
    covered = np.asarray(cv2.addWeighted(covered, 0.9, won, 0.1, 0), np.uint8)
    desk = FakePorts(picture=Frame(covered))
    desk.at = ScreenPoint(300, 900)
    desk.clock.later(3.0, lambda: setattr(desk, "picture", Frame(won)))
    with pytest.raises(WindowStuck, match=r"'ctrl\+n'"):
        Player(desk.ports, make_agent("tank")).play()
    assert "ctrl+n" in desk.keys


@pytest.mark.parametrize("by_name", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_click_on_the_smiley_or_on_a_point_starts_a_new_game(by_name: bool) -> None:
    desk = desktop()
    named = parse_new_game("smiley")
    assert named == parse_new_game("face"), "its old name"
    results, _ = play(desk, games=2, new_game=named if by_name else desk.new_game_point)
    assert len(results) == len(desk.results) == 2
    assert desk.stray_clicks == []


@pytest.mark.slow
@pytest.mark.parametrize(("lasts_s", "idle_s"), [(1.5, 0.5), (3.0, 0.02)])
def test_a_dialog_at_the_end_is_closed_though_a_person_had_the_mouse(
    pressed_keys: list[str], lasts_s: float, idle_s: float
) -> None:
    """So it was with winemine's list of best times; the person may move the mouse once more."""

    def push_at_end(desk: FaultyDesktop) -> None:
        if len(desk.results) == 1 and not pressed_keys:
            desk.user_moves(lasts_s=lasts_s)

    desk = with_dialogs(dialog_s=0.0)
    desk.after_click = dict.fromkeys(range(1, 80), push_at_end)
    known, limits = described(desk, "escape"), Limits(cover_s=5.0, idle_s=idle_s)
    results, notes = play(desk, games=2, limits=limits, calibration=known, unread_ends=True)
    assert [result.outcome.value for result in results] == [one.value for one in desk.results]
    people = [note for note in notes.notes if note.startswith("You are using the mouse")]
    assert len(people) > (idle_s < 0.1)
    assert "escape" in pressed_keys


@pytest.mark.slow
@pytest.mark.parametrize("dialog_s", [0.0, 0.25], ids=["at once", "later"])
def test_a_dialog_of_the_board_s_own_window_is_closed_by_its_default_button(
    pressed_keys: list[str], dialog_s: float
) -> None:
    desk = with_dialogs(dialog_s=dialog_s)
    desk.names_dialogs = True
    results, _ = play(desk, games=3, unread_ends=not dialog_s)
    assert [result.outcome.value for result in results] == [one.value for one in desk.results]
    # A new game may be asked for before the dialog opens; the last one stays for the person.
    assert pressed_keys[:2] == ["return", "f2"]
    assert pressed_keys.count("f2") == 2
    assert desk.stray_clicks == []


@pytest.mark.slow
@pytest.mark.parametrize("keyboard", [True, False])
def test_no_key_goes_to_a_dialog_that_stays_or_that_the_person_names_a_button_of(
    pressed_keys: list[str], keyboard: bool
) -> None:
    desk = with_dialogs()
    desk.names_dialogs, desk.has_keyboard = True, keyboard
    new_game: Any = desk.new_game_point if keyboard else "f2"
    with pytest.raises(NO_BOARD):
        play(desk, games=2, new_game=new_game, limits=Limits(cover_s=2.0))
    assert desk.results
    assert pressed_keys == []


@pytest.mark.slow
def test_a_dialog_that_stays_is_no_trouble_after_the_last_game(pressed_keys: list[str]) -> None:
    desk, limits = with_dialogs(), Limits(dialog_s=0.4, cover_s=2.0)
    known = described(desk, "f9")
    results, _ = play(desk, limits=limits, calibration=known)
    assert len(results) == 1
    assert set(pressed_keys) == {"f9"}
    with pytest.raises(NO_BOARD):
        play(with_dialogs(), games=2, limits=limits, calibration=known)

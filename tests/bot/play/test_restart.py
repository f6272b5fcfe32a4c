"""Between two games: how a new one is started, and which keys a program gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import BotError, WindowStuck
from bot.options import Limits, parse_new_game
from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.theme import ProgramProfile
from tests.bot.play.playing import desktop, play, with_dialogs
from tests.simulated import Behaviour, FaultyDesktop


@pytest.mark.slow
def test_a_key_that_starts_no_game_is_tried_a_few_times_only() -> None:
    desk = desktop()
    with pytest.raises(WindowStuck, match="--new-game"):
        play(desk, games=2, new_game="f7")
    assert len(desk.results) == 1


@pytest.mark.slow
def test_a_finished_board_is_replaced_before_play() -> None:
    desk = desktop()
    play(desk)
    results, _ = play(desk)
    assert len(results) == 1
    assert len(desk.results) == 2


@pytest.mark.slow
def test_a_click_on_the_screen_starts_a_new_game() -> None:
    desk = desktop()
    results, _ = play(desk, games=2, new_game=desk.new_game_point)
    assert len(results) == len(desk.results) == 2
    assert desk.stray_clicks == []


@pytest.mark.parametrize("way", ["smiley", "face"])
def test_a_click_on_the_smiley_starts_a_new_game_by_its_old_name_too(way: str) -> None:
    desk = desktop()
    results, _ = play(desk, games=2, new_game=parse_new_game(way))
    assert len(results) == len(desk.results) == 2
    assert desk.stray_clicks == []


@pytest.mark.slow
def test_a_dialog_beside_the_board_that_takes_the_key_is_closed(
    pressed_keys: list[str],
) -> None:
    desk = with_dialogs()
    found = calibrate(desk.grab(), mines=10)
    profile = ProgramProfile(close_won=("escape",), close_lost=("escape",))
    described = replace(found, theme=replace(found.theme, profile=profile))
    results, _ = play(desk, games=3, limits=Limits(dialog_s=0.4), calibration=described)
    assert len(results) == 3
    assert set(pressed_keys) == {"f2", "escape"}


@pytest.mark.slow
@pytest.mark.parametrize(("lasts_s", "idle_s"), [(1.5, 0.5), (3.0, 0.02)])
def test_a_dialog_at_the_end_is_closed_though_a_person_had_the_mouse(
    pressed_keys: list[str], lasts_s: float, idle_s: float
) -> None:
    """So it was with winemine's list of best times; the person may move the mouse once more."""

    def push_at_end(desk: FaultyDesktop) -> None:
        if len(desk.results) == 1 and not pressed_keys:
            desk.user_moves(lasts_s=lasts_s)

    behaviour = Behaviour(win_dialog=True, loss_dialog=True, dialog_s=0.0)
    desk = desktop(behaviour=behaviour, after_click=dict.fromkeys(range(1, 80), push_at_end))
    found = calibrate(desk.grab(), mines=10)
    profile = ProgramProfile(close_won=("escape",), close_lost=("escape",))
    described = replace(found, theme=replace(found.theme, profile=profile))
    limits = Limits(cover_s=5.0, idle_s=idle_s)
    results, notes = play(desk, games=2, limits=limits, calibration=described, unread_ends=True)
    assert [result.outcome.value for result in results] == [one.value for one in desk.results]
    people = [note for note in notes.notes if note.startswith("You have the mouse")]
    assert len(people) > (idle_s < 0.1)
    assert "escape" in pressed_keys


@pytest.mark.slow
def test_an_unknown_program_receives_no_key_but_the_one_for_a_new_game(
    pressed_keys: list[str],
) -> None:
    desk = with_dialogs()
    with pytest.raises((BotError, CalibrationError)):
        play(desk, games=3, limits=Limits(cover_s=2.0))
    assert desk.results
    assert set(pressed_keys) <= {"f2"}


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
def test_no_key_goes_to_a_dialog_that_stays_or_that_the_person_names_a_button_of(
    pressed_keys: list[str],
) -> None:
    desk = with_dialogs()
    desk.names_dialogs, desk.has_keyboard = True, False
    with pytest.raises((BotError, CalibrationError)):
        play(desk, games=2, limits=Limits(cover_s=2.0))
    assert pressed_keys == []
    desk = with_dialogs()
    desk.names_dialogs = True
    with pytest.raises((BotError, CalibrationError)):
        play(desk, games=2, new_game=desk.new_game_point, limits=Limits(cover_s=2.0))
    assert pressed_keys == []


@pytest.mark.slow
def test_a_dialog_that_stays_is_no_trouble_after_the_last_game(pressed_keys: list[str]) -> None:
    desk = with_dialogs()
    found = calibrate(desk.grab(), mines=10)
    profile = ProgramProfile(close_won=("f9",), close_lost=("f9",))
    described = replace(found, theme=replace(found.theme, profile=profile))
    limits = Limits(dialog_s=0.4, cover_s=2.0)
    results, _ = play(desk, limits=limits, calibration=described)
    assert len(results) == 1
    assert set(pressed_keys) == {"f9"}
    with pytest.raises((BotError, CalibrationError)):
        play(with_dialogs(), games=2, limits=limits, calibration=described)

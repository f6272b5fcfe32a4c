"""The smiley above a board: it confirms the end of a game and starts a new one."""

from __future__ import annotations

import pytest

from bot.errors import UsageError, WindowStuck
from bot.simulated.render import MineWindow
from calibration.errors import StatusUnclear
from calibration.grid import PixelBox
from solver.game import Status
from tests.simulated import FaultyDesktop, FaultyProgram
from tests.system.playing import desktop, play


@pytest.mark.slow
def test_the_smiley_of_an_unknown_program_starts_the_next_game() -> None:
    run = play(desktop(), games=4, new_game=None)
    run.check_finished()
    assert len(run.results) == 4


def test_without_a_smiley_several_games_are_refused_before_the_first_click() -> None:
    run = play(desktop("flat"), games=2, new_game=None)
    assert isinstance(run.error, UsageError)
    assert "--new-game" in str(run.error)
    assert run.desk.clicks == []


@pytest.mark.slow
def test_a_smiley_that_starts_no_game_stops_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FaultyProgram, "new_game", lambda self: None)
    run = play(desktop(), games=2, new_game=None)
    run.check()
    assert isinstance(run.error, WindowStuck)
    assert len(run.desk.results) == 1


def with_smiley_that_keeps_smiling(
    desk: FaultyDesktop, monkeypatch: pytest.MonkeyPatch
) -> FaultyDesktop:
    """Make the smiley of the window change at the end of its first game only."""
    paint = MineWindow.paint_new_game

    def paint_smiling(window: MineWindow, status: Status) -> PixelBox:
        return paint(window, Status.PLAYING if len(desk.results) > 1 else status)

    monkeypatch.setattr(MineWindow, "paint_new_game", paint_smiling)
    return desk


@pytest.mark.slow
def test_a_smiley_that_contradicts_a_lost_board_stops_play(monkeypatch: pytest.MonkeyPatch) -> None:
    run = play(with_smiley_that_keeps_smiling(desktop(), monkeypatch), games=3)
    run.check()
    # The first end shows what the smiley means; at the second end it keeps smiling.
    assert isinstance(run.error, StatusUnclear)
    assert run.desk.results == [Status.WON, Status.LOST]


@pytest.mark.slow
def test_if_every_safe_cell_is_open_the_board_is_trusted_over_the_smiley(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = play(with_smiley_that_keeps_smiling(desktop(seed=1), monkeypatch), games=3)
    run.check_finished()
    assert run.desk.results == [Status.WON] * 3


@pytest.mark.slow
def test_a_smiley_that_never_changes_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    paint = MineWindow.paint_new_game
    monkeypatch.setattr(
        MineWindow, "paint_new_game", lambda window, _: paint(window, Status.PLAYING)
    )
    play(desktop(), games=3).check_finished()

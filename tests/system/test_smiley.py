"""The face above a board: a second sign of the end, and a way to a new game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bot.errors import UsageError, WindowStuck
from bot.simulated import SimulatedDesktop
from bot.simulated.program import MineProgram
from bot.simulated.render import MineWindow
from calibration.errors import StatusUnclear
from calibration.frame import PixelBox
from solver.board import Cell
from solver.game import Rule, Status


def desktop(look: str = "classic", *, seed: int = 5) -> SimulatedDesktop:
    return SimulatedDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, look=look)


def test_a_face_without_a_theme_starts_the_next_game(play: Callable[..., Any]) -> None:
    run = play(desktop(), games=4, new_game=None)
    run.check_finished()
    assert len(run.results) == 4


@pytest.mark.parametrize("status", [Status.WON, Status.LOST])
def test_a_finished_board_without_a_theme_is_left_by_its_face(
    play: Callable[..., Any], status: Status
) -> None:
    desk = desktop()
    desk.click(desk.cell_point(Cell(4, 4)))
    assert desk.game.mines is not None
    targets = desk.game.mines if status is Status.LOST else ~desk.game.mines
    for row, col in np.argwhere(targets).tolist():
        desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(1)
    desk.results.clear()
    play(desk, new_game=None).check_finished()


def test_without_a_face_more_games_are_refused_before_the_first_click(
    play: Callable[..., Any],
) -> None:
    run = play(desktop("flat"), games=2, new_game=None)
    assert isinstance(run.error, UsageError)
    assert "--new-game" in str(run.error)
    assert run.desk.clicks == []


def test_a_face_that_starts_nothing_is_given_up(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MineProgram, "new_game", lambda self: None)
    run = play(desktop(), games=2, new_game=None)
    run.check()
    assert isinstance(run.error, WindowStuck)
    assert len(run.desk.results) == 1


def smiling_on(desk: SimulatedDesktop, monkeypatch: pytest.MonkeyPatch) -> SimulatedDesktop:
    """Have the window's face change at the end of its first game only."""
    paint = MineWindow.paint_new_game

    def smile_on(window: MineWindow, status: Status) -> PixelBox:
        return paint(window, Status.PLAYING if len(desk.results) > 1 else status)

    monkeypatch.setattr(MineWindow, "paint_new_game", smile_on)
    return desk


def test_a_face_that_contradicts_a_lost_board_stops_play(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = play(smiling_on(desktop(), monkeypatch), games=3)
    run.check()
    # The first end taught what the face means; at the second it goes on smiling.
    assert isinstance(run.error, StatusUnclear)
    assert run.desk.results == [Status.WON, Status.LOST]


def test_a_board_with_all_free_cells_open_outweighs_a_face_that_smiles(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = play(smiling_on(desktop(seed=1), monkeypatch), games=3)
    run.check_finished()
    assert run.desk.results == [Status.WON] * 3


def test_a_face_that_never_changes_is_no_sign(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paint = MineWindow.paint_new_game
    monkeypatch.setattr(
        MineWindow, "paint_new_game", lambda window, _: paint(window, Status.PLAYING)
    )
    play(desktop(), games=3).check_finished()

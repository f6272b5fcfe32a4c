"""Dialogs that a program nobody described opens over its finished board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.ending import CAME_OVER
from bot.errors import WindowCovered
from bot.options import Limits
from bot.simulated import Habits, SimulatedDesktop
from bot.simulated.program import MineProgram
from bot.turn import Outcome
from calibration.calibrate import Calibration, calibrate
from calibration.errors import CalibrationError
from calibration.frame import Frame
from solver.game import Rule, Status

WON_FIRST, LOST_FIRST = 1, 6
"""Seeds of the games."""

HASTY = Limits(poll_s=0.02, trouble_s=0.1, cover_s=1.2, gone_s=1.2)
"""The dialogs stay: what is waited for does not come."""


def desktop(seed: int) -> SimulatedDesktop:
    habits = Habits(win_dialog=True, loss_dialog=True)
    return SimulatedDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, habits=habits)


@pytest.mark.parametrize("seed", [WON_FIRST, LOST_FIRST])
def test_the_end_is_told_though_a_dialog_comes_over_it(
    play: Callable[..., Any], heard: list[str], seed: int
) -> None:
    run = play(desktop(seed), limits=HASTY)
    run.check_finished()
    assert len(run.results) == 1
    assert heard == []


def test_a_win_is_told_though_its_board_was_never_seen(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.simulated.program.DIALOG_S", -0.02)
    run = play(desktop(WON_FIRST), limits=HASTY)
    run.check_finished()
    assert [result.outcome for result in run.results] == [Outcome.WON]
    assert run.witness.notes == [CAME_OVER]


def test_a_guess_whose_answer_was_never_seen_is_told_no_end(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.simulated.program.DIALOG_S", -0.02)
    run = play(desktop(LOST_FIRST), limits=HASTY)
    run.check()
    assert isinstance(run.error, WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.results == []


def test_a_dialog_without_a_known_key_stops_the_series_after_its_game(
    play: Callable[..., Any], heard: list[str]
) -> None:
    run = play(desktop(WON_FIRST), games=2, limits=HASTY)
    run.check()
    assert isinstance(run.error, WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.desk.results == [Status.WON]
    assert heard == []


def test_dialogs_are_closed_by_the_key_that_a_person_named(
    play: Callable[..., Any], heard: list[str]
) -> None:
    run = play(desktop(LOST_FIRST), games=2, limits=HASTY, close="escape")
    run.check_finished()
    assert run.desk.results == [Status.LOST, Status.WON]
    assert heard.count("escape") == 2


def test_a_piece_of_the_finished_board_is_no_new_board(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the lower rows of winemine's board, below its box for names."""
    found: list[Calibration] = []

    def search(frame: Frame, **how: Any) -> Calibration:
        try:
            found.append(calibrate(frame, **how))
            return found[-1]
        except CalibrationError:
            whole = found[0].grid
            below = replace(whole, y0=whole.y0 + 5 * whole.tile_h, rows=4)
            return replace(found[0], grid=below, mines=None)

    def open_above(program: MineProgram) -> None:
        open_dialog(program)
        dialog, grid = program._dialog, program.window.grid
        assert dialog is not None
        dialog.y = program.layer.y + round(grid.y0 + 5 * grid.tile_h) - dialog.picture.shape[0]

    open_dialog = MineProgram._open_dialog
    monkeypatch.setattr(MineProgram, "_open_dialog", open_above)
    monkeypatch.setattr("bot.eye.calibrate", search)
    run = play(desktop(WON_FIRST), games=2, limits=HASTY)
    run.check()
    assert isinstance(run.error, WindowCovered)
    assert run.witness.notes == [CAME_OVER]
    assert run.desk.results == [Status.WON]

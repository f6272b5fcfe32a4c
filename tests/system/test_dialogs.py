"""Dialogs that an unknown program opens over its finished board."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.errors import WindowCovered
from bot.events import Outcome
from bot.play.ending import BOARD_HIDDEN_NOTE
from calibration.calibration import Calibration, calibrate
from calibration.errors import CalibrationError, NoGrid
from calibration.frame import Frame
from calibration.grid import PixelBox
from solver.game import Status
from tests.simulated import Behaviour, FaultyDesktop, FaultyProgram
from tests.system import playing
from tests.system.playing import HASTY, play

WON_FIRST, LOST_FIRST = 1, 6
"""Seeds of series whose first game is won, and lost."""


def desktop(seed: int, kind: type[FaultyDesktop] = FaultyDesktop, **how: float) -> FaultyDesktop:
    behaviour = Behaviour(win_dialog=True, loss_dialog=True, **how)
    return playing.desktop(kind=kind, seed=seed, behaviour=behaviour)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [WON_FIRST, LOST_FIRST])
def test_the_end_is_reported_although_a_dialog_covers_it(
    pressed_keys: list[str], seed: int
) -> None:
    run = play(desktop(seed), limits=HASTY)
    run.check_finished()
    assert len(run.results) == 1
    assert pressed_keys == []


@pytest.mark.slow
def test_a_win_is_reported_although_its_board_was_never_seen() -> None:
    run = play(desktop(WON_FIRST, dialog_s=-0.02), limits=HASTY)
    run.check_finished()
    (result,) = run.results
    assert result.outcome is Outcome.WON
    assert "opened all safe cells, as something came over them" in result.why_over
    assert run.witness.notes == [result.why_over]


@pytest.mark.slow
def test_no_end_is_reported_for_a_guess_whose_answer_was_never_seen() -> None:
    run = play(desktop(LOST_FIRST, dialog_s=-0.02), limits=HASTY)
    run.check_stopped(WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.results == []


@pytest.mark.slow
def test_the_words_of_a_dialog_show_the_end_of_a_guess_whose_answer_was_never_seen() -> None:
    desk = desktop(LOST_FIRST, dialog_s=-0.02)
    desk.reads_words = True
    run = play(desk, limits=HASTY)
    run.check_finished()
    assert [one.outcome for one in run.results] == [Outcome.LOST]


@pytest.mark.slow
def test_a_dialog_without_a_known_key_stops_the_series_after_its_game(
    pressed_keys: list[str],
) -> None:
    run = play(desktop(WON_FIRST), games=2, limits=HASTY)
    run.check_stopped(WindowCovered)
    assert "--close KEY" in str(run.error)
    assert run.desk.results == [Status.WON]
    assert pressed_keys == []


@pytest.mark.slow
def test_dialogs_are_closed_with_the_key_that_a_person_named(pressed_keys: list[str]) -> None:
    run = play(desktop(LOST_FIRST), games=2, limits=HASTY, close="escape")
    run.check_finished()
    assert run.desk.results == [Status.LOST, Status.WON]
    assert pressed_keys.count("escape") == 2


@pytest.mark.slow
def test_a_piece_of_the_finished_board_is_no_new_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """This happens with winemine: the lower rows of its board show below its dialog for names."""
    found: list[Calibration] = []
    refused: list[Frame] = []  # searching one again takes as long as the first time

    def search(frame: Frame, **how: Any) -> Calibration:
        try:
            if frame in refused:
                raise NoGrid("as before")
            found.append(calibrate(frame, **how))
            return found[-1]
        except CalibrationError:
            refused.append(frame)
            whole = found[0].grid
            below = replace(whole, y0=whole.y0 + 5 * whole.tile_h, rows=4)
            return replace(found[0], grid=below, mines=None)

    def open_above(program: FaultyProgram) -> None:
        open_dialog(program)
        dialog, grid = program._dialog, program.window.grid
        assert dialog is not None
        dialog.y = program.layer.y + round(grid.y0 + 5 * grid.tile_h) - dialog.picture.shape[0]

    open_dialog = FaultyProgram._open_dialog
    monkeypatch.setattr(FaultyProgram, "_open_dialog", open_above)
    monkeypatch.setattr("bot.tracking.follow.calibrate", search)
    run = play(desktop(WON_FIRST), games=2, limits=HASTY)
    run.check_stopped(WindowCovered)
    assert run.witness.notes == [BOARD_HIDDEN_NOTE]
    assert run.desk.results == [Status.WON]


@pytest.mark.slow
def test_a_slow_search_leaves_time_to_close_the_dialog(pressed_keys: list[str]) -> None:
    class Slow(FaultyDesktop):
        """The whole of its screen takes long to grab."""

        def grab(self, box: PixelBox | None = None) -> Frame:
            self.clock.sleep(0.0 if box else 15.0)
            return super().grab(box)

    run = play(desktop(WON_FIRST, Slow), close="escape")
    run.check_finished()
    assert "escape" in pressed_keys

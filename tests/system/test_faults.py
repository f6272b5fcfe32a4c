"""A person, dialogs, a wrong number, several faults at once: play goes on or stops rightly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bot.errors import BoardChanged, BotError, StoppedByUser
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.reader import Reader, Readout
from calibration.reading import Memory, Reading
from tests.simulated import Behaviour, Faults, FaultyDesktop
from tests.system.faulty import after, desktop

# ---- the person ----------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("click", [1, 2, 7, 20])
def test_no_click_after_the_kill_switch(play: Callable[..., Any], click: int) -> None:
    run = play(desktop(**after(click, lambda desk: desk.slam())))
    run.check()
    assert isinstance(run.error, StoppedByUser)
    assert len(run.desk.clicks) == click


@pytest.mark.slow
def test_play_waits_for_a_person_at_the_mouse(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(5, lambda desk: desk.user_moves(lasts_s=2.0))))
    run.check_finished()
    pause = run.desk.clicks[5].time_s - run.desk.clicks[4].time_s
    assert pause > 2.0
    assert any("mouse" in note for note in run.witness.notes)


@pytest.mark.slow
def test_a_game_restarted_by_hand_stops_play_or_is_played(play: Callable[..., Any]) -> None:
    run = play(desktop(**after(8, lambda desk: desk.new_game())))
    run.check()
    assert run.error is None or isinstance(run.error, BoardChanged)


# ---- dialogs -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_unknown_dialog_is_never_clicked_through(play: Callable[..., Any]) -> None:
    behaviour = Behaviour(win_dialog=True, loss_dialog=True)
    run = play(desktop(Faults(), behaviour=behaviour, rows=9, cols=9, mines=10), games=3)
    run.check()
    assert run.error is None or isinstance(run.error, BotError | CalibrationError)


# ---- several at once -----------------------------------------------------------------------------


@pytest.mark.slow
def test_many_faults_at_once(play: Callable[..., Any]) -> None:
    faults = Faults(
        drop_every=6,
        double_every=5,
        repaint_s=0.15,
        hover=True,
    )
    after_click: dict[int, Callable[[FaultyDesktop], None]] = {
        4: lambda desk: desk.move_window(45, 30),
        11: lambda desk: desk.popup(lasts_s=1.2),
        17: lambda desk: desk.user_moves(lasts_s=0.6),
        23: lambda desk: desk.minimise(lasts_s=1.0),
        29: lambda desk: desk.notify(lasts_s=1.0),
    }
    play(desktop(faults, after_click=after_click), games=2).check_finished()


@pytest.mark.slow
def test_a_wrong_number_that_was_seen_for_a_moment_is_not_held_against_the_board(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was read from a frame between two turns, as a page draws it while cells still open."""
    read, done = Reader.read, False

    def misread_once(reader: Reader, frame: Frame, memory: Memory, **how: bool) -> Readout:
        nonlocal done
        before = memory.previous
        result, memory = read(reader, frame, memory, **how)
        if before is not None and isinstance(result, Reading) and not done:
            opened = np.argwhere((result.board.tiles > 0) & (before.tiles < 0))
            if len(opened) and (before.tiles > 0).any():
                tiles = result.board.tiles.copy()
                tiles[tuple(opened[0])] += 1
                pixels = np.zeros_like(before.pixels)
                wrong = replace(before, pixels=pixels, tiles=tiles)
                memory, done = replace(memory, previous=wrong), True
        return Readout(result, memory)

    monkeypatch.setattr(Reader, "read", misread_once)
    play(desktop()).check_finished()
    assert done

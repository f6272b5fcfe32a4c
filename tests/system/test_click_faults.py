"""When clicks get lost, come twice or are answered late, play goes on or stops rightly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.desktop.ports import Button
from bot.errors import BotError, WindowStuck
from solver.board import Cell
from tests.simulated import Behaviour, Faults, FaultyProgram
from tests.system.faulty import desktop


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("every", [3, 4, 7])
@pytest.mark.parametrize("flags", [False, True])
def test_dropped_clicks_are_made_again(play: Callable[..., Any], every: int, flags: bool) -> None:
    play(desktop(Faults(drop_every=every)), flags=flags).check_finished()


@pytest.mark.slow
def test_a_window_that_answers_no_click_is_stuck(play: Callable[..., Any]) -> None:
    run = play(desktop(Faults(drop_every=1)))
    run.check()
    assert isinstance(run.error, WindowStuck)
    assert len(run.desk.clicks) <= 6


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("skin", ["classic", "flat"])
@pytest.mark.parametrize("flags", [False, True])
def test_doubled_clicks_do_no_harm(play: Callable[..., Any], skin: str, flags: bool) -> None:
    run = play(desktop(Faults(double_every=3), skin=skin), flags=flags)
    run.check_finished()
    if flags:
        assert any(c.deliveries == 2 and c.button is Button.RIGHT for c in run.desk.clicks)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("repaint_s", [0.3, 0.8, 2.5])
def test_slow_repaints_are_waited_for(play: Callable[..., Any], repaint_s: float) -> None:
    run = play(desktop(Faults(repaint_s=repaint_s), rows=9, cols=9, mines=10))
    run.check()
    # Play may give up if the repaint is slower than every limit, but never clicks wrongly.
    assert run.error is None or (repaint_s > 2 and isinstance(run.error, BotError))


@pytest.mark.slow
def test_a_program_that_needs_long_for_each_click_is_waited_for(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser on a busy machine answers several clicks one after another."""
    show, free_at = FaultyProgram._show_change, 0.0

    def queued(program: FaultyProgram, start: Cell, before: NDArray[np.int8]) -> None:
        nonlocal free_at
        now = program._timeline.clock.now()
        free_at = max(now, free_at) + 0.3
        program.faults = replace(program.faults, repaint_s=free_at - now)
        show(program, start, before)

    monkeypatch.setattr(FaultyProgram, "_show_change", queued)
    run = play(desktop(Faults(), rows=9, cols=9, mines=10, seed=1))
    run.check_finished()
    cells = [click.cell for click in run.desk.clicks]
    assert len(cells) == len(set(cells))


@pytest.mark.slow
def test_slow_and_uneven_flooding_is_waited_for(play: Callable[..., Any]) -> None:
    behaviour = Behaviour(latency_s=0.1, ripple_s=0.12)
    play(desktop(Faults(), behaviour=behaviour, rows=9, cols=9, mines=10), games=3).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("skin", ["classic", "flat", "dark", "pastel", "glass"])
def test_a_tile_that_lightens_under_the_pointer_is_read_right(
    play: Callable[..., Any], skin: str
) -> None:
    play(desktop(Faults(hover=True), skin=skin, scale=1.0), games=2).check_finished()


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("skin", ["classic", "flat", "dark", "pastel", "glass"])
def test_a_tile_that_stays_light_when_the_pointer_left_is_read_right(
    play: Callable[..., Any], skin: str
) -> None:
    """The nearest one to where the pointer is: SDL does not report that it left the window."""
    faults = Faults(hover=True, hover_stays=True)
    play(desktop(faults, skin=skin, scale=1.0), games=2).check_finished()


@pytest.mark.slow
def test_a_program_that_looks_once_a_frame_whether_the_button_is_down_is_played(
    play: Callable[..., Any],
) -> None:
    """Quick clicks are lost; after two turns that had to be repeated all are held.

    Until one of its clicks was answered, the bot makes one a turn.
    """
    held, quick = (play(desktop(Faults(least_hold_s=hold_s))) for hold_s in (0.03, 0.0))
    for run in (held, quick):
        run.check_finished()
    assert len(held.witness.turns) <= len(quick.witness.turns) + 6

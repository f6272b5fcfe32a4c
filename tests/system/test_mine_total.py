"""When the mine counter is wrong or missing, play goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.simulated import Faults
from tests.system.faulty import desktop


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("error", [-7, 3])
@pytest.mark.parametrize("skin", ["classic", "flat"])
def test_a_wrong_counter_is_blamed_for_what_it_costs(
    play: Callable[..., Any], skin: str, error: int
) -> None:
    """A total that the board can have is believed: the counter is blamed for what it costs."""
    run = play(desktop(Faults(counter_error=error), skin=skin, scale=1.0), games=2)
    run.check_finished(("bad luck", "misread") if error < 0 else ("bad luck",))


@pytest.mark.slow
@pytest.mark.parametrize("total", [33, 43])
def test_a_wrong_total_from_the_person_is_replaced_with_a_note(
    play: Callable[..., Any], total: int
) -> None:
    run = play(desktop(Faults(counter_absent=True)), mines=total, games=3)
    run.check()
    assert run.error is None
    assert len(run.results) == len(run.desk.results) == 3
    assert any("does not fit the numbers" in note for note in run.witness.notes)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("mines", [None, 40])
def test_games_are_played_without_a_counter(play: Callable[..., Any], mines: int | None) -> None:
    play(desktop(Faults(counter_absent=True)), mines=mines, games=2).check_finished()


@pytest.mark.slow
def test_a_board_of_unusual_size_is_played_without_counter_and_total(
    play: Callable[..., Any],
) -> None:
    desk = desktop(Faults(counter_absent=True), rows=11, cols=14, mines=23)
    play(desk, games=2).check_finished()

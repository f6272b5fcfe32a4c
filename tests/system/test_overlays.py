"""Pages that dim their finished board and lay a card with a button over it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.errors import WindowTrouble
from calibration.grid import ScreenPoint
from solver.game import Status
from tests.simulated import Behaviour, FaultyDesktop, Hit
from tests.system import playing
from tests.system.playing import HASTY, play

LOST_FIRST = 6
"""Seed of a series whose first game is lost."""


def desktop(
    skin: str = "dark",
    seed: int = LOST_FIRST,
    at_end: Callable[[FaultyDesktop], None] | None = None,
    **how: float,
) -> FaultyDesktop:
    """Return a desktop; ``at_end`` happens to it as soon as a game has ended."""

    def end(desk: FaultyDesktop) -> None:
        if desk.results and at_end is not None:
            at_end(desk)

    return playing.desktop(
        skin,
        seed=seed,
        behaviour=Behaviour(end_overlay=True, **how),
        after_click=dict.fromkeys(range(80), end),
    )


def button_of(desk: FaultyDesktop) -> ScreenPoint:
    """Return where the button of the card will lie."""
    bounds = desk.truth_grid().bounds
    return ScreenPoint((bounds.x0 + bounds.x1) // 2, (bounds.y0 + bounds.y1) // 2)


@pytest.mark.slow
@pytest.mark.parametrize(("skin", "dimming"), [("dark", 0.6), ("classic", 1.0)])
def test_the_place_that_a_person_named_is_clicked_though_a_card_covers_the_board(
    skin: str, dimming: float
) -> None:
    """A board that is as dark as its page looks as if it were gone."""
    desk = desktop(skin, dimming=dimming)
    run = play(desk, games=2, new_game=button_of(desk), limits=HASTY)
    assert run.error is None
    assert len(run.results) == 2
    assert {click.hit for click in desk.clicks} <= {Hit.TILE, Hit.OVERLAY}


def put_another_window_over(desk: FaultyDesktop) -> None:
    desk.under_unseen_window = True


@pytest.mark.slow
@pytest.mark.parametrize("at_end", [FaultyDesktop.minimise, put_another_window_over])
def test_a_place_that_lies_in_another_window_at_the_end_is_not_clicked(
    at_end: Callable[[FaultyDesktop], None],
) -> None:
    desk = desktop("classic", at_end=at_end, dimming=1.0)
    run = play(desk, games=2, new_game=button_of(desk), limits=HASTY)
    assert isinstance(run.error, WindowTrouble)
    assert {click.hit for click in desk.clicks} == {Hit.TILE}


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["dark", "classic"])
def test_an_end_that_was_visible_for_a_moment_is_reported(skin: str) -> None:
    # Less than the board takes to rest.
    run = play(desktop(skin, dialog_s=0.04), games=1, limits=HASTY)
    run.check_finished()
    assert run.desk.results == [Status.LOST]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("skin", ["dark", "glass"])
def test_a_card_is_never_clicked_for_a_tile(skin: str) -> None:
    desk = desktop(skin, dialog_s=0.0)  # the end itself is never seen
    run = play(desk, games=2, limits=HASTY)
    run.check()
    assert run.desk.results[0] is Status.LOST
    assert {click.hit for click in desk.clicks} == {Hit.TILE}


@pytest.mark.slow
def test_the_end_of_a_game_is_reported_from_its_dimmed_board() -> None:
    run = play(desktop("pastel", dialog_s=0.0), games=1, limits=HASTY)
    run.check_finished()
    assert run.desk.results == [Status.LOST]

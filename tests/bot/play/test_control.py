"""A control steers play: it is asked before turns and clicks."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import StoppedByUser
from bot.events import Outcome
from bot.options import PlayOptions
from bot.play.player import Player
from calibration.grid import ScreenPoint
from solver.agents import make_agent
from tests.bot.play.playing import Notes, desktop


class Steering:
    """A control that counts what it is asked and wants no second game."""

    def __init__(self) -> None:
        self.turns = self.clicks = 0
        self.stop_after_game = True

    def before_turn(self, wait: Any) -> None:
        self.turns += 1
        wait(0.01)

    def before_click(self, pause_s: float, wait: Any) -> None:
        self.clicks += 1
        wait(pause_s)


@pytest.mark.slow
def test_a_control_is_asked_before_every_turn_and_click_and_ends_play_after_a_game() -> None:
    desk, steering, notes = desktop(), Steering(), Notes()
    player = Player(
        desk.ports,
        make_agent("tank"),
        options=PlayOptions(mines=10, new_game="f2", games=3),
        observer=notes,
        control=steering,
    )
    (result,) = player.play()
    assert result.outcome in (Outcome.WON, Outcome.LOST)
    assert steering.turns == len(notes.turns)
    assert steering.clicks >= result.clicks


def test_the_kill_switch_works_while_play_is_paused() -> None:
    class Paused(Steering):
        def before_turn(self, wait: Any) -> None:
            desk.move(ScreenPoint(0, 0))
            while True:
                wait(0.05)

    desk = desktop()
    player = Player(desk.ports, make_agent("tank"), control=Paused())
    with pytest.raises(StoppedByUser, match="corner"):
        player.play()

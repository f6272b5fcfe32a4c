"""A game on a monitor at the left of the primary one, or above it: its points are negative."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.desktop.ports import Button, Desktop, Monitor
from bot.options import PlayOptions
from bot.play.player import Player
from bot.simulated import SimulatedDesktop
from calibration.frame import Frame
from calibration.points import PixelBox, ScreenPoint
from solver.agents import make_agent
from tests.system.faulty import desktop

PRIMARY = Monitor(0, 0, 2560, 1440)


class Shifted:
    """The simulated desktop as the left one of two monitors, at a place of its own."""

    def __init__(self, desk: SimulatedDesktop, left: int, top: int) -> None:
        self.desk, self.left, self.top = desk, left, top

    def _out(self, point: ScreenPoint) -> ScreenPoint:
        return ScreenPoint(point.x + self.left, point.y + self.top)

    def _into(self, point: ScreenPoint) -> ScreenPoint:
        return ScreenPoint(point.x - self.left, point.y - self.top)

    def grab(self, box: PixelBox | None = None) -> Frame:
        frame = self.desk.grab(box)
        return replace(frame, origin=self._out(frame.origin))

    def monitors(self) -> tuple[Monitor, ...]:
        (own,) = self.desk.monitors()
        shift = (self.left, self.top, self.left, self.top)
        return Monitor(*(edge + by for edge, by in zip(own, shift, strict=True))), PRIMARY

    def click(self, point: ScreenPoint, button: Button = Button.LEFT, hold_s: float = 0.0) -> None:
        self.desk.click(self._into(point), button, hold_s)

    def move(self, point: ScreenPoint) -> None:
        self.desk.move(self._into(point))

    def position(self) -> ScreenPoint:
        return self._out(self.desk.position())

    def ports(self) -> Desktop:
        return Desktop(self, self, self.desk, self.desk.clock)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", ["classic", "flat", "pastel"])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("left", "top"), [(-1920, 0), (-3840, -700), (0, -1080)])
def test_games_are_played_at_negative_points(left: int, top: int, ratio: float, skin: str) -> None:
    desk = desktop(
        skin=skin, pixel_ratio=ratio, after_click={4: lambda desk: desk.move_window(60, 31)}
    )
    shifted = Shifted(desk, left, top)
    options = PlayOptions(mines=40, new_game="f2", games=2)
    results = Player(shifted.ports(), make_agent("tank"), options=options).play()
    assert [result.outcome.value for result in results] == [end.value for end in desk.results]
    assert len(results) == 2
    assert desk.stray_clicks == []

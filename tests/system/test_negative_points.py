"""A game on a monitor at the left of the primary one, or above it: its points are negative."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.desktop.ports import Desktop, Monitor
from bot.errors import UsageError
from bot.options import PlayOptions
from bot.play.player import Player
from bot.terminal.console import console
from bot.terminal.printers import PlainLog
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from solver.agents import make_agent
from solver.board import Cell
from tests.bot.command_line import Capture
from tests.simulated import FaultyDesktop
from tests.system.playing import desktop

PRIMARY = Monitor(0, 0, 2560, 1440)


@dataclass
class Shifted:
    """The simulated desktop as the left one of two monitors, at a place of its own."""

    desk: FaultyDesktop
    left: int
    top: int
    shown: int = 2
    """How many of the two monitors are there."""

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
        left = Monitor(*(edge + by for edge, by in zip(own, shift, strict=True)))
        return (left, PRIMARY)[: self.shown]

    def click(self, point: ScreenPoint, *how: Any) -> bool:
        return self.desk.click(self._into(point), *how)

    def move(self, point: ScreenPoint) -> None:
        self.desk.move(self._into(point))

    def position(self) -> ScreenPoint:
        return self._out(self.desk.position())

    def ports(self) -> Desktop:
        return Desktop(self, self, self.desk, self.desk.clock, lines_in=self.desk.lines_in)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", ["classic", "flat", "pastel"])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("left", "top"), [(-1920, 0), (-3840, -700), (0, -1080)])
def test_games_are_played_at_negative_points(left: int, top: int, ratio: float, skin: str) -> None:
    after = {4: lambda desk: desk.move_window(60, 31)}
    desk = desktop(skin, "intermediate", scale=1.5, pixel_ratio=ratio, after_click=after)
    shifted = Shifted(desk, left, top)
    options = PlayOptions(mines=40, new_game="f2", games=2)
    results = Player(shifted.ports(), make_agent("tank"), options=options).play()
    assert [result.outcome.value for result in results] == [end.value for end in desk.results]
    assert len(results) == 2
    assert desk.stray_clicks == []


def test_places_are_printed_and_accepted_in_units_of_the_mouse(capsys: Capture) -> None:
    """The place that the first game prints chooses the board, and lies on the window."""
    desk = desktop(size="intermediate", pixel_ratio=2.0)
    shifted = Shifted(desk, -1920, -300)
    log = PlainLog(console())
    options = PlayOptions(mines=40, dry_run=True)
    Player(shifted.ports(), make_agent("tank"), options=options, observer=log).play()
    place = re.search(
        r"Board of 16 rows and 16 columns at (-?\d+),(-?\d+)\.", capsys.readouterr().out
    )
    assert place is not None
    corner = ScreenPoint(int(place[1]), int(place[2]))
    first = desk.cell_point(Cell(0, 0))
    assert corner.is_near(ScreenPoint(first.x - 1920, first.y - 300), 16)
    Player(shifted.ports(), make_agent("tank"), options=replace(options, near=corner)).play()


@pytest.mark.parametrize(
    "options", [{"near": ScreenPoint(5, 5)}, {"new_game": ScreenPoint(-2000, 0)}]
)
def test_a_point_on_no_monitor_is_refused_before_any_click(options: dict[str, Any]) -> None:
    ports = Shifted(desktop(), -1920, -300, shown=1).ports()
    pointer = ports.pointer.position()
    with pytest.raises(UsageError, match="is on no monitor"):
        Player(ports, make_agent("tank"), options=PlayOptions(**options)).play()
    assert ports.pointer.position() == pointer

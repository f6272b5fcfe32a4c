"""A desktop on which nothing happens: it keeps what is done to it."""

from __future__ import annotations

from bot.desktop.ports import Button, Monitor, Window
from bot.simulated import FakeClock
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint


class FakePorts:
    """The screen, the pointer, the keyboard and the clock of a desktop with one monitor."""

    def __init__(self, width: int = 1920, height: int = 1080) -> None:
        self.clock, self.at = FakeClock(), ScreenPoint(width // 2, height // 2)
        self.screens: tuple[Monitor, ...] = (Monitor(0, 0, width, height),)
        self.keys: list[str] = []

    def grab(self, box: PixelBox | None = None) -> Frame:
        raise AssertionError("nothing looks at this screen")

    def monitors(self) -> tuple[Monitor, ...]:
        return self.screens

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        self.at = point
        return True

    def move(self, point: ScreenPoint) -> None:
        self.at = point

    def position(self) -> ScreenPoint:
        return self.at

    def press(self, keys: str, into: int | None = None) -> bool:
        self.keys.append(keys)
        return True

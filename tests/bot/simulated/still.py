"""A screen on which nothing ever changes."""

from __future__ import annotations

from bot.desktop.ports import Monitor
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint


class StillScreen:
    """A screen that shows one picture, whatever is clicked."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def grab(self, box: PixelBox | None = None) -> Frame:
        box = box or PixelBox(0, 0, self._frame.width, self._frame.height)
        pixels = self._frame.pixels[box.y0 : box.y1, box.x0 : box.x1]
        return Frame(pixels, ScreenPoint(box.x0, box.y0))

    def monitors(self) -> tuple[Monitor, ...]:
        return (Monitor(0, 0, self._frame.width, self._frame.height),)

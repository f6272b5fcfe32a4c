"""What can cover the simulated game, or take it off the screen."""

from __future__ import annotations

import ctypes
import gc
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.errors import ScreenGone
from bot.simulated.paint import Pixels, bevel, blend, clip, fill, shade, solid, write
from bot.simulated.render import TITLE_PX, title_bar
from bot.simulated.screen import Layer, SimulatedScreen
from calibration.grid import PixelBox


@dataclass(eq=False)
class Translucent(Layer):
    """A layer through which what lies below it is seen."""

    opacity: float = 0.5

    def _lay(self, source: Pixels, target: Pixels) -> None:
        blend(target, source, self.opacity)


def free_screenshots() -> None:
    """Give the memory of desktops that are closed back to the system.

    They refer to themselves, so that only a search for garbage frees them; beside what the
    libraries hold Python hardly ever makes one, and one process kept 3 GB of old screenshots. glibc
    keeps the memory that was freed, unless it is asked.
    """
    gc.collect()
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)


class FaultyScreen(SimulatedScreen):
    """What the monitor shows: the scenery, what the program ``opened``, and what ``covers`` it.

    A ``tint`` multiplies the channels of all pixels. So many ``failing_grabs`` give no picture.
    """

    def __init__(self, scenery: Pixels, *, ui_scale: float) -> None:
        super().__init__(scenery, ui_scale=ui_scale)
        self.minimised, self.failing_grabs = False, 0
        self.opened, self.covers = list[Layer](), list[Layer]()
        self.tint: tuple[float, float, float] | None = None

    @property
    def _layers(self) -> list[Layer]:
        program = [] if self.minimised else [*super()._layers, *self.opened]
        return [*program, *self.covers]

    def picture(self) -> Pixels:
        if self.failing_grabs:
            self.failing_grabs -= 1
            raise ScreenGone("The simulated screen gave no picture.")
        return super().picture()

    def change(self, **what: Any) -> None:
        """Show all with other values of what is named."""
        for name, value in what.items():
            setattr(self, name, value)
        if self._window is not None:
            self.show(self._window)

    def show(self, window: Layer) -> None:
        super().show(window)
        if self.minimised:
            self._base = self._scenery
            self._compose(self.bounds)

    def repaint(self, box: PixelBox) -> None:
        if not self.minimised:
            super().repaint(box)

    def _compose(self, box: PixelBox) -> None:
        super()._compose(box)
        if self.tint is not None:
            box = clip(box, self.bounds)
            part = self._pixels[box.y0 : box.y1, box.x0 : box.x1]
            part[:] = (part * np.array(self.tint)).astype(np.uint8)


def dialog(width: int, height: int, title: str, lines: tuple[str, ...], scale: float) -> Pixels:
    picture = solid(width, height, (240, 240, 240))
    title_bar(picture, title, (205, 210, 218), (40, 40, 40), scale)
    for index, text in enumerate(lines):
        base = (TITLE_PX + 30 + 20 * index) * scale
        write(picture, text, (width / 2, base), 9 * scale, (30, 30, 30), align=0.5)
    half, base = round(34 * scale), height - round(14 * scale)
    button = width // 2 - half, base - round(24 * scale), width // 2 + half, base
    fill(picture, button, (225, 225, 225))
    bevel(picture, button, 1, (255, 255, 255), (150, 150, 150))
    write(picture, "OK", (width / 2, base - 8 * scale), 9 * scale, (30, 30, 30), align=0.5)
    bevel(picture, (0, 0, width, height), 1, shade((205, 210, 218), 0.8), (120, 120, 120))
    return picture

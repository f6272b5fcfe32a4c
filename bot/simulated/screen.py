"""What the simulated screen shows: a window over a wallpaper. A clock that does not wait."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import cv2
import numpy as np

from bot.desktop.ports import Clock
from bot.simulated.paint import Box, Pixels, blend, clip
from calibration.grid import PixelBox

_SKY_COLOURS = (((10, 30), (24, 50), (50, 80)), ((60, 110), (120, 170), (170, 215)))


@dataclass(eq=False)
class Layer:
    """A picture at a place of the screen."""

    picture: Pixels
    x: int
    y: int

    @property
    def box(self) -> PixelBox:
        """The pixels of the screen that it takes; some may be off the screen."""
        height, width = self.picture.shape[:2]
        return PixelBox(self.x, self.y, self.x + width, self.y + height)

    def covers(self, x: int, y: int) -> bool:
        """Whether a pixel of the screen lies in it."""
        return self.box.x0 <= x < self.box.x1 and self.box.y0 <= y < self.box.y1

    def paint_on(self, pixels: Pixels, box: PixelBox) -> None:
        """Draw what lies in ``box`` onto the pixels of the screen."""
        part = clip(self.box, box)
        if part.x0 < part.x1 and part.y0 < part.y1:
            rows = slice(part.y0 - self.y, part.y1 - self.y)
            cols = slice(part.x0 - self.x, part.x1 - self.x)
            self._lay(self.picture[rows, cols], pixels[part.y0 : part.y1, part.x0 : part.x1])

    def _lay(self, source: Pixels, target: Pixels) -> None:
        target[:] = source


class SimulatedScreen:
    """A ``scenery``, and the window of a program with its shadow over it."""

    def __init__(self, scenery: Pixels, *, ui_scale: float) -> None:
        self._scenery, self._ui_scale = scenery, ui_scale
        self._base, self._pixels = scenery, scenery.copy()
        self._lent = False
        self._window: Layer | None = None

    @property
    def bounds(self) -> PixelBox:
        """The box of the screen."""
        return PixelBox(0, 0, self._scenery.shape[1], self._scenery.shape[0])

    @property
    def _layers(self) -> Sequence[Layer]:
        """What lies over the scenery, the last on top."""
        return [self._window] if self._window is not None else []

    def picture(self) -> Pixels:
        """Return the pixels, read-only; later changes go to a copy."""
        self._lent = True
        view = self._pixels.view()
        view.setflags(write=False)
        return view

    def show(self, window: Layer) -> None:
        """Show the program's window where it is now."""
        self._window = window
        self._base = self._scenery.copy()
        drop_shadow(self._base, window.box, self._ui_scale)
        self._compose(self.bounds)

    def repaint(self, box: PixelBox) -> None:
        """Compose a box again, given in pixels of the program's window."""
        if self._window is not None:
            x, y = self._window.x, self._window.y
            self._compose(PixelBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y))

    def _compose(self, box: PixelBox) -> None:
        box = clip(box, self.bounds)
        if box.x0 >= box.x1 or box.y0 >= box.y1:
            return
        if self._lent:
            self._pixels = self._pixels.copy()
            self._lent = False
        part = np.s_[box.y0 : box.y1, box.x0 : box.x1]
        self._pixels[part] = self._base[part]
        for layer in self._layers:
            layer.paint_on(self._pixels, box)


def wallpaper(width: int, height: int, rng: random.Random) -> Pixels:
    """Paint a gradient between two colours of a sky."""
    low, high = (np.array([rng.randint(*span) for span in spans]) for spans in _SKY_COLOURS)
    down, right = np.linspace(0, 1, height)[:, None], np.linspace(0, 1, width)[None, :]
    slope = (0.65 * down + 0.35 * right)[..., None]
    return np.asarray(high + (low - high) * slope, np.uint8)


def drop_shadow(picture: Pixels, box: Box, scale: float) -> None:
    """Darken the pixels around a window that lies in ``box``."""
    left, top, right, bottom = box
    reach = max(2, round(14 * scale))
    drop = reach // 3
    x0, y0 = max(0, left - reach), max(0, top - reach)
    x1 = min(picture.shape[1], right + reach)
    y1 = min(picture.shape[0], bottom + reach + drop)
    if x0 >= x1 or y0 >= y1:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.float32)
    mask[max(0, top + drop - y0) : bottom + drop - y0, max(0, left - x0) : right - x0] = 1
    soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), reach / 2.2), np.float32)
    blend(picture[y0:y1, x0:x1], (0, 0, 0), soft * 0.4)


class FakeClock:
    """A clock that moves only when `sleep` is called, without waiting."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward without waiting."""
        self._now += max(0.0, seconds)


class Timeline:
    """Actions planned on a clock, done in order of time by `advance`."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def later(self, delay_s: float, action: Callable[[], None]) -> None:
        """Plan an action for ``delay_s`` seconds from now."""
        heapq.heappush(self._due, (self.clock.now() + delay_s, next(self._order), action))

    def advance(self) -> None:
        """Do all actions whose time has come."""
        now = self.clock.now()
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()

    def clear(self) -> None:
        """Drop all planned actions."""
        self._due.clear()

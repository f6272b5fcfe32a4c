"""What can cover the simulated game, or take it off the screen."""

from __future__ import annotations

import ctypes
import gc
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np

from bot.errors import ScreenGone
from bot.simulated.paint import Pixels, bevel, blend, clip, fill, shade, solid, write
from bot.simulated.render import TITLE_PX, title_bar
from bot.simulated.screen import Layer, SimulatedScreen, Timeline
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
    """What the monitor shows: the scenery, the program's layers, and what covers them.

    ``timeline`` ends what lasts for a while.
    """

    def __init__(self, scenery: Pixels, *, ui_scale: float, timeline: Timeline) -> None:
        super().__init__(scenery, ui_scale=ui_scale)
        self.minimised = False
        self._timeline = timeline
        self._opened: list[Layer] = []
        self._covers: list[Layer] = []
        self._tint: tuple[float, float, float] | None = None
        self._black = False
        self._failing_grabs = 0

    @property
    def _layers(self) -> list[Layer]:
        program = [] if self.minimised else [*super()._layers, *self._opened]
        return [*program, *self._covers]

    def picture(self) -> Pixels:
        """Return the pixels, read-only. Raises `ScreenGone` as often as `fail_grabs` said."""
        if self._failing_grabs:
            self._failing_grabs -= 1
            raise ScreenGone("The simulated screen gave no picture.")
        return np.zeros_like(self._scenery) if self._black else super().picture()

    def is_covered(self, x: int, y: int) -> bool:
        """Whether a popup or a notification covers a pixel."""
        return any(layer.covers(x, y) for layer in self._covers)

    def open_over(self, layers: list[Layer]) -> None:
        """Show what the program opened over its window, the last on top."""
        self._opened = layers
        self._show_all()

    def show(self, window: Layer) -> None:
        """Show the program's window where it is now, unless it is minimised."""
        super().show(window)
        if self.minimised:
            self._base = self._scenery
            self._compose(self.bounds)

    def repaint(self, box: PixelBox) -> None:
        """Compose a box again, given in pixels of the program's window."""
        if not self.minimised:
            super().repaint(box)

    def minimise(self, lasts_s: float | None) -> None:
        """Take the program's window off the screen."""
        self._set_minimised(True)
        self._later(lasts_s, partial(self._set_minimised, False))

    # ---- what covers it ----------------------------------------------------------------------

    def pop_up(self, board: PixelBox, lasts_s: float | None, share: float) -> None:
        """Show a dialog over the middle of ``board``; its sides are ``share`` of the board's."""
        width = max(80, round((board.x1 - board.x0) * share))
        height = max(80, round((board.y1 - board.y0) * share))
        picture = dialog(width, height, "Updates", ("12 updates are ready.",), 0.9)
        x, y = (board.x0 + board.x1 - width) // 2, (board.y0 + board.y1 - height) // 2
        self._cover(Layer(picture, x, y), lasts_s)

    def notify(self, board: PixelBox, lasts_s: float) -> None:
        """Let a notification slide over ``board`` from right to left."""
        scale = self._ui_scale
        picture = solid(round(260 * scale), round(60 * scale), (48, 50, 56))
        at = (16 * scale, 35 * scale)
        write(picture, "You have 3 new messages", at, 10 * scale, (235, 235, 235))
        steps = max(2, round(lasts_s / 0.05))
        path = np.linspace(board.x1, board.x0 - picture.shape[1], steps)
        layer = Layer(picture, int(path[0]), (board.y0 + board.y1) // 2)
        self._cover(layer, lasts_s)
        for step, x in enumerate(path[1:], start=1):
            self._timeline.later(lasts_s * step / steps, partial(self._slide, layer, round(x)))

    def go_black(self, lasts_s: float | None) -> None:
        """Show nothing but black."""
        self._set_black(True)
        self._later(lasts_s, partial(self._set_black, False))

    def tint(self, factors: tuple[float, float, float]) -> None:
        """Multiply the channels of all pixels."""
        self._tint = factors
        self._show_all()

    def fail_grabs(self, times: int) -> None:
        """Let the next ``times`` pictures raise `ScreenGone`."""
        self._failing_grabs = times

    # ---- inside ------------------------------------------------------------------------------

    def _later(self, delay_s: float | None, action: partial[None]) -> None:
        if delay_s is not None:
            self._timeline.later(delay_s, action)

    def _set_minimised(self, minimised: bool) -> None:
        self.minimised = minimised
        self._show_all()

    def _set_black(self, black: bool) -> None:
        self._black = black

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._covers.append(layer)
        self._show_all()
        self._later(lasts_s, partial(self._uncover, layer))

    def _uncover(self, layer: Layer) -> None:
        self._covers.remove(layer)
        self._show_all()

    def _slide(self, layer: Layer, x: int) -> None:
        layer.x = x
        self._show_all()

    def _show_all(self) -> None:
        if self._window is not None:
            self.show(self._window)

    def _compose(self, box: PixelBox) -> None:
        super()._compose(box)
        if self._tint is not None:
            box = clip(box, self.bounds)
            part = self._pixels[box.y0 : box.y1, box.x0 : box.x1]
            part[:] = _tinted(part, self._tint)


def _tinted(pixels: Pixels, tint: tuple[float, float, float]) -> Pixels:
    return (pixels * np.array(tint)).astype(np.uint8)


def dialog(width: int, height: int, title: str, lines: tuple[str, ...], scale: float) -> Pixels:
    """Draw a message box with one button."""
    picture = solid(width, height, (240, 240, 240))
    title_bar(picture, title, (205, 210, 218), (40, 40, 40), scale)
    for index, text in enumerate(lines):
        base = (TITLE_PX + 30 + 20 * index) * scale
        write(picture, text, (width / 2, base), 9 * scale, (30, 30, 30), align=0.5)
    half, base = round(34 * scale), height - round(14 * scale)
    x0, y0 = width // 2 - half, base - round(24 * scale)
    fill(picture, (x0, y0, width // 2 + half, base), (225, 225, 225))
    bevel(picture, (x0, y0, width // 2 + half, base), 1, (255, 255, 255), (150, 150, 150))
    write(picture, "OK", (width / 2, base - 8 * scale), 9 * scale, (30, 30, 30), align=0.5)
    bevel(picture, (0, 0, width, height), 1, shade((205, 210, 218), 0.8), (120, 120, 120))
    return picture


def overlay_card(width: int, height: int, text: str, scale: float) -> Pixels:
    """Draw the card that a page lays over its finished board: one large button."""
    picture = solid(width, height, (236, 238, 242))
    write(picture, text, (width / 2, height / 2), 11 * scale, (30, 30, 30), align=0.5)
    return picture

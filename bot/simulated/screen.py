"""The simulated screen: pictures in layers, composed again only where something changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bot.errors import ScreenGone
from bot.simulated.clock import Timeline
from bot.simulated.paint import Pixels, blend, clip, solid, write
from bot.simulated.scenery import dialog, drop_shadow
from calibration.points import PixelBox


@dataclass(eq=False)
class Layer:
    """A picture at a place of the screen, translucent with an ``opacity`` below 1."""

    picture: Pixels
    x: int
    y: int
    opacity: float = 1.0

    @property
    def box(self) -> PixelBox:
        """The pixels of the screen that it takes; some may be off the screen."""
        height, width = self.picture.shape[:2]
        return PixelBox(self.x, self.y, self.x + width, self.y + height)

    def covers(self, x: int, y: int) -> bool:
        """Whether a pixel of the screen lies in it."""
        return self.box.x0 <= x < self.box.x1 and self.box.y0 <= y < self.box.y1


class LayerStack:
    """A base picture with layers on it, the last on top. ``tint`` multiplies each channel."""

    def __init__(self, base: Pixels) -> None:
        self.base = base
        self.layers: list[Layer] = []
        self.tint: tuple[float, float, float] | None = None
        self._pixels = base.copy()
        self._lent = False

    @property
    def bounds(self) -> PixelBox:
        """The box of the whole picture."""
        return PixelBox(0, 0, self.base.shape[1], self.base.shape[0])

    def composed(self) -> Pixels:
        """Return the pixels, read-only; later changes go to a copy."""
        self._lent = True
        view = self._pixels.view()
        view.setflags(write=False)
        return view

    def compose(self, box: PixelBox | None = None) -> None:
        """Compose the pixels of ``box`` again, or all of them."""
        box = clip(box or self.bounds, self.bounds)
        if box.x0 >= box.x1 or box.y0 >= box.y1:
            return
        if self._lent:
            self._pixels = self._pixels.copy()
            self._lent = False
        target = self._pixels[box.y0 : box.y1, box.x0 : box.x1]
        target[:] = self.base[box.y0 : box.y1, box.x0 : box.x1]
        for layer in self.layers:
            self._paste(layer, box)
        if self.tint is not None:
            target[:] = _tinted(target, self.tint)

    def _paste(self, layer: Layer, box: PixelBox) -> None:
        part = clip(layer.box, box)
        if part.x0 >= part.x1 or part.y0 >= part.y1:
            return
        target = self._pixels[part.y0 : part.y1, part.x0 : part.x1]
        source = layer.picture[
            part.y0 - layer.y : part.y1 - layer.y, part.x0 - layer.x : part.x1 - layer.x
        ]
        if layer.opacity >= 1.0:
            target[:] = source
        else:
            blend(target, source, layer.opacity)


class SimulatedScreen:
    """What the monitor shows: the scenery, the program's layers, and what covers them.

    ``scenery`` is the picture below all layers; ``ui_scale`` is the size of what is drawn here;
    ``timeline`` ends what lasts for a while.
    """

    def __init__(self, scenery: Pixels, *, ui_scale: float, timeline: Timeline) -> None:
        self.minimised = False
        self._scenery, self._ui_scale, self._timeline = scenery, ui_scale, timeline
        self._stack = LayerStack(scenery)
        self._program_layers: list[Layer] = []
        self._covers: list[Layer] = []
        self._black = False
        self._failing_grabs = 0

    @property
    def bounds(self) -> PixelBox:
        """The box of the screen."""
        return self._stack.bounds

    def picture(self) -> Pixels:
        """Return the pixels, read-only. Raises `ScreenGone` as often as `fail_grabs` said."""
        if self._failing_grabs:
            self._failing_grabs -= 1
            raise ScreenGone("The simulated screen gave no picture.")
        return np.zeros_like(self._scenery) if self._black else self._stack.composed()

    def is_covered(self, x: int, y: int) -> bool:
        """Whether a popup or a notification covers a pixel."""
        return any(layer.covers(x, y) for layer in self._covers)

    # ---- the program's window ----------------------------------------------------------------

    def show(self, layers: list[Layer]) -> None:
        """Show the program's layers, its window first."""
        self._program_layers = layers
        self._compose_all()

    def repaint(self, box: PixelBox) -> None:
        """Compose a box again, given in pixels of the program's window."""
        if not self.minimised:
            x, y = self._program_layers[0].x, self._program_layers[0].y
            self._stack.compose(PixelBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y))

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

    def tint(self, factors: tuple[float, float, float] | None) -> None:
        """Multiply the channels of all pixels; None ends it."""
        self._stack.tint = factors
        self._stack.compose()

    def fail_grabs(self, times: int) -> None:
        """Let the next ``times`` pictures raise `ScreenGone`."""
        self._failing_grabs = times

    # ---- inside ------------------------------------------------------------------------------

    def _later(self, delay_s: float | None, action: partial[None]) -> None:
        if delay_s is not None:
            self._timeline.later(delay_s, action)

    def _set_minimised(self, minimised: bool) -> None:
        self.minimised = minimised
        self._compose_all()

    def _set_black(self, black: bool) -> None:
        self._black = black

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._covers.append(layer)
        self._compose_all()
        self._later(lasts_s, partial(self._uncover, layer))

    def _uncover(self, layer: Layer) -> None:
        self._covers.remove(layer)
        self._compose_all()

    def _slide(self, layer: Layer, x: int) -> None:
        layer.x = x
        self._compose_all()

    def _compose_all(self) -> None:
        self._stack.base = self._scenery
        self._stack.layers = list(self._covers)
        if not self.minimised:
            self._stack.base = self._scenery.copy()
            drop_shadow(self._stack.base, self._program_layers[0].box, self._ui_scale)
            self._stack.layers[:0] = self._program_layers
        self._stack.compose()


def _tinted(pixels: Pixels, tint: tuple[float, float, float]) -> Pixels:
    ramp = np.arange(256)
    table: NDArray[np.uint8] = np.stack([ramp * factor for factor in tint], axis=1).astype(np.uint8)
    return np.stack([table[pixels[..., channel], channel] for channel in range(3)], axis=2)

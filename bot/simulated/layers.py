"""Pictures stacked into one screen, repainted only where something changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.simulated.paint import Pixels, blend
from calibration.frame import PixelBox


@dataclass(eq=False)
class Layer:
    """A picture at a place of the screen; ``opacity`` under 1 lets what is below shine through."""

    picture: Pixels
    x: int
    y: int
    opacity: float = 1.0

    @property
    def box(self) -> PixelBox:
        """The pixels of the screen it takes, partly off the screen perhaps."""
        height, width = self.picture.shape[:2]
        return PixelBox(self.x, self.y, self.x + width, self.y + height)


class Stack:
    """A ground picture with layers on it, the last on top. ``tint`` multiplies each channel."""

    def __init__(self, ground: Pixels) -> None:
        self.ground = ground
        self.layers: list[Layer] = []
        self.tint: tuple[float, float, float] | None = None
        self._pixels = ground.copy()
        self._lent = False

    @property
    def whole(self) -> PixelBox:
        """The box of the screen."""
        return PixelBox(0, 0, self.ground.shape[1], self.ground.shape[0])

    def look(self) -> Pixels:
        """Lend the pixels, read-only; a later repaint leaves them as they are."""
        self._lent = True
        view = self._pixels.view()
        view.setflags(write=False)
        return view

    def repaint(self, box: PixelBox | None = None) -> None:
        """Compose the pixels of ``box`` anew, all of them without one."""
        box = clip(box or self.whole, self.whole)
        if box.x0 >= box.x1 or box.y0 >= box.y1:
            return
        if self._lent:
            self._pixels = self._pixels.copy()
            self._lent = False
        target = self._pixels[box.y0 : box.y1, box.x0 : box.x1]
        target[:] = self.ground[box.y0 : box.y1, box.x0 : box.x1]
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


def clip(box: PixelBox, bounds: PixelBox) -> PixelBox:
    """Cut a box to ``bounds``; it may come out empty."""
    return PixelBox(
        max(box.x0, bounds.x0),
        max(box.y0, bounds.y0),
        min(box.x1, bounds.x1),
        min(box.y1, bounds.y1),
    )


def _tinted(pixels: Pixels, tint: tuple[float, float, float]) -> Pixels:
    ramp = np.arange(256)
    table: NDArray[np.uint8] = np.stack([ramp * factor for factor in tint], axis=1).astype(np.uint8)
    return np.stack([table[pixels[..., channel], channel] for channel in range(3)], axis=2)

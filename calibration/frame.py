"""A picture of the screen or of a part of it, with its position there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadImage
from calibration.grid import PixelPoint, ScreenPoint


@dataclass(frozen=True, eq=False)
class Frame:
    """RGB pixels, uint8 ``(height, width, 3)``, read-only.

    ``origin`` is the screen point of the top-left pixel, ``scale`` the number of pixels per
    mouse unit (2.0 on many high-density screens). Raises `BadImage` for any other shape or dtype.

    >>> frame = Frame(np.zeros((4, 6, 3), np.uint8), ScreenPoint(100, 50), scale=2.0)
    >>> frame.to_screen(PixelPoint(6, 2))
    ScreenPoint(x=103, y=51)
    >>> frame.to_pixel(ScreenPoint(103, 51))
    PixelPoint(x=6.0, y=2.0)
    """

    pixels: NDArray[np.uint8]
    origin: ScreenPoint = ScreenPoint(0, 0)
    scale: float = 1.0

    def __post_init__(self) -> None:
        pixels = self.pixels
        if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
            raise BadImage("A frame needs RGB pixels of 8 bits in an array (height, width, 3).")
        view = pixels.view()
        view.setflags(write=False)
        object.__setattr__(self, "pixels", view)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return (
            self.origin == other.origin
            and self.scale == other.scale
            and np.array_equal(self.pixels, other.pixels)
        )

    def __hash__(self) -> int:
        return hash((self.pixels.shape, self.origin, self.scale))

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.pixels.shape[0])

    def to_screen(self, point: PixelPoint) -> ScreenPoint:
        """Convert a point of this frame to the units of the mouse driver."""
        return ScreenPoint(
            self.origin.x + round(point.x / self.scale), self.origin.y + round(point.y / self.scale)
        )

    def to_pixel(self, point: ScreenPoint) -> PixelPoint:
        """Convert a point of the screen to pixels of this frame, inside or outside of it."""
        return PixelPoint(
            (point.x - self.origin.x) * self.scale, (point.y - self.origin.y) * self.scale
        )

"""Points and boxes: in pixels inside a frame, in mouse units on the screen."""

from __future__ import annotations

from typing import NamedTuple

FARTHEST_PX = 100_000
"""Larger than any screen."""


class PixelPoint(NamedTuple):
    """A point inside a frame, in pixels from its top-left corner."""

    x: float
    y: float


class ScreenPoint(NamedTuple):
    """A point on the screen, in the units the mouse driver takes."""

    x: int
    y: int

    def is_near(self, other: ScreenPoint, units: int) -> bool:
        """Whether another point is at most this many units away, along either axis."""
        return max(abs(self.x - other.x), abs(self.y - other.y)) <= units


Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle, for instance a `PixelBox`."""


class PixelBox(NamedTuple):
    """A rectangle inside a frame: ``x0 <= x < x1``, ``y0 <= y < y1``, in pixels."""

    x0: int
    y0: int
    x1: int
    y1: int

    def nearest_to(self, point: PixelPoint) -> PixelPoint:
        """Return the pixel of the rectangle that is nearest to a point."""
        x = min(max(point.x, self.x0), self.x1 - 1)
        return PixelPoint(x, min(max(point.y, self.y0), self.y1 - 1))


def shared_area(one: Box, two: Box) -> float:
    """Return the area of the rectangle that two boxes share, 0 if they share none."""
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    return max(0.0, width) * max(0.0, height)


def overlap(one: Box, two: Box) -> float:
    """Return the area two boxes share, as a share of the smaller box: 0 to 1."""
    smaller = min((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, two))
    return shared_area(one, two) / smaller

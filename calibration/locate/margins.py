"""Tell whether the edge of the picture cuts a board off.

A lattice ends with its last whole tile. If a part of another tile is left between it and the
edge of the picture, the lines between the tiles continue through that strip; they do not
continue through the frame of a window. A strip too narrow to show lines tells nothing: the board
then counts as cut off, unless the picture ends as close to it on all four sides. Such a picture
is a crop along the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

BORDER_WIDTH = 0.1
"""Width of the gap or bevel that belongs to the outermost line, in tiles; at least a pixel."""

LEAST_STRIP_PX = 2
"""Least width of a strip outside that border in which lines can be seen."""

CROP_MARGIN = 0.35
"""Largest margin around the board in a crop along it, in tiles."""

LINE_STEP = 8.0
"""Least difference across a line; red, green and blue added."""

LINE_SHARE = 0.7
"""Least share of the lines that continue through a strip with part of a tile."""


def cut_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the sides (left, top, right, bottom) at which the picture may cut the board off."""
    margins = _margins(frame, grid)
    return tuple(one.side for one in margins if one.tiles < 1 and one.lines_continue is not False)


def is_crop(frame: Frame, grid: Grid) -> bool:
    """Tell whether the picture is a crop along the board, with hardly anything around it."""
    return all(one.tiles < CROP_MARGIN and not one.lines_continue for one in _margins(frame, grid))


class _Margin(NamedTuple):
    """What lies beside the board on one side: its width, and whether the lines continue there.

    ``lines_continue`` is None where that cannot be told.
    """

    side: str
    tiles: float
    lines_continue: bool | None


def _margins(frame: Frame, grid: Grid) -> Iterator[_Margin]:
    x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
    pixels, transposed = frame.pixels[y0:y1], frame.pixels[:, x0:x1].swapaxes(0, 1)
    border_x, border_y = (
        max(1, round(BORDER_WIDTH * pitch)) for pitch in (grid.tile_w, grid.tile_h)
    )
    for side, rest, strip, border_px in (
        ("left", x0, pixels[:, : max(0, x0 - border_x)], border_x),
        ("top", y0, transposed[:, : max(0, y0 - border_y)], border_y),
        ("right", frame.width - x1, pixels[:, x1 + border_x :], border_x),
        ("bottom", frame.height - y1, transposed[:, y1 + border_y :], border_y),
    ):
        at_side = side in ("left", "right")
        lines = grid.y_lines - y0 if at_side else grid.x_lines - x0
        tiles = rest / (grid.tile_w if at_side else grid.tile_h)
        tellable = tiles < 1 and strip.shape[1] >= LEAST_STRIP_PX
        yield _Margin(side, tiles, _lines_continue(strip, lines, border_px) if tellable else None)


def _lines_continue(strip: NDArray[Any], lines: NDArray[Any], reach: int) -> bool:
    """Tell whether a strip ``(along, across, 3)`` shows a step at most of the inner lines.

    The step may lie up to ``reach`` pixels off the line. It must be larger than those at the
    strip's other rows, because a wallpaper has steps everywhere.
    """
    step = cv2.absdiff(strip[2:], strip[:-2]).mean(axis=1).sum(axis=1)
    inner = np.round(lines[1:-1]).astype(int) - 1
    at_lines = [step[max(0, at - reach - 1) : at + reach + 1].max(initial=0) for at in inner]
    shown = np.array(at_lines) > max(LINE_STEP, 3 * float(np.quantile(step, 0.3)))
    return bool(shown.mean() >= LINE_SHARE)

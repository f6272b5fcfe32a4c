"""Whether the edge of the picture cuts a board off.

The lattice ends with the last whole tile. Where part of another tile is left between it and the
edge of the picture, the lines between the tiles run on through that strip; through the frame of
a window they do not. A strip too narrow to show lines tells nothing: the board then counts as
cut off, unless the picture ends as close on all four sides. Such a picture was cut out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

BESIDE = 0.1
"""Width of what belongs to the outermost line, a gap or a bevel, in tiles; a pixel at least."""

TELLING_PX = 2
"""Least width of a strip beyond that which can show lines."""

CLOSE = 0.35
"""Most that a picture cut out along a board leaves around it, in tiles."""

LINE_STEP = 8.0
"""Difference across a line, red, green and blue added, at least."""

LINES_SHARE = 0.7
"""Share of the lines that must run on."""


def cut_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the sides at which the picture cuts the board off, or may do so."""
    margins = _margins(frame, grid)
    return tuple(one.side for one in margins if one.tiles < 1 and one.runs_on is not False)


def is_cut_out(frame: Frame, grid: Grid) -> bool:
    """Tell whether the picture holds the board and hardly anything else."""
    return all(one.tiles < CLOSE and not one.runs_on for one in _margins(frame, grid))


class _Margin(NamedTuple):
    """What is left beside the board: how much, and whether lines run on (None: no telling)."""

    side: str
    tiles: float
    runs_on: bool | None


def _margins(frame: Frame, grid: Grid) -> Iterator[_Margin]:
    x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
    pixels, turned = frame.pixels[y0:y1], frame.pixels[:, x0:x1].swapaxes(0, 1)
    wide, high = (max(1, round(BESIDE * pitch)) for pitch in (grid.tile_w, grid.tile_h))
    for side, rest, strip, beside in (
        ("left", x0, pixels[:, : max(0, x0 - wide)], wide),
        ("top", y0, turned[:, : max(0, y0 - high)], high),
        ("right", frame.width - x1, pixels[:, x1 + wide :], wide),
        ("bottom", frame.height - y1, turned[:, y1 + high :], high),
    ):
        sideways = side in ("left", "right")
        lines = grid.y_lines - y0 if sideways else grid.x_lines - x0
        tiles = rest / (grid.tile_w if sideways else grid.tile_h)
        telling = tiles < 1 and strip.shape[1] >= TELLING_PX
        yield _Margin(side, tiles, _lines_run_on(strip, lines, beside) if telling else None)


def _lines_run_on(strip: NDArray[Any], lines: NDArray[Any], reach: int) -> bool:
    """Whether a strip ``(along, across, 3)`` shows steps at most of the inner lines.

    They may lie ``reach`` pixels beside a line. They must stand out from the strip's other
    rows: a wallpaper has steps everywhere.
    """
    step = cv2.absdiff(strip[2:], strip[:-2]).mean(axis=1).sum(axis=1)
    inner = np.round(lines[1:-1]).astype(int) - 1
    at_lines = [step[max(0, at - reach - 1) : at + reach + 1].max(initial=0) for at in inner]
    shown = np.array(at_lines) > max(LINE_STEP, 3 * float(np.quantile(step, 0.3)))
    return bool(shown.mean() >= LINES_SHARE)

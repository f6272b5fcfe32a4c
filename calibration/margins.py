"""Whether a board goes on beyond the edge of its picture.

The lattice ends with the last whole tile. Where part of another tile is left between it and the
edge of the picture, the lines between the tiles run on through that strip; through the frame of
a window they do not.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

LINE_STEP = 6.0
"""Grey levels by which a line between tiles differs from what is above and below it, at least."""

LINES_SHARE = 0.7
"""Share of the lines that must run on."""


def runs_off(frame: Frame, grid: Grid) -> bool:
    """Whether the picture cuts the board off on any side."""
    grey = cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2GRAY)
    x0, y0, x1, y1 = grid.bounds
    strips = (
        (grey[y0:y1, :x0], grid.tile_w, grid.y_lines - y0),
        (grey[y0:y1, x1:], grid.tile_w, grid.y_lines - y0),
        (grey[:y0, x0:x1].T, grid.tile_h, grid.x_lines - x0),
        (grey[y1:, x0:x1].T, grid.tile_h, grid.x_lines - x0),
    )
    return any(
        2 <= strip.shape[1] < pitch - 1 and _lines_run_on(strip, lines)
        for strip, pitch, lines in strips
    )


def _lines_run_on(strip: NDArray[Any], lines: NDArray[Any]) -> bool:
    """Whether a strip ``(along, across)`` shows a step at most of the inner lines.

    The step must stand out from the strip's other rows: a wallpaper has steps everywhere.
    """
    step = np.abs(np.diff(strip.astype(np.float32), axis=0)).mean(axis=1)
    inner = np.round(lines[1:-1]).astype(int)
    at_lines = np.array([step[max(0, at - 2) : at + 2].max(initial=0) for at in inner])
    return bool((at_lines > max(LINE_STEP, 2 * float(np.median(step)))).mean() >= LINES_SHARE)

"""Cut a board into tiles of one size and see which of them look the same."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

SIDE = 24
"""Side of a tile picture, whatever the pitch: pixels of a 16 px tile survive, 80 px tiles fit."""

COARSE = 8
"""Side of the coarse picture that tells tiles apart or the same."""


def cut(frame: Frame, grid: Grid) -> NDArray[np.uint8]:
    """Resample the board to tile pictures, uint8 ``(rows, cols, SIDE, SIDE, 3)``.

    The lattice is followed below the pixel. What lies outside the frame repeats its border.
    """
    left, top = int(grid.x0) - 2, int(grid.y0) - 2
    right = int(grid.x0 + grid.cols * grid.tile_w) + 3
    bottom = int(grid.y0 + grid.rows * grid.tile_h) + 3
    left, top = max(0, min(left, frame.width - 1)), max(0, min(top, frame.height - 1))
    crop = np.ascontiguousarray(
        frame.pixels[top : max(bottom, top + 1), left : max(right, left + 1)]
    )
    step_x, step_y = grid.tile_w / SIDE, grid.tile_h / SIDE
    if max(step_x, step_y) > 1.4:
        crop = cv2.blur(crop, (max(1, round(step_x)), max(1, round(step_y))))
    where_x = _between(grid.x_lines) - left
    where_y = _between(grid.y_lines) - top
    mosaic = cv2.remap(
        crop,
        np.broadcast_to(where_x, (where_y.size, where_x.size)),
        np.broadcast_to(where_y[:, None], (where_y.size, where_x.size)),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return split(mosaic, grid.rows, grid.cols)


def _between(lines: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the pixel of each of ``SIDE`` samples between every two lines."""
    inside = (np.arange(SIDE) + 0.5) / SIDE
    return (lines[:-1, None] + np.diff(lines)[:, None] * inside - 0.5).ravel().astype(np.float32)


def split(mosaic: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.uint8]:
    """Turn a picture of the board into ``(rows, cols, side, side, 3)``."""
    side_y, side_x = mosaic.shape[0] // rows, mosaic.shape[1] // cols
    parts = mosaic.reshape(rows, side_y, cols, side_x, 3).swapaxes(1, 2)
    return np.ascontiguousarray(parts)


def coarse(tiles: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Average tile pictures ``(n, SIDE, SIDE, 3)`` down to rows of ``COARSE * COARSE * 3``."""
    count = len(tiles)
    strip = tiles.reshape(count * SIDE, SIDE, 3)
    small = cv2.resize(strip, (COARSE, count * COARSE), interpolation=cv2.INTER_AREA)
    return small.reshape(count, -1).astype(np.float32)


def gather(rows: NDArray[np.float32], slack: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group equal rows: no value differs by more than ``slack`` from the group's first member.

    Returns the group of each row and the index of each group's first member.
    """
    groups = np.full(len(rows), -1, dtype=np.intp)
    leaders: list[int] = []
    left = np.arange(len(rows))
    while left.size:
        leader = int(left[0])
        near = np.abs(rows[left] - rows[leader]).max(axis=1) <= slack
        groups[left[near]] = len(leaders)
        leaders.append(leader)
        left = left[~near]
    return groups, np.array(leaders, dtype=np.intp)

"""The errors of a board in doubt, with the pictures of its doubtful tiles."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BoardCovered, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Cell


def doubt(frame: Frame, grid: Grid, doubtful: NDArray[np.bool_]) -> Unreadable:
    """Choose the error: a patch of foreign tiles is a cover, single ones are unreadable."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(doubtful.astype(np.uint8), connectivity=8)
    largest = int(stats[1:count, cv2.CC_STAT_AREA].max())
    crops = crops_of(frame, grid, doubtful)
    if largest >= 6:
        return BoardCovered(
            f"Something seems to lie over the board: {largest} tiles in one patch look like "
            "nothing of its theme. Move it away, or close it.",
            crops,
        )
    return UnreadableTiles(
        f"{name_cells(doubtful)} cannot be read with confidence. Is something over the board, or "
        "is the theme a new one?",
        crops,
    )


def name_cells(mask: NDArray[np.bool_]) -> str:
    """Name the first marked cell and count the others."""
    cells = np.argwhere(mask)
    row, col = cells[0]
    first = f"Row {row + 1}, column {col + 1}"
    return first if len(cells) == 1 else f"{first} and {len(cells) - 1} more tiles"


def crops_of(
    frame: Frame, grid: Grid, mask: NDArray[np.bool_], limit: int = 64
) -> dict[Cell, NDArray[np.uint8]]:
    """Cut out the marked tiles, ``limit`` at most."""
    crops = {}
    for row, col in np.argwhere(mask)[:limit].tolist():
        box = grid.box(Cell(row, col))
        crops[Cell(row, col)] = frame.pixels[
            max(0, box.y0) : max(0, box.y1), max(0, box.x0) : max(0, box.x1)
        ].copy()
    return crops

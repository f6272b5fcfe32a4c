"""What changed on a board from one frame to the next, and what of it cannot be right."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.rules import status_of
from solver.board import Tile
from solver.game import Status

LEAST_VEILED = 3
"""Hidden tiles that look otherwise than before and may be a cover; one or two are the pointer's."""

MOST_STEPS = 12
"""Colour steps by which the middle of a hidden tile may differ from one frame to the next."""


@dataclass(frozen=True, eq=False)
class Last:
    """The last frame's board: its pixels, and what was read in them."""

    pixels: NDArray[np.uint8]
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]


def changed_tiles(
    pixels: NDArray[np.uint8], before: NDArray[np.uint8] | None, grid: Grid
) -> NDArray[np.bool_]:
    """Mark the tiles any pixel of which differs; all of them without a picture before."""
    if before is None or before.shape != pixels.shape:
        return np.ones((grid.rows, grid.cols), dtype=np.bool_)
    off = cv2.absdiff(pixels, before).reshape(len(pixels), -1)
    left, top = grid.x_lines[:-1] - grid.x_lines[0], grid.y_lines[:-1] - grid.y_lines[0]
    by_col = np.bitwise_or.reduceat(off, 3 * np.rint(left).astype(np.intp), axis=1)
    by_tile = np.bitwise_or.reduceat(by_col, np.rint(top).astype(np.intp), axis=0)
    return np.asarray(by_tile > 0)


def altered_numbers(before: NDArray[np.int8], after: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Mark open numbers that changed within one game; none where a new game began."""
    was_open = before >= 0
    altered = was_open & (after != before)
    new_game = altered.sum() > 0.5 * was_open.sum()
    return np.zeros_like(altered) if new_game else altered


def veiled_tiles(
    last: Last,
    pixels: NDArray[np.uint8],
    changed: NDArray[np.bool_],
    tiles: NDArray[np.int8],
) -> NDArray[np.bool_]:
    """Mark hidden tiles that stay hidden but look otherwise, while others look as before.

    A notification of one colour can pass for a second kind of hidden tile. One or two tiles
    change under the pointer, all of them in a flash, and many at a loss: those are no cover.
    """
    still = (last.tiles == Tile.HIDDEN) & (tiles == Tile.HIDDEN)
    few = int((still & changed).sum()) < LEAST_VEILED
    if few or status_of(tiles, None) is Status.LOST or last.pixels.shape != pixels.shape:
        return np.zeros_like(still)
    rows, cols = tiles.shape
    # Every other row will do: a cover is larger than that. Of each tile the middle counts, since
    # the edge of one that was opened beside it may lie within its box.
    difference = cv2.absdiff(pixels[::2], last.pixels[::2])
    quarters = cv2.resize(difference, (4 * cols, 4 * rows), interpolation=cv2.INTER_AREA)
    middles = quarters.reshape(rows, 4, cols, 4, 3)[:, 1:3, :, 1:3].mean(axis=(1, 3))
    altered = still & (middles > MOST_STEPS).any(axis=2)
    cover = LEAST_VEILED <= altered.sum() <= 0.8 * still.sum()
    return altered if cover else np.zeros_like(still)

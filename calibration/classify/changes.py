"""Compare a board with that of the previous frame: what changed, and what cannot be right."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.rules import shows_mines
from calibration.tiles import FLAT, colour_range
from solver.board import Tile, count_neighbours

LEAST_SURE = 0.9
"""Least confidence of a number that cannot change any more."""

LEAST_OBSCURED = 3
"""Changed hidden tiles from which something may cover the board; the pointer changes one or two."""

MOST_COLOUR_STEPS = 12
"""Colour steps by which the middle of a hidden tile may change from one frame to the next."""

SEEN_PX, LEAST_MOVED, SAME_BOARD, WORSE_AT_REST = 10, 0.1, 0.85, 0.2
"""Pixels of a tile at which a board is compared; how far it moves before its grid no longer fits,
in tiles; the least correlation with the board of before from which it is the same; and how much
less it is if nothing moved."""


@dataclass(frozen=True, eq=False)
class PreviousBoard:
    """The board of the previous frame: its pixels, and what was read from them."""

    pixels: NDArray[np.uint8]
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]


def changed_tiles(
    pixels: NDArray[np.uint8], before: NDArray[np.uint8] | None, grid: Grid
) -> NDArray[np.bool_]:
    """Mark the tiles that differ in any pixel; all of them if there is no earlier picture."""
    if before is None or before.shape != pixels.shape:
        return np.ones((grid.rows, grid.cols), dtype=np.bool_)
    off = cv2.absdiff(pixels, before).reshape(len(pixels), -1)
    left, top = grid.x_lines[:-1] - grid.x_lines[0], grid.y_lines[:-1] - grid.y_lines[0]
    by_col = np.bitwise_or.reduceat(off, 3 * np.rint(left).astype(np.intp), axis=1)
    by_tile = np.bitwise_or.reduceat(by_col, np.rint(top).astype(np.intp), axis=0)
    return np.asarray(by_tile > 0)


def changed_numbers(previous: PreviousBoard, tiles: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Mark the open numbers that changed within one game; none where a new game began.

    A change of more than half of them is a new game. A number that was not sure may change: it
    was read while it appeared. So may a zero with a hidden cell beside it: what is drawn on an open
    cell, a number or a mine, may be painted later.
    """
    was_open = previous.tiles >= 0
    altered = was_open & (tiles != previous.tiles)
    new_game = altered.sum() > 0.5 * was_open.sum()
    altered &= previous.confidence >= LEAST_SURE
    altered &= (previous.tiles != 0) | (count_neighbours(previous.tiles == Tile.HIDDEN) == 0)
    return np.zeros_like(altered) if new_game else altered


def obscured_tiles(
    previous: PreviousBoard,
    pixels: NDArray[np.uint8],
    changed: NDArray[np.bool_],
    tiles: NDArray[np.int8],
) -> NDArray[np.bool_]:
    """Mark the tiles that read as hidden before and now, but look different.

    A notification of one colour can pass for a second kind of hidden tile, or in the colour of
    hidden tiles for ones without lines between them. One or two tiles change under the pointer, all
    of them when a program flashes the board, and many at a loss: then none is marked.
    """
    still = (previous.tiles == Tile.HIDDEN) & (tiles == Tile.HIDDEN)
    too_few = int((still & changed).sum()) < LEAST_OBSCURED
    if too_few or shows_mines(tiles) or previous.pixels.shape != pixels.shape:
        return np.zeros_like(still)
    rows, cols = tiles.shape
    # Every other row is enough: a cover is larger than that. Only the middle of a tile counts,
    # since the edge of a neighbour that was opened may lie within its box.
    difference = cv2.absdiff(pixels[::2], previous.pixels[::2])
    quarters = cv2.resize(difference, (4 * cols, 4 * rows), interpolation=cv2.INTER_AREA)
    middles = quarters.reshape(rows, 4, cols, 4, 3)[:, 1:3, :, 1:3].mean(axis=(1, 3))
    altered = still & (middles > MOST_COLOUR_STEPS).any(axis=2)
    altered |= _without_lines(previous.pixels, pixels, still, changed)
    cover = LEAST_OBSCURED <= altered.sum() <= 0.8 * still.sum()
    return altered if cover else np.zeros_like(still)


def _without_lines(
    before: NDArray[np.uint8],
    now: NDArray[np.uint8],
    hidden: NDArray[np.bool_],
    changed: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark hidden tiles, four at a time, around whose common corner the lines are gone.

    ``hidden`` and ``changed`` are ``(rows, cols)``, and both pictures show the board.
    """
    found, (rows, cols), (high, wide) = np.zeros_like(hidden), hidden.shape, now.shape[:2]
    tall, broad = max(3, high // rows // 2), max(3, wide // cols // 2)
    for row, col in np.argwhere(hidden[:-1, :-1]):
        four = np.s_[row : row + 2, col : col + 2]
        if not (hidden[four].all() and changed[four].any()):
            continue
        top = round((row + 1) * high / rows) - tall // 2
        left = round((col + 1) * wide / cols) - broad // 2
        corner = np.s_[top : top + tall, left : left + broad]
        drawn, left_over = (colour_range(one[corner]) for one in (before, now))
        found[four] |= drawn > MOST_COLOUR_STEPS and left_over <= FLAT
    return found


def has_moved(
    previous: PreviousBoard, pixels: NDArray[np.uint8], changed: NDArray[np.bool_], grid: Grid
) -> bool:
    """Return whether most tiles changed because the board moved by less than half a tile.

    Its picture is then the one of before, some pixels away. A page scrolls, or moves when a line of
    text above it grows, and most tiles may be read all the same.
    """
    numbers = (previous.tiles > 0).any() and previous.pixels.shape == pixels.shape
    if not numbers or changed.mean() <= 0.5 or min(grid.rows, grid.cols) <= 2:
        return False
    # The middle of the board at ten pixels a tile is enough, and takes a tenth of the time.
    (rows, cols), (high, wide) = (min(grid.rows, 8), min(grid.cols, 8)), pixels.shape[:2]
    tall, broad = high * rows // grid.rows, wide * cols // grid.cols
    top, left = (high - tall) // 2, (wide - broad) // 2
    middle = np.s_[top : top + tall, left : left + broad]
    size, reach = (cols * SEEN_PX, rows * SEEN_PX), SEEN_PX // 2
    before, now = (
        cv2.cvtColor(
            cv2.resize(one[middle], size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY
        )
        for one in (previous.pixels, pixels)
    )
    inside = np.ascontiguousarray(before[reach:-reach, reach:-reach])
    found = cv2.matchTemplate(now, inside, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(found)
    moved = max(abs(x - reach), abs(y - reach)) >= LEAST_MOVED * SEEN_PX
    return bool(moved and best >= SAME_BOARD and found[reach, reach] <= best - WORSE_AT_REST)

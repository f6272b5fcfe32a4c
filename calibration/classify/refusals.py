"""Why a board is refused: tiles in doubt, or a board that cannot follow the previous one.

The errors have pictures of the tiles in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BoardCovered, ImpossibleBoard, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD, lacks_zeros, shows_mines
from calibration.tiles import FLAT, board_pixels, colour_range
from solver.board import Cell, Tile, count_neighbours
from solver.counting import counted

LEAST_SURE = 0.9
"""A number with at least this confidence cannot change any more."""

LEAST_OBSCURED = 3
"""If this many hidden tiles changed, something may cover the board; the pointer changes one or
two."""

MOST_COLOUR_STEPS = 12
"""Largest change of the middle of a hidden tile from one frame to the next, in colour steps."""

SEEN_PX = 10
"""Pixels of a tile at which a board is compared with the board of before."""

LEAST_MOVED = 0.1
"""How far a board moves before its grid no longer fits, in tiles."""

SAME_BOARD = 0.85
"""Least correlation with the board of before from which it is the same, only moved."""

WORSE_AT_REST = 0.2
"""How much less the correlation must be if nothing moved."""


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
    """Mark the open numbers that changed although they cannot change in a game.

    If more than half of them changed, a new game began, and none is marked. A number that was not
    sure, or a zero next to a hidden cell, may still be painted.
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
    """Mark hidden tiles that look different than before, because something may cover them.

    A plain notification can look like hidden tiles. None is marked if the pointer explains the
    change (one or two tiles), or a flash or the end of a game (all or many).
    """
    still = (previous.tiles == Tile.HIDDEN) & (tiles == Tile.HIDDEN)
    too_few = int((still & changed).sum()) < LEAST_OBSCURED
    if too_few or shows_mines(tiles) or previous.pixels.shape != pixels.shape:
        return np.zeros_like(still)
    rows, cols = tiles.shape
    # Every other row is enough, because a cover is larger. Only the middle of a tile counts,
    # because its box may contain the edge of an opened neighbour.
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

    Its picture is then the previous one, shifted by some pixels. A page scrolls, or moves when a
    line of text above the board grows, and most tiles may still be readable.
    """
    numbers = (previous.tiles > 0).any() and previous.pixels.shape == pixels.shape
    if not numbers or changed.mean() <= 0.5 or min(grid.rows, grid.cols) <= 2:
        return False
    # The middle of the board with ten pixels per tile is enough, and takes a tenth of the time.
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


MOST_TOGETHER = 5
"""More unknown tiles in one patch are covered, for example by a dialog."""

FEW_UNKNOWN, MOST_UNKNOWN = 2, 0.02
"""If more tiles of the board, and a larger share, are unknown, no tile is reported: a kind that was
unclear in 3 % of its tiles was read wrong in others."""

TILE_NAMES = {
    int(Tile.HIDDEN): "hidden",
    int(Tile.FLAG): "a flag",
    int(Tile.QUESTION): "a question mark",
    int(Tile.MINE): "a mine",
    int(Tile.EXPLODED): "an exploded mine",
    int(Tile.WRONG_FLAG): "a wrong flag",
    UNREAD: "no tile of the game",
    **{number: f"a {number}" for number in range(9)},
}
"""The names of tiles in messages."""


def unreadable_error(
    frame: Frame,
    grid: Grid,
    doubtful: NDArray[np.bool_],
    confidence: NDArray[np.float64],
    readings: tuple[NDArray[np.int8], NDArray[np.int8]] | None = None,
) -> Unreadable:
    """Build the error: a patch of unknown tiles means a cover, single ones are unreadable.

    ``readings`` are the most likely and the second most likely tiles, int8 ``(rows, cols)``.
    """
    largest = largest_patch(doubtful)
    crops = crop_tiles(frame, grid, doubtful)
    error: Unreadable
    if largest > MOST_TOGETHER:
        error = BoardCovered(
            f"Something seems to lie over the board: {largest} tiles in one patch cannot be read "
            f"with confidence{_rivals(doubtful, readings)}.",
            crops,
        )
    else:
        error = UnreadableTiles(
            f"{name_cells(doubtful)} cannot be read with confidence{_rivals(doubtful, readings)}.",
            crops,
        )
    if readings is not None:
        error.labels = np.where(doubtful, np.int8(UNREAD), readings[0])
        error.rivals, error.confidence = np.stack(readings), confidence
    return error


def largest_patch(mask: NDArray[np.bool_]) -> int:
    """Count the tiles of the largest patch of marked tiles, connected at sides or corners."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:count, cv2.CC_STAT_AREA].max(initial=0))


def few_unknown(tiles: NDArray[np.int8]) -> bool:
    """Whether so few tiles are unknown, and so scattered, that the others can be reported."""
    unknown = tiles == UNREAD
    few = unknown.sum() <= max(FEW_UNKNOWN, MOST_UNKNOWN * tiles.size)
    return bool(few and largest_patch(unknown) <= MOST_TOGETHER)


def check_possible(
    frame: Frame, grid: Grid, tiles: NDArray[np.int8], wrong: NDArray[np.bool_]
) -> None:
    """Raise `ImpossibleBoard` if ``wrong`` numbers are marked, or ``tiles`` lack zeros.

    Both are ``(rows, cols)``.
    """
    if lacks_zeros(tiles):
        are_open = counted(int((tiles > 0).sum()), "number is open", "numbers are open")
        raise ImpossibleBoard(
            f"{are_open}, but no tile without one: zeros may look like hidden tiles, and the board "
            "was misread."
        )
    if wrong.any():
        raise ImpossibleBoard(
            f"{name_cells(wrong)} cannot be right with the tiles around; the board was misread "
            "or something lies over it.",
            crop_tiles(frame, grid, wrong),
        )


def check_successor(
    frame: Frame,
    grid: Grid,
    previous: PreviousBoard,
    tiles: NDArray[np.int8],
    changed: NDArray[np.bool_],
) -> None:
    """Raise an error if ``tiles`` cannot follow the ``previous`` board of the game.

    The board has moved, an open number changed, or something covers hidden tiles. ``changed`` marks
    the tiles whose pixels changed.
    """
    pixels = board_pixels(frame, grid)
    if has_moved(previous, pixels, changed, grid):
        raise BoardCovered("The board has moved on the screen since it was read last.")
    impossible = changed_numbers(previous, tiles)
    if impossible.any():
        raise ImpossibleBoard(
            f"{name_cells(impossible)} changed though an open number never does.",
            crop_tiles(frame, grid, impossible),
        )
    obscured = obscured_tiles(previous, pixels, changed, tiles)
    if obscured.any():
        raise BoardCovered(
            f"Something seems to lie over the board: {obscured.sum()} hidden tiles look "
            "unlike a moment ago.",
            crop_tiles(frame, grid, obscured),
        )


def _rivals(
    doubtful: NDArray[np.bool_], readings: tuple[NDArray[np.int8], NDArray[np.int8]] | None
) -> str:
    """Name the two likeliest meanings of the first doubtful tile."""
    if readings is None:
        return ""
    first = tuple(np.argwhere(doubtful)[0])
    names = [TILE_NAMES[int(tiles[first])] for tiles in readings]
    return f": {names[0]} or {names[1]}"


def name_cells(mask: NDArray[np.bool_]) -> str:
    """Name the first marked cell and count the others."""
    cells = np.argwhere(mask)
    row, col = cells[0]
    first = f"Row {row + 1}, column {col + 1}"
    return first if len(cells) == 1 else f"{first} and {counted(len(cells) - 1, 'more tile')}"


def crop_tiles(
    frame: Frame, grid: Grid, mask: NDArray[np.bool_], limit: int = 64
) -> dict[Cell, NDArray[np.uint8]]:
    """Cut the marked tiles out of the frame, at most ``limit`` of them."""
    crops = {}
    for row, col in np.argwhere(mask)[:limit].tolist():
        box = grid.box(Cell(row, col))
        crops[Cell(row, col)] = frame.pixels[
            max(0, box.y0) : max(0, box.y1), max(0, box.x0) : max(0, box.x1)
        ].copy()
    return crops

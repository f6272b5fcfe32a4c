"""Cut a board into tile pictures of one size, compare them, and group those that look the same.

Pictures are compared in colour steps. A colour step is one of the 256 levels of a channel; of three
channels, the one that differs most counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Cell

SAME_COLOUR = 16.0
"""Largest difference of two areas of one colour, in colour steps: scaling, JPEG and soft edges
change colours.
"""

TINTED = 40.0
"""Steps between the channels of a colour from which it is not grey."""

RAISED = 16.0
"""A tile is raised if one edge is at least so many steps brighter than the opposite one."""

FLAT = 3.0
"""With at most this difference it is flat: neither a bevel nor a line nor a glyph is drawn
there."""

SAME_ON_AVERAGE = 6.0
"""Largest mean difference, in colour steps, of two pictures of a tile, or of a part of it, that
show the same."""

SAME_PIXEL = 8.0
"""A pixel counts as unchanged if it changes by at most so many colour steps between two frames."""

COUNTED_STEPS = 64.0
"""Colours are counted in steps of this size."""

MOST_COLOURS = 7
"""Among more plain colours than this, none is surely a symbol."""


def colour_steps(one: ArrayLike, other: ArrayLike) -> NDArray[np.float32]:
    """Return the largest difference along the last axis: the channels of one colour, or of two.

    Both arrays are broadcast.
    """
    off = np.abs(np.subtract(one, other, dtype=np.float32))
    # Over three values, this is several times as fast as `max` along the last axis.
    return np.asarray(reduce(np.maximum, np.moveaxis(off, -1, 0)), np.float32)


def mean_steps(pictures: ArrayLike, other: ArrayLike) -> NDArray[np.float32]:
    """Return the mean colour steps by which each picture differs from another one, ``(n,)``.

    Both arrays are broadcast; ``other`` may hold one for each.
    """
    off = np.abs(np.subtract(pictures, other, dtype=np.float32))
    return np.asarray(off.mean(axis=tuple(range(1, off.ndim))), np.float32)


def colour_range(pictures: ArrayLike) -> NDArray[Any]:
    """Return the range of colours within each picture ``(..., h, w, 3)``, in steps."""
    return np.asarray(np.ptp(pictures, axis=(-3, -2)).max(axis=-1))


def steps_between(ones: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the colour steps from each of ``n`` colours to each of ``m`` others, ``(n, m)``."""
    return colour_steps(ones[:, None], others[None])


def colours_in(colours: NDArray[np.floating]) -> int:
    """Return the number of different colours among these, ``(n, 3)``."""
    return len(np.unique(np.rint(colours / COUNTED_STEPS), axis=0))


SIDE = 24
"""Side of a tile picture at any pitch: keeps the pixels of a 16 px tile and fits 80 px tiles."""

COARSE_PARTS = 8
"""Side of the coarse picture by which tiles are compared."""

RIM = 3
"""Width of a tile's border around its inside, in pixels."""

SMALL_PARTS = 0.57
"""Weight of small parts of the inside: sampling changes a part of two by two pixels by up to 14
steps where it changes a larger one by 8."""

EVEN_STEPS = 1
"""Largest range of colours inside a plain tile, in steps."""

EVEN_PARTS = 2.5
"""Weight of the colour of a plain tile: two of them differ from 4 steps on. On a dark blue page,
hidden and open tiles differ by 6."""

SAME_APPEARANCE = 8.0
"""Two coarse pictures show the same appearance if they differ by at most so many colour steps.

On 69 labelled screenshots of five programs, each at three scales, no two tiles with different
labels were this similar; a program draws the same tile within 2 steps."""

FEW_VALUES = 24
"""How many values of a row are compared first: most rows differ in one of them."""

VALUES_COMPARED = 2_000_000_000
"""Largest number of values that are compared; rows that need more are not a board. 14,400 tiles
with 600 appearances need as many, 40,000 different cells need 350 billion."""


@dataclass(frozen=True, eq=False)
class TilePictures:
    """The board of one frame, cut into tiles once, when they are first used."""

    frame: Frame
    grid: Grid

    @cached_property
    def board(self) -> NDArray[np.uint8]:
        """The pixels of the board, `board_pixels`."""
        return board_pixels(self.frame, self.grid)

    @cached_property
    def pictures(self) -> NDArray[np.uint8]:
        """All tiles, uint8 ``(rows, cols, SIDE, SIDE, 3)``; 5 ms for 480 tiles."""
        return cut(self.frame, self.grid)

    @cached_property
    def coarse(self) -> NDArray[np.float32]:
        """The coarse pictures of all tiles, ``(rows * cols, m)``; 5 ms more."""
        return coarse(self.pictures)

    def coarse_of(self, marked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the coarse pictures of the marked tiles, of which at least one must be marked.

        Cuts only the part of the board that they are in.
        """
        if "pictures" in self.__dict__:
            return coarse(self.pictures[marked])
        rows, cols = (np.flatnonzero(marked.any(axis=axis)) for axis in (1, 0))
        first, last = Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1]))
        here = marked[first.row : last.row + 1, first.col : last.col + 1]
        return coarse(cut(self.frame, self.grid.part(first, last))[here])

    def shifted(self, dx: int, dy: int) -> TilePictures:
        """Return the board of the same frame, cut some pixels to the side."""
        return TilePictures(self.frame, self.grid.moved(dx, dy)) if dx or dy else self


def cut(frame: Frame, grid: Grid, side: int = SIDE) -> NDArray[np.uint8]:
    """Resample the board to tile pictures, uint8 ``(rows, cols, side, side, 3)``.

    Tiles begin at fractions of a pixel, as the grid does, and its gaps are left out. Outside the
    frame, its border repeats.
    """
    x_lines, y_lines = grid.x_lines, grid.y_lines
    left = max(0, min(int(x_lines[0]) - 2, frame.width - 1))
    top = max(0, min(int(y_lines[0]) - 2, frame.height - 1))
    right = max(int(x_lines[-1]) + 3, left + 1)
    bottom = max(int(y_lines[-1]) + 3, top + 1)
    crop = np.ascontiguousarray(frame.pixels[top:bottom, left:right])
    step_x, step_y = (grid.tile_w - grid.gap_w) / side, (grid.tile_h - grid.gap_h) / side
    if max(step_x, step_y) > 1.4:
        box = (max(1, round(step_x)), max(1, round(step_y)))
        crop = np.asarray(cv2.blur(crop, box), dtype=np.uint8)
    size = (grid.cols * side, grid.rows * side)
    if grid.x_shifts or grid.y_shifts or grid.gap_w or grid.gap_h:
        x_map = np.tile(_sample_points(x_lines, grid.gap_w, side) - left, (size[1], 1))
        y_map = np.tile((_sample_points(y_lines, grid.gap_h, side) - top)[:, None], (1, size[0]))
        mosaic = cv2.remap(crop, x_map, y_map, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    else:
        offset_x = x_lines[0] + step_x / 2 - 0.5 - left
        offset_y = y_lines[0] + step_y / 2 - 0.5 - top
        matrix = np.array([[step_x, 0.0, offset_x], [0.0, step_y, offset_y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        mosaic = cv2.warpAffine(crop, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return split(np.asarray(mosaic, dtype=np.uint8), grid.rows, grid.cols)


def _sample_points(lines: NDArray[np.floating], gap: float, side: int) -> NDArray[np.float32]:
    """Return the centres of ``side`` equal parts of each cell without its gap, as pixel indices."""
    parts = (np.arange(side) + 0.5) / side
    points = lines[:-1, None] + gap / 2 + parts * (np.diff(lines)[:, None] - gap) - 0.5
    return points.ravel().astype(np.float32)


def split(mosaic: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.uint8]:
    """Split a picture of the board into tiles, ``(rows, cols, side, side, 3)``."""
    side_y, side_x = mosaic.shape[0] // rows, mosaic.shape[1] // cols
    parts = mosaic.reshape(rows, side_y, cols, side_x, 3).swapaxes(1, 2)
    return np.ascontiguousarray(parts)


def board_pixels(frame: Frame, grid: Grid) -> NDArray[np.uint8]:
    """Return the part of a frame on which a grid lies."""
    x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
    return frame.pixels[y0:y1, x0:x1]


def coarse(tiles: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Average tile pictures ``(..., SIDE, SIDE, 3)`` to coarse ones, one row each.

    A row holds `COARSE_PARTS` by `COARSE_PARTS` parts of the tile and, with less weight, smaller
    parts of its inside, in which tiny or thin digits differ. The colour of an even inside has more
    weight: in a dark theme it may be all that distinguishes open tiles from hidden ones.
    """
    tiles = tiles.reshape(-1, SIDE, SIDE, 3)
    count = len(tiles)
    strip = tiles.reshape(count * SIDE, SIDE, 3)
    large = cv2.resize(strip, (COARSE_PARTS, count * COARSE_PARTS), interpolation=cv2.INTER_AREA)
    inside = np.ascontiguousarray(tiles[:, RIM:-RIM, RIM:-RIM]).reshape(-1, SIDE - 2 * RIM, 3)
    side = (SIDE - 2 * RIM) // 2
    small = cv2.resize(inside, (side, count * side), interpolation=cv2.INTER_AREA)
    middle = tiles[:, 2 * RIM : -2 * RIM, 2 * RIM : -2 * RIM].reshape(count, -1, 3)
    # The pixels along the first axis: 0.6 ms for 480 tiles, 3.6 ms along the second one.
    pixels = np.ascontiguousarray(middle.swapaxes(0, 1))
    even = np.ptp(pixels, axis=0).max(axis=1, keepdims=True) <= EVEN_STEPS
    shade = np.where(even, EVEN_PARTS * pixels.mean(axis=0), 0)
    parts = large.reshape(count, -1), SMALL_PARTS * small.reshape(count, -1), shade
    return np.hstack(parts).astype(np.float32)


def repeated(pictures: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the pictures that look like another one, ``(n,)``."""
    if not len(pictures):
        return np.zeros(0, np.bool_)
    groups, _ = gather(coarse(pictures), SAME_APPEARANCE)
    return np.asarray(np.bincount(groups)[groups] > 1)


def gather(
    rows: NDArray[Any], slack: float, *, on_average: float = np.inf, most: float = np.inf
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group rows whose values all differ by at most ``slack`` from the first row of the group.

    ``on_average`` limits their mean difference, too. After ``most`` groups, each further row
    becomes its own group. Returns the group of each row, and the index of the first row of each
    group. Raises `UnreadableTiles` if the rows differ more than the tiles of any board.
    """
    groups = np.full(len(rows), -1, dtype=np.intp)
    leaders: list[int] = []
    left, compared = np.arange(len(rows)), 0
    few = np.ascontiguousarray(rows[:, :: -(-rows.shape[1] // FEW_VALUES)])
    while left.size and len(leaders) < most:
        compared += left.size * rows.shape[1]
        if compared > VALUES_COMPARED:
            raise UnreadableTiles("Its cells differ more than the tiles of any board.")
        leader = int(left[0])
        near = (np.abs(few - few[0]) <= slack).all(axis=1)
        maybe = np.flatnonzero(near)
        off = np.abs(rows[left[maybe]] - rows[leader])
        near[maybe] = (off.max(axis=1) <= slack) & (off.mean(axis=1) <= on_average)
        groups[left[near]] = len(leaders)
        leaders.append(leader)
        left, few = left[~near], few[~near]
    groups[left] = len(leaders) + np.arange(left.size)
    return groups, np.append(leaders, left).astype(np.intp)

"""Add the rows and columns of zeros that look like the area between a board's tiles, the bed.

Some programs draw nothing for a zero: the bed continues over it. If the outer rows of a board are
zeros, only the rows with other tiles are found at first. But often the bed ends where the board
does, or a little further and equally far on all sides. Hidden tiles without lines between them form
such an area, too: it ends where the board does.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import SAME_COLOUR, colour_steps
from calibration.points import PixelBox

MOST_PADDING, SAME_PADDING = 0.5, 0.12
"""How far the bed may extend beyond the board, and how much that may differ from side to side, in
tiles."""

BARE, TILED = 0.7, 0.4
"""Least share of the bed in an empty cell, and largest in a cell with a tile. Words above a board
leave half of the bed."""

NUMBERED, FEWEST_NUMBERED = 0.97, 3
"""Largest share of the bed in a cell with a number drawn on it, and the fewest of these cells on a
bed that has no empty cell inside the grid."""


def extended_to_bed(frame: Frame, grid: Grid) -> Grid:
    """Return the grid with the rows and columns added that end with its bed.

    At most until the board is twice as large, or square. Unchanged if no cell looks like the bed,
    or if the bed continues further or does not end at whole tiles. Axes with uneven lines do not
    grow. On a side where the outermost tiles are covered, the bed ends within the board.
    """
    bed = None if grid.x_shifts or grid.y_shifts else _Bed.of(frame, grid)
    if bed is None:
        return grid
    margins = bed.margins(grid)
    reached = margins > -MOST_PADDING
    if not reached.any():
        return grid
    added = np.where(reached, np.round(margins - margins[reached].min()), 0).astype(int)
    if not _is_even((margins - added)[reached]):
        return grid
    left, right, top, bottom = added.tolist()
    wider = grid.widened(left, right, top, bottom)
    shares = bed.shares(wider)
    own = shares[top : top + grid.rows, left : left + grid.cols].copy()
    shares[top : top + grid.rows, left : left + grid.cols] = 1.0
    # Tiles without lines between them are a bed, too; whole cells of the grid belong to it.
    of_tiles = reached.all() and (own >= BARE).any() and _is_bare_or_tile(own)
    numbered = (added > 0).sum() <= 1 and (shares < NUMBERED).sum() >= FEWEST_NUMBERED
    if bed.beside and not (of_tiles or numbered):
        return grid
    return wider if _is_bare_or_tile(shares) else grid


def ends_with_bed(frame: Frame, grid: Grid) -> bool:
    """Whether the bed of a grid ends where the grid does, or equally far on all sides."""
    bed = _Bed.of(frame, grid)
    return bed is not None and not bed.beside and _is_even(bed.margins(grid))


def _is_bare_or_tile(shares: NDArray[np.float64]) -> bool:
    """Whether each cell belongs to the bed nearly completely, or hardly at all."""
    return bool(((shares >= BARE) | (shares <= TILED)).all())


def _is_even(padding: NDArray[np.float64]) -> bool:
    """Whether a bed extends little, and equally far, beyond a board."""
    return bool(np.abs(padding).max() <= MOST_PADDING and np.ptp(padding) <= SAME_PADDING)


class _Bed(NamedTuple):
    """The area around the tiles of a board: its box, and its pixels in a part of the frame.

    ``corner`` is the left and top of that part. ``beside``: all of it lies beside the tiles, on one
    side only, and is known by the numbers drawn on it.
    """

    box: PixelBox
    corner: tuple[int, int]
    pixels: NDArray[np.bool_]
    beside: bool

    @classmethod
    def of(cls, frame: Frame, grid: Grid) -> _Bed | None:
        """Find the area of the cells without an edge around them, or of these beside the grid.

        None if there are none, or if the area extends beyond a board of twice the size, or a
        square.
        """
        x0, y0, x1, y1 = grid.bounds
        most = max(x1 - x0, y1 - y0)
        left, top = max(0, x0 - most), max(0, y0 - most)
        areas = Areas.of(frame.pixels[top : y1 + most, left : x1 + most])
        for beside in (False, True):
            places = _bare_places(frame, grid.widened(2, 2, 2, 2) if beside else grid)
            of_cells = areas.of_pixel[places[:, 1] - top, places[:, 0] - left]
            within = of_cells[of_cells > 0]
            within = within[~areas.at_edge[within - 1]]
            if within.size:
                area = int(np.bincount(within).argmax())
                x, y, wide, high = areas.boxes[area - 1].tolist()
                box = PixelBox(left + x, top + y, left + x + wide, top + y + high)
                return cls(box, (left, top), areas.of_pixel == area, beside)
        return None

    def margins(self, grid: Grid) -> NDArray[np.float64]:
        """Return how far it extends beyond a grid: left, right, top and bottom, in tiles."""
        x0, y0, x1, y1 = self.box
        across = grid.x_lines[0] - x0, x1 - grid.x_lines[-1]
        down = grid.y_lines[0] - y0, y1 - grid.y_lines[-1]
        return np.hstack([np.array(across) / grid.tile_w, np.array(down) / grid.tile_h])

    def shares(self, grid: Grid) -> NDArray[np.float64]:
        """Return the share of each cell of a grid that belongs to the bed, ``(rows, cols)``."""
        left, top = self.corner
        high, wide = self.pixels.shape
        x = np.rint(grid.x_lines - left).astype(np.intp).clip(0, wide)
        y = np.rint(grid.y_lines - top).astype(np.intp).clip(0, high)
        sums = cv2.integral(self.pixels.view(np.uint8))[y[:, None], x]
        within = sums[1:, 1:] - sums[1:, :-1] - sums[:-1, 1:] + sums[:-1, :-1]
        return np.asarray(within / np.maximum(np.outer(np.diff(y), np.diff(x)), 1), np.float64)


def _bare_places(frame: Frame, grid: Grid) -> NDArray[np.intp]:
    """Return the middles of the cells that have the colour of all lines around them, ``(n, 2)``."""
    x_lines, y_lines = (np.rint(lines).astype(np.intp) for lines in (grid.x_lines, grid.y_lines))
    x_lines, y_lines = x_lines.clip(0, frame.width - 1), y_lines.clip(0, frame.height - 1)
    columns, rows = (x_lines[:-1] + x_lines[1:]) // 2, (y_lines[:-1] + y_lines[1:]) // 2
    pixels = frame.pixels
    middle = pixels[rows[:, None], columns]
    across, down = pixels[rows[:, None], x_lines], pixels[y_lines[:, None], columns]
    sides = across[:, :-1], across[:, 1:], down[:-1], down[1:]
    off = np.max([colour_steps(side, middle) for side in sides], axis=0)
    at = np.argwhere(off <= SAME_COLOUR)
    return np.column_stack([columns[at[:, 1]], rows[at[:, 0]]])


# ---- areas without an edge in them ---------------------------------------------------------------

EDGE_STEP = 12
"""Difference of a colour between neighbouring pixels from which an edge lies between them;
gradients on tiles have smaller ones."""


class Areas(NamedTuple):
    """The areas of a picture.

    ``of_pixel`` ``(height, width)`` is the number of the area of each pixel, 0 for pixels behind an
    edge; ``boxes`` ``(count, 4)`` are left, top, width and height of the areas from 1 on, in
    pixels, ``sizes`` ``(count,)`` their pixels.
    """

    of_pixel: NDArray[np.int32]
    boxes: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8]) -> Areas:
        """Find the areas of a picture ``(height, width, 3)``."""
        plain = np.ones(pixels.shape[:2], np.uint8)
        for plane in cv2.split(pixels):
            plain[:, 1:] &= cv2.absdiff(plane[:, 1:], plane[:, :-1]) <= EDGE_STEP
            plain[1:] &= cv2.absdiff(plane[1:], plane[:-1]) <= EDGE_STEP
        _, of_pixel, stats, _ = cv2.connectedComponentsWithStats(plain, connectivity=4)
        found = np.array(stats[1:], np.intp)
        # The first pixels behind an edge are not plain, though they belong to the area.
        boxes = found[:, :4] + np.array([-1, -1, 1, 1])
        return cls(np.asarray(of_pixel, np.int32), boxes, found[:, 4])

    @property
    def at_edge(self) -> NDArray[np.bool_]:
        """Whether each area reaches the edge of the picture, ``(count,)``."""
        high, wide = self.of_pixel.shape
        beyond = self.boxes[:, :2] + self.boxes[:, 2:] >= (wide, high)
        return np.asarray(np.any((self.boxes[:, :2] < 0) | beyond, axis=1))

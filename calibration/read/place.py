"""Where a board lies on a part of a picture that repeats, by the network alone.

The pitch of the tiles is known there, but neither where they begin nor where the board ends. The
network rates how likely each cell of a lattice is a tile of a board. Cells that are off by a
quarter of a tile get a low rating, and so does the background around a board.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.read.board import cut_in_groups
from calibration.read.network import cells_within, rate_tiles
from solver.board import Cell

MIDDLE: Final = 8
"""Largest number of rows and columns of the middle part that shows where the tiles begin."""

BEGINNINGS: Final = 4
"""How many beginnings of the tiles are tried in each direction, equally spaced over one tile."""

HALF_TILE_SHIFTS: Final = (
    (0, 0),
    (0, BEGINNINGS // 2),
    (BEGINNINGS // 2, 0),
    (BEGINNINGS // 2, BEGINNINGS // 2),
)
"""Beginnings that are also tried, half a tile from the best one: if only dots or small marks repeat
on a board, cells around their corners look like tiles, too."""

MOST_BEHIND_BEST: Final = 2.0
"""Such a beginning is tried only if its log-odds are at most this much lower."""

STEPS: Final = (1 / 8, 1 / 16, 1 / 32)
"""By which shares of a tile the best beginning is then moved as long as that is better."""

LEAST_TILE_ODDS: Final = 3.0
"""A cell with lower log-odds counts against the board. On 318 boards drawn with 159 tile sets, the
median board has a mean of 9.8 and a least likely tile of 8.3."""

MOST_OUTSIDE: Final = 0.2
"""How far the outer tiles may extend beyond the picture, in tiles: it may be cropped to a board."""

MOST_GROWN: Final = 12
"""How often a board is at most widened by a ring of cells and cut to its tiles again."""

STEPS_ASIDE: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))


MOST_SHOWN: Final = 10_000
"""Largest number of different tiles that the network rates to place boards on one picture; each
takes it 0.4 ms. Of 141 published pictures, two need more than 7,000."""


class ShownPicture:
    """A picture, uint8 ``(height, width, 3)``, on which boards are placed.

    ``left`` is how many different tiles the network may still rate.
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        self.pixels, self.left = pixels, MOST_SHOWN

    def odds(self, grid: Grid) -> NDArray[np.float32]:
        """Return the log-odds that each cell is a tile of a board, ``(rows, cols)``.

        Raises `UnreadableTiles` if too many tiles differ.
        """
        cut, groups = cut_in_groups(self.pixels, grid, self.left)
        self.left -= int(groups.max()) + 1
        return rate_tiles(cut, groups)[1]


class PlacedBoard(NamedTuple):
    """A board on a lattice: ``odds`` is the mean log-odds that its cells are tiles."""

    grid: Grid
    odds: float

    @property
    def cells(self) -> int:
        """The number of its tiles."""
        return self.grid.rows * self.grid.cols


def place_board(picture: ShownPicture, lattice: Grid) -> PlacedBoard | None:
    """Find the best board with the pitch of a lattice; its cells may begin anywhere in a tile.

    The middle of the lattice shows where the tiles begin. Returns None if the network sees no tiles
    there. Raises `BadNetwork`, and `UnreadableTiles` after `MOST_SHOWN` different tiles.
    """
    middle = _middle(lattice)
    begins = [
        middle.moved(x * middle.tile_w / BEGINNINGS, y * middle.tile_h / BEGINNINGS)
        for x, y in product(range(BEGINNINGS), repeat=2)
    ]
    odds = np.array([_mean_odds(picture, one) for one in begins]).reshape(BEGINNINGS, BEGINNINGS)
    best = np.unravel_index(int(odds.argmax()), odds.shape)
    if odds[best] < 0:
        return None
    placed = []
    for off in HALF_TILE_SHIFTS:
        x, y = (np.array(best) + off) % BEGINNINGS
        if odds[x, y] >= odds[best] - MOST_BEHIND_BEST:
            begin = _moved_to_tiles(picture, begins[x * BEGINNINGS + y])
            board = _to_its_ends(picture, lattice.moved(*_phase(begin, lattice)))
            placed += [board] if board else []
    return max(placed, key=lambda one: (one.odds - LEAST_TILE_ODDS) * one.cells, default=None)


def _moved_to_tiles(picture: ShownPicture, grid: Grid) -> Grid:
    """Move a grid, in smaller and smaller steps, to where the network rates its tiles best."""
    known: dict[tuple[float, float], float] = {}

    def odds(place: tuple[float, float]) -> float:
        if place not in known:
            x, y = place
            known[place] = _mean_odds(picture, grid.moved(x * grid.tile_w, y * grid.tile_h))
        return known[place]

    best = 0.0, 0.0
    for step in STEPS:
        while True:
            around = [(best[0] + x * step, best[1] + y * step) for x, y in STEPS_ASIDE]
            beside = max(around, key=odds)
            if odds(beside) <= odds(best):
                break
            best = beside
    return grid.moved(best[0] * grid.tile_w, best[1] * grid.tile_h)


def _to_its_ends(picture: ShownPicture, grid: Grid) -> PlacedBoard | None:
    """Widen or narrow a part of a board until it ends where the tiles end; None without tiles.

    The network has learned to see where a board ends if it sees a single ring of cells around it.
    """
    placed = None
    for _ in range(MOST_GROWN):
        wider = grid.widened(1, 1, 1, 1)
        gains = picture.odds(wider) - LEAST_TILE_ODDS
        gains[~cells_within(picture.pixels, wider, MOST_OUTSIDE)] = -1e9
        rows, cols = largest_sum(gains)
        if rows.start == rows.stop:
            return None
        first, last = Cell(rows.start, cols.start), Cell(rows.stop - 1, cols.stop - 1)
        is_same = (rows, cols) == (slice(1, grid.rows + 1), slice(1, grid.cols + 1))
        grid = wider.part(first, last)
        placed = PlacedBoard(grid, float(gains[rows, cols].mean()) + LEAST_TILE_ODDS)
        if is_same:
            break
    return placed


def largest_sum(values: NDArray[np.floating]) -> tuple[slice, slice]:
    """Return the rows and columns of the rectangle of a matrix with the largest sum.

    Both are empty if no value is positive. The method is Kadane's for each range of rows.
    """
    sums = np.vstack([np.zeros(values.shape[1]), values.cumsum(axis=0, dtype=np.float64)])
    most, best = 0.0, (slice(0, 0), slice(0, 0))
    for top in range(len(values)):
        along = np.cumsum(sums[top + 1 :] - sums[top], axis=1)
        along = np.hstack([np.zeros((len(along), 1)), along])
        gains = along - np.minimum.accumulate(along, axis=1)
        line, end = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[line, end] > most:
            start = int(along[line, : end + 1].argmin())
            most, best = gains[line, end], (slice(top, top + 1 + int(line)), slice(start, int(end)))
    return best


def _phase(grid: Grid, lattice: Grid) -> tuple[float, float]:
    """Return the shift, less than a tile, that moves a lattice to the lines of a grid."""
    return (grid.x0 - lattice.x0) % lattice.tile_w, (grid.y0 - lattice.y0) % lattice.tile_h


def _middle(lattice: Grid) -> Grid:
    """Return the part in the middle of a lattice."""
    rows, cols = min(MIDDLE, lattice.rows), min(MIDDLE, lattice.cols)
    top, left = (lattice.rows - rows) // 2, (lattice.cols - cols) // 2
    return lattice.part(Cell(top, left), Cell(top + rows - 1, left + cols - 1))


def _mean_odds(picture: ShownPicture, grid: Grid) -> float:
    return float(picture.odds(grid).mean())

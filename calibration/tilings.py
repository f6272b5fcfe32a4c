"""Find boards without lines: by what repeats in a frame from tile to tile.

Tiles may be pictures on a common ground, discs, or faces whose borders hardly show. All the same
a board repeats, across and down, by its pitch (`calibration.echoes`). It lies where most cells of
a lattice of that pitch look like others, and ends where cells of its looks end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.echoes import Stretch, stretches
from calibration.extent import MIN_SIDE
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.margins import cut_sides, is_cut_out
from calibration.memory import SAME_LOOK
from calibration.tiles import gather, split

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]

PARTS, EDGE = 16, 2
"""Places a tile that a lattice may start at, and how many of them count as its edge on each side:
what touches the board there is no part of its looks."""

BEYOND = 0.2
"""How far beyond a picture cut out along a board its lattice may reach, in tiles."""

NEAR = 3
"""How far apart two tiles of a look may lie to be compared, in tiles."""

FLAT, FAINT = 3, 0.25
"""Colour steps within a cell up to which nothing is drawn there, also as a share of the usual."""

DIFFERENT = (0.25, 2.0, 24.0)
"""Difference between two looks: this share of the steps within them, and its bounds."""

TIED, RIVAL, MOST_RIVALS = 0.97, 0.85, 3
"""A place ties with another, or rivals the best, that has this share of its cells alike."""

SAME_GROUND = 2.0
"""Difference between cells of one shade, where nothing else tells a board from what is around."""

GOES_ON = 0.9
"""Share of a row beside a board whose looks must be known from it for the board to go on."""

LEAST_ALIKE = 0.4
"""Share of a board's cells that look like another one near them, at least."""


def tilings(frame: Frame) -> Iterator[Grid]:
    """Walk over the lattices of cells that look alike, the likeliest first."""
    for stretch in stretches(frame):
        for grid in _Cells.of(frame, stretch).grids():
            if not cut_sides(frame, grid) or (is_cut_out(frame, grid) and _fits(grid, frame)):
                yield grid


def _fits(grid: Grid, frame: Frame) -> bool:
    """Whether a lattice lies in the picture, but for the edges of its tiles."""
    x0, y0, x1, y1 = grid.bounds
    beyond = max(-x0, x1 - frame.width) / grid.tile_w, max(-y0, y1 - frame.height) / grid.tile_h
    return max(beyond) <= BEYOND


class _Cells(NamedTuple):
    """A stretch and its surroundings scaled to `PARTS` pixels a tile.

    ``steps`` says how much is drawn in the cell that reaches right and down from each place, and
    ``alike`` marks the places whose cell looks like some tiles to the side, and some up or down.
    """

    left: float
    top: float
    stretch: Stretch
    picture: Picture
    steps: Picture
    alike: Mask

    @classmethod
    def of(cls, frame: Frame, stretch: Stretch) -> _Cells:
        """Compare the cells at every place."""
        left = max(-stretch.across, stretch.x.start - 2 * stretch.across)
        top = max(-stretch.down, stretch.y.start - 2 * stretch.down)
        cols = int((min(frame.width, stretch.x.stop + stretch.across) - left) / stretch.across) + 2
        rows = int((min(frame.height, stretch.y.stop + stretch.down) - top) / stretch.down) + 2
        picture = _scaled(frame, left, top, stretch, (cols * PARTS, rows * PARTS))
        steps = _steps_in_cells(picture)
        return cls(left, top, stretch, picture, steps, _alike(picture, steps))

    def grids(self) -> Iterator[Grid]:
        """Walk over the lattices with boards of cells alike, the one with most of them first.

        Half a tile off, discs that stand alone are cut to parts that look alike, too, but of
        more looks: the fewer, the more confidence.
        """
        for y, x, share in self._places():
            board = self._board(int(y), int(x))
            if board is not None:
                rows, cols, order = board
                x0 = self.left + (x / PARTS + cols.start) * self.stretch.across
                y0 = self.top + (y / PARTS + rows.start) * self.stretch.down
                pitch = self.stretch.across, self.stretch.down
                yield Grid(x0, y0, *pitch, len(rows), len(cols), float(share * order))

    def _places(self) -> Iterator[tuple[float, float, float]]:
        """Walk over the places at which cells may start; of those that tie, the middle ones.

        The third value compares the cells alike there with those at the best place.
        """
        rows, cols = (side // PARTS for side in self.alike.shape)
        drawn = (self.alike & (self.steps > FLAT)).reshape(rows, PARTS, cols, PARTS)
        counts = drawn.sum(axis=(0, 2))
        most = counts.max()
        for _ in range(MOST_RIVALS):
            y, x = (int(at) for at in np.unravel_index(int(counts.argmax()), counts.shape))
            here = int(counts[y, x])
            if here <= RIVAL * most:
                return
            tied = counts >= TIED * here
            yield _middle(tied[:, x], y), _middle(tied[y], x), here / most
            counts = np.where(np.maximum(_apart(y)[:, None], _apart(x)) > PARTS // 4, counts, 0)

    def _board(self, y: int, x: int) -> _Board | None:
        """Sort the cells of a lattice by their looks and find the board on it."""
        cells = self.alike[y::PARTS, x::PARTS] & (self.steps[y::PARTS, x::PARTS] > FLAT)
        cells = cells[: (len(self.alike) - y) // PARTS, : (self.alike.shape[1] - x) // PARTS]
        rows, cols = _surroundings(cells)
        high, wide = len(rows), len(cols)
        top, left = y + rows.start * PARTS, x + cols.start * PARTS
        inside = split(
            self.picture[top : top + high * PARTS, left : left + wide * PARTS], high, wide
        )
        inside = inside[:, :, EDGE:-EDGE, EDGE:-EDGE]
        small = inside.reshape(high, wide, 4, -1, 4, (PARTS - 2 * EDGE) // 4, 3).mean(axis=(3, 5))
        looks = small.reshape(high * wide, -1).astype(np.float32)
        there = np.s_[top : top + high * PARTS : PARTS, left : left + wide * PARTS : PARTS]
        drawn = self.steps[there] > max(FLAT, FAINT * float(np.median(self.steps[self.alike])))
        board = _Lattice(
            gather(looks, SAME_LOOK)[0].reshape(high, wide),
            gather(looks, SAME_GROUND)[0].reshape(high, wide),
            self.alike[there],
            drawn,
        ).board()
        return board and board.moved(rows.start, cols.start)


def _surroundings(cells: Mask) -> tuple[range, range]:
    """Return the rows and columns around the largest patch of marked cells, and some beside."""
    spread = cv2.dilate(cells.astype(np.uint8), np.ones((NEAR, NEAR), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(spread, connectivity=8)
    part = int(np.bincount(labels[cells], minlength=1).argmax())
    left, top, wide, high = stats[part, :4].tolist()
    return (
        range(max(0, top - NEAR), min(len(cells), top + high + NEAR)),
        range(max(0, left - NEAR), min(cells.shape[1], left + wide + NEAR)),
    )


class _Board(NamedTuple):
    """Rows and columns of a lattice, and how few looks the cells drawn on there have, 0..1."""

    rows: range
    cols: range
    order: float

    def moved(self, down: int, right: int) -> _Board:
        """Return the same board, its rows and columns counted from elsewhere."""
        rows = range(self.rows.start + down, self.rows.stop + down)
        return _Board(rows, range(self.cols.start + right, self.cols.stop + right), self.order)


class _Lattice(NamedTuple):
    """The cells of a lattice: their looks, told apart roughly and finely, and which are drawn on.

    ``alike`` marks those that look like others near them.
    """

    looks: NDArray[np.intp]
    shades: NDArray[np.intp]
    alike: Mask
    drawn: Mask

    def board(self) -> _Board | None:
        """Return the rows and columns that are a board, None where none are.

        It holds the drawn cells of looks that are often seen, and goes on as far as whole rows
        and columns have looks that are often seen within it.
        """
        usual = self.alike & self.drawn
        known = _often(self.looks, usual) & self.drawn
        padded = np.pad(known.astype(np.uint8), 1)  # or closing would add rows at the edge
        closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((3, 3)))[1:-1, 1:-1]
        _, _, stats, _ = cv2.connectedComponentsWithStats(
            np.ascontiguousarray(closed), connectivity=8
        )
        if len(stats) < 2:
            return None
        col, row, wide, high = stats[1 + int(stats[1:, 4].argmax()), :4].tolist()
        rows, cols = range(row, row + high), range(col, col + wide)
        within = np.zeros_like(known)
        within[rows.start : rows.stop, cols.start : cols.stop] = True
        known |= _often(self.shades, within) & ~np.isin(self.shades, self._around())
        rows, cols = _grown(known, rows, cols)
        here = np.s_[rows.start : rows.stop, cols.start : cols.stop]
        drawn = self.looks[here][self.drawn[here]]
        if min(len(rows), len(cols)) < MIN_SIDE or known[here].mean() < LEAST_ALIKE:
            return None
        return _Board(rows, cols, 1 - np.unique(drawn).size / max(1, drawn.size))

    def _around(self) -> NDArray[np.intp]:
        """Return the shades at the edge of what was looked at, where no board is."""
        ring = [self.shades[0], self.shades[-1], self.shades[:, 0], self.shades[:, -1]]
        return np.unique(np.concatenate(ring))


def _often(looks: NDArray[np.intp], where: Mask) -> Mask:
    """Mark the cells of looks that are seen several times at some places."""
    counts = np.bincount(looks[where], minlength=int(looks.max()) + 1)
    return np.asarray(counts[looks] >= NEAR)


def _grown(known: Mask, rows: range, cols: range) -> tuple[range, range]:
    """Add the rows and columns beside a board that are known as well."""
    while True:
        before = rows, cols
        rows = _longer(known[:, cols.start : cols.stop].mean(axis=1), rows)
        cols = _longer(known[rows.start : rows.stop].mean(axis=0), cols)
        if before == (rows, cols):
            return rows, cols


def _longer(known: NDArray[np.floating[Any]], lines: range) -> range:
    """Add the line before and the one after where enough of their cells are known."""
    first, after = lines.start, lines.stop
    first -= first > 0 and known[first - 1] >= GOES_ON
    after += after < len(known) and known[after] >= GOES_ON
    return range(first, after)


def _apart(place: int) -> NDArray[np.intp]:
    """Return how far the places of a tile lie from one of them, counted round."""
    return np.abs((np.arange(PARTS) - place + PARTS // 2) % PARTS - PARTS // 2)


def _middle(tied: Mask, best: int) -> float:
    """Return the middle of the places, counted round, that tie with the best without a break."""
    if tied.all():
        return float(best)
    after, before = (
        int(np.argmin(run)) for run in (np.roll(tied, -best), np.roll(tied, -best - 1)[::-1])
    )
    return (best + 0.5 * (after - before)) % len(tied)


def _scaled(
    frame: Frame, left: float, top: float, stretch: Stretch, size: tuple[int, int]
) -> Picture:
    """Scale a part of the frame so that a tile has `PARTS` pixels, a little blurred."""
    across, down = stretch.across / PARTS, stretch.down / PARTS
    matrix = np.array([[across, 0, left + across / 2 - 0.5], [0, down, top + down / 2 - 0.5]])
    blur = max(3, round(2 * across)), max(3, round(2 * down))
    pixels = cv2.blur(frame.pixels, blur)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    scaled = cv2.warpAffine(pixels, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(scaled, np.uint8)


def _steps_in_cells(picture: Picture) -> Picture:
    """Return how much is drawn in the cell at each place: the most steps of a colour in it.

    A face in one colour is drawn if all four of its edges are; next to a board only one is.
    """
    steps = np.full(picture.shape[:2], 255, np.uint8)
    for side in range(4):
        part = list(_INNER)
        part[side] = _WHOLE[side]
        span = [
            _in_cells(one, part) - (255 - _in_cells(255 - one, part)) for one in _planes(picture)
        ]
        steps = np.minimum(steps, _strongest(span))
    return steps


def _alike(picture: Picture, steps: Picture) -> Mask:
    """Mark the places of cells drawn on that look like others across and others down."""
    planes = _planes(picture)
    share, low, high = DIFFERENT
    slack = np.clip(share * steps, low, high).astype(np.uint8)
    across, down = np.zeros((2, *steps.shape), np.bool_)
    for i in range(NEAR + 1):
        for j in range(-NEAR if i else 1, NEAR + 1):
            here, there = _shifted(steps.shape, i * PARTS, j * PARTS)
            off = _in_cells(
                _strongest([cv2.absdiff(one[here], one[there]) for one in planes]), _INNER
            )
            same = off <= cv2.min(slack[here], slack[there])
            for marks, counts in ((across, j != 0), (down, i != 0)):
                if counts:
                    marks[here] |= same
                    marks[there] |= same
    return np.asarray(across & down)


def _planes(picture: Picture) -> list[Picture]:
    """Split a picture by colours."""
    return [np.asarray(plane, np.uint8) for plane in cv2.split(picture)]


def _strongest(planes: Sequence[Any]) -> Picture:
    """Return the greatest of several values at each place."""
    return np.asarray(np.maximum.reduce(planes), np.uint8)


_INNER, _WHOLE = (EDGE, PARTS - EDGE, EDGE, PARTS - EDGE), (0, PARTS, 0, PARTS)


def _in_cells(values: Any, part: Sequence[int]) -> Picture:
    """Return the greatest value in a part of the cell at each place: top, bottom, left, right."""
    top, bottom, left, right = part
    reach = np.ones((bottom - top, right - left), np.uint8)
    return np.roll(cv2.dilate(values, reach, anchor=(0, 0)), (-top, -left), (0, 1))


def _shifted(
    shape: tuple[int, ...], down: int, right: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the parts of a picture that lie on each other when it is shifted over itself."""
    high, wide = shape
    left, far = max(0, -right), min(wide, wide - right)
    here = slice(0, high - down), slice(left, far)
    return here, (slice(down, high), slice(left + right, far + right))

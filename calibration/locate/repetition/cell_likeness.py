"""Which cells of a scaled picture look alike, and which of them make a board.

In a picture that is searched for cells, each pixel stands for the cell that begins at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.locate.lines.extent import MIN_SIDE
from calibration.locate.lines.growth import KNOWN_SHARE

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]

TILE_PX, EDGE_PX = 16, 2
"""Side of a tile in the scaled picture, in pixels, and how many of them are its edge on each side.
The edge is not compared: something beside the board may touch it. A lattice may start at each of
the ``TILE_PX * TILE_PX`` pixels, its offset."""

NEARBY = 3
"""Largest distance of two cells that are compared, in tiles."""

ALIKE_LIMIT = (0.25, 2.0, 24.0)
"""Largest difference of cells that look alike: a share of their contrast, and its two bounds."""

_INNER, _WHOLE = (EDGE_PX, TILE_PX - EDGE_PX, EDGE_PX, TILE_PX - EDGE_PX), (0, TILE_PX, 0, TILE_PX)

FREQUENT = 3
"""Fewest cells of a frequent cluster."""

RIM_SHARE = 0.5
"""Least share of a faint row that occurs further in, if the row is not what surrounds a board."""

LEAST_ALIKE = 0.4
"""Least share of a board's cells that look like other cells near them."""


def contrast_in_cells(picture: Picture) -> Picture:
    """Return the contrast of the cell at each pixel: the largest range of a colour in it.

    The edges count one side at a time, and the side that gives the least decides: a tile in one
    colour differs from its surroundings at all four sides, a cell beside the board at one only.
    """
    contrast = np.full(picture.shape[:2], 255, np.uint8)
    for side in range(4):
        part = list(_INNER)
        part[side] = _WHOLE[side]
        span = [
            _greatest_in_cells(one, part) - (255 - _greatest_in_cells(255 - one, part))
            for one in _planes(picture)
        ]
        contrast = np.minimum(contrast, _greatest(span))
    return contrast


def mark_alike_cells(picture: Picture, contrast: Picture) -> Mask:
    """Mark the pixels whose cell looks like one in another column and like one in another row."""
    planes = _planes(picture)
    share, low, high = ALIKE_LIMIT
    limit = np.clip(share * contrast, low, high).astype(np.uint8)
    across, down = np.zeros((2, *contrast.shape), np.bool_)
    for i in range(NEARBY + 1):
        for j in range(-NEARBY if i else 1, NEARBY + 1):
            here, there = _shifted_overlap(contrast.shape, i * TILE_PX, j * TILE_PX)
            off = _greatest_in_cells(
                _greatest([cv2.absdiff(one[here], one[there]) for one in planes]), _INNER
            )
            same = off <= cv2.min(limit[here], limit[there])
            for marks, counts in ((across, j != 0), (down, i != 0)):
                if counts:
                    marks[here] |= same
                    marks[there] |= same
    return np.asarray(across & down)


def _planes(picture: Picture) -> list[Picture]:
    """Split a picture into its colours."""
    return [np.asarray(plane, np.uint8) for plane in cv2.split(picture)]


def _greatest(planes: Sequence[Any]) -> Picture:
    """Return the greatest of several planes at each pixel."""
    return np.asarray(np.maximum.reduce(planes), np.uint8)


def _greatest_in_cells(values: Any, part: Sequence[int]) -> Picture:
    """Return the greatest value in a part (top, bottom, left, right) of the cell at each pixel."""
    top, bottom, left, right = part
    reach = np.ones((bottom - top, right - left), np.uint8)
    return np.roll(cv2.dilate(values, reach, anchor=(0, 0)), (-top, -left), (0, 1))


def _shifted_overlap(
    shape: tuple[int, ...], down: int, right: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the two parts of a picture that overlap when it is shifted over itself."""
    high, wide = shape
    left, far = max(0, -right), min(wide, wide - right)
    here = slice(0, high - down), slice(left, far)
    return here, (slice(down, high), slice(left + right, far + right))


class BoardRange(NamedTuple):
    """Rows and columns of a board.

    ``uniformity`` (0..1) is high if its drawn cells belong to few clusters.
    """

    rows: range
    cols: range
    uniformity: float

    def moved(self, down: int, right: int) -> BoardRange:
        """Return the same board, with rows and columns counted from a cell further up and left."""
        rows = range(self.rows.start + down, self.rows.stop + down)
        return BoardRange(
            rows, range(self.cols.start + right, self.cols.stop + right), self.uniformity
        )


class ClusteredCells(NamedTuple):
    """The cells of a lattice, clustered roughly (``clusters``) and finely (``shades``).

    Both hold the number of each cell's cluster, ``(rows, cols)``. ``alike`` marks the cells that
    look like others near them, ``drawn`` those with something drawn in them, ``strong`` those in
    which it is not faint.
    """

    clusters: NDArray[np.intp]
    shades: NDArray[np.intp]
    alike: Mask
    drawn: Mask
    strong: Mask

    def board(self) -> BoardRange | None:
        """Return the rows and columns of the board, None if there is none.

        The board starts with the drawn cells of frequent clusters. It grows by whole rows and
        columns, as long as their cells belong to clusters that are frequent within it.
        """
        usual = self.alike & self.drawn
        known = _frequent(self.clusters, usual) & self.drawn
        padded = np.pad(known.astype(np.uint8), 1)  # else closing would add rows at the edge
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
        known |= _frequent(self.shades, within) & ~np.isin(self.shades, self._shades_at_rim())
        rows, cols = self._without_rim(*_grown(known, rows, cols))
        here = np.s_[rows.start : rows.stop, cols.start : cols.stop]
        drawn = self.clusters[here][self.drawn[here]]
        if min(len(rows), len(cols)) < MIN_SIDE or known[here].mean() < LEAST_ALIKE:
            return None
        return BoardRange(rows, cols, 1 - np.unique(drawn).size / max(1, drawn.size))

    def _without_rim(self, rows: range, cols: range) -> tuple[range, range]:
        """Leave out the outermost rows and columns of faint cells that occur nowhere further in.

        A panel around a board has edges whose cells look alike.
        """
        here = np.s_[rows.start : rows.stop, cols.start : cols.stop]
        strong, clusters = self.strong[here] & self.alike[here], self.clusters[here]
        if not strong.any():
            return rows, cols
        col, row, wide, high = cv2.boundingRect(strong.astype(np.uint8))
        known = np.isin(clusters, clusters[row : row + high, col : col + wide])
        down, right = _grown(known, range(row, row + high), range(col, col + wide), RIM_SHARE)
        return rows[down.start : down.stop], cols[right.start : right.stop]

    def _shades_at_rim(self) -> NDArray[np.intp]:
        """Return the shades of the outermost cells examined, where no board is expected."""
        ring = [self.shades[0], self.shades[-1], self.shades[:, 0], self.shades[:, -1]]
        return np.unique(np.concatenate(ring))


def _frequent(clusters: NDArray[np.intp], where: Mask) -> Mask:
    """Mark the cells of clusters that have several cells within ``where``."""
    counts = np.bincount(clusters[where], minlength=int(clusters.max()) + 1)
    return np.asarray(counts[clusters] >= FREQUENT)


def _grown(
    known: Mask, rows: range, cols: range, share: float = KNOWN_SHARE
) -> tuple[range, range]:
    """Add rows and columns beside a board while such a share of their cells is known from it."""
    while True:
        before = rows, cols
        rows = _extended(known[:, cols.start : cols.stop].mean(axis=1) >= share, rows)
        cols = _extended(known[rows.start : rows.stop].mean(axis=0) >= share, cols)
        if before == (rows, cols):
            return rows, cols


def _extended(known: Mask, lines: range) -> range:
    """Add the row (or column) before and the one after, if they are known."""
    first, after = lines.start, lines.stop
    first -= first > 0 and bool(known[first - 1])
    after += after < len(known) and bool(known[after])
    return range(first, after)

"""Where a board goes on beside a grid: digits, or more of its hidden tiles, lie there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import SAME_ON_AVERAGE, mean_steps
from calibration.read.clusters import Clusters, Mask
from calibration.read.recognise import cluster_board
from calibration.rules import Tiles
from solver.board import Tile

LEAST_SEEN = 0.9
"""Probability from which a digit counts as seen."""

TILES_BESIDE, DRAWN_EDGE = 3, 40
"""Digits or hidden tiles around a grid from which it is a part of a board, since a counter beside
it may show some digits; and the colour steps within a hidden tile, or at its edges, from which it
is no plain one."""

BEVELLED, SAME_COPY = 30.0, 3.0
"""Steps of brightness of a bevel from which tiles are no plain squares, and the mean difference up
to which another tile is a copy of one with its edges."""


def has_tiles_beside(frame: Frame, grid: Grid, tiles: Tiles) -> bool:
    """Whether the cells around a grid show digits, or hidden tiles like its own that are not plain.

    Then its board goes on. ``tiles`` are those of the grid, ``(rows, cols)``. Of tiles with a bevel
    all around them one is enough, as where something lies over the others.
    """
    clusters = _with_cells_around(frame, grid)
    if clusters is None:
        return False
    around = np.ones(clusters.of_tile.shape, np.bool_)
    around[1:-1, 1:-1] = False
    digits = clusters.digit_chances.max(axis=1) >= LEAST_SEEN
    inner = clusters.pictures[:, 3:-3, 3:-3]
    drawn = np.ptp(inner, axis=(1, 2)).max(axis=1) >= DRAWN_EDGE
    raised = np.abs(clusters.features.bevel).max(axis=1) >= BEVELLED
    hidden = _like_hidden(clusters, tiles, inner, drawn, SAME_ON_AVERAGE)
    copies = _like_hidden(clusters, tiles, clusters.pictures, raised, SAME_COPY)
    squares = _copies_of_squares(clusters, tiles, has_gaps=bool(grid.gap_w or grid.gap_h))
    beside = [int(marked[clusters.of_tile[around]].sum()) for marked in (digits, hidden, squares)]
    return max(beside) >= TILES_BESIDE or bool(copies[clusters.of_tile[around]].any())


def _with_cells_around(frame: Frame, grid: Grid) -> Clusters | None:
    """Cluster the tiles of a grid and the cells around it; None if some are out of the frame."""
    wider = grid.widened(1, 1, 1, 1)
    x0, y0, x1, y1 = wider.bounds
    if min(x0, y0) < 0 or x1 > frame.width or y1 > frame.height:
        return None
    return cluster_board(frame, wider)


def _copies_of_squares(clusters: Clusters, tiles: Tiles, *, has_gaps: bool) -> Mask:
    """Mark the clusters that are copies of hidden tiles, with lines across and down beside them."""
    sides = (clusters.pictures.mean(axis=axis) for axis in (1, 2))
    framed = np.min([np.ptp(side, axis=1).max(axis=1) for side in sides], axis=0) >= DRAWN_EDGE
    framed &= not has_gaps  # tiles are cut without them
    return _like_hidden(clusters, tiles, clusters.pictures, framed, SAME_COPY)


def _like_hidden(
    clusters: Clusters, tiles: Tiles, pictures: NDArray[np.uint8], drawn: Mask, most: float
) -> Mask:
    """Mark the ``drawn`` clusters that differ by at most so much from a hidden one of them."""
    hidden = np.unique(clusters.of_tile[1:-1, 1:-1][tiles == Tile.HIDDEN])
    alike = np.zeros(len(pictures), np.bool_)
    for model in hidden[drawn[hidden]]:
        alike |= mean_steps(pictures, pictures[model]) <= most
    return np.asarray(drawn & alike)

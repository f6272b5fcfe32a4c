"""Tell whether a board goes on beside a grid: digits, or more of its hidden tiles, lie there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import DRAWN, Mask, cluster_tiles
from calibration.classify.recognise import LEAST_SEEN
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import Tiles
from solver.board import Tile

TILES_BESIDE, DRAWN_EDGE, SAME_TILE = 3, 40, 6.0
"""Digits or hidden tiles around a grid from which it is a part of a board, since a counter beside
it may show some digits; the colour steps within a hidden tile that is no plain one; and the mean
difference up to which another tile is like it."""

BEVELLED, SAME_COPY = 30.0, 3.0
"""Steps of brightness of a bevel from which tiles are no plain squares, and the mean difference up
to which another tile is a copy of one with its edges."""


def has_tiles_beside(frame: Frame, grid: Grid, tiles: Tiles) -> bool:
    """Whether the cells around a grid show digits, or hidden tiles like its own that are not plain.

    Then its board goes on. ``tiles`` are those of the grid, ``(rows, cols)``. Of tiles with a bevel
    all around them one is enough, as where something lies over the others.
    """
    wider = grid.widened(1, 1, 1, 1)
    x0, y0, x1, y1 = wider.bounds
    if min(x0, y0) < 0 or x1 > frame.width or y1 > frame.height:
        return False
    clusters = cluster_tiles(frame, wider)
    around = np.ones(clusters.of_tile.shape, np.bool_)
    around[1:-1, 1:-1] = False
    digits = np.nan_to_num(np.exp(clusters.network_scores[:, DRAWN]).max(axis=1)) >= LEAST_SEEN
    whole = clusters.pictures.astype(np.int16)
    inner = whole[:, 3:-3, 3:-3]
    drawn = np.ptp(inner, axis=(1, 2)).max(axis=1) >= DRAWN_EDGE
    raised = np.abs(clusters.features.bevel).max(axis=1) >= BEVELLED
    known = np.unique(clusters.of_tile[1:-1, 1:-1][tiles == Tile.HIDDEN])
    hidden = drawn & _alike(inner, known[drawn[known]], SAME_TILE)
    copies = raised & _alike(whole, known[raised[known]], SAME_COPY)
    beside = [int(marked[clusters.of_tile[around]].sum()) for marked in (digits, hidden)]
    return max(beside) >= TILES_BESIDE or bool(copies[clusters.of_tile[around]].any())


def _alike(pictures: NDArray[np.int16], models: NDArray[np.intp], most: float) -> Mask:
    """Mark the pictures ``(n, s, s, 3)`` that differ by at most so much from one of ``models``."""
    alike = np.zeros(len(pictures), np.bool_)
    for model in models:
        alike |= np.abs(pictures - pictures[model]).mean(axis=(1, 2, 3)) <= most
    return alike

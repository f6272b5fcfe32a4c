"""The clusters of one board: tiles that look the same, their features and likely labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.read.features import Features, Floats, coarse_shape, extract_features
from calibration.read.labels import COLUMN_OF, FLAG, LABELS, ZERO
from calibration.tiles import SAME_APPEARANCE, TilePictures

SURELY_DRAWN = 0.5
"""Probability of a digit or a flag from which a tile without ink has a small drawing."""

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The ``n`` clusters of one board.

    ``pictures`` uint8 ``(n, SIDE, SIDE, 3)`` holds one tile of each cluster. ``of_tile`` ``(rows,
    cols)`` says to which cluster each tile belongs, ``sizes`` ``(n,)`` how many tiles a cluster
    has. ``scores`` ``(n, 16)`` are the mean log-probabilities of `LABELS` by the network.
    """

    pictures: NDArray[np.uint8]
    of_tile: Ints
    sizes: Ints
    features: Features
    scores: Floats

    @cached_property
    def shapes(self) -> Floats:
        """The glyph of each cluster at six by six, as themes describe it, ``(n, 6, 6)``."""
        return np.stack([coarse_shape(glyph) for glyph in self.features.normal_form])

    @cached_property
    def digit_chances(self) -> Floats:
        """How likely each digit is by the network, ``(n, 8)``."""
        return np.asarray(np.exp(self.scores[:, ZERO + 1 : FLAG]), np.float32)

    @cached_property
    def digit_chance(self) -> Floats:
        """How likely any digit is by the network, ``(n,)``."""
        return np.asarray(self.digit_chances.sum(axis=1), np.float32)

    def seen_as(self, tile: int) -> Floats:
        """Return the log-probability of one label, ``(n,)``."""
        return self.scores[:, int(COLUMN_OF[tile])]

    @cached_property
    def empty(self) -> Mask:
        """Whether no glyph is drawn, ``(n,)``; the network sees some that features miss."""
        drawn = self.digit_chance + np.exp(self.scores[:, FLAG])
        return np.asarray(self.features.empty & (drawn < SURELY_DRAWN))


def cluster_tiles(frame: Frame, grid: Grid, logits: Floats) -> Clusters:
    """Find the clusters of a board whose tiles have these logits, ``(rows, cols, 16)``."""
    board = TilePictures(frame, grid)
    of_tile, leaders = tile_pictures.gather(board.coarse, SAME_APPEARANCE)
    flat = board.pictures.reshape(-1, *board.pictures.shape[2:])
    examples, sizes = flat[leaders], np.bincount(of_tile)
    rows = logits.reshape(len(of_tile), len(LABELS)).astype(np.float64)
    sums = np.zeros((len(leaders), len(LABELS)))
    np.add.at(sums, of_tile, _normal(rows))
    scores = _normal(sums / sizes[:, None]).astype(np.float32)
    return Clusters(
        examples, of_tile.reshape(grid.rows, grid.cols), sizes, extract_features(examples), scores
    )


def _normal(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows shifted so that their exponentials sum to 1."""
    rows = rows - rows.max(axis=1, keepdims=True)
    return np.asarray(rows - np.log(np.exp(rows).sum(axis=1, keepdims=True)), np.float64)

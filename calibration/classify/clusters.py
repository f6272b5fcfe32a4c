"""The clusters of one board: their features, and the labels given to them so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.classify.features import Features, Floats, coarse_shape, extract_features
from calibration.glyphs.matching import match_digits
from calibration.glyphs.references import SYMBOLS
from calibration.rules import UNREAD, Tiles
from solver.board import Tile, count_neighbours

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


KNOWN = 0.95
"""Certainty of a cluster that a theme describes or that was labelled before."""


@dataclass(eq=False)
class Clusters:
    """The ``n`` clusters of one board while they are being labelled.

    ``pictures`` uint8 ``(n, SIDE, SIDE, 3)`` holds one tile of each cluster. ``cluster_of_tile``
    ``(rows, cols)`` says to which cluster each tile belongs, ``sizes`` ``(n,)`` how many tiles
    a cluster has. ``symmetry`` ``(n,)`` is that of the glyph. ``background_of`` ``(n,)`` numbers
    the background that a cluster has, -1 where none fits; clusters of empty tiles are
    backgrounds themselves. ``labels`` int8 ``(n,)`` starts as `UNREAD` and ``certainty``
    ``(n,)`` as 0. ``fixed`` ``(n,)`` marks clusters whose label is given and stays.
    """

    pictures: NDArray[np.uint8]
    cluster_of_tile: Ints
    sizes: Ints
    features: Features
    symmetry: Floats
    background_of: Ints
    labels: Tiles
    certainty: NDArray[np.float64]
    fixed: Mask

    @classmethod
    def start(cls, pictures: NDArray[np.uint8], cluster_of_tile: Ints) -> Clusters:
        """Compute the features of the clusters; nothing is labelled yet."""
        features = extract_features(pictures)
        count = len(pictures)
        return cls(
            pictures,
            cluster_of_tile,
            np.bincount(cluster_of_tile.ravel(), minlength=count),
            features,
            np.array([_symmetry(glyph) for glyph in features.silhouette], dtype=np.float32),
            np.full(count, -1, dtype=np.intp),
            np.full(count, UNREAD, dtype=np.int8),
            np.zeros(count),
            np.zeros(count, dtype=np.bool_),
        )

    @property
    def tiles(self) -> Tiles:
        """The board as labelled so far, int8 ``(rows, cols)``."""
        return self.labels[self.cluster_of_tile]

    @cached_property
    def symbol_scores(self) -> Floats:
        """How well each cluster matches each symbol, ``(n, 9)``, as `match_digits` returns it.

        A fixed cluster scores 1 for its label; a cluster of empty tiles -1 for all.
        """
        scores = np.full((len(self.labels), len(SYMBOLS)), -1, dtype=np.float32)
        digits = np.flatnonzero(self.fixed & (self.labels > 0))
        scores[digits, self.labels[digits] - 1] = 1.0
        fresh = ~self.features.empty & ~self.fixed
        if fresh.any():
            scores[fresh] = match_digits(self.features.normal_form[fresh])
        return scores

    @cached_property
    def shapes(self) -> Floats:
        """The glyph of each cluster at six by six, as themes describe it, ``(n, 6, 6)``."""
        return np.stack([coarse_shape(glyph) for glyph in self.features.normal_form])

    def assign(self, chosen: Ints | Mask | int, tile: int, certainty: float) -> None:
        """Give the chosen clusters a label."""
        self.labels[chosen] = tile
        self.certainty[chosen] = certainty

    def fix(self, labels: Tiles) -> None:
        """Fix the labels that are known already; `UNREAD` leaves a cluster open."""
        known = labels != UNREAD
        self.labels[known] = labels[known]
        self.certainty[known] = KNOWN
        self.fixed |= known

    def backgrounds_labelled(self, tile: int) -> set[int]:
        """Return the backgrounds whose empty tiles have this label."""
        chosen = self.features.empty & (self.labels == tile) & (self.background_of >= 0)
        return set(self.background_of[chosen].tolist())

    def possible_mines(self) -> Ints:
        """Count the mines that a tile of each cluster can have around it, ``(n,)``.

        Of the tiles of a cluster, the one with the fewest such cells decides. Every cell may hold
        a mine, except those whose tile is open with some certainty.
        """
        closed = (self.labels < 0) | (self.certainty < 0.4)
        possible = count_neighbours(closed[self.cluster_of_tile])
        fewest = np.full(len(self.labels), 9, dtype=np.intp)
        np.minimum.at(fewest, self.cluster_of_tile.ravel(), possible.ravel().astype(np.intp))
        return fewest

    def shown_mines(self) -> Ints:
        """Count the mines shown around a tile of each cluster, ``(n,)``.

        Of the tiles of a cluster, the one with the most mines around it decides.
        """
        shown = np.isin(self.tiles, (Tile.MINE, Tile.EXPLODED))
        around = count_neighbours(shown)
        most = np.zeros(len(self.labels), dtype=np.intp)
        np.maximum.at(most, self.cluster_of_tile.ravel(), around.ravel().astype(np.intp))
        return most


def _symmetry(glyph: Floats) -> float:
    """Return the smallest correlation of a glyph with its mirror images and its transpose."""
    centred = glyph - glyph.mean()
    power = float((centred * centred).sum())
    if power == 0:
        return 0.0
    images = (centred[:, ::-1], centred[::-1], centred.T)
    return min(float((centred * image).sum()) for image in images) / power

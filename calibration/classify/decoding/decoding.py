"""The result of a decoding: what each cluster means, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Ints
from calibration.labels import COLUMN_OF, LABELS
from calibration.rules import UNREAD, Tiles, impossible_numbers

MARGIN = 0.6
"""Certainty below which a label is in doubt. On 234 pictures of pages the reader was not tuned for,
a third of the boards whose least certain tile was from 0.5 to 0.6 was right, above that nine in
ten."""


@dataclass(frozen=True, eq=False)
class Decoding:
    """The best labelling of the clusters.

    ``labels`` int8 ``(n,)``; ``certainty`` ``(n,)`` is the probability of each label, and
    ``chances`` ``(n, 16)`` that of all labels. ``doubted`` bool ``(n,)`` marks labels
    that must not be trusted, ``open_ground`` zeros that are plain tiles of the background on which
    the digits stand, or have a 0 written on them, so that they are open even if cells around them
    are not.
    """

    labels: Tiles
    chances: NDArray[np.float64]
    score: float
    doubted: NDArray[np.bool_]
    open_ground: NDArray[np.bool_]

    @property
    def certainty(self) -> NDArray[np.float64]:
        """The probability of each label, ``(n,)``; 0 where it is not a tile."""
        chance = self.chances[np.arange(len(self.labels)), self._columns]
        return np.where(self.doubted | (self.labels == UNREAD), 0.0, chance)

    @property
    def rivals(self) -> Tiles:
        """The most likely other label of each cluster, int8 ``(n,)``."""
        others = self.chances.copy()
        others[np.arange(len(others)), self._columns] = -1
        return np.asarray(LABELS[others.argmax(axis=1)], np.int8)

    @property
    def _columns(self) -> list[int]:
        return [COLUMN_OF[int(label)] for label in self.labels]

    def impossible(self, of_tile: Ints) -> NDArray[np.bool_]:
        """Mark the tiles whose number cannot be right; ``of_tile`` are the clusters of all."""
        return impossible_numbers(self.labels[of_tile], self.open_ground[of_tile])

    def doubting(self, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with no certainty for the marked clusters."""
        return replace(self, doubted=self.doubted | clusters)

    def opening(self, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with the marked clusters as zeros, open whatever is around them."""
        taken = self.taking_for(0, clusters)
        return replace(taken, open_ground=self.open_ground | clusters)

    def joining(self, kinds: Sequence[int], tile: int) -> Decoding:
        """Return the decoding with clusters as ``tile`` that surely are one of these ``kinds``.

        Only those of which it is in doubt which one.
        """
        columns = [COLUMN_OF[kind] for kind in kinds]
        chance = self.chances[:, columns].sum(axis=1)
        joined = np.isin(self.labels, kinds) & (chance >= MARGIN)
        joined &= self.chances.max(axis=1) < MARGIN
        chances, labels = self.chances.copy(), np.where(joined, np.int8(tile), self.labels)
        chances[np.ix_(joined, columns)] = 0.0
        chances[joined, COLUMN_OF[tile]] = chance[joined]
        return replace(self, labels=labels, chances=chances)

    def taking_for(self, tile: int, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with the marked clusters as this tile, which is certain."""
        chances = self.chances.copy()
        chances[clusters], chances[clusters, COLUMN_OF[tile]] = 0.0, 1.0
        labels = np.where(clusters, np.int8(tile), self.labels)
        return replace(self, labels=labels, chances=chances, doubted=self.doubted & ~clusters)

    def taking_tiles(self, tiles: Tiles, of_tile: Ints) -> Decoding:
        """Return the decoding with each cluster as what ``tiles`` ``(rows, cols)`` says of it.

        `UNREAD` says nothing, nor do different tiles of one cluster; ``of_tile`` are the clusters.
        """
        decoding = self
        for cluster in np.unique(of_tile[tiles != UNREAD]):
            said = np.unique(tiles[of_tile == cluster])
            if len(said) == 1:
                decoding = decoding.taking_for(int(said[0]), np.arange(len(self.labels)) == cluster)
        return decoding

"""The clusters of one board: tiles that look the same, and the labels that are given already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.classify.features import Features, Floats, coarse_shape, extract_features
from calibration.glyphs.matching import match_digits
from calibration.glyphs.references import SYMBOLS
from calibration.rules import UNREAD, Tiles
from calibration.tiles import SAME_APPEARANCE
from solver.board import Tile

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The ``n`` clusters of one board.

    ``pictures`` uint8 ``(n, SIDE, SIDE, 3)`` holds one tile of each cluster. ``of_tile``
    ``(rows, cols)`` says to which cluster each tile belongs, ``sizes`` ``(n,)`` how many tiles
    a cluster has. ``given`` int8 ``(n,)`` holds the labels that are known from elsewhere,
    `UNREAD` where none is.
    """

    pictures: NDArray[np.uint8]
    of_tile: Ints
    sizes: Ints
    features: Features
    given: Tiles

    @cached_property
    def symbol_scores(self) -> Floats:
        """How well each cluster matches each reference glyph, ``(n, 9)``; -1 for empty tiles."""
        scores = np.full((len(self.given), len(SYMBOLS)), -1, dtype=np.float32)
        drawn = ~self.features.empty
        if drawn.any():
            scores[drawn] = match_digits(self.features.normal_form[drawn])
        return scores

    @cached_property
    def shapes(self) -> Floats:
        """The glyph of each cluster at six by six, as themes describe it, ``(n, 6, 6)``."""
        return np.stack([coarse_shape(glyph) for glyph in self.features.normal_form])

    @cached_property
    def symmetry(self) -> Floats:
        """The smallest correlation of each glyph with its mirror images and its transpose."""
        return np.array([_symmetry(glyph) for glyph in self.features.silhouette], dtype=np.float32)

    def giving(self, labels: Tiles) -> Clusters:
        """Return the clusters with more labels given, ``(n,)``; `UNREAD` adds nothing."""
        given = np.where(labels != UNREAD, labels, self.given).astype(np.int8)
        return Clusters(self.pictures, self.of_tile, self.sizes, self.features, given)


def cluster_tiles(pictures: NDArray[np.uint8], hidden: NDArray[np.uint8] | None = None) -> Clusters:
    """Find the clusters of a board, from pictures ``(rows, cols, SIDE, SIDE, 3)``.

    ``hidden`` are pictures ``(n, SIDE, SIDE, 3)`` of hidden tiles seen before. They join as
    clusters of their own: a flag is recognised by the background of hidden tiles, and a board
    that was won shows flags only.
    """
    rows, cols = pictures.shape[:2]
    flat = pictures.reshape(rows * cols, *pictures.shape[2:])
    of_tile, leaders = tile_pictures.gather(tile_pictures.coarse(flat), SAME_APPEARANCE)
    examples = flat[leaders]
    known = np.full(len(examples), UNREAD, dtype=np.int8)
    if hidden is not None and len(hidden):
        examples = np.concatenate([examples, hidden])
        known = np.append(known, np.full(len(hidden), Tile.HIDDEN, dtype=np.int8))
    sizes = np.bincount(of_tile, minlength=len(examples))
    of_tile = of_tile.reshape(rows, cols)
    return Clusters(examples, of_tile, sizes, extract_features(examples), known)


def _symmetry(glyph: Floats) -> float:
    """Return the smallest correlation of a glyph with its mirror images and its transpose."""
    centred = glyph - glyph.mean()
    power = float((centred * centred).sum())
    if power == 0:
        return 0.0
    images = (centred[:, ::-1], centred[::-1], centred.T)
    return min(float((centred * image).sum()) for image in images) / power

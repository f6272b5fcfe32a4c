"""Describe the looks of a board, as a theme does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.appearances import Appearance, Colour
from calibration.classify.by_theme.differences import shape_of
from calibration.classify.clusters import Clusters
from calibration.classify.decoding.decoding import Decoding
from calibration.classify.features import Features, shape_text
from calibration.likeness import colour_steps
from calibration.rules import UNREAD
from solver.board import Tile

LEAST_CERTAINTY = 0.8
"""Certainty from which a cluster becomes an entry of a learned theme."""


def extract_appearances(clusters: Clusters, decoding: Decoding) -> tuple[Appearance, ...]:
    """Describe the clusters labelled with certainty, one entry for those that hardly differ.

    Neither a mine that exploded nor the others, if only a frame, which is not described,
    separates them.
    """
    chosen: list[Appearance] = []
    other = {int(Tile.MINE): int(Tile.EXPLODED), int(Tile.EXPLODED): int(Tile.MINE)}
    mines = np.flatnonzero(np.isin(decoding.labels, [*other]))
    swapped = [
        _appearance(clusters.features, int(one), other[int(decoding.labels[one])]) for one in mines
    ]
    for index in np.argsort(-clusters.sizes):
        label = int(decoding.labels[index])
        small_glyph = clusters.features.empty[index] and not clusters.empty[index]
        if label == UNREAD or decoding.certainty[index] < LEAST_CERTAINTY or small_glyph:
            continue
        appearance = _appearance(clusters.features, int(index), label)
        if not any(_nearly_equal(appearance, one) for one in (*chosen, *swapped)):
            chosen.append(appearance)
    return tuple(sorted(chosen, key=lambda one: (-min(one.tile, 0), one.tile)))


def _appearance(features: Features, index: int, tile: int) -> Appearance:
    """Describe picture ``index``, which shows ``tile``, as an entry of a theme."""
    bevel = features.bevel[index]
    empty = bool(features.empty[index])
    return Appearance(
        tile,
        _colour(features.background_colour[index]),
        None if empty else _colour(features.ink_colour[index]),
        (round(float(bevel[0])), round(float(bevel[1]))),
        () if empty else shape_text(features.normal_form[index]),
    )


def _nearly_equal(one: Appearance, other: Appearance) -> bool:
    """Whether two appearances of one tile hardly differ."""
    if one.tile != other.tile or (one.ink is None) != (other.ink is None):
        return False
    colour = colour_steps(one.background, other.background)
    bevel = colour_steps(one.bevel, other.bevel)
    if one.ink is None:
        return bool(colour <= 6 and bevel <= 15)
    return bool(colour <= 12 and np.abs(shape_of(one) - shape_of(other)).mean() < 0.12)


def _colour(values: NDArray[np.float32]) -> Colour:
    red, green, blue = (int(value) for value in np.clip(np.rint(values), 0, 255))
    return Colour(red, green, blue)

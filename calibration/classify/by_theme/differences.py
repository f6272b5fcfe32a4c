"""How far the clusters of a board differ from the appearances of a theme."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.appearances import Appearance
from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import Floats
from calibration.likeness import colour_steps, steps_between
from calibration.rules import UNREAD, Tiles
from calibration.theme import Theme

COLOUR_SLACK, BEVEL_SLACK, INK_SLACK, SHAPE_SLACK = 14.0, 30.0, 48.0, 0.16
"""What counts as one unit of difference: colour steps, and mean difference of the shapes.

Ten steps of brightness and scaling by a fifth stay below one unit; two digits of the same ink
and background differ in shape by at least one and a half.
"""

SEEN, SEEN_SHAPE, SEEN_COLOUR, SEEN_BEVEL = 0.9, 0.4, 2.5, 0.4
"""Probability from which a digit is seen by the network, and what its shape, the colours of tiles
and their bevels then count for.

Where gaps are not whole pixels wide, small digits and edges are drawn anew in each row and column;
colours stay the same.
"""

MOST_THIN = 0.5
"""How far the ink of a thin digit that is seen may lie towards the colour of its tile, as a share
of the way: its strokes are narrower than a pixel. On a board of gnome-mines with tiles of 17 px the
ones lie at 0.39."""


def digits_seen(clusters: Clusters) -> Tiles:
    """Return the digits that the network surely sees, ``(n,)``; `UNREAD` elsewhere."""
    chances = clusters.digit_chances
    seen = chances.max(axis=1) >= SEEN
    return np.where(seen, chances.argmax(axis=1) + 1, UNREAD).astype(np.int8)


def differences(clusters: Clusters, theme: AppearanceArrays, seen: Mask | None = None) -> Floats:
    """Return the differences ``(clusters, appearances)`` in units of the slacks.

    An empty tile and one with a glyph differ by 99. Shapes and inks differ by less where ``seen``.
    """
    features, shapes = clusters.features, clusters.shapes
    off = steps_between(features.background_colour, theme.background) / COLOUR_SLACK
    off_bevel = steps_between(features.bevel, theme.bevel) / BEVEL_SLACK
    off_ink = steps_between(features.ink_colour, theme.ink) / INK_SLACK
    off_shape = np.abs(shapes[:, None] - theme.shape[None]).mean(axis=(2, 3)) / SHAPE_SLACK
    if seen is not None:
        thinned = _off_thin_ink(features.ink_colour, theme) / INK_SLACK
        off_ink = np.where(seen, np.minimum(off_ink, thinned), off_ink)
        off_shape = np.where(seen, SEEN_SHAPE * off_shape, off_shape)
        off, off_bevel = SEEN_COLOUR * off, SEEN_BEVEL * off_bevel
    both = (~features.empty)[:, None] & theme.has_glyph[None]
    total = np.where(
        both, np.maximum(np.maximum(off, off_ink), off_shape), np.maximum(off, off_bevel)
    )
    total = np.where(both, total + 0.3 * off_shape, total)
    different = features.empty[:, None] == theme.has_glyph[None]
    return np.where(different, 99.0, total).astype(np.float32)


def _off_thin_ink(inks: Floats, theme: AppearanceArrays) -> Floats:
    """Return how far each ink is from a mixture of a theme's ink and background, at most half."""
    way = theme.background - theme.ink
    length = np.maximum((way**2).sum(axis=1), 1.0)
    share = ((inks[:, None] - theme.ink[None]) * way[None]).sum(axis=2) / length
    mixed = theme.ink[None] + np.clip(share, 0.0, MOST_THIN)[..., None] * way[None]
    return colour_steps(inks[:, None], mixed)


def shape_of(appearance: Appearance) -> Floats:
    """Return the shape as numbers 0..1, ``(6, 6)``; zeros without a glyph."""
    if not appearance.shape:
        return np.zeros((6, 6), dtype=np.float32)
    rows = [[".123456789".index(char) for char in row] for row in appearance.shape]
    return np.asarray(np.array(rows) / 9, dtype=np.float32)


class AppearanceArrays(NamedTuple):
    """The appearances of a theme as arrays, one row each."""

    background: Floats
    bevel: Floats
    has_glyph: NDArray[np.bool_]
    ink: Floats
    shape: Floats


@cache
def appearance_arrays(theme: Theme) -> AppearanceArrays:
    """Return the appearances of a theme as arrays; computed once for each theme."""
    appearances = theme.appearances
    return AppearanceArrays(
        np.array([one.background for one in appearances], dtype=np.float32),
        np.array([one.bevel for one in appearances], dtype=np.float32),
        np.array([one.ink is not None for one in appearances]),
        np.array([one.ink or (0, 0, 0) for one in appearances], dtype=np.float32),
        np.stack([shape_of(one) for one in appearances]),
    )

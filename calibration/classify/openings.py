"""Openings that show no number: some programs open only the zeros around a zero."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import Floats
from calibration.classify.witnesses import AS_BEFORE, GREY
from calibration.rules import UNREAD, Tiles

LEAST_OPENED, ONE_COLOUR = 2, 16.0
"""Fewest tiles of an opening that are not grey, since a single one may have exploded, and how far
their colours differ at most, in steps."""


def opened_zeros(
    clusters: Clusters, labels: Tiles, like_fresh: Floats | None, clicked: Mask | None
) -> Mask:
    """Mark the clusters of an opening of zeros without any number, ``(n,)``.

    ``like_fresh`` ``(rows, cols)`` tells how far each tile looks as before the first click, 0 to 1,
    ``clicked`` which cells were clicked since. It is an opening if the tiles that changed are plain
    and of one colour, hang together, are not all of the board, and hold a clicked cell. That no
    more is to come, a caller must know: numbers may be painted after the tiles.
    """
    of_tile, none = clusters.of_tile, np.zeros(len(labels), np.bool_)
    if like_fresh is None or clicked is None or (labels[of_tile] > 0).any():
        return none
    changed = like_fresh < AS_BEFORE
    regions, _ = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    if regions != 2 or changed.all() or not changed[clicked].any():
        return none
    opened = none.copy()
    opened[of_tile[changed]] = True
    colours = clusters.features.background_colour[opened]
    if changed.sum() < LEAST_OPENED and np.ptp(colours, axis=1).max() > GREY:
        return none
    plain = bool(clusters.empty[opened].all()) and np.ptp(colours, axis=0).max() <= ONE_COLOUR
    return opened if plain and not opened[of_tile[~changed]].any() else none


def zeros_as_before(clusters: Clusters, before: Tiles, changed: Mask) -> Tiles:
    """Return 0 for the clusters of zeros that did not change, `UNREAD` for others, ``(n,)``.

    ``before`` ``(rows, cols)`` is the last board of the game. A cluster with an unchanged tile that
    was no zero is left open.
    """
    labels = np.full(len(clusters.sizes), UNREAD, np.int8)
    labels[clusters.of_tile[~changed & (before == 0)]] = 0
    labels[clusters.of_tile[~changed & (before != 0)]] = UNREAD
    return labels

"""Make a theme from tiles whose meaning is known: from play, or from a person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.appearances import Appearance
from calibration.classify.features import extract_features
from calibration.classify.theme_matching import _appearance, _nearly_equal
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.theme import Theme
from calibration.tiles import SAME_APPEARANCE

MOST_KINDS = 4
"""Most appearances that are taken of one kind of tile: the largest groups of like tiles."""


def theme_of_tiles(
    frame: Frame, grid: Grid, tiles: NDArray[np.int8], name: str, known: Theme | None = None
) -> Theme:
    """Describe how the ``tiles`` of a board look in ``frame``, as a theme called ``name``.

    ``tiles`` is int8 ``(rows, cols)`` as in `Board`; tiles that are `UNREAD` are left out. What
    the theme ``known`` holds is kept, with its profile.
    """
    pictures = tile_pictures.cut(frame, grid)
    found = list(known.appearances) if known else []
    for tile in np.unique(tiles[tiles != UNREAD]).tolist():
        for appearance in _appearances_of(pictures[tiles == tile], tile):
            if not any(_nearly_equal(appearance, one) for one in found):
                found.append(appearance)
    found.sort(key=lambda one: (-min(one.tile, 0), one.tile))
    if known is None:
        return Theme(name, tuple(found))
    return Theme(name, tuple(found), known.profile, known.smileys)


def _appearances_of(pictures: NDArray[np.uint8], tile: int) -> list[Appearance]:
    """Describe pictures ``(n, SIDE, SIDE, 3)`` of one kind of tile, like ones together."""
    groups, leaders = tile_pictures.gather(tile_pictures.coarse(pictures), SAME_APPEARANCE)
    largest = np.argsort(-np.bincount(groups))[:MOST_KINDS]
    features = extract_features(pictures[leaders[largest]])
    return [_appearance(features, index, tile) for index in range(len(largest))]

"""How far each tile looks as it did before the first click."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.classify.clusters import PLAIN, Clusters, Mask
from calibration.classify.features import Floats
from calibration.tiles import SAME_APPEARANCE

AS_BEFORE = 0.5
"""Least likeness of a tile, or a cluster, that looks as before the first click."""

LIKE_FRESH = 1.5
"""Mean colour steps up to which a tile looks as it did on the fresh board."""

MOST_UNEVEN_MIDDLE = 24.0
"""Colour steps by which parts of two by two pixels in the middle of such a tile differ at most."""

ENOUGH_COPIES, OTHER_SHADE = 0.5, 4.0
"""Share of exact copies among the insides that look like the fresh ones, which shows that nothing
moved, and colour steps by which the inside of any other tile differs then: of a page with bubbles
behind its tiles by up to 3."""

UNLIKE_FRESH, NEITHER = 10.0, 0.3
"""Mean colour steps up to which a tile is not surely unlike it, and its likeness then."""

SIDE_PX, TEXTURED = 3, 24
"""Pixels of a tile's picture along each side in which a neighbour may draw, and colour steps
between the pixels inside them from which an opened tile would not look so again."""

FEWEST_COLOURED = 2
"""Plain tiles that got another colour, which shows that zeros do not look like hidden tiles."""


def mean_likeness(clusters: Clusters, like_fresh: Floats) -> NDArray[np.float64]:
    """Average the likeness to the fresh board ``(rows, cols)`` over the tiles of each cluster.

    Pictures of hidden tiles that were seen before are like it.
    """
    total = np.bincount(clusters.of_tile.ravel(), like_fresh.ravel(), len(clusters.sizes))
    return np.where(clusters.sizes > 0, total / np.maximum(clusters.sizes, 1), 1.0)


def likeness_to_fresh(clusters: Clusters, fresh: NDArray[np.uint8]) -> Floats:
    """Return how far each tile looks as at the start, ``(rows, cols)``.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click.
    A tile looks so if it equals the fresh tile at its place, or any other fresh tile. `NEITHER`
    stands for tiles that are nearly like it, as those of a window that was moved by a pixel. If
    most insides like those at their places are exact copies, nothing moved: others are unlike it
    whose inside has another colour, however near it is, and those like it of which only a side
    changed, with the neighbour there.
    """
    flat = fresh.reshape(-1, *fresh.shape[2:])
    _, leaders = tile_pictures.gather(tile_pictures.coarse(flat), SAME_APPEARANCE)
    like = np.zeros(len(clusters.sizes), dtype=np.float32)
    for index, picture in enumerate(clusters.pictures):
        same = clusters.of_tile == index
        others = [flat[leader] for leader in leaders[:16]]
        near = [_distance(picture, other) for other in others]
        if min(near) <= LIKE_FRESH:
            like[index] = 1.0
            continue
        if same.any():
            off = [_distance(*pair) for pair in zip(clusters.tiles[same], fresh[same], strict=True)]
            like[index] = float((np.array(off) <= 2 * LIKE_FRESH).mean())
        if min(near) <= UNLIKE_FRESH:
            like[index] = max(like[index], NEITHER)
    of_tile, change = like[clusters.of_tile], np.abs(clusters.tiles - fresh.astype(np.int16))
    middle = change[:, :, SIDE_PX:-SIDE_PX, SIDE_PX:-SIDE_PX]
    alike = middle.mean(axis=(2, 3, 4)) <= LIKE_FRESH
    same = _same(middle)
    if not alike.any() or same.sum() < ENOUGH_COPIES * alike.sum():
        return of_tile
    of_tile[change[:, :, 6:-6, 6:-6].mean(axis=(2, 3)).max(axis=2) >= OTHER_SHADE] = 0
    of_tile[_changed_with_neighbours(clusters.tiles, fresh, change, same)] = 1
    return of_tile


def _changed_with_neighbours(
    tiles: NDArray[np.uint8], fresh: NDArray[np.uint8], change: NDArray[np.int16], same: Mask
) -> Mask:
    """Mark the tiles of which only sides changed, each beside a tile that changed inside.

    ``same`` marks those whose insides did not.
    The line between two tiles changes when one of them opens, or a shadow goes. What an opened tile
    shows is not the texture of a hidden one; nor its colour, if zeros have another one.
    """
    middle, first, last = slice(SIDE_PX, -SIDE_PX), slice(SIDE_PX), slice(-SIDE_PX, None)
    before, now = (
        np.ptp(one[:, :, middle, middle], axis=(2, 3)).max(axis=2) for one in (fresh, tiles)
    )
    opens_in_colour = (~same & (before <= PLAIN) & (now <= PLAIN)).sum() >= FEWEST_COLOURED
    marked = same & ((before >= TEXTURED) | opens_in_colour)
    around = np.pad(same, 1, constant_values=True)
    marked &= _same(change[:, :, first, middle]) | ~around[:-2, 1:-1]
    marked &= _same(change[:, :, last, middle]) | ~around[2:, 1:-1]
    marked &= _same(change[:, :, middle, first]) | ~around[1:-1, :-2]
    marked &= _same(change[:, :, middle, last]) | ~around[1:-1, 2:]
    return np.asarray(marked)


def _same(change: NDArray[np.int16]) -> Mask:
    """Mark the tiles of which no pixel changed by more than one colour step."""
    return np.asarray(change.max(axis=(2, 3, 4)) <= 1)


def _distance(picture: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return by how many colour steps two tile pictures differ on average.

    They are far from each other if a small part of the middle changed: a tiny digit is drawn there.
    """
    off = cv2.absdiff(picture, other)
    middle = off[5:-5, 5:-5].reshape(7, 2, 7, 2, 3).mean(axis=(1, 3))
    return UNLIKE_FRESH + 1 if middle.max() > MOST_UNEVEN_MIDDLE else float(off.mean())

"""What clicks opened, and how far tiles look as they did before the first click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.likeness import TINTED
from calibration.rules import Mask, Tiles
from calibration.views import MARGIN
from solver.board import Cell, Tile, marked

LIKE_FRESH, UNLIKE_FRESH, NEITHER = 1.5, 10.0, 0.3
"""Mean colour steps up to which a tile looks as on the fresh board, and from which it surely does
not; and the likeness of those between, as of a window that moved by a pixel."""

MOST_UNEVEN = 24.0
"""Colour steps by which parts of two by two pixels in the middle of such a tile differ at most: a
tiny digit changes no more than a few pixels."""

AS_BEFORE = 0.5
"""Least likeness of a tile that looks as before the first click."""

MOST_FRESH = 16
"""Tiles of the fresh board that each tile is compared with, beside the one at its place."""

LEAST_OPENED = 2
"""Fewest tiles of an opening that are not grey, since a single one may have exploded."""

ONE_COLOUR = 48.0
"""How far the colours of tiles of one kind differ at most, in steps."""


class LastClicks(NamedTuple):
    """The cells clicked last, and the board before that if it was read, ``(rows, cols)`` each."""

    cells: Mask
    before: Tiles | None


class ClickedCells(NamedTuple):
    """The cells clicked in this game, by what the clicks were to do, ``(rows, cols)`` each."""

    opened: Mask
    flagged: Mask

    def adding(self, opened: Sequence[Cell], flagged: Sequence[Cell]) -> ClickedCells:
        """Return them with more clicks. What is to be flagged now does not count as opened."""
        to_open, to_flag = (marked(self.opened.shape, cells) for cells in (opened, flagged))
        return ClickedCells(self.opened & ~to_flag | to_open, self.flagged | to_flag)


def likeness_to_fresh(
    views: NDArray[np.uint8], fresh: NDArray[np.uint8], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """Return how far each tile looks as before the first click, float32 ``shape``, 0 to 1.

    Both are views ``(n, VIEW_SIDE, VIEW_SIDE, 3)`` of the same cells. A tile looks so if it equals
    the fresh tile at its place, or another one.
    """
    off = _mean_steps(views, fresh)
    for index in np.unique(np.linspace(0, len(fresh) - 1, MOST_FRESH).astype(int)):
        np.minimum(off, _mean_steps(views, fresh[index]), out=off)
    like = np.where(off <= LIKE_FRESH, 1.0, np.where(off <= UNLIKE_FRESH, NEITHER, 0.0))
    return like.reshape(shape).astype(np.float32)


def _mean_steps(views: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return by how many colour steps views differ on average, ``(n,)``.

    They are far from each other if a small part of the middle changed.
    """
    inner = slice(MARGIN, -MARGIN)
    off = np.abs(views[:, inner, inner].astype(np.int16) - other[..., inner, inner, :])
    middle = off[:, 4:-4, 4:-4]
    count, side = middle.shape[:2]
    parts = middle.reshape(count, side // 2, 2, side // 2, 2, 3).mean(axis=(2, 4))
    far = parts.reshape(count, -1).max(axis=1) > MOST_UNEVEN
    return np.where(far, UNLIKE_FRESH + 1, off.reshape(count, -1).mean(axis=1))


def opened_zeros(
    tiles: Tiles,
    colours: NDArray[np.float64],
    plain: Mask,
    like_fresh: NDArray[np.float32] | None,
    clicks: LastClicks | None,
) -> Mask:
    """Mark an opening of zeros without any number, ``(rows, cols)``.

    ``colours`` ``(rows, cols, 3)`` are those of the tiles, and ``plain`` marks those on which
    nothing is drawn. It is an opening if the tiles that changed with the last ``clicks`` are plain
    and of one colour, connected, not all of the board, and hold a clicked cell. The caller must
    know that the board is at rest: numbers may be painted after the tiles.
    """
    none = np.zeros(tiles.shape, np.bool_)
    if like_fresh is None or clicks is None:
        return none
    changed = like_fresh < AS_BEFORE
    if clicks.before is not None:
        changed &= clicks.before == Tile.HIDDEN
    if (tiles[changed] > 0).any() or changed.all() or not changed[clicks.cells].any():
        return none
    if cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)[0] != 2:
        return none
    found = colours[changed]
    if changed.sum() < LEAST_OPENED and np.ptp(found, axis=1).max() > TINTED:
        return none
    if not plain[changed].all() or np.ptp(found, axis=0).max() > ONE_COLOUR:
        return none
    return changed

"""What clicks opened: checked, since an opening may show no number yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import Floats
from calibration.classify.fresh_likeness import AS_BEFORE, mean_likeness
from calibration.likeness import TINTED
from calibration.rules import UNREAD, Tiles, shows_mines
from solver.board import Cell, Tile, marked

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
        """Return them with more clicks. What is to be flagged now is not taken for opened."""
        to_open, to_flag = (marked(self.opened.shape, cells) for cells in (opened, flagged))
        return ClickedCells(self.opened & ~to_flag | to_open, self.flagged | to_flag)


def clicked_open(
    clusters: Clusters, like_fresh: Floats | None, clicked: ClickedCells | None
) -> Mask | None:
    """Mark the clusters of which all tiles were clicked to open them, and changed, ``(n,)``."""
    if like_fresh is None or clicked is None:
        return None
    opened = np.bincount(clusters.of_tile[clicked.opened], minlength=len(clusters.sizes))
    whole = (opened > 0) & (opened == clusters.sizes)
    return np.asarray(whole & changed(clusters, like_fresh))


def only_opened(
    clusters: Clusters,
    like_fresh: Floats | None,
    clicks: LastClicks | None,
    clicked: ClickedCells | None,
) -> Mask | None:
    """Mark the clusters that clicks must have opened, ``(n,)``; None if they are not known.

    They look unlike the fresh board, and hold a cell of the first click or, as long as nothing else
    on the board has changed, of any later one: what lies over a board covers other cells, too.
    """
    if like_fresh is None or clicks is None:
        return None
    cells = clicks.cells
    if clicks.before is not None and (clicks.before != Tile.HIDDEN).any():
        if clicked is None or (like_fresh < AS_BEFORE)[~clicked.opened].any():
            return None
        cells = clicked.opened
    held = np.bincount(clusters.of_tile[cells], minlength=len(clusters.sizes)) > 0
    return np.asarray(held & changed(clusters, like_fresh))


def opened_zeros(
    clusters: Clusters, labels: Tiles, like_fresh: Floats | None, clicks: LastClicks | None
) -> Mask:
    """Mark the clusters of an opening of zeros without any number, ``(n,)``.

    ``like_fresh`` ``(rows, cols)`` says how far each tile looks as before the first click, 0 to 1.
    It is an opening if the tiles that changed with the last ``clicks`` are plain and of one colour,
    hang together, are not all of the board, and hold a clicked cell. That no more is to come, a
    caller must know: numbers may be painted after the tiles.
    """
    of_tile, none = clusters.of_tile, np.zeros(len(labels), np.bool_)
    if like_fresh is None or clicks is None:
        return none
    changed = like_fresh < AS_BEFORE
    if clicks.before is not None:
        changed &= clicks.before == Tile.HIDDEN
    if (labels[of_tile[changed]] > 0).any():
        return none
    regions, _ = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    if regions != 2 or changed.all() or not changed[clicks.cells].any():
        return none
    opened = none.copy()
    opened[of_tile[changed]] = True
    colours = clusters.features.background_colour[opened]
    if changed.sum() < LEAST_OPENED and np.ptp(colours, axis=1).max() > TINTED:
        return none
    plain = bool(clusters.empty[opened].all()) and np.ptp(colours, axis=0).max() <= ONE_COLOUR
    return opened if plain and not opened[of_tile[~changed]].any() else none


def as_before(
    clusters: Clusters, before: Tiles, changed: Mask, survived: Collection[Cell]
) -> Tiles:
    """Return what clusters show of which some tiles are known, `UNREAD` for others, ``(n,)``.

    Those are zeros that did not change, and mines that took lives: others that look so took lives,
    too. ``before`` ``(rows, cols)`` is the last board of the game. A cluster with an unchanged tile
    that was not a zero is left open.
    """
    labels = np.full(len(clusters.sizes), UNREAD, np.int8)
    labels[clusters.of_tile[~changed & (before == 0)]] = 0
    labels[clusters.of_tile[~changed & (before != 0)]] = UNREAD
    for cell in survived:
        if shows_mines(before[cell]):
            labels[clusters.of_tile[cell]] = before[cell]
    return labels


def changed(clusters: Clusters, like_fresh: Floats | None) -> Mask:
    """Mark the clusters that look unlike the fresh board; all of them if that was not seen."""
    if like_fresh is None:
        return np.ones(len(clusters.sizes), np.bool_)
    return np.asarray(mean_likeness(clusters, like_fresh) < AS_BEFORE)

"""Flags and mines after a decoding: those the status hangs on, and those the board settles."""

from __future__ import annotations

import numpy as np

from calibration.classify.checks.openings import ClickedCells
from calibration.classify.clusters import Clusters, Mask
from calibration.classify.decoding.board_chance import lacks_mines
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.decoding.looks import copies_of
from calibration.classify.features import Floats
from calibration.classify.fresh_likeness import mean_likeness
from calibration.rules import UNREAD
from solver.board import Tile

SEEN_OTHERWISE = 1.5
"""Logarithm of how many times likelier the network takes a flag for a mine, or a mine for a flag,
from which it is in doubt."""

HARDLY_AHEAD = 0.5
"""The same logarithm up to which a single mark is hardly a flag, but may be the mine that exploded,
the only one that a program shows."""

SHOWN = (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""What only a finished board shows."""


def marks_of_the_end(clusters: Clusters, decoding: Decoding) -> Decoding:
    """Label as a mine what a finished board shows, if no more than its kind is in doubt.

    Beside a mine that surely is one the game is over, and whether another mark is a flag or a mine
    changes nothing.
    """
    decoding = decoding.joining(SHOWN, Tile.MINE)
    over = shows_surely(clusters, decoding).any()
    return decoding.joining((*SHOWN, Tile.FLAG), Tile.MINE) if over else decoding


def shows_surely(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the clusters that surely are what only a finished board shows, ``(n,)``."""
    shown = np.isin(decoding.labels, SHOWN) & (clusters.sizes > 0)
    return np.asarray(shown & (decoding.certainty >= MARGIN))


def flags_or_mines(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags that the network takes for mines, and mines that it takes for flags, ``(n,)``.

    Whether the game is over hangs on them, unless another mine is surely shown.
    """
    flag, mine, exploded = map(clusters.seen_as, ("flag", "mine", "exploded"))
    ahead = np.nan_to_num(np.maximum(mine, exploded) - flag)
    flags = (decoding.labels == Tile.FLAG) & ~flags_in_play(clusters, decoding, like_fresh)
    mines = np.isin(decoding.labels, (Tile.MINE, Tile.EXPLODED))
    alone = clusters.sizes[flags].sum() == 1
    least = -HARDLY_AHEAD if alone else SEEN_OTHERWISE
    found = flags & (ahead >= least) | mines & (-ahead >= SEEN_OTHERWISE)
    found &= ~np.isnan(flag)
    found &= clusters.given == UNREAD
    return np.asarray(found & (not (shows_surely(clusters, decoding) & ~found).any()))


def flags_in_play(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags that cannot be mines: numbers lack mines, so that not all are shown.

    Then at most one is, the mine that exploded. In play mines may appear one after another.
    """
    flags = (decoding.labels == Tile.FLAG) & (clusters.sizes > 0)
    found = np.zeros(len(flags), np.bool_)
    if like_fresh is None and lacks_mines(decoding.labels[clusters.of_tile]):
        drawn = np.flatnonzero(flags & ~clusters.empty)
        for flag in drawn:
            found[flag] = clusters.sizes[copies_of(clusters, int(flag), drawn)].sum() > 1
    return found


def flags_set(
    clusters: Clusters, decoding: Decoding, like_fresh: Floats | None, clicked: ClickedCells | None
) -> Mask:
    """Mark the clusters in doubt of which all tiles were flagged, ``(n,)``: so a flag looks here.

    Not those that are rather a digit, or that some clicks had made plain again: of plain tiles only
    those count that look unlike the board before the first click.
    """
    if clicked is None or not clicked.flagged.any():
        return np.zeros(len(decoding.labels), np.bool_)
    all_flagged = np.bincount(clusters.of_tile[clicked.flagged], minlength=len(clusters.sizes))
    doubtful = (decoding.certainty < MARGIN) & (decoding.labels <= 0)
    doubtful &= ~clusters.empty | _unlike_fresh(clusters, like_fresh)
    return np.asarray(doubtful & (all_flagged > 0) & (all_flagged == clusters.sizes))


def _unlike_fresh(clusters: Clusters, like_fresh: Floats | None) -> Mask:
    """Mark the clusters that surely look unlike the fresh board; none if that was not seen."""
    if like_fresh is None:
        return np.zeros(len(clusters.sizes), np.bool_)
    return np.asarray(mean_likeness(clusters, like_fresh) == 0)

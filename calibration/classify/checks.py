"""What is checked after a decoding: openings without a number, labels in doubt, marked tiles.

Some programs open only the zeros around a zero.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from calibration.classify.clusters import SURELY_DRAWN, Clusters, Mask
from calibration.classify.decoding.board_chance import MOST_BLASTS
from calibration.classify.decoding.decode import MARGIN, Decoding
from calibration.classify.decoding.labels import COLUMN_OF
from calibration.classify.features import Floats
from calibration.classify.tile_network.network import CLASSES
from calibration.classify.witnesses import AS_BEFORE, GREY, mean_likeness
from calibration.rules import UNREAD, Tiles
from solver.board import Tile, count_neighbours

LEAST_OPENED = 2
"""Fewest tiles of an opening that are not grey, since a single one may have exploded."""

ONE_COLOUR = 48.0
"""How far the colours of tiles of one kind differ at most, in steps."""

RAISED, FLAT, MOST_NUMBERS = 4.0, 1.5, 8
"""Steps of brightness of a bevel from which a tile is raised, and up to which it is flat; and the
numbers up to which they hardly tell which of two kinds of tiles are open."""

SUNKEN, SUNKEN_SHARE = 10.0, 0.15
"""Steps by which one edge of a tile is brighter than the opposite one, from which it is raised or
sunken; and the share of the hidden tiles that must be of each kind."""

SEEN_OTHERWISE = 1.5
"""Logarithm of how many times likelier the network takes a flag for a mine, or a mine for a flag,
from which it is in doubt."""

SURELY_MINE = 0.8
"""Probability of the network from which a drawing is a mine though no number confirms it."""

MAY_BE_FLAG = 1e-6
"""Least probability of a flag on a tile read as a mine: most flags would touch no number there."""

SURELY_FLAG, HARDLY_FLAG = 0.8, 0.4
"""Probability of the network from which a drawing is a flag, and up to which it is hardly one."""

MOST_HINTS, SAME_EDGES, SAME_COLOUR, SAME_RELIEF = 3, 8.0, 16.0, 0.4
"""Tiles of a board before the first click on which something may be drawn; the largest mean
differences of their edges and backgrounds from those of the other tiles, in colour steps; and the
share of the bevel that is left where the colour of a tile marks it."""


SMALL_MARK, SHIFT, SAME_MARK = 0.4, 3, 0.85
"""Largest side of a small drawing, in tiles; how far two may be shifted, in pixels of a tile's
picture; and the least correlation of them if they are one."""


class LastClicks(NamedTuple):
    """The cells clicked last, and the board before that if it was read, ``(rows, cols)`` each."""

    cells: Mask
    before: Tiles | None


def first_opened(
    clusters: Clusters, like_fresh: Floats | None, clicks: LastClicks | None
) -> Mask | None:
    """Mark the clusters that the first click opened, ``(n,)``; None if they are not known.

    They look unlike the board before it, and hold a clicked cell; there was no number before.
    """
    if like_fresh is None or clicks is None:
        return None
    if clicks.before is not None and (clicks.before != Tile.HIDDEN).any():
        return None
    clicked = np.bincount(clusters.of_tile[clicks.cells], minlength=len(clusters.sizes)) > 0
    return np.asarray(clicked & (mean_likeness(clusters, like_fresh) < AS_BEFORE))


def opened_zeros(
    clusters: Clusters, labels: Tiles, like_fresh: Floats | None, clicks: LastClicks | None
) -> Mask:
    """Mark the clusters of an opening of zeros without any number, ``(n,)``.

    ``like_fresh`` ``(rows, cols)`` tells how far each tile looks as before the first click, 0 to 1.
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
    if changed.sum() < LEAST_OPENED and np.ptp(colours, axis=1).max() > GREY:
        return none
    plain = bool(clusters.empty[opened].all()) and np.ptp(colours, axis=0).max() <= ONE_COLOUR
    return opened if plain and not opened[of_tile[~changed]].any() else none


def marks_alike(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark small wrong flags and other marks that are one drawing, ``(n,)``: it means one thing.

    A small drawing may be cut a pixel to the side on some tiles. A large one may be crossed out.
    """
    alike = np.zeros(len(decoding.labels), np.bool_)
    drawn = (clusters.sizes > 0) & ~clusters.empty
    others = drawn & np.isin(decoding.labels, (Tile.FLAG, Tile.MINE, Tile.EXPLODED))
    grounds = clusters.features.background_colour
    top, left, bottom, right = clusters.features.ink_box.T
    small = np.maximum(bottom - top, right - left) <= SMALL_MARK
    for wrong in np.flatnonzero(drawn & small & (decoding.labels == Tile.WRONG_FLAG)):
        inside = np.ascontiguousarray(clusters.pictures[wrong, SHIFT:-SHIFT, SHIFT:-SHIFT])
        near = np.abs(grounds - grounds[wrong]).max(axis=1) <= SAME_COLOUR
        for other in np.flatnonzero(others & near):
            found = cv2.matchTemplate(clusters.pictures[other], inside, cv2.TM_CCOEFF_NORMED)
            if found.max() >= SAME_MARK:
                alike[[wrong, other]] = True
    return alike


def flags_set(clusters: Clusters, decoding: Decoding, flagged: Mask | None) -> Mask:
    """Mark the clusters in doubt of which all tiles were flagged, ``(n,)``: so a flag looks here.

    Not those that are rather a digit, or that some clicks had made plain again.
    """
    if flagged is None or not flagged.any():
        return np.zeros(len(decoding.labels), np.bool_)
    all_flagged = np.bincount(clusters.of_tile[flagged], minlength=len(clusters.sizes))
    doubtful = (decoding.certainty < MARGIN) & (decoding.labels <= 0) & ~clusters.empty
    return np.asarray(doubtful & (all_flagged > 0) & (all_flagged == clusters.sizes))


def zeros_as_before(clusters: Clusters, before: Tiles, changed: Mask) -> Tiles:
    """Return 0 for the clusters of zeros that did not change, `UNREAD` for others, ``(n,)``.

    ``before`` ``(rows, cols)`` is the last board of the game. A cluster with an unchanged tile that
    was no zero is left open.
    """
    labels = np.full(len(clusters.sizes), UNREAD, np.int8)
    labels[clusters.of_tile[~changed & (before == 0)]] = 0
    labels[clusters.of_tile[~changed & (before != 0)]] = UNREAD
    return labels


def changed(clusters: Clusters, like_fresh: Floats | None) -> Mask:
    """Mark the clusters that look unlike the fresh board; all of them if that was not seen."""
    if like_fresh is None:
        return np.ones(len(clusters.sizes), np.bool_)
    return np.asarray(mean_likeness(clusters, like_fresh) < AS_BEFORE)


def flat_among_raised(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark hidden clusters without a bevel on a board whose other hidden tiles have one.

    Where lines are drawn around hidden tiles only, and a picture shines through, open tiles and
    what lies beside the board have no bevel, and no colour tells them apart. (Where zeros have a
    colour of their own, it does; tiles that are no whole pixels wide have bevels of all kinds.)
    """
    hidden = clusters.empty & (decoding.labels == Tile.HIDDEN) & (clusters.sizes > 0)
    zeros = clusters.empty & (decoding.labels == 0) & (clusters.sizes > 0)
    colours = clusters.features.background_colour
    off = np.abs(colours[hidden][:, None] - colours[zeros][None]).max(axis=2)
    if off.size and off.min() >= SAME_COLOUR:
        return np.zeros(len(hidden), np.bool_)
    relief = np.abs(clusters.features.bevel).max(axis=1)
    raised = hidden & (relief >= RAISED)
    if clusters.sizes[raised].sum() <= clusters.sizes[hidden].sum() / 4:
        return np.zeros(len(hidden), np.bool_)
    flat = hidden & (clusters.given == UNREAD) & (relief <= FLAT)
    flat &= changed(clusters, like_fresh)
    return np.asarray(flat & bool((decoding.labels > 0).any()))


def sunken_among_raised(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark all hidden clusters of a board with few numbers if some are raised and some are sunken.

    Sunken ones are open where a program draws its open tiles so. Before the first click, and on a
    board that was seen then, all are of one kind. Pictures as tiles have both, but their colours
    differ, too.
    """
    hidden = clusters.empty & (decoding.labels == Tile.HIDDEN) & (clusters.given == UNREAD)
    hidden &= changed(clusters, like_fresh)
    relief = -np.diff(clusters.features.bevel, axis=1)[:, 0]
    # At the ends of a board tiles lack the edge of a neighbour.
    inside = clusters.of_tile[1:-1, 1:-1]
    shares = [(hidden & (sign * relief >= SUNKEN))[inside].mean() for sign in (1, -1)]
    few = (decoding.labels[clusters.of_tile] > 0).sum() <= MOST_NUMBERS
    if not few or min(shares) <= SUNKEN_SHARE * hidden[inside].mean():
        return np.zeros_like(hidden)
    colours = clusters.features.background_colour[hidden]
    return np.asarray(hidden & (np.ptp(colours, axis=0).max() <= ONE_COLOUR))


def hints_on_fresh(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark what is drawn within a few tiles of a board before the first click, ``(n,)``.

    Then every tile is hidden, whatever a program draws on it, as a hint where to start, or the
    cursor of its keys. What lies over a board reaches over the edges of tiles, and an open tile has
    another background or no bevel.
    """
    sure = decoding.certainty >= MARGIN
    hidden = sure & (decoding.labels == Tile.HIDDEN)
    odd, tiles = ~sure[clusters.of_tile], hidden[clusters.of_tile]
    if not (0 < odd.sum() <= MOST_HINTS and (odd | tiles).all()):
        return np.zeros(len(sure), np.bool_)
    first = int(np.where(hidden, clusters.sizes, -1).argmax())
    off = np.abs(clusters.pictures - clusters.pictures[first].astype(np.int16)).max(axis=3)
    edges = np.concatenate([off[:, [0, -1]], off[:, :, [0, -1]].swapaxes(1, 2)], axis=1)
    relief = -np.diff(clusters.features.bevel, axis=1)[:, 0]
    colours = clusters.features.background_colour
    drawn = ~clusters.empty & (np.abs(colours - colours[first]).max(axis=1) <= SAME_COLOUR)
    drawn &= edges.mean(axis=(1, 2)) <= max(SAME_EDGES, 0.1 * relief[first])
    tinted = clusters.empty & (relief >= SAME_RELIEF * relief[first]) & (relief[first] >= SUNKEN)
    as_before = ~changed(clusters, like_fresh) | (like_fresh is None)
    return np.asarray(~sure & (drawn | tinted) & as_before)


def digits_read_otherwise(
    clusters: Clusters, decoding: Decoding, like_fresh: Floats | None
) -> Mask:
    """Mark the tiles on which the network sees a digit, but which are read as tiles without one.

    A mine that a finished board shows may look like a digit, and so may a hidden tile: one that
    looks as before the first click is no digit.
    """
    other = np.isin(decoding.labels, (0, Tile.HIDDEN, Tile.FLAG, Tile.QUESTION))
    other &= clusters.given == UNREAD
    other &= changed(clusters, like_fresh)
    return np.asarray(other & (clusters.digit_chance >= SURELY_DRAWN))


def mines_alike(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark exploded mines if they are more than can explode at once: all mines look like that."""
    exploded = decoding.labels == Tile.EXPLODED
    return np.asarray(exploded & (clusters.sizes[exploded].sum() > MOST_BLASTS))


def mines_read_otherwise(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags and hidden tiles that the network sees as mines, and mines it sees as flags.

    A picture on a tile that looks as before the first click is no mine.
    """
    names = "flag", "mine", "empty", "other"
    flag, mine, plain, other = (clusters.network_scores[:, CLASSES.index(one)] for one in names)
    hidden = (decoding.labels == Tile.HIDDEN) & ~clusters.empty
    hidden &= changed(clusters, like_fresh)
    ahead = np.where(decoding.labels == Tile.FLAG, mine - flag, 0.0)
    may_be_flag = decoding.chances[:, COLUMN_OF[Tile.FLAG]] >= MAY_BE_FLAG
    ahead = np.where((decoding.labels == Tile.MINE) & may_be_flag, flag - mine, ahead)
    ahead = np.where(hidden, mine - np.maximum(plain, other), ahead)
    return np.asarray((np.nan_to_num(ahead) >= SEEN_OTHERWISE) & (clusters.given == UNREAD))


def odd_flags(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the drawn flags that the network takes for none, beside another drawing that it does.

    The flags of a board look alike; mines that a lost board shows lie on hidden tiles, too.
    """
    chance = np.nan_to_num(np.exp(clusters.network_scores[:, CLASSES.index("flag")]), nan=-1.0)
    flags = (decoding.labels == Tile.FLAG) & (clusters.given == UNREAD) & (chance >= 0)
    clear = (flags & (clusters.sizes > 0) & (chance >= SURELY_FLAG)).any()
    return np.asarray(flags & (chance < HARDLY_FLAG) & bool(clear))


def unknown_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the mines that do not look like one, if no number has as many around it as it says.

    A strange drawing on the cell that was clicked may as well be a 0.
    """
    drawn = np.isin(decoding.labels, (Tile.MINE, Tile.EXPLODED)) & ~clusters.empty
    names = [CLASSES.index(one) for one in ("mine", "exploded")]
    chance = np.exp(clusters.network_scores[:, names]).sum(axis=1)
    tiles = decoding.labels[clusters.of_tile]
    around = count_neighbours(np.isin(tiles, (Tile.MINE, Tile.EXPLODED, Tile.FLAG)))
    confirmed = ((tiles > 0) & (tiles == around)).any()
    return np.asarray(drawn & (np.nan_to_num(chance, nan=1.0) < SURELY_MINE) & (not confirmed))


def crossed_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the wrong flags that are the mines of a lost board, drawn as crosses.

    No other mine is shown but exploded ones, and each number beside a cross counts all of them.
    """
    crosses = (decoding.labels == Tile.WRONG_FLAG) & (clusters.given == UNREAD)
    tiles = decoding.labels[clusters.of_tile]
    wrong = tiles == Tile.WRONG_FLAG
    mined = np.isin(tiles, (Tile.EXPLODED, Tile.FLAG)) | wrong
    counted = (tiles == count_neighbours(mined))[(tiles > 0) & (count_neighbours(wrong) > 0)]
    mines = wrong.sum() > 1 and counted.any() and counted.all()
    return np.asarray(crosses & bool(mines and not (tiles == Tile.MINE).any()))

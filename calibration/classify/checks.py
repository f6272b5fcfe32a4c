"""Checks after a decoding: labels in doubt, and labels that clicks or the board settle.

Cells that clicks opened may show no number yet. Hidden tiles may be open, or have a drawing before
the first click. Whether the game is over depends on flags and mines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from calibration import tiles as tile_pictures
from calibration.classify.clusters import DIGIT_CLASSES, SURELY_DRAWN, Clusters, Mask
from calibration.classify.cues import AS_BEFORE, MOST_MINES, mean_likeness
from calibration.classify.decode import MARGIN, Decoding
from calibration.classify.features import Floats
from calibration.classify.kinds import ONE_SHAPE, copies_of, correlations
from calibration.classify.scores import lacks_mines
from calibration.classify.tile_network import CLASSES
from calibration.rules import UNREAD, Tiles, shows_mines, status_of
from calibration.tiles import RAISED, SAME_COLOUR, TINTED, colour_range, colour_steps
from solver.board import Cell, Tile, marked
from solver.game import Status

LEAST_OPENED = 2
"""An opening that is not grey has at least this many tiles: a single one may have exploded."""

ONE_COLOUR = 48.0
"""Largest difference between the colours of tiles of one kind, in steps."""


class LastClicks(NamedTuple):
    """The cells clicked last, and the board before that if it was read, ``(rows, cols)`` each."""

    cells: Mask
    before: Tiles | None


class ClickedCells(NamedTuple):
    """The cells that clicks of this game should open or flag, ``(rows, cols)`` each."""

    opened: Mask
    flagged: Mask

    def adding(self, opened: Sequence[Cell], flagged: Sequence[Cell]) -> ClickedCells:
        """Add more clicks. A cell to be flagged now does not count as opened any more."""
        to_open, to_flag = (marked(self.opened.shape, cells) for cells in (opened, flagged))
        return ClickedCells(self.opened & ~to_flag | to_open, self.flagged | to_flag)


def clicked_open(
    clusters: Clusters, like_fresh: Floats | None, clicked: ClickedCells | None
) -> Mask | None:
    """Mark the clusters that changed and whose tiles were all clicked to open them, ``(n,)``."""
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

    They look unlike the fresh board and contain a cell of the first click or, if nothing else on
    the board has changed, of a later one: a cover would change other cells, too.
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
    It is an opening if the tiles that changed with the last ``clicks`` are plain, of one colour,
    connected, not the whole board, and include a clicked cell. The caller must know that the board
    is complete: numbers may be painted after the tiles.
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
    """Label the clusters that contain known tiles, ``(n,)``; `UNREAD` for all others.

    Known tiles are zeros that did not change, and mines that cost lives; tiles that look like
    these are mines, too. ``before`` ``(rows, cols)`` is the last board of the game. A cluster with
    an unchanged tile that was not a zero stays unread.
    """
    labels = np.full(len(clusters.sizes), UNREAD, np.int8)
    labels[clusters.of_tile[~changed & (before == 0)]] = 0
    labels[clusters.of_tile[~changed & (before != 0)]] = UNREAD
    for cell in survived:
        if shows_mines(before[cell]):
            labels[clusters.of_tile[cell]] = before[cell]
    return labels


def changed(clusters: Clusters, like_fresh: Floats | None) -> Mask:
    """Mark the clusters that look unlike the fresh board; all if that was not seen."""
    if like_fresh is None:
        return np.ones(len(clusters.sizes), np.bool_)
    return np.asarray(mean_likeness(clusters, like_fresh) < AS_BEFORE)


SEEN_AS_OTHER = 1.5
"""A flag is in doubt if the network prefers *mine* by at least this log-probability, and a mine if
it prefers *flag*."""

HARDLY_AHEAD = 0.5
"""A single flag stays in doubt unless the network prefers *flag* to *mine* by more than this: it
may be the exploded mine, if the program shows no other."""

SHOWN = (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""Tiles that only a finished board shows."""


def symbols_of_the_end(clusters: Clusters, decoding: Decoding) -> Decoding:
    """Label symbols of a finished board as mines if only the kind of symbol is in doubt.

    Once one mine is certain, the game is over, and it does not matter whether another symbol is a
    flag or a mine.
    """
    decoding = decoding.joining(SHOWN, Tile.MINE)
    over = shows_surely(clusters, decoding).any()
    return decoding.joining((*SHOWN, Tile.FLAG), Tile.MINE) if over else decoding


def shows_surely(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the clusters that surely are tiles that only a finished board shows, ``(n,)``."""
    shown = np.isin(decoding.labels, SHOWN) & (clusters.sizes > 0)
    return np.asarray(shown & (decoding.certainty >= MARGIN))


def flags_or_mines(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags that the network sees as mines, and mines that it sees as flags, ``(n,)``.

    They decide whether the game is over, unless another mine is certain.
    """
    flag, mine, exploded = map(clusters.seen_as, ("flag", "mine", "exploded"))
    ahead = np.nan_to_num(np.maximum(mine, exploded) - flag)
    flags = (decoding.labels == Tile.FLAG) & ~flags_in_play(clusters, decoding, like_fresh)
    mines = np.isin(decoding.labels, (Tile.MINE, Tile.EXPLODED))
    alone = clusters.sizes[flags].sum() == 1
    least = -HARDLY_AHEAD if alone else SEEN_AS_OTHER
    found = flags & (ahead >= least) | mines & (-ahead >= SEEN_AS_OTHER)
    found &= ~np.isnan(flag)
    found &= clusters.given == UNREAD
    return np.asarray(found & (not (shows_surely(clusters, decoding) & ~found).any()))


def flags_in_play(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags that cannot be mines because some numbers have too few symbols around them.

    The board then does not show all mines: at most one symbol is a mine, the one that exploded.
    Nothing is marked if the fresh board was seen: in play mines may appear one after another.
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
    """Mark the doubtful clusters that are flags because clicks flagged all their tiles, ``(n,)``.

    If such a cluster looks plain, as before the first click, its flags have been removed again.
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


LIKELY_SYMBOL = 0.5
"""A drawing may be a symbol of the game from this probability by the network."""

SYMBOL_CLASSES = [CLASSES.index(name) for name in ("flag", "mine", "exploded", "wrong_flag")]

MOST_HINTS = 3
"""On how many tiles something may be drawn before the first click."""

SAME_EDGES = 8.0
"""Largest mean difference of the edges of these tiles from those of others, in colour steps."""

SAME_RELIEF = 0.4
"""Least share of the bevel that is left on one of these tiles with another colour."""

UNLIKE_PLAIN = np.log(0.1)
"""The network sees a drawing if its log-probability of an empty tile is at most this."""

MOST_STEPS = 2
"""If no line is drawn, pixels around the corner of four tiles differ by at most so many steps."""

SEVERAL = 3
"""How many tiles with a digit show its shape."""


def drawings_on_fresh(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark tiles with a drawing before the first click that are hidden nevertheless, ``(n,)``.

    A program may draw a hint where to start, or the cursor of its keys. In contrast, a cover
    reaches over the edges of tiles, and an open tile has another background or no bevel.
    """
    sure = decoding.certainty >= MARGIN
    hidden = sure & (decoding.labels == Tile.HIDDEN)
    odd, tiles = ~sure[clusters.of_tile], hidden[clusters.of_tile]
    if not (0 < odd.sum() <= MOST_HINTS and (odd | tiles).all()):
        return np.zeros(len(sure), np.bool_)
    first = int(np.where(hidden, clusters.sizes, -1).argmax())
    off = colour_steps(clusters.pictures, clusters.pictures[first])
    edges = np.concatenate([off[:, [0, -1]], off[:, :, [0, -1]].swapaxes(1, 2)], axis=1)
    relief = clusters.relief
    colours = clusters.features.background_colour
    drawn = ~clusters.empty & (colour_steps(colours, colours[first]) <= SAME_COLOUR)
    drawn &= edges.mean(axis=(1, 2)) <= max(SAME_EDGES, 0.1 * relief[first])
    tinted = clusters.empty & (relief >= SAME_RELIEF * relief[first]) & (relief[first] >= RAISED)
    unchanged = ~changed(clusters, like_fresh) | (like_fresh is None)
    return np.asarray(~sure & (drawn | tinted) & unchanged)


def without_edges(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark hidden clusters without lines between their tiles if most others have them.

    A plain window covers them: it hides the edges of the tiles, too.
    """
    flat = clusters.plain & (decoding.labels == Tile.HIDDEN) & (clusters.given == UNREAD)
    found, tiles = np.zeros(len(flat), np.bool_), flat[clusters.of_tile]
    between = tiles[:-1, :-1] & tiles[:-1, 1:] & tiles[1:, :-1] & tiles[1:, 1:]
    if not between.any():
        return found
    grid = clusters.grid
    corners = tile_pictures.cut(clusters.frame, grid.moved(grid.tile_w / 2, grid.tile_h / 2))
    bare = between & (colour_range(corners[:-1, :-1]) <= MOST_STEPS)
    if 2 * bare.sum() < between.sum():
        found[clusters.of_tile[:-1, :-1][bare]] = True
    return found


def symbols_read_as_hidden(
    clusters: Clusters, decoding: Decoding, like_fresh: Floats | None
) -> Mask:
    """Mark drawings that are read as hidden tiles although the network sees mines or flags.

    Before the first click a program may draw on one or two tiles, or on all. If the network sees
    more mines than a board has, for instance because the tiles are round, all are hidden. After a
    win all tiles that are not open may be marked.
    """
    hidden = (decoding.labels == Tile.HIDDEN) & (clusters.sizes > 0)
    seen = (
        np.nan_to_num(np.exp(clusters.network_scores[:, SYMBOL_CLASSES]).sum(axis=1))
        >= LIKELY_SYMBOL
    )
    won = status_of(decoding.labels[clusters.of_tile], None) is Status.WON
    if won and (decoding.labels == Tile.FLAG).any():
        seen |= clusters.seen_as("empty") <= UNLIKE_PLAIN
    seen &= hidden & ~clusters.empty & (clusters.given == UNREAD) & changed(clusters, like_fresh)
    count = clusters.sizes[seen].sum()
    some = 2 * count < clusters.sizes[hidden].sum() and count <= MOST_MINES * clusters.of_tile.size
    return np.asarray(seen & bool((some or won) and count > MOST_HINTS))


def digits_misread(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark tiles on which the network sees a digit but the decoding has another label.

    Not marked are tiles that may only look like a digit: mines, unchanged tiles, written zeros, and
    a flag (such as an exclamation mark) that differs from the copies of the digit.
    """
    without = (0, Tile.HIDDEN, Tile.FLAG, Tile.QUESTION, Tile.WRONG_FLAG)
    other = np.isin(decoding.labels, without)
    zero = clusters.seen_as("zero")
    other &= (decoding.labels != 0) | ~(
        zero >= clusters.network_scores[:, DIGIT_CLASSES].max(axis=1)
    )
    other &= clusters.given == UNREAD
    other &= changed(clusters, like_fresh) & (clusters.digit_chance >= SURELY_DRAWN)
    for flag in np.flatnonzero(other & (decoding.labels == Tile.FLAG)):
        digit = 1 + int(clusters.network_scores[flag, DIGIT_CLASSES].argmax())
        other[flag] = not _differs_from(clusters, int(flag), decoding.labels == digit)
    return np.asarray(other)


def _differs_from(clusters: Clusters, cluster: int, others: Mask) -> bool:
    """Whether a drawing differs from all ``others``, at least several, in shape and background."""
    colours, shapes = clusters.features.background_colour, clusters.features.silhouette
    near = colour_steps(colours[others], colours[cluster]) <= SAME_COLOUR
    alike = correlations(shapes[others], shapes[cluster]) >= ONE_SHAPE
    several = clusters.sizes[others].sum() >= SEVERAL
    return bool(several and not (near | alike).any())

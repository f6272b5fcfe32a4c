"""Hidden tiles in doubt after a decoding: some may be open, or drawn on before the first click."""

from __future__ import annotations

import numpy as np

from calibration import tiles as tile_pictures
from calibration.classify.checks.openings import changed
from calibration.classify.clusters import DIGIT_CLASSES, SURELY_DRAWN, Clusters, Mask
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.decoding.looks import ONE_SHAPE, correlations
from calibration.classify.features import Floats
from calibration.classify.tile_network.network import CLASSES
from calibration.classify.witnesses import MOST_MINES
from calibration.likeness import RAISED, SAME_COLOUR, colour_steps
from calibration.rules import UNREAD, status_of
from solver.board import Tile
from solver.game import Status

LIKELY_MARK = 0.5
"""Probability of the network from which a drawing may be a mark of the game."""

MARK_CLASSES = [CLASSES.index(name) for name in ("flag", "mine", "exploded", "wrong_flag")]

MOST_HINTS, SAME_EDGES, SAME_RELIEF = 3, 8.0, 0.4
"""Tiles of a board before the first click on which something may be drawn; the largest mean
difference of their edges from those of the other tiles, in colour steps; and the share of the bevel
that is left where the colour of a tile marks it."""

UNLIKE_PLAIN = np.log(0.1)
"""Log-probability of an empty tile up to which the network sees something drawn on it."""

MOST_STEPS = 2
"""Colour steps by which the pixels around the corner of four tiles differ if no line is drawn."""

SEVERAL = 3
"""How many tiles with a digit show what its shape is."""


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
    off = colour_steps(clusters.pictures, clusters.pictures[first])
    edges = np.concatenate([off[:, [0, -1]], off[:, :, [0, -1]].swapaxes(1, 2)], axis=1)
    relief = clusters.relief
    colours = clusters.features.background_colour
    drawn = ~clusters.empty & (colour_steps(colours, colours[first]) <= SAME_COLOUR)
    drawn &= edges.mean(axis=(1, 2)) <= max(SAME_EDGES, 0.1 * relief[first])
    tinted = clusters.empty & (relief >= SAME_RELIEF * relief[first]) & (relief[first] >= RAISED)
    as_before = ~changed(clusters, like_fresh) | (like_fresh is None)
    return np.asarray(~sure & (drawn | tinted) & as_before)


def without_edges(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark hidden clusters between which no line is drawn, where there is one between most others.

    A plain window lies over them: it hides the edges of the tiles, too.
    """
    flat = clusters.plain & (decoding.labels == Tile.HIDDEN) & (clusters.given == UNREAD)
    found, tiles = np.zeros(len(flat), np.bool_), flat[clusters.of_tile]
    between = tiles[:-1, :-1] & tiles[:-1, 1:] & tiles[1:, :-1] & tiles[1:, 1:]
    if not between.any():
        return found
    grid = clusters.grid
    corners = tile_pictures.cut(clusters.frame, grid.moved(grid.tile_w / 2, grid.tile_h / 2))
    bare = between & (np.ptp(corners[:-1, :-1], axis=(2, 3)).max(axis=2) <= MOST_STEPS)
    if 2 * bare.sum() < between.sum():
        found[clusters.of_tile[:-1, :-1][bare]] = True
    return found


def marks_read_as_hidden(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark drawings that the network takes for mines or flags, but which are read as hidden tiles.

    Before the first click a program may draw something on one or two tiles, or on all; if more are
    taken for mines than a board has, as round ones are, all are hidden. After a win all tiles that
    are not open may be marked.
    """
    hidden = (decoding.labels == Tile.HIDDEN) & (clusters.sizes > 0)
    seen = (
        np.nan_to_num(np.exp(clusters.network_scores[:, MARK_CLASSES]).sum(axis=1)) >= LIKELY_MARK
    )
    won = status_of(decoding.labels[clusters.of_tile], None) is Status.WON
    if won and (decoding.labels == Tile.FLAG).any():
        seen |= clusters.seen_as("empty") <= UNLIKE_PLAIN
    seen &= hidden & ~clusters.empty & (clusters.given == UNREAD) & changed(clusters, like_fresh)
    count = clusters.sizes[seen].sum()
    some = 2 * count < clusters.sizes[hidden].sum() and count <= MOST_MINES * clusters.of_tile.size
    return np.asarray(seen & bool((some or won) and count > MOST_HINTS))


def digits_read_otherwise(
    clusters: Clusters, decoding: Decoding, like_fresh: Floats | None
) -> Mask:
    """Mark the tiles on which the network sees a digit, but which are read as tiles without one.

    A mine that a finished board shows may look like a digit, and so may a hidden tile: one that
    looks as before the first click is not a digit. Nor is a written 0 that looks like no digit
    more, or a flag, such as an exclamation mark, of another shape and on another ground than the
    digit.
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
    """Whether a drawing has another shape and ground than all ``others``, which are several."""
    colours, shapes = clusters.features.background_colour, clusters.features.silhouette
    near = colour_steps(colours[others], colours[cluster]) <= SAME_COLOUR
    alike = correlations(shapes[others], shapes[cluster]) >= ONE_SHAPE
    several = clusters.sizes[others].sum() >= SEVERAL
    return bool(several and not (near | alike).any())

"""Group the clusters of a board into kinds of tiles, the variables of the decoding.

Copies of one drawing differ when a window is scaled: they are several clusters, but they mean the
same. A kind is either a background (empty tiles of nearly one colour and bevel) or a glyph on a
background.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import SURELY_DRAWN, Clusters, Ints
from calibration.classify.features import Features, Floats
from calibration.labels import HIDDEN, OTHER, ZERO
from calibration.tiles import SAME_COLOUR, SIDE, colour_steps, steps_between

SHADE_STEPS = 5.0
"""Largest difference between neighbouring clusters of one background, in colour steps."""

BEVEL_SLACK = 30.0
"""Largest difference of their bevels, in steps of brightness."""

LEAST_BEVEL_SLACK = 2.5
"""The same, tried if no zero was found: on some dark pages only a thin frame distinguishes hidden
from open tiles."""

MOST_DISAGREED = 12.0
"""How much the preference of the cues for hidden over open may differ between empty tiles of one
background: the fresh board can separate tiles that differ only as much as scaling changes them."""

SAME_INK = 48.0
"""Two glyphs have different inks if they differ by at least so many colour steps."""

SAME_SHAPE_OF_INK = 0.6
"""Two glyphs with the same ink and background are the same drawing from this correlation."""

ONE_SHAPE = 0.75
"""Correlation of a digit and another symbol below which they have two shapes, whatever their
colours: that of a 1 and an exclamation mark is up to 0.7."""

MOST_BACKGROUNDS = 6
"""How many backgrounds become separate kinds, the most frequent ones."""

SAME_OUTLINE = 0.94
"""Tiles of different plain colours have the same outline if this share of their pixels is equal."""

VARIED = 60.0
"""Tiles of the same outline have many colours if they differ by so many colour steps."""

MOSTLY_SMOOTH = 0.9
"""A board is shaded if this share of neighbouring tiles has nearly the same colour."""

_BORDER = np.ones((SIDE, SIDE), dtype=np.bool_)
_BORDER[4:-4, 4:-4] = False


@dataclass(frozen=True, eq=False)
class Kinds:
    """The ``m`` kinds of a board.

    ``of_cluster`` ``(n,)`` numbers the kind of each cluster. ``empty`` bool ``(m,)`` marks the
    backgrounds. ``background`` ``(m,)`` is the kind of a glyph's background, -1 if none fits (and
    for backgrounds). ``drawing`` ``(m,)`` is the first kind with the same drawing on any
    background. ``sizes`` ``(m,)`` counts tiles. ``colour`` ``(m, 3)`` is the colour of the
    background. ``varied`` ``(m,)`` marks backgrounds with one outline but many colours, like a
    rainbow. ``shaded`` ``(m, m)`` marks pairs of kinds that one shading of the board may join.
    """

    of_cluster: Ints
    empty: NDArray[np.bool_]
    background: Ints
    drawing: Ints
    sizes: Ints
    colour: Floats
    varied: NDArray[np.bool_]
    shaded: NDArray[np.bool_]

    def mean(self, table: Floats, weights: Ints) -> Floats:
        """Average a table ``(n, k)`` of clusters over each kind, ``(m, k)``."""
        weight = np.sqrt(np.maximum(weights, 0.25)).astype(np.float32)
        total = np.zeros((len(self.empty), table.shape[1]), dtype=np.float32)
        np.add.at(total, self.of_cluster, table * weight[:, None])
        weights_of_kinds = np.bincount(self.of_cluster, weight, len(self.empty))
        return (total / weights_of_kinds[:, None]).astype(np.float32)


def find_kinds(clusters: Clusters, cue_sum: Floats, bevel_slack: float) -> Kinds:
    """Group the clusters by their appearance and by what the cues favour.

    ``cue_sum`` ``(n, 16)`` is the sum of the cues. Glyphs of one kind share the best label.
    """
    features = clusters.features
    drawn = cue_sum[:, ZERO + 1 : OTHER].argmax(axis=1)
    favourite = np.where(drawn < 8, drawn, 8)
    of_cluster = _group_empty(clusters, cue_sum[:, HIDDEN] - cue_sum[:, ZERO], bevel_slack)
    background_of = _backgrounds_of_glyphs(clusters, of_cluster)
    fresh = int(of_cluster.max(initial=-1)) + 1
    drawing = list(range(fresh))
    glyphs = np.flatnonzero(~clusters.empty)
    glyphs = glyphs[np.argsort(-clusters.sizes[glyphs], kind="stable")]
    for cluster in glyphs:
        if of_cluster[cluster] >= 0:
            continue
        copies = copies_of(clusters, int(cluster), glyphs)
        before = of_cluster[copies]
        drawing.append(drawing[before[before >= 0][0]] if (before >= 0).any() else fresh)
        ground = features.background_colour
        same = 2 * colour_steps(ground[copies], ground[cluster]) <= SAME_INK
        for of in (background_of, clusters.given, favourite):
            same &= of[copies] == of[cluster]
        of_cluster[copies[same & (before < 0)]] = fresh
        of_cluster[cluster] = fresh
        fresh += 1
    empty = np.zeros(fresh, dtype=np.bool_)
    empty[of_cluster[clusters.empty]] = True
    background = np.full(fresh, -1, dtype=np.intp)
    background[of_cluster[~clusters.empty]] = background_of[~clusters.empty]
    sizes = np.bincount(of_cluster, clusters.sizes, fresh).astype(np.intp)
    _, firsts = np.unique(of_cluster, return_index=True)
    colour = features.background_colour[firsts]
    varied, shaded = np.zeros(fresh, dtype=np.bool_), _shaded_alike(clusters, of_cluster, fresh)
    for kind in range(MOST_BACKGROUNDS, int(of_cluster[clusters.empty].max(initial=-1)) + 1):
        colours = features.background_colour[of_cluster == kind]
        varied[kind] = np.ptp(colours, axis=0).max() > VARIED and not shaded[kind, kind]
    return Kinds(of_cluster, empty, background, np.array(drawing), sizes, colour, varied, shaded)


def _group_empty(clusters: Clusters, hidden: Floats, bevel_slack: float) -> Ints:
    """Return the backgrounds of the empty clusters, the most frequent first; -1 for glyphs.

    ``hidden`` ``(n,)`` is how much the cues favour hidden over open.
    """
    features = clusters.features
    empties = np.flatnonzero(clusters.empty)
    group = np.full(len(clusters.empty), -1, dtype=np.intp)
    colour, bevel = features.background_colour[empties], features.bevel[empties]
    near = steps_between(colour, colour) <= SHADE_STEPS
    near &= steps_between(bevel, bevel) <= bevel_slack
    near &= clusters.given[empties][:, None] == clusters.given[empties][None]
    near &= np.abs(hidden[empties][:, None] - hidden[empties][None]) <= MOST_DISAGREED
    group[empties] = _components(near)
    order = np.argsort(
        -np.bincount(group[empties], clusters.sizes[empties], len(empties)), kind="stable"
    )
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    group[empties] = rank[group[empties]]
    rest = empties[(group[empties] >= MOST_BACKGROUNDS)]
    if rest.size:
        outlines = _outlines(clusters.pictures[rest], features)
        same = (outlines[:, None] == outlines[None]).mean(axis=2) >= SAME_OUTLINE
        same &= clusters.given[rest][:, None] == clusters.given[rest][None]
        same &= np.abs(hidden[rest][:, None] - hidden[rest][None]) <= MOST_DISAGREED
        # Tiles with the colour of a frequent background do not join tiles of another colour.
        major = [features.background_colour[group == kind][0] for kind in range(MOST_BACKGROUNDS)]
        off = steps_between(features.background_colour[rest], np.array(major))
        like = off <= SHADE_STEPS
        same &= (like[:, None] == like[None]).all(axis=2)
        group[rest] = MOST_BACKGROUNDS + _components(same)
    return group


def copies_of(clusters: Clusters, cluster: int, glyphs: Ints) -> Ints:
    """Return which of the clusters ``glyphs`` have the drawing of one, on any background."""
    features = clusters.features
    off = colour_steps(features.ink_colour[glyphs], features.ink_colour[cluster])
    alike = correlations(features.silhouette[glyphs], features.silhouette[cluster])
    return np.asarray(glyphs[(off <= SAME_INK) & (alike >= SAME_SHAPE_OF_INK)])


def _shaded_alike(clusters: Clusters, of_cluster: Ints, count: int) -> NDArray[np.bool_]:
    """Return for which pairs of kinds most neighbouring tiles have nearly one colour, ``(m, m)``.

    Some programs shade their hidden tiles from one side of the board to the other.
    """
    colours = clusters.features.background_colour[clusters.of_tile]
    kinds = of_cluster[clusters.of_tile]
    near, pairs = (np.zeros((count, count), np.intp) for _ in range(2))
    for one, other in (np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1]):
        step = colour_steps(colours[one], colours[other])
        np.add.at(pairs, (kinds[one], kinds[other]), 1)
        np.add.at(near, (kinds[one], kinds[other]), step <= SAME_COLOUR)
    near, pairs = near + near.T, pairs + pairs.T
    return np.asarray((pairs > 0) & (near >= MOSTLY_SMOOTH * pairs))


def _outlines(pictures: NDArray[np.uint8], features: Features) -> NDArray[np.bool_]:
    """Mark the pixels that differ from the middle of their tile, ``(n, SIDE * SIDE)``."""
    middle = pictures[:, 9:-9, 9:-9].mean(axis=(1, 2))[:, None, None]
    off = colour_steps(pictures, middle) > 20
    return np.asarray(off.reshape(len(pictures), -1))


def _components(near: NDArray[np.bool_]) -> Ints:
    """Return the numbers of the connected components of a symmetric relation ``(n, n)``."""
    component = np.full(len(near), -1, dtype=np.intp)
    fresh = 0
    for start in range(len(near)):
        if component[start] >= 0:
            continue
        component[reached(near, np.arange(len(near)) == start)] = fresh
        fresh += 1
    return component


def reached(near: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark everything that a chain of ``near`` pairs ``(n, n)`` connects with the ``start``."""
    while (grown := start | near[start].any(axis=0)).sum() > start.sum():
        start = grown
    return start


def _backgrounds_of_glyphs(clusters: Clusters, of_cluster: Ints) -> Ints:
    """Return the background kind of each glyph, by its colour and border; -1 if none fits."""
    features = clusters.features
    empties = np.flatnonzero(clusters.empty)
    background_of = np.full(len(of_cluster), -1, dtype=np.intp)
    if not empties.size:
        return background_of
    ground, borders = features.background_colour, clusters.pictures[:, _BORDER].astype(np.int16)
    for cluster in np.flatnonzero(~clusters.empty):
        colour = colour_steps(ground[empties], ground[cluster])
        near = np.flatnonzero(colour <= SAME_COLOUR)
        if near.size:
            off = np.abs(borders[empties[near]] - borders[cluster])
            border = off.mean(axis=(1, 2))
            if border.min() > SAME_COLOUR and clusters.digit_chance[cluster] >= SURELY_DRAWN:
                # A thick digit reaches into the border, but not along most of it.
                border = 2 * np.median(off.max(axis=2), axis=1)
            best = int((colour[near] + 2 * border).argmin())
            if border[best] <= SAME_COLOUR:
                background_of[cluster] = of_cluster[empties[near[best]]]
    return background_of


def correlations(glyphs: Floats, glyph: Floats) -> Floats:
    """Correlate glyphs ``(n, s, s)`` with one, ``(n,)``."""
    rows = glyphs.reshape(len(glyphs), glyph.size)
    rows = rows - rows.mean(axis=1, keepdims=True)
    row = glyph.ravel() - glyph.mean()
    power = np.sqrt((rows * rows).sum(axis=1) * (row * row).sum())
    return np.asarray(rows @ row / np.maximum(power, 1e-6), dtype=np.float32)

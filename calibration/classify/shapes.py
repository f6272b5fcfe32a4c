"""Judge glyphs: digits by their shape and the colours of clearer digits, symbols by their colours.

The shape of symbols is left to the network.
"""

from __future__ import annotations

import numpy as np

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import Features, Floats
from solver.board import Tile

PLAIN_INK = 45.0
"""Largest spread of a digit's ink colour; flags and mines of two colours have more."""

SAME_COLOUR = 16.0
"""Steps up to which two glyphs have the same colours, by `_colour_keys`."""

HEIGHT_SLACK = 0.11
"""How far the top or bottom of a digit may be from those of the others, in tiles."""


def digit_table(clusters: Clusters) -> Floats:
    """Return the log-likelihoods of 1 to 8, ``(n, 8)``."""
    shape = clusters.symbol_scores[:, :8]
    off = _colour_distance(clusters, _is_clear(shape))
    # Where different digits have one colour, it does not tell them apart.
    shared = (off <= SAME_COLOUR).sum(axis=1, keepdims=True) > 1
    off = np.where(shared, 1e3, off)
    colour_term = np.where(off < 1e3, -np.minimum(6.0, (off / 30) ** 2), -2.0)
    colour_term = np.where(shared, 0.0, colour_term)
    logit = (40.0 * shape + colour_term) / 2.2
    sure = off <= SAME_COLOUR
    quality = np.clip((shape - np.where(sure, 0.55, 0.74)) / 0.12, -0.5, 1)
    likely = -1.5 + 6.0 * quality - _oddities(clusters)[:, None]
    return np.asarray(logit - logit.max(axis=1, keepdims=True) + likely, dtype=np.float32)


def _oddities(clusters: Clusters) -> Floats:
    """Return what speaks against a digit: several inks, an odd height, a round blot, ``(n,)``."""
    features, best = clusters.features, clusters.symbol_scores[:, :8].max(axis=1)
    against = np.clip((features.ink_spread - PLAIN_INK) / 8, 0, 6)
    height = features.ink_box[:, 2] - features.ink_box[:, 0]
    against += np.where(height < 0.25, 2.0, 0.0)
    against += np.where(clusters.symbol_scores[:, 8] >= best + 0.03, 3.0, 0.0)
    shaped = ~features.empty & (best >= 0.8) & (against < 1)
    if shaped.any():
        weight = clusters.sizes[shaped]
        for side in (0, 2):
            usual = _weighted_median(features.ink_box[shaped, side], weight)
            off = np.abs(features.ink_box[:, side] - usual)
            against += np.clip((off - HEIGHT_SLACK) / 0.02, 0, 4)
    return np.asarray(against, dtype=np.float32)


def _is_clear(shape: Floats) -> Mask:
    """Mark ``(n, 8)`` the one digit that a glyph clearly shows, if any."""
    order = np.sort(shape, axis=1)
    lead = order[:, -1] - order[:, -2]
    clear = (order[:, -1] >= 0.86) & (lead >= 0.08) | (order[:, -1] >= 0.95) & (lead >= 0.065)
    return np.asarray(clear[:, None] & (shape >= order[:, -1:]))


def _colour_distance(clusters: Clusters, clear: Mask) -> Floats:
    """Return the distance ``(n, 8)`` of each glyph's colours from those of the clear digits.

    1000 where no glyph shows the digit clearly.
    """
    keys = _colour_keys(clusters.features)
    distance = np.full(clear.shape, 1e3, dtype=np.float32)
    for digit in range(8):
        known = (clusters.given == digit + 1) | (clear[:, digit] & (clusters.given < 0))
        anchors = keys[known & ~clusters.features.empty]
        if len(anchors):
            off = np.abs(keys[:, None] - anchors[None]).max(axis=2)
            distance[:, digit] = off.min(axis=1)
    return distance


def _colour_keys(features: Features) -> Floats:
    """Return the colours of ink and background, and the direction from background to ink.

    Float32 ``(n, 9)``; the direction comes first. Blurring changes it least.
    """
    direction = features.ink_colour - features.background_colour
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    direction = 90 * direction / np.maximum(length, 1)
    keys = [direction, 0.3 * features.ink_colour, features.background_colour]
    return np.hstack(keys).astype(np.float32)


def _weighted_median(values: Floats, weight: np.ndarray) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


COLOURFUL, TINTED = 80.0, 30.0
"""Steps between the channels of a colour, and of a background, from which it is not grey."""

FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG = range(5)
"""The columns of the table."""

CLEARLY_FLAG = 3.0
"""Logarithm of how many times likelier a flag is by the network than a wrong one, from which it is
clear."""

MANY_FLAGS = 5
"""Flags on red from which they are no wrong ones, even if the network is not sure of that."""

MOST_MINES_ON_RED = 2
"""Mines up to which red marks the one that exploded: several may explode at once."""

LIKELY_MINE = 0.5
"""Probability of the network from which a drawing counts as a mine."""

SAME_GROUND = 16.0
"""Colour steps up to which a background is that of plain tiles."""

USUAL = (0.7, -2.0, 0.0, -1.0, -0.7)
"""What is said of a glyph about which nothing is known, by how often each symbol is seen."""


def symbol_table(clusters: Clusters) -> Floats:
    """Return log-likelihoods of flag, question, mine, exploded, wrong flag, ``(n, 5)``."""
    features = clusters.features
    ground, ink = features.background_colour, features.ink_colour
    table = np.tile(np.array(USUAL, np.float32), (len(clusters.sizes), 1))
    own = (np.ptp(ground, axis=1) > TINTED) | (np.ptp(ink, axis=1) > COLOURFUL)
    table[own, EXPLODED] = 0.5
    # On red stands the mine that exploded, or a flag that was wrong; unless all flags or several
    # mines stand on red, or plain tiles have that red, too.
    names = "flag", "wrong_flag", "mine", "exploded"
    flag, wrong, mine, exploded = map(clusters.seen_as, names)
    plain = ground[clusters.empty & (clusters.sizes > 0)]
    as_plain = np.abs(ground[:, None] - plain[None]).max(axis=2) <= SAME_GROUND
    red = (features.red_ahead > COLOURFUL) & ~as_plain.any(axis=1)
    flags = np.nan_to_num(flag - wrong) >= CLEARLY_FLAG
    alike = red & (np.nan_to_num(flag - wrong) > 0)
    flags |= alike & (clusters.sizes[alike].sum() >= MANY_FLAGS)
    if not (flags & ~red).any():
        red &= ~flags
    mines = np.nan_to_num(np.exp(mine) + np.exp(exploded)) >= LIKELY_MINE
    mines |= clusters.given == Tile.MINE  # of these the network is not asked
    red &= clusters.sizes[red & mines].sum() <= MOST_MINES_ON_RED
    table[red, FLAG], table[red, WRONG_FLAG] = -3.0, 2.5
    return table

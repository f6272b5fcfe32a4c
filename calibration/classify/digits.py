"""Label digits: by shape, by the colours of clearer ones, by the height they share."""

from __future__ import annotations

import numpy as np

from calibration.classify.clusters import Clusters, Ints, Mask
from calibration.classify.features import Features, Floats

PLAIN_INK = 45.0
"""Largest spread of a digit's ink colour; flags and mines of two colours have more."""

LIKE_A_DIGIT = 0.8
"""Correlation with the best reference digit from which a glyph may be a digit."""

PALETTE = np.array(
    [
        (0, 0, 255),
        (0, 128, 0),
        (255, 0, 0),
        (0, 0, 128),
        (128, 0, 0),
        (0, 128, 128),
        (0, 0, 0),
        (128, 128, 128),
    ],
    dtype=np.float32,
)
"""The colours of 1 to 8 that most programs follow. Only a hint where shape leaves a doubt."""

SAME_COLOUR = 16.0
"""Steps up to which two glyphs have the same colours, by `_colour_keys`."""

CLEAR_LEAD = 0.25
"""Lead over the next digit from which a glyph may be less like the references."""

CERTAIN_DIGIT = 0.93
"""Correlation from which a glyph is a digit whatever its hue."""

OTHER_HUE = 60.0
"""Difference in the direction from background to ink, of 90, beyond which hues differ."""

HEIGHT_SLACK = 0.11
"""How far the top or bottom of a digit may be from those of the others, in tiles."""


def find_digits(clusters: Clusters) -> Mask:
    """Mark the clusters that may be digits: one ink, a digit's shape, all of one height.

    A glyph of a poorer shape counts if it has exactly the colours of a clear digit: at a few
    pixels a tile, sampling blurs some copies of a digit more than others.
    """
    features, best = clusters.features, clusters.symbol_scores[:, :8].max(axis=1)
    likely = ~features.empty & (features.ink_spread <= PLAIN_INK)
    likely &= clusters.symbol_scores[:, 8] < best + 0.03
    likely &= features.ink_box[:, 2] - features.ink_box[:, 0] >= 0.25
    ranked = np.sort(clusters.symbol_scores[:, :8], axis=1)
    distinct = (best >= 0.72) & (ranked[:, -1] - ranked[:, -2] >= CLEAR_LEAD)
    shaped = likely & ((best >= LIKE_A_DIGIT) | distinct)
    shaped &= (best >= 0.84) | (clusters.symmetry < 0.38) | (features.centre_ink_share < 0.8)
    where = np.flatnonzero(likely)
    if where.size:
        near = _colour_distance(clusters, where, _is_clear(clusters.symbol_scores[where, :8]))
        fitting = np.where(near <= SAME_COLOUR, clusters.symbol_scores[where, :8], -1).max(axis=1)
        second = np.sort(clusters.symbol_scores[where, :8], axis=1)[:, -2]
        shaped[where] |= (fitting >= 0.64) & (fitting >= second + 0.1)
    if shaped.any():
        weight = clusters.sizes[shaped]
        for side in (0, 2):
            usual = _weighted_median(features.ink_box[shaped, side], weight)
            shaped &= np.abs(features.ink_box[:, side] - usual) <= HEIGHT_SLACK
    return np.asarray(shaped & ~_odd_hues(clusters, shaped))


def _odd_hues(clusters: Clusters, digits: Mask) -> Mask:
    """Mark the glyphs whose hue differs from that of the clearest glyph of the same digit.

    A flag with a foot looks like a one, but has another hue. Not marked: a glyph that is
    certainly a digit, and one that has all the colours of another digit and is that one, blurred.
    """
    keys = _colour_keys(clusters.features)
    direction = keys[:, :3]
    clear = _is_clear(clusters.symbol_scores[:, :8]) & digits[:, None]
    claimed = clusters.symbol_scores[:, :8].argmax(axis=1)
    odd = np.zeros(len(claimed), dtype=np.bool_)
    for digit in range(8):
        claims = np.flatnonzero(digits & (claimed == digit))
        if claims.size:
            clearest = claims[clusters.symbol_scores[claims, digit].argmax()]
            odd[claims] = np.abs(direction[claims] - direction[clearest]).max(axis=1) > OTHER_HUE
            others = keys[np.delete(clear, digit, axis=1).any(axis=1)]
            if len(others):
                off = np.abs(keys[claims][:, None] - others[None]).max(axis=2).min(axis=1)
                odd[claims] &= off > SAME_COLOUR
    return np.asarray(odd & (clusters.symbol_scores[:, :8].max(axis=1) < CERTAIN_DIGIT))


def label_digits(clusters: Clusters, digits: Mask) -> None:
    """Label the marked clusters, each with a digit that the cells around its tiles allow."""
    where = np.flatnonzero(digits & ~clusters.fixed)
    if not where.size:
        return
    shape = clusters.symbol_scores[where, :8]
    number = np.arange(1, 9)
    possible = number <= clusters.possible_mines()[where, None]
    possible &= number >= clusters.shown_mines()[where, None]
    allowed = np.where(possible, shape, -1)
    off = _colour_distance(clusters, where, _is_clear(allowed))
    usual = -2.0 - np.minimum(1.0, _palette_distance(clusters.features.ink_colour[where]) / 80)
    colour_term = np.where(off < 1e3, -np.minimum(6.0, (off / 30) ** 2), usual)
    logit = np.where(possible, 40.0 * shape + colour_term, -99.0)
    ranked = np.sort(logit, axis=1)
    choice = logit.argmax(axis=1)
    row = np.arange(len(where))
    second = np.sort(shape, axis=1)[:, -2]
    sure = (off[row, choice] <= SAME_COLOUR) | (shape[row, choice] - second >= CLEAR_LEAD)
    least = np.where(sure, 0.5, 0.72)
    quality = np.clip((shape[row, choice] - least) / 0.08, 0, 1)
    clusters.labels[where] = choice + 1
    clusters.certainty[where] = (1 - np.exp((ranked[:, -2] - ranked[:, -1]) / 2.2)) * quality


def coloured_like_digits(clusters: Clusters) -> Mask:
    """Mark the glyphs that have the colours of a digit labelled on this board."""
    keys = _colour_keys(clusters.features)
    digits = (clusters.labels > 0) & (clusters.certainty >= 0.5)
    if not digits.any():
        return np.zeros(len(keys), dtype=np.bool_)
    off = np.abs(keys[:, None] - keys[digits][None]).max(axis=2).min(axis=1)
    plain = ~clusters.features.empty & (clusters.features.ink_spread <= PLAIN_INK)
    return np.asarray((off <= SAME_COLOUR) & plain)


def _palette_distance(ink: Floats) -> Floats:
    """Return the distance ``(n, 8)`` of inks from the colours most programs give the digits."""
    return np.asarray(np.abs(ink[:, None] - PALETTE[None]).max(axis=2), dtype=np.float32)


def _is_clear(shape: Floats) -> Mask:
    """Mark ``(n, 8)`` the one digit that a glyph clearly shows, if any."""
    order = np.sort(shape, axis=1)
    lead = order[:, -1] - order[:, -2]
    clear = (order[:, -1] >= 0.86) & (lead >= 0.08) | (order[:, -1] >= 0.95) & (lead >= 0.065)
    return np.asarray(clear[:, None] & (shape >= order[:, -1:]))


def _colour_distance(clusters: Clusters, where: Ints, clear: Mask) -> Floats:
    """Return the distance ``(n, 8)`` of each glyph's colours from those of the clear digits.

    1000 where no glyph shows the digit clearly.
    """
    keys = _colour_keys(clusters.features)
    known = clusters.fixed & (clusters.labels > 0)
    distance = np.full((len(where), 8), 1e3, dtype=np.float32)
    for digit in range(8):
        anchors = np.vstack(
            [keys[where][clear[:, digit]], keys[known & (clusters.labels == digit + 1)]]
        )
        if len(anchors):
            off = np.abs(keys[where][:, None] - anchors[None]).max(axis=2)
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


def _weighted_median(values: Floats, weight: Ints) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])

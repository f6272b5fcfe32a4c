"""Judge digits by the colours and the height of clearer ones; the network names their shapes."""

from __future__ import annotations

import numpy as np

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import Features, Floats
from calibration.likeness import SAME_COLOUR, steps_between

FAR_COLOUR, NO_COLOUR = -6.0, -2.0
"""What the colours say at most against a digit, and what they say where its colours are unknown."""

HEIGHT_SLACK = 0.11
"""How far the top or bottom of a digit may be from those of the others, in tiles."""

CLEAR_DIGIT, LIKELY_DIGIT = 0.65, 0.35
"""Probability by the network from which a digit is a clear one, whose colours count, and one from
which a drawing in other colours is rather a digit than none."""


def digit_table(clusters: Clusters) -> Floats:
    """Return the log-likelihoods of 1 to 8, ``(n, 8)``."""
    seen = _digits_seen(clusters)
    off = _colour_distance(clusters, seen >= CLEAR_DIGIT)
    # Where different digits have one colour, it does not separate them.
    shared = (off <= SAME_COLOUR).sum(axis=1, keepdims=True) > 1
    off = np.where(shared, np.inf, off)
    colour = np.where(np.isinf(off), NO_COLOUR, np.maximum(FAR_COLOUR, -np.square(off / 30)))
    colour = np.where(shared, 0.0, colour) / 2.2
    least = np.where(off <= SAME_COLOUR, -0.1, LIKELY_DIGIT)
    likely = 6.0 * np.clip((seen - least) / 0.3, -0.5, 1) - 1.5
    table = colour - colour.max(axis=1, keepdims=True) + likely
    return np.asarray(table - _odd_heights(clusters, seen)[:, None], dtype=np.float32)


def _digits_seen(clusters: Clusters) -> Floats:
    """Return how likely each digit is by the network, or by its given label, ``(n, 8)``."""
    seen = clusters.digit_chances.copy()
    given = np.flatnonzero(clusters.given > 0)
    seen[given, clusters.given[given] - 1] = 1.0
    return seen


def _odd_heights(clusters: Clusters, seen: Floats) -> Floats:
    """Return what speaks against a digit of another height, or place, than the others, ``(n,)``."""
    features = clusters.features
    against = np.zeros(len(seen), np.float32)
    drawn = ~features.empty & (seen.max(axis=1) >= 0.5)
    if drawn.any():
        for side in (0, 2):
            usual = _weighted_median(features.ink_box[drawn, side], clusters.sizes[drawn])
            off = np.abs(features.ink_box[:, side] - usual)
            against += np.clip((off - HEIGHT_SLACK) / 0.02, 0, 4)
    return against


def _colour_distance(clusters: Clusters, clear: Mask) -> Floats:
    """Return the distance ``(n, 8)`` of each glyph's colours from those of the clear digits.

    Infinite where no glyph shows the digit clearly.
    """
    keys = _colour_keys(clusters.features)
    distance = np.full(clear.shape, np.inf, dtype=np.float32)
    for digit in range(8):
        anchors = keys[clear[:, digit] & ~clusters.features.empty]
        if len(anchors):
            distance[:, digit] = steps_between(keys, anchors).min(axis=1)
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

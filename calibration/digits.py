"""Name digits: by shape, by the colour of clearer ones, by where all digits stand."""

from __future__ import annotations

import numpy as np

from calibration.draft import Draft, Ints, Mask
from calibration.looks import Features, Floats

PLAIN_INK = 45.0
"""Colour spread of a digit's ink at most; flags and mines of two colours have more."""

LIKE_A_DIGIT = 0.8
"""Correlation with the best reference digit from which a drawing may be a digit."""

PLACE_SLACK = 0.11
"""How far top or bottom of a digit may stray from those of the others, in tiles."""


def find_digits(draft: Draft) -> Mask:
    """Mark the looks that may be digits: one ink, a digit's shape, all of one height."""
    features, best = draft.features, draft.scores[:, :8].max(axis=1)
    likely = ~features.empty & (features.spread <= PLAIN_INK) & (best >= LIKE_A_DIGIT)
    likely &= draft.scores[:, 8] < best + 0.03
    likely &= (best >= 0.88) | (draft.symmetry < 0.38)
    height = features.box[:, 2] - features.box[:, 0]
    likely &= height >= 0.25
    if likely.any():
        weight = draft.counts[likely]
        for side in (0, 2):
            usual = _weighted_median(features.box[likely, side], weight)
            likely &= np.abs(features.box[:, side] - usual) <= PLACE_SLACK
    return np.asarray(likely)


def name_digits(draft: Draft, digits: Mask) -> None:
    """Name the marked looks. A digit has no more mines around it than there is room for."""
    where = np.flatnonzero(digits & ~draft.fixed)
    if not where.size:
        return
    shape = draft.scores[where, :8]
    number = np.arange(1, 9)
    possible = (number <= draft.room()[where, None]) & (number >= draft.mines_seen()[where, None])
    allowed = np.where(possible, shape, -1)
    order = np.sort(allowed, axis=1)
    clear = (order[:, -1] >= 0.86) & (order[:, -1] - order[:, -2] >= 0.08)
    colour = _colour_evidence(draft, where, allowed.argmax(axis=1), clear)
    logit = np.where(possible, 40.0 * shape + colour, -99.0)
    ranked = np.sort(logit, axis=1)
    choice = logit.argmax(axis=1)
    quality = np.clip((shape[np.arange(len(where)), choice] - 0.72) / 0.08, 0, 1)
    draft.names[where] = choice + 1
    draft.certainty[where] = (1 - np.exp((ranked[:, -2] - ranked[:, -1]) / 2.2)) * quality


def _colour_evidence(draft: Draft, where: Ints, best: Ints, clear: Mask) -> Floats:
    """Log-evidence ``(n, 8)``: how well each drawing's colour fits the clear digits' colours."""
    evidence = np.full((len(where), 8), -3.0, dtype=np.float32)
    keys = _colour_keys(draft.features)[where]
    sure = draft.fixed & (draft.names > 0)
    sure_keys = _colour_keys(draft.features)[sure]
    for digit in range(8):
        anchors = np.vstack(
            [keys[clear & (best == digit)], sure_keys[draft.names[sure] == digit + 1]]
        )
        if len(anchors):
            off = np.abs(keys[:, None] - anchors[None]).max(axis=2).min(axis=1)
            evidence[:, digit] = -np.minimum(6.0, (off / 30) ** 2)
    return evidence


def _colour_keys(features: Features) -> Floats:
    """Ink and ground colour, with the ink's direction from the ground: it outlives blurring."""
    towards = features.colour - features.face
    length = np.linalg.norm(towards, axis=1, keepdims=True)
    keys = [90 * towards / np.maximum(length, 1), 0.3 * features.colour, features.face]
    return np.hstack(keys).astype(np.float32)


def _weighted_median(values: Floats, weight: Ints) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])



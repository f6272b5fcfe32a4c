"""Name digits: by shape, by the colour of clearer ones, by where all digits stand."""

from __future__ import annotations

import numpy as np

from calibration.draft import Draft, Ints, Mask
from calibration.looks import Features, Floats

PLAIN_INK = 45.0
"""Colour spread of a digit's ink at most; flags and mines of two colours have more."""

LIKE_A_DIGIT = 0.8
"""Correlation with the best reference digit from which a drawing may be a digit."""

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
"""The colours of 1 to 8 that most programs follow. Only a hint, where shape leaves a doubt."""

SAME_COLOUR = 16.0
"""Steps between two digits' colours, ground and direction of ink, that count as the same."""

DISTINCT = 0.25
"""Lead over the next digit that makes up for a drawing unlike the references."""

BEYOND_DOUBT = 0.93

OTHER_HUE = 60.0
"""Difference in the direction of ink from its ground, of 90, beyond which hues differ."""

PLACE_SLACK = 0.11
"""How far top or bottom of a digit may stray from those of the others, in tiles."""


def find_digits(draft: Draft) -> Mask:
    """Mark the looks that may be digits: one ink, a digit's shape, all of one height.

    A drawing of a poorer shape counts where it has exactly the colours of a clear digit: at a
    few pixels a tile, sampling blurs some copies of a digit more than others.
    """
    features, best = draft.features, draft.scores[:, :8].max(axis=1)
    likely = ~features.empty & (features.spread <= PLAIN_INK)
    likely &= draft.scores[:, 8] < best + 0.03
    likely &= features.box[:, 2] - features.box[:, 0] >= 0.25
    ranked = np.sort(draft.scores[:, :8], axis=1)
    distinct = (best >= 0.72) & (ranked[:, -1] - ranked[:, -2] >= DISTINCT)
    shaped = likely & ((best >= LIKE_A_DIGIT) | distinct)
    shaped &= (best >= 0.84) | (draft.symmetry < 0.38) | (features.core < 0.8)
    where = np.flatnonzero(likely)
    if where.size:
        near = _colour_distance(draft, where, _is_clear(draft.scores[where, :8]))
        fitting = np.where(near <= SAME_COLOUR, draft.scores[where, :8], -1).max(axis=1)
        second = np.sort(draft.scores[where, :8], axis=1)[:, -2]
        shaped[where] |= (fitting >= 0.64) & (fitting >= second + 0.1)
    if shaped.any():
        weight = draft.counts[shaped]
        for side in (0, 2):
            usual = _weighted_median(features.box[shaped, side], weight)
            shaped &= np.abs(features.box[:, side] - usual) <= PLACE_SLACK
    return np.asarray(shaped & ~_odd_ones(draft, shaped))


def _odd_ones(draft: Draft, digits: Mask) -> Mask:
    """Mark drawings that pass for a digit whose clearest drawing has an ink of another hue.

    So does a flag with a foot, which looks like a one. A drawing that is a digit beyond doubt,
    or has all the colours of another digit and is that one blurred, is not meant.
    """
    keys = _colour_keys(draft.features)
    towards = keys[:, :3]
    clear = _is_clear(draft.scores[:, :8]) & digits[:, None]
    claimed = draft.scores[:, :8].argmax(axis=1)
    odd = np.zeros(len(claimed), dtype=np.bool_)
    for digit in range(8):
        claims = np.flatnonzero(digits & (claimed == digit))
        if claims.size:
            clearest = claims[draft.scores[claims, digit].argmax()]
            odd[claims] = np.abs(towards[claims] - towards[clearest]).max(axis=1) > OTHER_HUE
            others = keys[np.delete(clear, digit, axis=1).any(axis=1)]
            if len(others):
                off = np.abs(keys[claims][:, None] - others[None]).max(axis=2).min(axis=1)
                odd[claims] &= off > SAME_COLOUR
    return np.asarray(odd & (draft.scores[:, :8].max(axis=1) < BEYOND_DOUBT))


def name_digits(draft: Draft, digits: Mask) -> None:
    """Name the marked looks. A digit has no more mines around it than there is room for."""
    where = np.flatnonzero(digits & ~draft.fixed)
    if not where.size:
        return
    shape = draft.scores[where, :8]
    number = np.arange(1, 9)
    possible = (number <= draft.room()[where, None]) & (number >= draft.mines_seen()[where, None])
    allowed = np.where(possible, shape, -1)
    off = _colour_distance(draft, where, _is_clear(allowed))
    usual = -2.0 - np.minimum(1.0, _off_palette(draft.features.colour[where]) / 80)
    colour = np.where(off < 1e3, -np.minimum(6.0, (off / 30) ** 2), usual)
    logit = np.where(possible, 40.0 * shape + colour, -99.0)
    ranked = np.sort(logit, axis=1)
    choice = logit.argmax(axis=1)
    row = np.arange(len(where))
    second = np.sort(shape, axis=1)[:, -2]
    sure = (off[row, choice] <= SAME_COLOUR) | (shape[row, choice] - second >= DISTINCT)
    least = np.where(sure, 0.5, 0.72)
    quality = np.clip((shape[row, choice] - least) / 0.08, 0, 1)
    draft.names[where] = choice + 1
    draft.certainty[where] = (1 - np.exp((ranked[:, -2] - ranked[:, -1]) / 2.2)) * quality


def coloured_like_digits(draft: Draft) -> Mask:
    """Mark the drawings that have the colours of a digit named on this board."""
    keys = _colour_keys(draft.features)
    digits = (draft.names > 0) & (draft.certainty >= 0.5)
    if not digits.any():
        return np.zeros(len(keys), dtype=np.bool_)
    off = np.abs(keys[:, None] - keys[digits][None]).max(axis=2).min(axis=1)
    plain = ~draft.features.empty & (draft.features.spread <= PLAIN_INK)
    return np.asarray((off <= SAME_COLOUR) & plain)


def _off_palette(ink: Floats) -> Floats:
    """Distance ``(n, 8)`` of inks from the colours most programs give the digits."""
    return np.asarray(np.abs(ink[:, None] - PALETTE[None]).max(axis=2), dtype=np.float32)


def _is_clear(shape: Floats) -> Mask:
    """Mark ``(n, 8)`` the one digit that a drawing shows beyond doubt, if any."""
    order = np.sort(shape, axis=1)
    lead = order[:, -1] - order[:, -2]
    clear = (order[:, -1] >= 0.86) & (lead >= 0.08) | (order[:, -1] >= 0.95) & (lead >= 0.065)
    return np.asarray(clear[:, None] & (shape >= order[:, -1:]))


def _colour_distance(draft: Draft, where: Ints, clear: Mask) -> Floats:
    """Distance ``(n, 8)`` of each drawing's colours from those of the clear digits.

    1000 where no drawing shows the digit clearly.
    """
    keys = _colour_keys(draft.features)
    known = draft.fixed & (draft.names > 0)
    distance = np.full((len(where), 8), 1e3, dtype=np.float32)
    for digit in range(8):
        anchors = np.vstack(
            [keys[where][clear[:, digit]], keys[known & (draft.names == digit + 1)]]
        )
        if len(anchors):
            off = np.abs(keys[where][:, None] - anchors[None]).max(axis=2)
            distance[:, digit] = off.min(axis=1)
    return distance


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

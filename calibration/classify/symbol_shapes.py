"""Judge symbols by their colours; their shape is left to the network.

Only a small question mark beside a flag is looked for here: two programs draw one, and the network
sees the flag.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.classify.clusters import Clusters
from calibration.classify.features import Floats
from calibration.glyphs import matching as glyphs

COLOURFUL, TINTED = 80.0, 30.0
"""Steps between the channels of a colour, and of a background, from which it is not grey."""

FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG = range(5)
"""The columns of the table."""

USUAL = (0.7, -2.0, 0.0, -1.0, -0.7)
"""What is said of a glyph about which nothing is known, by how often each symbol is seen."""


def symbol_table(clusters: Clusters) -> Floats:
    """Return log-likelihoods of flag, question, mine, exploded, wrong flag, ``(n, 5)``."""
    features = clusters.features
    ground, ink = features.background_colour, features.ink_colour
    table = np.tile(np.array(USUAL, np.float32), (len(clusters.sizes), 1))
    own = (np.ptp(ground, axis=1) > TINTED) | (np.ptp(ink, axis=1) > COLOURFUL)
    table[own, EXPLODED] = 0.5
    # On red stands the mine that exploded, or a flag that was wrong.
    red = ground[:, 0] - ground[:, 1:].max(axis=1) > COLOURFUL
    table[red, FLAG], table[red, WRONG_FLAG] = -3.0, 2.5
    beside = np.array([_question_mark_beside(ink) for ink in features.ink])
    table[beside >= 0.3, FLAG] = -6.5
    table[beside > 0.6, QUESTION] = 4.0
    return table


def _question_mark_beside(ink: Floats) -> float:
    """Return how much the ink beside the largest blot matches a question mark."""
    rest = _without_largest_blot(ink)
    form = glyphs.normal_form(rest)
    if form is None or rest.sum() < 1.5:
        return 0.0
    return float(glyphs.match_digits(form[None])[0, 8])


def _without_largest_blot(ink: Floats) -> Floats:
    """Return the ink without its largest blot."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (ink > 0.15).astype(np.uint8), connectivity=8
    )
    if count < 3:
        return np.zeros_like(ink)
    main = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return np.where((labels != main) & (labels > 0), ink, 0).astype(np.float32)

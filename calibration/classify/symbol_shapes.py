"""Judge how much a glyph is a flag, a question mark, a mine or a wrong flag, by its shape.

A mine is round: its glyph equals its mirror images. A flag is not round and has its cloth at the
top. A wrong flag is crossed out.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters
from calibration.classify.digit_shapes import PLAIN_INK
from calibration.classify.features import Floats
from calibration.glyphs import matching as glyphs

ROUND_SYMMETRY = 0.36
"""Symmetry from which a glyph counts as round; mines have 0.4 to 1, flags under 0.32."""

CROSS_SHARE = 0.8
"""Share of both diagonals in one strong red from which a glyph is a cross."""

COLOURFUL = 80.0
"""Steps between the channels of a colour from which it is none of the greys of a usual board."""

TINTED = 30.0
"""Steps between the channels of a background from which it is not grey."""

RED_BACKGROUND_SHARE = 0.6
"""Red share between the arms of a cross from which the background is red and there is no cross."""


def symbol_table(clusters: Clusters) -> Floats:
    """Return the log-likelihoods of flag, question, mine, exploded, wrong flag, ``(n, 5)``."""
    table = np.zeros((len(clusters.sizes), 5), dtype=np.float32)
    features = clusters.features
    for cluster in map(int, np.flatnonzero(~features.empty)):
        ground, ink = features.background_colour[cluster], features.ink_colour[cluster]
        cross = _cross_share(clusters.pictures[cluster], ground)
        crossed = cross >= CROSS_SHARE or _is_crossed_out(features.silhouette[cluster])
        roundness = np.clip((clusters.symmetry[cluster] - ROUND_SYMMETRY) / 0.06, -1, 1)
        if features.ink_share[cluster] <= 0.06:
            roundness = -1.0
        table[cluster] = (
            1.5 if _is_flag(clusters, cluster) else -1.0,
            4.0 if _is_question_mark(clusters, cluster) else -3.0,
            1.5 * roundness,
            1.5 * roundness + (0.5 if _is_colourful(ground, ink) else -1.0),
            -0.5,
        )
        if _question_mark_beside(clusters, cluster) >= 0.3:
            table[cluster, 0] = -6.5
        if crossed:
            table[cluster] = np.append(table[cluster, :4] - 3.0, 4.0)
        elif ground[0] - ground[1:].max() > COLOURFUL:
            # On red stands the mine that exploded, or a flag that was wrong.
            table[cluster, [0, 4]] = table[cluster, 0] - 4.5, 2.5
    return table


def _is_colourful(ground: Floats, ink: Floats) -> bool:
    """Whether a mine or its background has a colour of its own, as an exploded one has."""
    return bool(np.ptp(ground) > TINTED or np.ptp(ink) > COLOURFUL)


def _is_flag(clusters: Clusters, cluster: int) -> bool:
    """Whether a glyph is lopsided, not heavy at its bottom, and has no question mark beside it."""
    silhouette = clusters.features.silhouette[cluster]
    half = glyphs.SIDE // 2
    top, bottom = float(silhouette[:half].sum()), float(silhouette[half:].sum())
    share = float(clusters.features.ink_share[cluster])
    flag_like = top >= 0.4 * bottom and 0.03 < share < 0.25
    lopsided = bool(clusters.symmetry[cluster] < ROUND_SYMMETRY)
    return lopsided and flag_like and _question_mark_beside(clusters, cluster) < 0.3


def _is_question_mark(clusters: Clusters, cluster: int) -> bool:
    """Whether a glyph is a question mark in one ink, or has one beside it."""
    score = clusters.symbol_scores[cluster]
    alone = score[8] >= max(0.78, score[:8].max() - 0.08)
    plain = clusters.features.ink_spread[cluster] <= PLAIN_INK
    return bool(alone and plain) or _question_mark_beside(clusters, cluster) > 0.6


def _question_mark_beside(clusters: Clusters, cluster: int) -> float:
    """Return how much the ink beside the largest blot matches a question mark."""
    rest = _without_largest_blot(clusters.features.ink[cluster])
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


def _is_crossed_out(silhouette: Floats) -> bool:
    """Whether a glyph fills both diagonals and all four corners of its box, as a cross does.

    The diagonal rays of a mine end before the corners of the box, which its horizontal and
    vertical rays span.
    """
    size = len(silhouette)
    index = np.arange(size)
    corner = 3
    corners = [
        silhouette[rows, cols].mean()
        for rows in (slice(0, corner), slice(-corner, None))
        for cols in (slice(0, corner), slice(-corner, None))
    ]
    diagonals = (silhouette[index, index].mean() + silhouette[index, size - 1 - index].mean()) / 2
    sides = silhouette[6:-6, [0, -1]].mean() + silhouette[[0, -1], 6:-6].mean()
    return bool(min(corners) >= 0.35 and diagonals >= 0.85 and sides < 0.8)


def _cross_share(picture: NDArray[np.uint8], background: Floats) -> float:
    """Return the share of the diagonals that is strong red; mines and flags never have much.

    Returns 0 if all four areas between the arms of the cross are as red: then the background
    is red, and this is the mine that exploded.
    """
    side = len(picture)
    red = picture[..., 0].astype(int) - picture[..., 1:].max(axis=2) > 60
    near, middle = slice(side // 6, side // 4), slice(side // 3, -(side // 3))
    sides = (
        red[near, middle],
        red[::-1][near, middle],
        red[middle, near],
        red[middle, ::-1][:, near],
    )
    if min(part.mean() for part in sides) > RED_BACKGROUND_SHARE:
        return 0.0
    index = np.arange(side // 4, side - side // 4)
    diagonals = np.concatenate([index, index]), np.concatenate([index, side - 1 - index])
    drawn = np.abs(picture[diagonals].astype(int) - background).max(axis=1) > 50
    return float((red[diagonals] & drawn).mean())

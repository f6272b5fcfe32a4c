"""Label symbols by their shape: flags, wrong flags, question marks, mines, the exploded mine.

A mine is round: its glyph equals its mirror images. A flag is not round, stands on the hidden
background and has its cloth at the top. A wrong flag is crossed out or has a red background.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.digits import PLAIN_INK, coloured_like_digits
from calibration.classify.features import Floats, correlation
from calibration.glyphs import matching as glyphs
from calibration.rules import UNREAD, impossible_numbers
from solver.board import Tile

ROUND_SYMMETRY = 0.38
"""Symmetry from which a glyph counts as round; mines have 0.4 to 1, flags under 0.32."""

HALF_CROSS_SHARE = 0.35
"""Share of the diagonals from which a glyph of several inks may be an incomplete cross."""

MOST_UNREAD = 0.15
"""Share of unread tiles above which no label on the board is trusted."""

SAME_FLAG = 0.45
"""Correlation from which two flags are the same drawing, or both are like a third one."""

FLAG_SYMMETRY = 0.34
"""Symmetry below which a glyph may be a flag."""

FAINT_CONTRAST = 40.0
"""Contrast under which a glyph may be noise of a lossy picture, and gets no label."""

CROSS_SHARE = 0.8
"""Share of both diagonals in one strong red from which a glyph is a cross."""

RED_BACKGROUND_SHARE = 0.6
"""Red share between the arms of a cross from which the background is red and there is no cross."""


def label_mines(clusters: Clusters, digits: Mask) -> None:
    """Label crossed-out tiles and mines; the odd or only mine is the exploded one."""
    features = clusters.features
    mines: list[int] = []
    for cluster in np.flatnonzero(~features.empty & ~digits):
        if clusters.fixed[cluster]:
            if clusters.labels[cluster] in (Tile.MINE, Tile.EXPLODED):
                mines.append(int(cluster))
            continue
        cross = _cross_share(clusters.pictures[cluster], features.background_colour[cluster])
        if cross >= CROSS_SHARE or _is_crossed_out(features.silhouette[cluster]):
            clusters.assign(int(cluster), Tile.WRONG_FLAG, 0.9)
        elif cross >= HALF_CROSS_SHARE and features.ink_spread[cluster] > PLAIN_INK:
            continue
        elif clusters.symmetry[cluster] >= ROUND_SYMMETRY and features.ink_share[cluster] > 0.06:
            mines.append(int(cluster))
    kinds = _group_mines(clusters, mines)
    for kind, tile in zip(kinds, _labels_of_kinds(clusters, kinds), strict=True):
        fresh = np.array(
            [cluster for cluster in kind if not clusters.fixed[cluster]], dtype=np.intp
        )
        clusters.assign(fresh, tile, 0.9)


def _labels_of_kinds(clusters: Clusters, kinds: list[list[int]]) -> list[int]:
    """Label the odd kind as exploded, or the only kind if it is a single mine."""
    given = [
        next((int(clusters.labels[i]) for i in kind if clusters.fixed[i]), 0) for kind in kinds
    ]
    weights = [int(clusters.sizes[kind].sum()) for kind in kinds]
    usual = _unexploded_kind(clusters, kinds, weights)
    labels = []
    for index, label in enumerate(given):
        exploded = weights[index] == 1 if len(kinds) == 1 else index != usual
        if Tile.EXPLODED in given:
            exploded = False
        labels.append(label or int(Tile.EXPLODED if exploded else Tile.MINE))
    return labels


def _group_mines(clusters: Clusters, mines: list[int]) -> list[list[int]]:
    """Group mines by the colours of background and ink."""
    features = clusters.features
    background, ink = features.background_colour, features.ink_colour
    kinds: list[list[int]] = []
    for cluster in sorted(mines, key=lambda one: -int(clusters.sizes[one])):
        for kind in kinds:
            background_off = np.abs(background[cluster] - background[kind[0]]).max()
            ink_off = np.abs(ink[cluster] - ink[kind[0]]).max()
            if background_off <= 40 and ink_off <= 60:
                kind.append(cluster)
                break
        else:
            kinds.append([cluster])
    return kinds


def _unexploded_kind(clusters: Clusters, kinds: list[list[int]], weights: list[int]) -> int:
    """Return the index of the mines that did not explode, -1 without any.

    They are the most frequent kind; of two equally frequent ones, the less colourful.
    """

    def colourfulness(kind: list[int]) -> float:
        background = clusters.features.background_colour[kind[0]]
        ink = clusters.features.ink_colour[kind[0]]
        return float(max(np.ptp(background), np.ptp(ink)))

    ranks = [(weights[index], -colourfulness(kind)) for index, kind in enumerate(kinds)]
    return max(range(len(ranks)), key=ranks.__getitem__, default=-1)


def label_flags_and_questions(clusters: Clusters) -> None:
    """Label flags and question marks. The backgrounds must have labels already."""
    hidden, opened = clusters.backgrounds_labelled(Tile.HIDDEN), clusters.backgrounds_labelled(0)
    lost = bool(np.isin(clusters.labels, (Tile.MINE, Tile.EXPLODED)).any())
    coloured = coloured_like_digits(clusters)
    strong = clusters.features.contrast >= FAINT_CONTRAST
    for cluster in np.flatnonzero(~clusters.features.empty & strong & (clusters.labels == UNREAD)):
        background = int(clusters.background_of[cluster])
        if _is_question_mark(clusters, int(cluster), on_hidden=background in hidden):
            clusters.assign(int(cluster), Tile.QUESTION, 0.9)
            continue
        if not _is_flag(clusters, int(cluster)):
            continue
        if background not in hidden and (
            coloured[cluster]
            or _may_be_open(clusters, int(cluster), opened)
            or _has_digit_shape(clusters, int(cluster))
        ):
            continue
        colour = clusters.features.background_colour[cluster]
        red = float(colour[0] - colour[1:].max()) > 80
        if red and lost:
            if (clusters.labels == Tile.EXPLODED).any():  # else it may be the mine that exploded
                clusters.assign(int(cluster), Tile.WRONG_FLAG, 0.85)
        elif background in hidden:
            clusters.assign(int(cluster), Tile.FLAG, 0.9)
        elif background not in opened or not hidden:
            clusters.assign(int(cluster), Tile.FLAG, 0.75)


def doubt_mines(clusters: Clusters) -> None:
    """Doubt mines on the hidden background, or without an exploded one among them.

    Only a lost game shows mines, and then one of them exploded. A round flag, or a flag whose
    thin pole was lost in scaling, stands on the hidden background, or is the only round glyph.
    A blurred four, which is rather round, may be the only one as well.
    """
    mine, exploded = clusters.labels == Tile.MINE, clusters.labels == Tile.EXPLODED
    hidden = np.isin(clusters.background_of, list(clusters.backgrounds_labelled(Tile.HIDDEN)))
    opened = np.isin(clusters.background_of, list(clusters.backgrounds_labelled(0)))
    if not (clusters.labels == Tile.WRONG_FLAG).any():
        if not exploded.any():
            clusters.certainty[mine & ~(opened & (clusters.symmetry > 0.8))] = 0.0
        if not mine.any():
            blurred_digit = (clusters.symmetry < 0.7) & (clusters.features.ink_spread <= PLAIN_INK)
            blurred_digit &= clusters.symbol_scores[:, :8].max(axis=1) >= 0.7
            clusters.certainty[exploded & (hidden | blurred_digit)] = 0.0
    clusters.certainty[exploded & (clusters.sizes > 3)] = 0.0
    if len(_group_mines(clusters, np.flatnonzero(exploded).tolist())) > 1:
        clusters.certainty[exploded & ~clusters.fixed] = 0.0


def doubt_odd_flags(clusters: Clusters) -> None:
    """Doubt flags unlike the commonest one: all flags of a board are the same drawing.

    Scaling changes copies a little, so a flag counts as alike if it is like any flag that does.
    """
    flags = np.flatnonzero((clusters.labels == Tile.FLAG) & ~clusters.features.empty)
    if not flags.size:
        return
    weight = clusters.sizes[flags] + 1000 * clusters.fixed[flags]
    alike = {int(flags[weight.argmax()])}
    fresh, silhouettes = list(alike), clusters.features.silhouette
    while fresh:
        own = silhouettes[fresh.pop()]
        near = [
            int(cluster)
            for cluster in flags
            if cluster not in alike and correlation(silhouettes[cluster], own) >= SAME_FLAG
        ]
        alike.update(near)
        fresh.extend(near)
    odd = [cluster for cluster in flags if cluster not in alike and not clusters.fixed[cluster]]
    clusters.certainty[odd] = 0.0


def doubt_implausible_boards(clusters: Clusters) -> None:
    """Doubt marks if no cell is open yet, and everything if this can hardly be a board.

    It can hardly be one if most tiles are marks (then its hidden tiles have a glyph), if few
    tiles can be read, or if many tiles contradict each other.
    """
    marks = np.isin(clusters.labels, (Tile.FLAG, Tile.QUESTION, Tile.WRONG_FLAG))
    total = int(clusters.sizes.sum())
    if not (clusters.labels >= 0).any():
        clusters.certainty[marks & ~clusters.fixed] = 0.0
    covered = clusters.sizes[marks].sum()
    tiles = clusters.tiles
    unread = (tiles == UNREAD) | (clusters.certainty[clusters.cluster_of_tile] < 0.4)
    wrong = float(impossible_numbers(np.where(unread, UNREAD, tiles).astype(np.int8)).sum())
    odd = covered > 0.5 * total or (covered > 3 and not (clusters.labels >= 0).any())
    if odd or unread.mean() > MOST_UNREAD or wrong > 0.1 * (tiles >= 0).sum():
        clusters.certainty[~clusters.fixed] = 0.0


def _may_be_open(clusters: Clusters, cluster: int, opened: set[int]) -> bool:
    """Whether a glyph in one ink is on an open background: a number too blurred to read."""
    on = np.isin(clusters.background_of, list(opened)) & clusters.features.empty
    if clusters.features.ink_spread[cluster] > PLAIN_INK or not on.any():
        return False
    colours = clusters.features.background_colour
    off = np.abs(colours[on] - colours[cluster]).max(axis=1).min()
    return bool(off <= 20)


def _has_digit_shape(clusters: Clusters, cluster: int) -> bool:
    """Whether a glyph in one ink is surely no flag. A flag with a foot scores 0.88 as a one."""
    one_ink = clusters.features.ink_spread[cluster] <= PLAIN_INK
    return bool(one_ink and clusters.symbol_scores[cluster, :8].max() >= 0.9)


def _is_flag(clusters: Clusters, cluster: int) -> bool:
    """Whether a glyph is lopsided, not heavy at its bottom, and has no question mark beside it."""
    silhouette = clusters.features.silhouette[cluster]
    half = glyphs.SIDE // 2
    top, bottom = float(silhouette[:half].sum()), float(silhouette[half:].sum())
    share = float(clusters.features.ink_share[cluster])
    flag_like = top >= 0.4 * bottom and 0.03 < share < 0.25
    lopsided = clusters.symmetry[cluster] < FLAG_SYMMETRY
    return lopsided and flag_like and _question_mark_beside(clusters, cluster) < 0.3


def _is_question_mark(clusters: Clusters, cluster: int, *, on_hidden: bool) -> bool:
    """Whether a glyph is a question mark in one ink, or has one beside it.

    A small question mark may look more like a two or a seven; on the hidden background, where
    no number stands, these two do not count.
    """
    score = clusters.symbol_scores[cluster]
    rivals = score[[0, 2, 3, 4, 5, 7]] if on_hidden else score[:8]
    alone = score[8] >= max(0.78, rivals.max() - 0.08)
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

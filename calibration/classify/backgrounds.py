"""Label backgrounds: which empty tiles are hidden and which are open.

Clusters of empty tiles with nearly the same colour and bevel form one background. A board has
one hidden background and one open one, or two of each if its cells alternate like a
chessboard's. The rules of the game tell which is which: the choice that breaks the fewest rules
is taken, and doubted if another choice is as good.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from calibration.classify.clusters import Clusters, Ints, Mask
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.tiles import SIDE
from solver.board import Tile, count_neighbours

MOST_BACKGROUNDS = 6
"""Backgrounds that are labelled, the most frequent ones."""

COLOUR_STEP = 5.0
"""Colour steps by which neighbouring clusters of one background may differ."""

BEVEL_SLACKS = (30.0, 12.0, 5.0)
"""Steps of brightness by which their bevels may differ, tried in this order."""

_BORDER = np.ones((SIDE, SIDE), dtype=np.bool_)
_BORDER[4:-4, 4:-4] = False

LEAST_BORDER_CONTRAST = 8.0
"""Colour steps between background and border from which a tile has a visible line."""


def group_backgrounds(clusters: Clusters, bevel_slack: float) -> None:
    """Group the empty clusters to backgrounds, and find the background of each glyph."""
    features = clusters.features
    empty_clusters = np.flatnonzero(features.empty)
    clusters.background_of[:] = -1
    fresh = 0
    for start in empty_clusters:
        if clusters.background_of[start] >= 0:
            continue
        stack = [start]
        clusters.background_of[start] = fresh
        while stack:
            one = stack.pop()
            near = empty_clusters[
                (clusters.background_of[empty_clusters] < 0)
                & (
                    np.abs(
                        features.background_colour[empty_clusters] - features.background_colour[one]
                    ).max(axis=1)
                    <= COLOUR_STEP
                )
                & (
                    np.abs(features.bevel[empty_clusters] - features.bevel[one]).max(axis=1)
                    <= bevel_slack
                )
            ]
            clusters.background_of[near] = fresh
            stack.extend(near.tolist())
        fresh += 1
    if not empty_clusters.size:
        return
    borders = clusters.pictures[:, _BORDER].astype(np.float32)
    for cluster in np.flatnonzero(~features.empty):
        colour = np.abs(
            features.background_colour[empty_clusters] - features.background_colour[cluster]
        ).max(axis=1)
        border = np.abs(borders[empty_clusters] - borders[cluster]).mean(axis=(1, 2))
        best = int((colour + 2 * border).argmin())
        if colour[best] <= 14 and border[best] <= 20:
            clusters.background_of[cluster] = clusters.background_of[empty_clusters[best]]


def label_backgrounds(clusters: Clusters) -> None:
    """Find and label the backgrounds. The digits and mines must have labels already.

    How much the bevels of one background differ depends on how the window was scaled: the
    widest slack that leaves no rule broken is taken.
    """
    if not clusters.features.empty.any():
        return
    costs: list[float] = []
    for bevel_slack in BEVEL_SLACKS:
        group_backgrounds(clusters, bevel_slack)
        costs.append(_label(clusters))
        if costs[-1] == 0:
            return
    best = int(np.argmin(costs))
    if best != len(BEVEL_SLACKS) - 1:
        group_backgrounds(clusters, BEVEL_SLACKS[best])
        _label(clusters)


def _label(clusters: Clusters) -> float:
    """Label the backgrounds as they are grouped now; return the cost of the labels."""
    empty = clusters.features.empty
    clusters.assign(empty & ~clusters.fixed, UNREAD, 0.0)
    backgrounds = np.unique(clusters.background_of[empty])
    backgrounds = backgrounds[~np.array([_has_no_lines(clusters, int(one)) for one in backgrounds])]
    background_of = clusters.background_of
    weight = [int(clusters.sizes[empty & (background_of == one)].sum()) for one in backgrounds]
    major = backgrounds[np.argsort(weight)[::-1][:MOST_BACKGROUNDS]]
    if not major.size:
        return float(clusters.sizes[empty].sum())
    choices = product(*(_possible_labels(clusters, int(background)) for background in major))
    results = sorted((_cost(clusters, major, choice), choice) for choice in choices)
    best_cost, best = results[0]
    for index, background in enumerate(major):
        other = min((cost for cost, choice in results if choice[index] != best[index]), default=99)
        chosen = empty & (background_of == background) & ~clusters.fixed
        clusters.assign(chosen, best[index], 1 - float(np.exp(best_cost - other)))
    return best_cost + 0.5 * float(clusters.sizes[empty & (clusters.labels == UNREAD)].sum())


def _possible_labels(clusters: Clusters, background: int) -> tuple[int, ...]:
    """Return the labels that a background can have: only the fixed one if all of it is fixed."""
    own = clusters.features.empty & (clusters.background_of == background)
    given = set(clusters.labels[own].tolist())
    return tuple(given) if clusters.fixed[own].all() and len(given) == 1 else (0, int(Tile.HIDDEN))


def _has_no_lines(clusters: Clusters, background: int) -> bool:
    """Whether a background has no lines and no digits, on a board whose other tiles have lines."""
    features = clusters.features
    own = features.empty & (clusters.background_of == background)
    numbered = (clusters.labels > 0) & ~features.empty
    if (
        (clusters.fixed & own).any()
        or features.border_contrast[own].max() >= LEAST_BORDER_CONTRAST
        or (numbered & (clusters.background_of == background)).any()
    ):
        return False
    others = ~own & (features.empty | numbered)
    if not others.any():
        return False
    ruled = clusters.sizes[others & (features.border_contrast >= LEAST_BORDER_CONTRAST)].sum()
    return bool(ruled > 0.9 * clusters.sizes[others].sum())


def _cost(clusters: Clusters, backgrounds: Ints, choice: tuple[int, ...]) -> float:
    """Return the cost of a choice of labels.

    Broken rules, digits on a hidden background and surplus backgrounds cost.
    """
    numbered = (clusters.labels > 0) & (clusters.certainty > 0.4)
    tiles = np.where((clusters.labels > 0) & ~numbered, UNREAD, clusters.labels).astype(np.int8)
    tiles = tiles[clusters.cluster_of_tile]
    of_clusters = np.where(clusters.features.empty, clusters.background_of, -1)
    background_at = of_clusters[clusters.cluster_of_tile]
    numbers = tiles > 0
    if not numbers.any() and 0 in choice:
        return 99.0
    cost = 0.0
    given = clusters.fixed & clusters.features.empty
    for background, label in zip(backgrounds, choice, strict=True):
        against = given & (clusters.background_of == background) & (clusters.labels != label)
        cost += 2.0 * float(clusters.sizes[against].sum())
    for background, label in zip(backgrounds, choice, strict=True):
        tiles[background_at == background] = label
    for background, label in zip(backgrounds, choice, strict=True):
        here = (clusters.background_of == background) & ~clusters.features.empty
        if label == Tile.HIDDEN:
            cost += 0.7 * float(clusters.sizes[here & numbered].sum())
            cost += 0.4 * _unneeded_mines(tiles, background_at == background)
    wrong = impossible_numbers(tiles)
    cost += float(wrong.sum())
    cost += 0.3 * float(((tiles == 0) & (count_neighbours(tiles == Tile.HIDDEN) > 0)).sum())
    for label in (0, int(Tile.HIDDEN)):
        same = [int(one) for one, own in zip(backgrounds, choice, strict=True) if own == label]
        cost += 2.0 * max(0, len(same) - 1 - _is_checkered(background_at, same))
    return cost


def _unneeded_mines(tiles: Tiles, background: Mask) -> float:
    """Count, up to 10, the numbers beside a hidden background that need none of its mines.

    Returns 0 where another covered tile touches the background: none touches an open area.
    """
    others = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION) & ~background
    unknown = (tiles < Tile.QUESTION) & ~background
    if (background & (count_neighbours(others | unknown) > 0)).any():
        return 0.0
    near = (tiles > 0) & (count_neighbours(background) > 0)
    needing = tiles > count_neighbours(others | unknown)
    return 0.0 if (near & needing).any() else float(min(10, near.sum()))


def _is_checkered(background_at: Ints, backgrounds: list[int]) -> int:
    """Return 1 if the two most frequent of ``backgrounds`` alternate like a chessboard, else 0."""
    if len(backgrounds) < 2:
        return 0
    parity = np.indices(background_at.shape).sum(axis=0) % 2
    first = parity[background_at == backgrounds[0]]
    second = parity[background_at == backgrounds[1]]
    split = len(np.unique(first)) == 1 and len(np.unique(second)) == 1
    return int(split and first[0] != second[0])

"""Match the clusters of a board with the appearances of a theme, and make a theme of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import DIGIT_CLASSES, Clusters, Mask
from calibration.classify.decode import Decoding
from calibration.classify.features import Features, Floats, shape_text
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.theme import LEARNED, Appearance, Colour, Theme
from calibration.tiles import colour_steps, mean_steps, steps_between
from solver.board import Tile

COLOUR_SLACK, BEVEL_SLACK, INK_SLACK, SHAPE_SLACK = 14.0, 30.0, 48.0, 0.16
"""One unit of difference in each feature: colour steps, and mean difference of the shapes.

Ten steps of brightness and scaling by a fifth stay below one unit; two digits of the same ink
and background differ in shape by at least one and a half.
"""

SEEN = 0.9
"""Probability by the network from which a digit counts as seen."""

SEEN_SHAPE, SEEN_COLOUR, SEEN_BEVEL = 0.4, 2.5, 0.4
"""Weights of the differences in a theme of which the network sees digits. If gaps are not whole
pixels wide, small digits and edges differ in each row and column, while colours stay the same."""

MOST_THIN = 0.5
"""How much of a thin digit's ink may be the colour of its tile: its strokes are narrower than a
pixel. On a board of gnome-mines with tiles of 17 px the ones have 0.39."""


def digits_seen(clusters: Clusters) -> Tiles:
    """Return the digits of which the network is sure, ``(n,)``; `UNREAD` elsewhere."""
    chances = clusters.digit_chances
    seen = chances.max(axis=1) >= SEEN
    return np.where(seen, chances.argmax(axis=1) + 1, UNREAD).astype(np.int8)


def differences(clusters: Clusters, theme: AppearanceArrays, seen: Mask | None = None) -> Floats:
    """Return the differences ``(clusters, appearances)`` in units of the slacks.

    An empty tile and one with a glyph differ by 99. Differences of shape and ink count less for
    tiles whose digit the network has ``seen``.
    """
    features, shapes = clusters.features, clusters.shapes
    off = steps_between(features.background_colour, theme.background) / COLOUR_SLACK
    off_bevel = steps_between(features.bevel, theme.bevel) / BEVEL_SLACK
    off_ink = steps_between(features.ink_colour, theme.ink) / INK_SLACK
    off_shape = np.abs(shapes[:, None] - theme.shape[None]).mean(axis=(2, 3)) / SHAPE_SLACK
    if seen is not None:
        thinned = _off_thin_ink(features.ink_colour, theme) / INK_SLACK
        off_ink = np.where(seen, np.minimum(off_ink, thinned), off_ink)
        off_shape = np.where(seen, SEEN_SHAPE * off_shape, off_shape)
        off, off_bevel = SEEN_COLOUR * off, SEEN_BEVEL * off_bevel
    both = (~features.empty)[:, None] & theme.has_glyph[None]
    total = np.where(
        both, np.maximum(np.maximum(off, off_ink), off_shape), np.maximum(off, off_bevel)
    )
    total = np.where(both, total + 0.3 * off_shape, total)
    different = features.empty[:, None] == theme.has_glyph[None]
    return np.where(different, 99.0, total).astype(np.float32)


def _off_thin_ink(inks: Floats, theme: AppearanceArrays) -> Floats:
    """Return how far each ink is from the nearest mixture of a theme's ink and background."""
    way = theme.background - theme.ink
    length = np.maximum((way**2).sum(axis=1), 1.0)
    share = ((inks[:, None] - theme.ink[None]) * way[None]).sum(axis=2) / length
    mixed = theme.ink[None] + np.clip(share, 0.0, MOST_THIN)[..., None] * way[None]
    return colour_steps(inks[:, None], mixed)


def shape_of(appearance: Appearance) -> Floats:
    """Return the shape as numbers 0..1, ``(6, 6)``; zeros without a glyph."""
    if not appearance.shape:
        return np.zeros((6, 6), dtype=np.float32)
    rows = [[".123456789".index(char) for char in row] for row in appearance.shape]
    return np.asarray(np.array(rows) / 9, dtype=np.float32)


class AppearanceArrays(NamedTuple):
    """The appearances of a theme as arrays, one row each."""

    background: Floats
    bevel: Floats
    has_glyph: NDArray[np.bool_]
    ink: Floats
    shape: Floats


@cache
def appearance_arrays(theme: Theme) -> AppearanceArrays:
    """Return the appearances of a theme as arrays; computed once for each theme."""
    appearances = theme.appearances
    return AppearanceArrays(
        np.array([one.background for one in appearances], dtype=np.float32),
        np.array([one.bevel for one in appearances], dtype=np.float32),
        np.array([one.ink is not None for one in appearances]),
        np.array([one.ink or (0, 0, 0) for one in appearances], dtype=np.float32),
        np.stack([shape_of(one) for one in appearances]),
    )


MOST_LIGHTER = 20
"""By how many colour steps a screen may be lighter or darker."""

EVENLY_LIGHTER = 4.0
"""By how many colour steps the three channels may differ in that."""

MOST_FREQUENT = 4
"""How many empty clusters, the most frequent ones, are compared to find that shift."""

CLEAR_FIT, CLEAR_LEAD = 0.8, 0.1
"""Least nearness of a theme with shifted colours, and its least lead over other programs.

On 69 labelled screenshots, shifted themes of other programs reach a nearness of 0.75.
"""

LEAST_GLYPHS_LABELLED = 0.5
"""Share of the tiles with a glyph that a theme must label.

At any brightness the right theme labels 0.97 of them on those screenshots, themes of other programs
at most 0.23.
"""

GOOD_FIT = 0.45
"""Least mean nearness of the tiles for a theme to be chosen: 1 is equal, 0 at least a unit off."""

FRESH_FIT = 0.6
"""The same for a board without numbers, whose tiles alone say little. There the theme of the right
program reaches 0.61 on the screenshots and in play, and a wrong one, if its tiles are raised too,
0.56."""

OFTEN = 8
"""A drawing on so many tiles is not a cover."""

SAME_DRAWING = 16.0
"""Largest mean difference of two copies of a drawing, in colour steps."""

UNLIKE = 1e6
"""Difference that stands for an appearance that must not match."""

SEEN_FIT, SEEN_GLYPHS, SEEN_KINDS, SEEN_EMPTY, SEEN_PLAIN = 0.3, 0.7, 3, 0.78, 0.95
"""A theme with digits in another font is chosen from this nearness, share of labelled glyphs,
number of kinds with a glyph (two of them numbers), nearness of the empty tiles, and share of
labelled empty tiles.

The empty tiles of gnome-mines reach at least 0.81, and all are labelled; those of two pages with
the digits of xdemineur reach 0.71 and 0.86, and 0.88 of the latter are labelled.
"""

SURELY_DIGIT = 0.9
"""Probability by the network from which a tile surely shows a digit."""

LEAST_DIGITS = 4
"""Of so many sure digits, the right theme names some."""

MARGIN_OF_MATCH = 0.35
"""By how many units an appearance must be nearer than the nearest one with another label."""

MOST_BEHIND_SEEN, CROSSED_OR_NOT = 2.0, ("wrong_flag", "mine")
"""A learned theme names a digit only if the network prefers another one by at most this
log-probability, and a mine only if the network prefers a wrong flag by at most as much."""

UNFAMILIAR = 2.0
"""A flag that differs by more units is not the theme's; a scaled flag differs by less."""

THE_ZERO = 0.5
"""Up to this difference, a plain tile is the zero of the theme."""

OTHER_ZERO = 1.0
"""If one is, a plain tile with at least this difference is not a zero: a dialog may have nearly its
colour."""


def labels_from_theme(clusters: Clusters, theme: Theme, *, by_network: bool = False) -> Tiles:
    """Return the labels ``(n,)`` of the clusters that the theme describes, `UNREAD` elsewhere.

    With ``by_network``, digits that the network sees may have another shape, as in another font.
    """
    return _match_appearances(clusters, theme, by_network=by_network)[0]


def unfamiliar_symbols(clusters: Clusters, theme: Theme, known: Tiles, labels: Tiles) -> Mask:
    """Mark symbols and zeros that look so unlike the theme's that something may cover them.

    Numbers are not marked, because their shape identifies them, and neither is a drawing on many
    tiles, such as a flag of an unusual size. If the labels ``known`` from the theme include few
    numbers, it may be the theme of another program, and no drawing is marked.
    """
    if theme.program == LEARNED:
        return np.zeros(len(labels), dtype=np.bool_)
    numbers = np.where(labels > 0, clusters.sizes, 0)
    proven = numbers[known > 0].sum() >= LEAST_GLYPHS_LABELLED * max(1, numbers.sum())
    appearances = theme.appearances
    symbols = np.array([one.tile < 0 and one.ink is not None for one in appearances])
    label_of = np.array([one.tile for one in appearances])
    difference = differences(clusters, appearance_arrays(theme))
    same = symbols & (labels[:, None] == label_of)
    least = np.where(same, difference, np.inf).min(axis=1)
    even = clusters.features.empty
    unlike = ~even & (least > UNFAMILIAR) & ~_repeated(clusters, labels)
    unfamiliar = same.any(axis=1) & (even | (proven & unlike))
    zeros = (labels == 0) & even & (clusters.sizes > 0)
    off = np.where(~symbols & (label_of == 0), difference, np.inf).min(axis=1, initial=np.inf)
    unfamiliar |= zeros & (off > OTHER_ZERO) & bool((zeros & (off <= THE_ZERO)).any())
    return np.asarray(unfamiliar & (clusters.given == UNREAD))


def _repeated(clusters: Clusters, labels: Tiles) -> Mask:
    """Mark drawings that are the same on many tiles, so that they are not a cover, ``(n,)``."""
    marked = np.zeros(len(labels), np.bool_)
    for often in np.flatnonzero((clusters.sizes >= OFTEN) & ~clusters.empty):
        same = mean_steps(clusters.pictures, clusters.pictures[often]) <= SAME_DRAWING
        marked |= (labels == labels[often]) & same
    return marked


def choose_theme(clusters: Clusters, themes: Sequence[Theme]) -> Theme | None:
    """Return the theme that fits the board best, None if none fits well.

    Each theme is also tried lighter and darker, because screens have settings; it is returned with
    these colours. A nearer appearance makes a tile count more, so that the right one of two similar
    programs is chosen, with its profile. Numbers distinguish programs best: most glyphs must match,
    and with fewer than two kinds of numbers a lighter or darker theme must fit clearly.
    """
    fits = [_fit(clusters, theme, 0) for theme in themes]
    if not any(fit.sure for fit in fits):
        fits += [
            _fit(clusters, theme, step)
            for theme in themes
            for step in _brightness_steps(clusters, theme)
        ]
    fits = [fit for fit in fits if fit.good]
    if not fits:
        seen = [_fit(clusters, theme, 0, by_network=True) for theme in themes]
        fits = [fit for fit in seen if fit.seen]
    best = max(fits, key=lambda fit: (fit.near, -abs(fit.step)), default=None)
    if best is None:
        return None
    if best.step and best.numbers < 2:
        rivals = [fit.near for fit in fits if fit.theme.program != best.theme.program]
        if best.near < CLEAR_FIT or best.near - max(rivals, default=0.0) < CLEAR_LEAD:
            return next((fit.theme for fit in fits if not fit.step), None)
    return best.theme


def names_no_number(clusters: Clusters, known: Tiles) -> bool:
    """Whether the network sees several digits of which the theme (its labels ``known``) names none.

    If so, it is the theme of another program, chosen by mistake on a board without numbers.
    """
    if (known > 0).any():
        return False
    # The network comes last: a theme that fits saves most of its work.
    digits = (clusters.given == UNREAD) & (clusters.digit_chance >= SURELY_DIGIT)
    return bool(clusters.sizes[digits].sum() >= LEAST_DIGITS)


class _Fit(NamedTuple):
    """How a theme, lighter by ``step``, fits a board.

    ``near`` is the mean nearness of the tiles. Of the tiles with a glyph, ``glyphs`` is the share
    that gets a label, ``kinds`` the number of kinds that do, ``numbers`` that of the numbers among
    them. Of the tiles without one, ``empty`` is the nearness, ``plain`` the share that gets a
    label.
    """

    theme: Theme
    step: int
    near: float
    glyphs: float
    numbers: int
    kinds: int
    empty: float
    plain: float

    @property
    def seen(self) -> bool:
        """Whether colours, and the digits that the network sees, confirm the theme."""
        enough = self.near >= SEEN_FIT and self.glyphs >= SEEN_GLYPHS
        many = self.numbers > 1 and self.kinds >= SEEN_KINDS
        return enough and many and self.empty >= SEEN_EMPTY and self.plain >= SEEN_PLAIN

    @property
    def good(self) -> bool:
        """Whether the theme fits well enough to be chosen."""
        fits = self.near >= (GOOD_FIT if self.numbers else FRESH_FIT)
        return fits and self.glyphs >= LEAST_GLYPHS_LABELLED

    @property
    def sure(self) -> bool:
        """Whether the theme fits so well that no lighter or darker one has to be tried."""
        return self.glyphs >= 0.9 and self.near >= (GOOD_FIT if self.numbers >= 2 else 0.9)


def _fit(clusters: Clusters, theme: Theme, step: int, *, by_network: bool = False) -> _Fit:
    """Match the board with the theme made lighter by ``step``."""
    shifted = theme.shifted(step) if step else theme
    labels, near = _match_appearances(clusters, shifted, by_network=by_network)
    with_glyph = np.where(clusters.features.empty, 0, clusters.sizes)
    empty = clusters.sizes - with_glyph
    return _Fit(
        shifted,
        step,
        float(near[clusters.of_tile].mean()),
        float(with_glyph[labels != UNREAD].sum() / with_glyph.sum()) if with_glyph.any() else 1.0,
        len(set(labels[(labels > 0) & (with_glyph > 0)].tolist())),
        len(set(labels[(labels != UNREAD) & (with_glyph > 0)].tolist())),
        float((near * empty).sum() / max(1, empty.sum())),
        float(empty[labels != UNREAD].sum() / max(1, empty.sum())),
    )


def _brightness_steps(clusters: Clusters, theme: Theme) -> set[int]:
    """Return the steps by which the theme could be lighter to have a frequent background.

    A channel at the end of its range does not show the step, but must fit.
    """
    empty = np.flatnonzero(clusters.features.empty)
    frequent = empty[np.argsort(-clusters.sizes[empty])][:MOST_FREQUENT]
    steps = set()
    for colour in clusters.features.background_colour[frequent]:
        in_range = (colour > 4) & (colour < 251)
        for appearance in theme.appearances:
            if appearance.ink is not None or not in_range.any():
                continue
            step = round(float((colour - appearance.background)[in_range].mean()))
            off = colour_steps(appearance.background.shifted(step), colour)
            if 0 < abs(step) <= MOST_LIGHTER and off <= EVENLY_LIGHTER:
                steps.add(step)
    return steps


def _match_appearances(
    clusters: Clusters, theme: Theme, *, by_network: bool = False
) -> tuple[Tiles, Floats]:
    """Return the labels that a theme gives to the clusters, and how near each one is, 0..1.

    With ``by_network``, shapes of digits that the network sees may differ more, and colours less.
    No cluster gets a label if the labels together break the rules of the game, and none is open if
    there is no number: an open area has numbers around it.
    """
    labels = np.full(len(clusters.sizes), UNREAD, dtype=np.int8)
    near = np.zeros(len(labels), dtype=np.float32)
    if not theme.appearances:
        return labels, near
    label_of = np.array([one.tile for one in theme.appearances], dtype=np.int8)
    seen = digits_seen(clusters)[:, None] == label_of if by_network else None
    difference = differences(clusters, appearance_arrays(theme), seen)
    best = difference.argmin(axis=1)
    least = difference.min(axis=1)
    if not ((least < 1) & (label_of[best] > 0)).any():
        difference[:, label_of == 0] = UNLIKE
        best, least = difference.argmin(axis=1), difference.min(axis=1)
    same = label_of[None] == label_of[best][:, None]
    other = np.where(same, np.inf, difference).min(axis=1)
    fits = (least < 1) & (other - least >= MARGIN_OF_MATCH)
    near = np.where(fits, 1 - least, near).astype(np.float32)
    if theme.program == LEARNED:
        # One frame does not show whether tiles of nearly these colours are hidden or open.
        fits &= ~clusters.features.empty
        # Digits of a narrow font hardly differ: the network must not see another one for sure.
        digits = np.nan_to_num(clusters.network_scores[:, DIGIT_CLASSES], nan=-99.0)
        column = np.clip(label_of[best], 1, 8) - 1
        behind = digits.max(axis=1) - digits[np.arange(len(best)), column]
        fits &= (label_of[best] <= 0) | (behind <= MOST_BEHIND_SEEN)
        crossed, mine = map(clusters.seen_as, CROSSED_OR_NOT)
        fits &= (label_of[best] != Tile.MINE) | ~(crossed - mine > MOST_BEHIND_SEEN)
    matched = np.where(fits, label_of[best], labels).astype(np.int8)
    if impossible_numbers(matched[clusters.of_tile]).any():
        return labels, np.zeros_like(near)
    return matched, near


LEAST_CERTAINTY = 0.8
"""Least certainty of a cluster that becomes an entry of a learned theme."""


def extract_appearances(clusters: Clusters, decoding: Decoding) -> tuple[Appearance, ...]:
    """Describe the clusters with a certain label; those that hardly differ share an entry.

    Mines are left out if only a frame distinguishes the exploded ones: a theme has no frames.
    """
    chosen: list[Appearance] = []
    other = {int(Tile.MINE): int(Tile.EXPLODED), int(Tile.EXPLODED): int(Tile.MINE)}
    mines = np.flatnonzero(np.isin(decoding.labels, [*other]))
    swapped = [
        _appearance(clusters.features, int(one), other[int(decoding.labels[one])]) for one in mines
    ]
    for index in np.argsort(-clusters.sizes):
        label = int(decoding.labels[index])
        small_glyph = clusters.features.empty[index] and not clusters.empty[index]
        if label == UNREAD or decoding.certainty[index] < LEAST_CERTAINTY or small_glyph:
            continue
        appearance = _appearance(clusters.features, int(index), label)
        if not any(_nearly_equal(appearance, one) for one in (*chosen, *swapped)):
            chosen.append(appearance)
    return tuple(sorted(chosen, key=lambda one: (-min(one.tile, 0), one.tile)))


def _appearance(features: Features, index: int, tile: int) -> Appearance:
    """Describe picture ``index``, which shows ``tile``, as an entry of a theme."""
    bevel = features.bevel[index]
    empty = bool(features.empty[index])
    return Appearance(
        tile,
        _colour(features.background_colour[index]),
        None if empty else _colour(features.ink_colour[index]),
        (round(float(bevel[0])), round(float(bevel[1]))),
        () if empty else shape_text(features.normal_form[index]),
    )


def _nearly_equal(one: Appearance, other: Appearance) -> bool:
    """Whether two appearances of one tile hardly differ."""
    if one.tile != other.tile or (one.ink is None) != (other.ink is None):
        return False
    colour = colour_steps(one.background, other.background)
    bevel = colour_steps(one.bevel, other.bevel)
    if one.ink is None:
        return bool(colour <= 6 and bevel <= 15)
    return bool(colour <= 12 and np.abs(shape_of(one) - shape_of(other)).mean() < 0.12)


def _colour(values: NDArray[np.float32]) -> Colour:
    red, green, blue = (int(value) for value in np.clip(np.rint(values), 0, 255))
    return Colour(red, green, blue)

"""Label mines, flags and the exploded mine by their context, whatever their shape.

A lost game shows every mine: then each number has as many mines and flags around it as it says,
and some mines lie where no number is near. Flags stand on the hidden background and beside
numbers. On the open background there are only numbers and mines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.classify.clusters import Clusters, Ints, Mask
from calibration.classify.digits import LIKE_A_DIGIT, PLAIN_INK, coloured_like_digits
from calibration.classify.features import correlation
from calibration.classify.symbols import FAINT_CONTRAST
from calibration.rules import UNREAD, Tiles
from solver.board import Tile, count_neighbours

SAME_GLYPH, SAME_INK = 0.6, 60.0
"""Correlation and colour steps from which two glyphs, on any background, are one symbol."""

SAME_BACKGROUND = 14.0
"""Colour steps up to which a background is that of hidden, or of open tiles."""

CERTAIN = 0.8
"""Certainty from which a number is taken as given here."""

LEAST_FAR_MINES = 2
"""Mines away from all numbers from which the board is one that shows its mines."""

SYMBOL_LABELS = (UNREAD, Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""Labels that the context may change."""


@dataclass(frozen=True, eq=False)
class SymbolClusters:
    """The clusters of one symbol: on the open background, on the hidden one, on any other."""

    on_open: Ints
    on_hidden: Ints
    on_other: Ints


def label_by_context(clusters: Clusters) -> None:
    """Label the symbols that shape leaves in doubt or labels against the context."""
    symbols = _group_symbols(clusters)
    mines = [symbol for symbol in symbols if _are_mines(clusters, symbol)]
    if len(mines) == 1:
        _label_lost_board(clusters, mines[0], symbols)
    elif not mines and len(symbols) == 1:
        _label_flags(clusters, symbols[0])


def _label_lost_board(
    clusters: Clusters, mine: SymbolClusters, symbols: list[SymbolClusters]
) -> None:
    """Label the mines of a lost game, the exploded one, and the flags beside them."""
    clusters.assign(np.concatenate([mine.on_open, mine.on_hidden]), Tile.MINE, 0.9)
    if clusters.sizes[mine.on_other].sum() == 1 and _is_mine_rather_than_number(
        clusters, mine.on_other
    ):
        clusters.assign(mine.on_other, Tile.EXPLODED, 0.9)
    others = [symbol for symbol in symbols if symbol is not mine]
    for rank, symbol in enumerate(others):
        flags = rank == 0 and symbol.on_hidden.size and not symbol.on_open.size
        if flags and _numbers_fit(clusters, symbol.on_hidden, mined=True):
            clusters.assign(symbol.on_hidden, Tile.FLAG, 0.8)
            _label_leftover(clusters, symbol.on_other, unlike_flags=False)
        else:
            chosen = np.concatenate([symbol.on_open, symbol.on_hidden, symbol.on_other])
            _label_leftover(clusters, chosen, unlike_flags=bool(symbol.on_other.size))


def _is_mine_rather_than_number(clusters: Clusters, chosen: Ints) -> bool:
    """Whether glyphs are a mine rather than a number.

    They are if none of them may be a digit, or no number is certain yet. Otherwise the numbers
    around must fit a mine there; if they fit without it, too, the glyphs must not be right as the
    number of mines shown around them.
    """
    if not _may_be_digits(clusters)[chosen].any() or not (_certain_numbers(clusters) > 0).any():
        return True
    as_mine, as_none = (_numbers_fit(clusters, chosen, mined=mined) for mined in (True, False))
    return as_mine and not (as_none and _may_count_shown_mines(clusters, chosen))


def _may_count_shown_mines(clusters: Clusters, chosen: Ints) -> bool:
    """Whether each of these glyphs may be the digit that counts the mines shown around it."""
    at, may_be_mine = np.isin(clusters.cluster_of_tile, chosen), _may_be_mines(clusters)
    may_be_mine[chosen] = False
    mines_around = count_neighbours(may_be_mine[clusters.cluster_of_tile])[at]
    cluster = clusters.cluster_of_tile[at]
    alike = clusters.symbol_scores[cluster, mines_around - 1] >= LIKE_A_DIGIT
    return bool(((mines_around > 0) & (alike | (clusters.labels[cluster] == mines_around))).all())


def _label_leftover(clusters: Clusters, chosen: Ints, *, unlike_flags: bool) -> None:
    """Label a symbol of a lost game that is neither its usual mine nor its flag.

    A single one may be the exploded mine or a wrong flag: the numbers around it decide. Every lost
    game has an exploded mine, so the symbol is that one if no other is. A symbol that is neither,
    and not labelled as a flag, loses its certainty.
    """
    if not chosen.size:
        return
    as_mine, as_none = (_numbers_fit(clusters, chosen, mined=mined) for mined in (True, False))
    single = clusters.sizes[chosen].sum() == 1
    missing = not ((clusters.labels == Tile.EXPLODED) & (clusters.certainty >= 0.5)).any()
    missing &= not _may_be_digits(clusters)[chosen].any()
    if single and as_mine and unlike_flags and (missing or not as_none):
        clusters.assign(chosen, Tile.EXPLODED, 0.8)
    elif single and as_none and not as_mine and not _may_be_digits(clusters)[chosen].any():
        clusters.assign(chosen, Tile.WRONG_FLAG, 0.8)
    elif not np.isin(clusters.labels[chosen], (Tile.FLAG, Tile.WRONG_FLAG)).all():
        clusters.certainty[chosen] = 0.0


def _numbers_fit(clusters: Clusters, chosen: Ints, *, mined: bool) -> bool:
    """Whether the numbers beside some glyphs are right if all of these are mines, or none is."""
    numbers, here = _certain_numbers(clusters), np.isin(clusters.cluster_of_tile, chosen)
    may_be_mine = _may_be_mines(clusters)
    may_be_mine[chosen] = mined
    at = (numbers >= 0) & (count_neighbours(here) > 0)
    return not (at & (count_neighbours(may_be_mine[clusters.cluster_of_tile]) != numbers)).any()


def _label_flags(clusters: Clusters, symbol: SymbolClusters) -> None:
    """Label the only symbol of a game in play as a flag, whatever its shape.

    It stands at least twice, only on the hidden background and only beside numbers. Some number
    must say more than it has of them around it: the game is not over.
    """
    if symbol.on_open.size or symbol.on_other.size or clusters.sizes[symbol.on_hidden].sum() < 2:
        return
    flagged = np.isin(clusters.cluster_of_tile, symbol.on_hidden)
    numbers, flags_around = _certain_numbers(clusters), count_neighbours(flagged)
    near = bool((count_neighbours(numbers > 0) > 0)[flagged].all())
    if near and (numbers > flags_around).any():
        clusters.assign(symbol.on_hidden, Tile.FLAG, 0.8)


def _are_mines(clusters: Clusters, symbol: SymbolClusters) -> bool:
    """Whether a symbol is the mine of a lost game: it stands at least twice, on one background.

    In addition, either that background is the open one and the symbol stands once on another one
    (the exploded mine), or the board shows all its mines (`_all_mines_shown`).
    """
    normal = np.concatenate([symbol.on_open, symbol.on_hidden])
    if symbol.on_open.size and symbol.on_hidden.size:
        return False
    many = int(clusters.sizes[normal].sum()) >= 2
    exploded = int(clusters.sizes[symbol.on_other].sum()) == 1
    return many and ((bool(symbol.on_open.size) and exploded) or _all_mines_shown(clusters, normal))


def _all_mines_shown(clusters: Clusters, chosen: Ints) -> bool:
    """Whether the board shows all mines and these are mines: some lie far from all numbers.

    It is not enough that each number has as many of them around it as it says: the same is true of
    flags.
    """
    numbers = _certain_numbers(clusters)
    may_be_mine = _may_be_mines(clusters)
    mines_around = count_neighbours(may_be_mine[clusters.cluster_of_tile])
    off = count_neighbours(numbers >= 0) == 0
    far = off & np.isin(clusters.cluster_of_tile, chosen)
    exact = (numbers > 0).any() and not ((numbers >= 0) & (numbers != mines_around)).any()
    hidden = (off & (clusters.tiles == Tile.HIDDEN)).any()
    return bool(exact and hidden and far.sum() >= LEAST_FAR_MINES)


def _certain_numbers(clusters: Clusters) -> Tiles:
    """Return the numbers of the open cells read so far, -1 elsewhere."""
    sure = (clusters.labels >= 0) & (clusters.certainty >= CERTAIN)
    return np.where(sure, clusters.labels, -1).astype(np.int8)[clusters.cluster_of_tile]


def _group_symbols(clusters: Clusters) -> list[SymbolClusters]:
    """Group the glyphs that are no numbers to symbols, the most frequent first."""
    features, every = clusters.features, np.arange(len(clusters.labels))
    unsure = np.isin(clusters.labels, SYMBOL_LABELS) | (clusters.certainty < CERTAIN)
    left = (features.contrast >= FAINT_CONTRAST) & ~features.empty & ~clusters.fixed & unsure
    left &= clusters.sizes > 0
    on_odd_background = np.isin(every, _split_by_background(clusters, every).on_other)
    left &= ~_may_be_digits(clusters) | (on_odd_background & (clusters.sizes == 1))
    symbols = []
    for cluster in np.argsort(-clusters.sizes):
        if left[cluster]:
            alike = np.flatnonzero(left & _same_glyph(clusters, int(cluster), left))
            left[alike] = False
            symbols.append(_split_by_background(clusters, alike))
    return symbols


def _may_be_digits(clusters: Clusters) -> Mask:
    """Mark the glyphs that may be numbers, but too blurred for a label."""
    shaped = clusters.symbol_scores[:, :8].max(axis=1) >= LIKE_A_DIGIT
    plain = clusters.features.ink_spread <= PLAIN_INK
    coloured = coloured_like_digits(clusters) & (clusters.labels == UNREAD)
    return np.asarray((shaped & plain) | coloured)


def _may_be_mines(clusters: Clusters) -> Mask:
    """Mark the glyphs that may stand for a mine: all but numbers and wrong flags."""
    numbers = (clusters.labels >= 0) & (clusters.certainty >= CERTAIN)
    return np.asarray(~clusters.features.empty & ~numbers & (clusters.labels != Tile.WRONG_FLAG))


def _same_glyph(clusters: Clusters, cluster: int, among: Mask) -> Mask:
    """Mark the clusters with the glyph and the ink of ``cluster``, on any background."""
    features = clusters.features
    off = np.abs(features.ink_colour - features.ink_colour[cluster]).max(axis=1)
    near: Mask = among & (off <= SAME_INK)
    silhouette = features.silhouette
    for other in np.flatnonzero(near):
        near[other] = correlation(silhouette[other], silhouette[cluster]) >= SAME_GLYPH
    near[cluster] = True
    return near


def _split_by_background(clusters: Clusters, chosen: Ints) -> SymbolClusters:
    """Split clusters by their background, or by its colour if the border fits no empty tile."""
    same_open, like_open = _on_background_labelled(clusters, chosen, 0)
    same_hidden, like_hidden = _on_background_labelled(clusters, chosen, int(Tile.HIDDEN))
    on_open = same_open | (like_open & ~same_hidden & ~like_hidden)
    on_hidden = same_hidden | (like_hidden & ~same_open & ~like_open)
    if not clusters.backgrounds_labelled(0) and chosen.size:
        # The first click hit a mine: the background of most mines is the open one.
        most = clusters.features.background_colour[chosen[clusters.sizes[chosen].argmax()]]
        off = np.abs(clusters.features.background_colour[chosen] - most).max(axis=1)
        on_open = ~on_hidden & (off <= SAME_BACKGROUND)
    return SymbolClusters(chosen[on_open], chosen[on_hidden], chosen[~on_open & ~on_hidden])


def _on_background_labelled(clusters: Clusters, chosen: Ints, label: int) -> tuple[Mask, Mask]:
    """Mark the clusters on a background with this label, and those on one of its colour."""
    features = clusters.features
    backgrounds = list(clusters.backgrounds_labelled(label))
    labelled = features.empty & np.isin(clusters.background_of, backgrounds)
    colours = features.background_colour
    off = np.abs(colours[chosen][:, None] - colours[labelled][None]).max(axis=2)
    off = off.min(axis=1, initial=99)
    return np.isin(clusters.background_of[chosen], backgrounds), np.asarray(off <= SAME_BACKGROUND)

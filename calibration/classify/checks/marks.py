"""Flags, mines and wrong flags after a decoding: those in doubt, and those the board settles."""

from __future__ import annotations

import numpy as np

from calibration import tiles as tile_pictures
from calibration.classify.checks.hidden import BEVELLED, on_ground_of
from calibration.classify.checks.openings import ClickedCells, changed
from calibration.classify.clusters import Clusters, Mask
from calibration.classify.decoding.board_chance import MOST_BLASTS, lacks_mines
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.decoding.labels import COLUMN_OF
from calibration.classify.decoding.looks import copies_of, correlations
from calibration.classify.features import RED, Floats, colour_distance
from calibration.classify.fresh_likeness import mean_likeness
from calibration.rules import UNREAD, status_of
from solver.analysis import certain_cells
from solver.board import Tile, count_neighbours
from solver.game import Status

SEEN_OTHERWISE = 1.5
"""Logarithm of how many times likelier the network takes a flag for a mine, or a mine for a flag,
from which it is in doubt."""

HARDLY_AHEAD = 0.5
"""The same logarithm up to which it hardly takes a single mark for a flag, not a mine."""

SURELY_MINE = 0.8
"""Probability of the network from which a drawing is a mine though no number confirms it."""

MAY_BE_FLAG = 1e-6
"""Least probability of a flag on a tile read as a mine: most flags would touch no number there."""

LIKELY_MINE, SURELY_FLAG = 0.3, 0.8
"""Probabilities of the network from which it sees a mine, and surely a flag."""

SURE = 0.9
"""Probability from which a tile is surely a mine, exploded or not."""

STRONG, REDDER = 90.0, 25.0
"""Steps between the channels of a colour, or by which red is ahead, from which it is strong; and
how much redder than all mines the ground of one is that exploded."""

SAME_GROUND, MOSTLY = 4.0, 0.4
"""Colour steps up to which pixels have the colour of a plain tile, and their least share."""

SAME_SHAPE = 0.9
"""Correlation of two drawings from which they surely have one shape, whatever their colours."""

SAME_PICTURE = 4.0
"""Mean colour steps up to which two tiles show the same; those of one drawing, cut a part of a
pixel to the side, differ by 1.6 to 3.0."""

LEAST_CERTAIN, CERTAIN_SHARE = 3, 0.5
"""Fewest tiles of a look that must be mines, and their share, from which it is the look of flags if
none of its tiles must be free."""

LEAST_ON_SIDE, CHESS_STEP = 3, 3.0
"""Fewest tiles on each colour of a chessboard, and the least colour steps between the two."""


def flags_on_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark looks between hidden and a flag whose tiles must be mines, or may be, in play, ``(n,)``.

    Tiles that differ by chance, or because of how a program draws them, are not all mines. On a
    won board every covered tile is one, and this tells nothing; nor does it where no number lacks
    one: those of a lost board may be shown.
    """
    marks = {int(Tile.HIDDEN), int(Tile.FLAG)}
    pairs = zip(decoding.labels.tolist(), decoding.rivals.tolist(), strict=True)
    between = np.array([{*pair} == marks for pair in pairs])
    between &= (decoding.certainty < MARGIN) & (clusters.sizes >= LEAST_CERTAIN)
    tiles = decoding.labels[clusters.of_tile]
    if not between.any() or np.isin(tiles, (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)).any():
        return np.zeros_like(between)
    doubtful = between[clusters.of_tile]
    tiles = np.where(doubtful, np.int8(Tile.HIDDEN), tiles)
    found = certain_cells(tiles)
    if found is None:
        return np.zeros_like(between)
    mines, free = (cells & (tiles == Tile.HIDDEN) for cells in found)
    certain, wrong, others = (
        np.bincount(clusters.of_tile[marked], minlength=len(between))
        for marked in (doubtful & mines, doubtful & free, ~doubtful & free)
    )
    flags = (certain >= np.maximum(LEAST_CERTAIN, CERTAIN_SHARE * clusters.sizes)) & (wrong == 0)
    flags &= between & bool(others.any())
    marked = (tiles == Tile.FLAG) | (doubtful & flags[clusters.of_tile])
    lacking = (tiles > 0) & (tiles > count_neighbours(marked))
    return np.asarray(flags & bool(lacking.any()))


def flags_set(
    clusters: Clusters, decoding: Decoding, like_fresh: Floats | None, clicked: ClickedCells | None
) -> Mask:
    """Mark the clusters in doubt of which all tiles were flagged, ``(n,)``: so a flag looks here.

    Not those that are rather a digit, or that some clicks had made plain again: of plain tiles only
    those count that look unlike the board before the first click.
    """
    if clicked is None or not clicked.flagged.any():
        return np.zeros(len(decoding.labels), np.bool_)
    all_flagged = np.bincount(clusters.of_tile[clicked.flagged], minlength=len(clusters.sizes))
    doubtful = (decoding.certainty < MARGIN) & (decoding.labels <= 0)
    doubtful &= ~clusters.empty | _unlike_fresh(clusters, like_fresh)
    return np.asarray(doubtful & (all_flagged > 0) & (all_flagged == clusters.sizes))


def _unlike_fresh(clusters: Clusters, like_fresh: Floats | None) -> Mask:
    """Mark the clusters that surely look unlike the fresh board; none if that was not seen."""
    if like_fresh is None:
        return np.zeros(len(clusters.sizes), np.bool_)
    return np.asarray(mean_likeness(clusters, like_fresh) == 0)


def mines_alike(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark exploded mines that look as all mines do, since they are more than can explode at once.

    Or one looks as another mine does, or is plain and has its colour: this program shows no
    difference.
    """
    exploded = (decoding.labels == Tile.EXPLODED) & (clusters.sizes > 0)
    if clusters.sizes[exploded].sum() > MOST_BLASTS:
        return np.asarray(exploded)
    mines, alike = decoding.labels == Tile.MINE, np.zeros_like(exploded)
    exploded &= clusters.given == UNREAD
    for one in np.flatnonzero(exploded):
        alike[one] = _with_picture_of(clusters, int(one), mines).any()
        alike[one] |= _is_plain_in_colour_of(clusters, int(one), mines)
    return np.asarray(alike)


def _is_plain_in_colour_of(clusters: Clusters, cluster: int, others: Mask) -> bool:
    """Whether a plain cluster mostly has the colour of a plain one of the ``others``, ``(n,)``."""
    plain = clusters.empty & (clusters.sizes > 0)
    grounds = clusters.features.background_colour[others & plain][:, None, None]
    off = colour_distance(clusters.pictures[cluster].astype(np.float32), grounds)
    return bool(plain[cluster] and ((off <= SAME_GROUND).mean(axis=(1, 2)) > MOSTLY).any())


def mines_read_otherwise(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags and hidden tiles that the network sees as mines, and mines it sees as flags.

    And question marks that it sees as either. A picture on a tile that looks as before the first
    click is no mine. A single flag may be the only mine that a program shows, if the network hardly
    favours the flag.
    """
    names = "flag", "mine", "empty", "other", "exploded", "question"
    flag, mine, plain, other, exploded, question = map(clusters.seen_as, names)
    hidden = (decoding.labels == Tile.HIDDEN) & ~clusters.empty
    hidden &= changed(clusters, like_fresh)
    flags = (decoding.labels == Tile.FLAG) & ~flags_in_play(clusters, decoding, like_fresh)
    ahead = np.where(flags, np.maximum(mine, exploded) - flag, 0.0)
    may_be_flag = decoding.chances[:, COLUMN_OF[Tile.FLAG]] >= MAY_BE_FLAG
    ahead = np.where((decoding.labels == Tile.MINE) & may_be_flag, flag - mine, ahead)
    ahead = np.where(hidden, mine - np.maximum(plain, other), ahead)
    marks = np.maximum(flag, mine)
    ahead = np.where(decoding.labels == Tile.QUESTION, marks - question, ahead)
    otherwise = np.nan_to_num(ahead) >= SEEN_OTHERWISE
    if clusters.sizes[flags].sum() == 1:
        otherwise |= flags & (np.nan_to_num(exploded - flag, nan=-99.0) > -HARDLY_AHEAD)
    return np.asarray(otherwise & (clusters.given == UNREAD))


def flags_in_play(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark flags that cannot be mines: numbers lack mines, so that not all are shown.

    Then at most one is, the mine that exploded. In play mines may appear one after another.
    """
    flags = (decoding.labels == Tile.FLAG) & (clusters.sizes > 0)
    found = np.zeros(len(flags), np.bool_)
    if like_fresh is None and lacks_mines(decoding.labels[clusters.of_tile]):
        drawn = np.flatnonzero(flags & ~clusters.empty)
        for flag in drawn:
            found[flag] = clusters.sizes[copies_of(clusters, int(flag), drawn)].sum() > 1
    return found


def mines_that_may_have_exploded(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark what is surely a mine, and looks as another one does, whether it exploded or not."""
    chances = decoding.chances[:, [COLUMN_OF[Tile.MINE], COLUMN_OF[Tile.EXPLODED]]]
    mines = np.isin(decoding.labels, (Tile.MINE, Tile.EXPLODED)) & ~clusters.empty
    found = np.zeros(len(mines), np.bool_)
    doubtful = (chances.sum(axis=1) >= SURE) & (chances.max(axis=1) < MARGIN) & ~decoding.doubted
    for mine in np.flatnonzero(mines & doubtful):
        alike = _with_picture_of(clusters, int(mine), mines)
        found[mine] = clusters.sizes[alike].sum() > 1
    return found


def _with_picture_of(clusters: Clusters, cluster: int, others: Mask) -> Mask:
    """Mark those of the ``others``, ``(n,)``, that show the same as one cluster, on some tile."""
    same = tile_pictures.steps_from(clusters.pictures, cluster) <= SAME_PICTURE
    return np.asarray(others & (clusters.sizes > 0) & same)


def colours_after_a_win(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> Mask:
    """Mark hidden clusters of a won board whose colour may mark them as flags or mines.

    Every cell that is left is a mine then, and no rule tells how it is shown: red ones may be
    mines, and all others of a strong colour flags if there is no flag. The fresh board tells.
    Raised tiles are hidden, and so are those in the two colours of a chessboard. A single plain
    flag that is red may be the mine that exploded, and the game lost.
    """
    tiles = decoding.labels[clusters.of_tile]
    hidden = clusters.empty & (decoding.labels == Tile.HIDDEN) & (clusters.given == UNREAD)
    if like_fresh is not None or status_of(tiles, None) is not Status.WON:
        return np.zeros_like(hidden)
    red, flags = clusters.features.red_ahead > STRONG, decoding.labels == Tile.FLAG
    strong = np.ptp(clusters.features.background_colour, axis=1) > STRONG
    strong &= not (tiles == Tile.FLAG).any()
    doubtful = hidden & (clusters.relief < BEVELLED) & (strong | red)
    doubtful &= not _is_chessboard(clusters, hidden)
    blast = clusters.empty & red & flags & (clusters.given == UNREAD)
    return np.asarray(doubtful | (blast & ((tiles == Tile.FLAG).sum() == 1)))


def _is_chessboard(clusters: Clusters, marked: Mask) -> bool:
    """Whether the marked tiles have the two colours of a chessboard, which may hardly differ."""
    tiles = marked[clusters.of_tile]
    odd = (np.argwhere(tiles).sum(axis=1) % 2).astype(np.bool_)
    if min(odd.sum(), (~odd).sum()) < LEAST_ON_SIDE:
        return False
    pictures = tile_pictures.cut(clusters.frame, clusters.grid)[tiles]
    colours = np.median(pictures, axis=(1, 2))
    sides = np.median(colours[odd], axis=0), np.median(colours[~odd], axis=0)
    to_odd, to_even = (np.abs(colours - side).max(axis=1) for side in sides)
    apart = np.where(odd, to_even - to_odd, to_odd - to_even)
    return bool(apart.min() >= CHESS_STEP)


def flags_shaped_as_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark flags with the shape of the mines beside them, in another colour: one may have exploded.

    Or it is taken for one that exploded, but is neither red nor on open ground, where no other mine
    is: it may be a flag. Not what the network surely takes for flags.
    """
    drawn = (clusters.sizes > 0) & ~clusters.empty
    flag = np.exp(np.nan_to_num(clusters.seen_as("flag"), nan=0.0))
    flags = drawn & (decoding.labels == Tile.FLAG) & (flag < SURELY_FLAG)
    mines, found = drawn & (decoding.labels == Tile.MINE), np.zeros(len(drawn), np.bool_)
    ink, ahead = clusters.features.ink_colour, clusters.features.red_ahead
    red = np.maximum(ink[:, 0] - ink[:, 1:].max(axis=1), ahead) > STRONG
    red |= ahead > REDDER + ahead[mines].max(initial=0.0)
    on_open = on_ground_of(clusters, (clusters.sizes > 0) & (decoding.labels >= 0))
    on_open &= not on_open[mines].any()
    flags |= drawn & (decoding.labels == Tile.EXPLODED) & ~red & ~on_open
    flags &= clusters.given == UNREAD
    shapes = clusters.features.silhouette
    for one in np.flatnonzero(flags & (clusters.sizes[mines].sum() > 1)):
        alike = correlations(shapes[mines], shapes[one]) >= SAME_SHAPE
        found[one] = clusters.sizes[mines][alike].sum() > 1
    return found


def unknown_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the mines that do not look like one, if no number beside a mine has as many as it says.

    A strange drawing on the cell that was clicked may as well be a 0. Nor is a single plain tile a
    mine beside one that exploded and is drawn: a window of the size of a tile may lie there. Where
    all other cells are open, red drawings on tiles that are not red, which pass for exploded mines,
    may be the flags of a win. And a mine that is less red than all others, which are on red, may be
    one that was flagged, not the one that exploded.
    """
    drawn = np.isin(decoding.labels, (Tile.MINE, Tile.EXPLODED)) & ~clusters.empty
    mine, exploded = (np.exp(clusters.seen_as(name)) for name in ("mine", "exploded"))
    chance = mine + exploded
    tiles = decoding.labels[clusters.of_tile]
    shown = np.isin(tiles, (Tile.MINE, Tile.EXPLODED))
    around = count_neighbours(shown | (tiles == Tile.FLAG))
    confirmed = ((tiles > 0) & (tiles == around) & (count_neighbours(shown) > 0)).any()
    strange = drawn & (np.nan_to_num(chance, nan=1.0) < SURELY_MINE) & (not confirmed)
    used, mines = clusters.sizes > 0, decoding.labels == Tile.MINE
    blasts = used & (decoding.labels == Tile.EXPLODED)
    alone = clusters.sizes[mines].sum() == 1 and blasts.any() and not clusters.empty[blasts].any()
    kind = Tile.MINE if (tiles == Tile.MINE).any() else Tile.EXPLODED
    won = status_of(np.where(tiles == kind, Tile.FLAG, tiles), None) is Status.WON
    ahead = clusters.features.red_ahead
    red_ink = drawn & (exploded > mine) & (ahead <= RED) & won
    least = ahead[used & mines].min(initial=np.inf)
    pale = drawn & blasts & (ahead + REDDER < least) & (STRONG < least < np.inf)
    return np.asarray(strange | red_ink | pale | (used & mines & clusters.empty & bool(alone)))


def crossed_mines(clusters: Clusters, decoding: Decoding) -> Mask:
    """Mark the wrong flags that are the mines of a lost board, drawn as crosses.

    No other mine is shown but exploded ones, and each number beside a cross counts all of them.
    """
    crosses = (decoding.labels == Tile.WRONG_FLAG) & (clusters.given == UNREAD)
    tiles = decoding.labels[clusters.of_tile]
    wrong = tiles == Tile.WRONG_FLAG
    mined = np.isin(tiles, (Tile.EXPLODED, Tile.FLAG)) | wrong
    counted = (tiles == count_neighbours(mined))[(tiles > 0) & (count_neighbours(wrong) > 0)]
    mines = wrong.sum() > 1 and counted.any() and counted.all()
    return np.asarray(crosses & bool(mines and not (tiles == Tile.MINE).any()))

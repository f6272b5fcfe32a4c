"""The witnesses: each gives every cluster a log-likelihood for every label.

A table is float32 ``(n, 16)``, one column a label of `labels.LABELS`. Its unit is the natural
logarithm, and 0 stands for a tile that is nothing of the game: 3 says that such a tile looks like
this twenty times more often if it has the label than if it is anything else.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration import labels
from calibration.classify.board_digits import digit_table
from calibration.classify.clusters import Clusters, Mask
from calibration.classify.features import RED, Floats
from calibration.classify.fresh_likeness import AS_BEFORE, mean_likeness
from calibration.classify.tile_network.network import CLASSES
from calibration.likeness import MOST_COLOURS, TINTED, colours_in
from calibration.rules import UNREAD

GIVEN = 9.0
"""Log-likelihood of a label that the theme or an earlier frame gives."""

LEAST_OTHER = -4.0
"""The least log-chance of anything else that the network is believed."""

PICTURE_ON_EMPTY = 1.0
"""How much less likely a tile that the network knows as nothing is a hidden or an open one."""

DRAWN_OTHERWISE = 1.5
"""How much less likely a drawing that the network does not know is a flag or a mine."""

DRAWN_SYMBOL, PLAIN_SYMBOL = (0.7, -2.0, 0.0, -1.0, -0.7), (-1.0, -6.0, -1.5, -1.0, -6.0)
"""What is said for a flag, a question mark, a mine, an exploded one and a wrong flag, by how often
each is seen: of a glyph, and of a tile without one."""

ON_COLOUR = 0.5
"""What is said for an exploded mine of a glyph on a colour: it is marked by one."""

MOST_MINES = 0.35
"""Largest share of a board that is mines."""

EVEN_SAYS = 4.0
"""What an even tile says for each of the labels that have no drawing."""

MOST_SAID = 6.0
"""Most that the network can say for or against a label."""

OPENED = 4.0
"""How much less likely a tile that only clicks changed is covered, or no tile of the game."""

NO_MARK = 9.0
"""How much less likely a tile that any click was to open, and that changed, is a mark."""


def hear_witnesses(
    clusters: Clusters,
    like_fresh: Floats | None = None,
    opened: Mask | None = None,
    clicked: Mask | None = None,
) -> Mapping[str, Floats]:
    """Return the tables of all witnesses by name.

    ``like_fresh`` ``(rows, cols)`` says how far each tile looks as before the first click, 0 to 1,
    ``opened`` ``(n,)`` marks what clicks must have opened, and ``clicked`` what was clicked to
    open it, and changed.
    """
    tables = {
        "drawing": _drawing(clusters),
        "network": _network(clusters),
        "colour": _colour(clusters, like_fresh),
        "relief": _relief(clusters),
        "known": _known(clusters),
    }
    if like_fresh is not None:
        tables["fresh board"] = _fresh_board(clusters, like_fresh)
    if opened is not None:
        tables["opened"] = _opened(clusters, opened)
    if clicked is not None:
        tables["clicks"] = _clicks(clusters, clicked)
    return tables


def _table(clusters: Clusters) -> Floats:
    return np.zeros((len(clusters.sizes), len(labels.LABELS)), dtype=np.float32)


def _drawing(clusters: Clusters) -> Floats:
    """Judge whether a glyph is drawn, and digits by how they are drawn elsewhere on the board."""
    table, empty = _table(clusters), clusters.empty
    table[:, labels.DIGITS] = digit_table(clusters)
    table[:, labels.FLAG : labels.OTHER] = DRAWN_SYMBOL
    tinted = np.ptp(clusters.features.background_colour, axis=1) > TINTED
    table[tinted, labels.EXPLODED] = ON_COLOUR
    # A program may draw a picture on each empty tile, and mark a tile by its colour alone.
    table[:, [labels.HIDDEN, labels.ZERO]] = np.where(empty, 3.0, -1.5)[:, None]
    table[empty, labels.DIGITS] = -9.0
    table[empty, labels.FLAG : labels.OTHER] = PLAIN_SYMBOL
    table[:, labels.OTHER] = -1.0 - np.minimum(0.6 * clusters.sizes, 12.0)
    return table


def _colour(clusters: Clusters, like_fresh: Floats | None) -> Floats:
    """Take plain red tiles for mines, and a few coloured ones on a grey board for flags.

    On a board of many colours no colour says anything; nor does red where hidden tiles are red, as
    before the first click, or because they are too many to be mines.
    """
    table, ground = _table(clusters), clusters.features.background_colour
    rainbow = colours_in(ground[clusters.empty]) > MOST_COLOURS
    red = np.flatnonzero(clusters.empty & (clusters.features.red_ahead > RED))
    hidden = clusters.sizes[red].sum() > MOST_MINES * clusters.of_tile.size
    if like_fresh is not None and red.size:
        hidden |= bool((mean_likeness(clusters, like_fresh)[red] > AS_BEFORE).any())
    if not (rainbow or hidden):
        table[red, labels.HIDDEN] = table[red, labels.ZERO] = -3.0
        table[red, labels.FLAG] = 1.0
        table[red, labels.MINE], table[red, labels.EXPLODED] = 5.0, 4.0
    plain, tinted = np.ptp(ground, axis=1) < TINTED, np.ptp(ground, axis=1) > RED
    many = clusters.sizes[clusters.empty & plain].sum()
    if not rainbow and many > 4 * clusters.sizes[clusters.empty & tinted].sum():
        few = np.flatnonzero(clusters.empty & tinted)
        table[few, labels.FLAG] += 2.0
        table[few, labels.HIDDEN] -= 1.0
    return table


def _network(clusters: Clusters) -> Floats:
    """Name single tiles by the learned network; it knows no neighbours and no rules."""
    table = _table(clusters)
    asked = np.flatnonzero(~np.isnan(clusters.network_scores[:, 0]))
    scores = clusters.network_scores[asked]
    of_class = {name: scores[:, index] for index, name in enumerate(CLASSES)}
    other = np.maximum(of_class["other"], LEAST_OTHER)
    plain = np.maximum(of_class["empty"], other - PICTURE_ON_EMPTY)
    columns = {
        labels.HIDDEN: plain,
        labels.ZERO: np.maximum(plain, of_class["zero"]),
        **{labels.ZERO + digit: of_class[str(digit)] for digit in range(1, 9)},
        labels.FLAG: np.maximum(of_class["flag"], other - DRAWN_OTHERWISE),
        labels.QUESTION: of_class["question"],
        labels.MINE: np.maximum(
            np.maximum(of_class["mine"], of_class["exploded"]), other - DRAWN_OTHERWISE
        ),
        labels.EXPLODED: np.maximum(of_class["exploded"], of_class["mine"] - 1.0),
        labels.WRONG_FLAG: np.maximum(of_class["wrong_flag"], other - DRAWN_OTHERWISE),
    }
    for column, score in columns.items():
        table[asked, column] = np.clip(score - other, -MOST_SAID, MOST_SAID)
    # Marks may be plain colours: of a tile without a drawing the network does not know better.
    empty = np.flatnonzero(clusters.empty & (clusters.given == UNREAD))
    for column in (labels.HIDDEN, labels.ZERO, labels.FLAG, labels.MINE, labels.EXPLODED):
        table[empty, column] = EVEN_SAYS
    table[empty, labels.ZERO + 1 : labels.FLAG] = -MOST_SAID
    table[empty, labels.QUESTION] = table[empty, labels.WRONG_FLAG] = -MOST_SAID
    return table


def _relief(clusters: Clusters) -> Floats:
    """Favour hidden for empty tiles that look raised, faintly."""
    table = _table(clusters)
    bevel = clusters.features.bevel
    raised = np.clip((bevel[:, 0] - bevel[:, 1]) / 40, -0.5, 1) * clusters.features.empty
    table[:, labels.HIDDEN] = 0.7 * raised
    table[:, labels.ZERO] = -0.7 * raised
    return table


def _known(clusters: Clusters) -> Floats:
    """Favour the label that a theme or an earlier frame gives."""
    table = _table(clusters)
    for cluster in np.flatnonzero(clusters.given != UNREAD):
        table[cluster] = -GIVEN
        table[cluster, labels.COLUMN_OF[int(clusters.given[cluster])]] = GIVEN
    table[:, labels.OTHER] = 0.0
    return table


def _fresh_board(clusters: Clusters, like_fresh: Floats) -> Floats:
    """Favour hidden for what looks as the board did before the first click."""
    table = _table(clusters)
    like = mean_likeness(clusters, like_fresh)
    table[:, labels.HIDDEN] = np.where(like > 0.5, 7.0, np.where(like < 0.1, -6.0, 0.0))
    table[:, labels.ZERO] = np.where(like > 0.5, -4.0, 0.0)
    table[:, labels.FLAG : labels.OTHER] = np.where(like > 0.5, -4.0, 0.0)[:, None]
    return table


def _opened(clusters: Clusters, opened: Mask) -> Floats:
    """Take what nothing but clicks changed for an open tile or a mine, whatever is drawn on it."""
    table = _table(clusters)
    for column in (labels.HIDDEN, labels.FLAG, labels.QUESTION, labels.WRONG_FLAG, labels.OTHER):
        table[opened, column] = -OPENED
    return table


def _clicks(clusters: Clusters, clicked: Mask) -> Floats:
    """Take what changed with a click that was to open it for no mark: another click makes those.

    If it is a mine, it exploded.
    """
    table = _table(clusters)
    for column in (labels.FLAG, labels.QUESTION, labels.WRONG_FLAG):
        table[clicked, column] = -NO_MARK
    table[clicked, labels.MINE] = -OPENED
    return table

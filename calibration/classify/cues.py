"""Cues: sources of evidence, each of which gives every cluster a log-likelihood for every label.

A table is float32 ``(n, 16)``, one column a label of `labels.LABELS`. Its unit is the natural
logarithm, and 0 stands for a tile that is nothing of the game: 3 says that such a tile looks like
this twenty times more often if it has the label than if it is anything else.

Cues are a small network (`tile_network`), the colours and heights of clearer digits, the bevel
and colours of the backgrounds, and the board before the first click.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import labels
from calibration import tiles as tile_pictures
from calibration.classify.clusters import PLAIN, Clusters, Mask
from calibration.classify.features import RED, Features, Floats
from calibration.classify.tile_network import CLASSES
from calibration.rules import UNREAD
from calibration.tiles import (
    MOST_COLOURS,
    SAME_APPEARANCE,
    SAME_COLOUR,
    TINTED,
    colour_range,
    colours_in,
    steps_between,
)

AS_BEFORE = 0.5
"""Least likeness of a tile, or a cluster, that looks as before the first click."""

LIKE_FRESH = 1.5
"""Mean colour steps up to which a tile looks as it did on the fresh board."""

MOST_UNEVEN_MIDDLE = 24.0
"""Colour steps by which parts of two by two pixels in the middle of such a tile differ at most."""

ENOUGH_COPIES, OTHER_SHADE = 0.5, 4.0
"""Share of exact copies among the insides that look like the fresh ones, which shows that nothing
moved, and colour steps by which the inside of any other tile differs then: of a page with bubbles
behind its tiles by up to 3."""

UNLIKE_FRESH, NEITHER = 10.0, 0.3
"""Mean colour steps up to which a tile is not surely unlike it, and its likeness then."""

SIDE_PX, TEXTURED = 3, 24
"""Pixels of a tile's picture along each side in which a neighbour may draw, and colour steps
between the pixels inside them from which an opened tile would not look so again."""

FEWEST_COLOURED = 2
"""Plain tiles that got another colour, which shows that zeros do not look like hidden tiles."""


def mean_likeness(clusters: Clusters, like_fresh: Floats) -> NDArray[np.float64]:
    """Average the likeness to the fresh board ``(rows, cols)`` over the tiles of each cluster.

    Pictures of hidden tiles that were seen before are like it.
    """
    total = np.bincount(clusters.of_tile.ravel(), like_fresh.ravel(), len(clusters.sizes))
    return np.where(clusters.sizes > 0, total / np.maximum(clusters.sizes, 1), 1.0)


def likeness_to_fresh(clusters: Clusters, fresh: NDArray[np.uint8]) -> Floats:
    """Return how far each tile looks as at the start, ``(rows, cols)``.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click.
    The result is 1 if a tile equals the fresh tile at its place, or any other fresh tile, and
    `NEITHER` if it nearly does, as in a window that moved by a pixel.

    If most insides of equal tiles are exact copies, nothing moved, and small differences count: a
    tile whose inside has another colour gets 0, and one that changed only at a side, together with
    its neighbour there, gets 1.
    """
    flat = fresh.reshape(-1, *fresh.shape[2:])
    _, leaders = tile_pictures.gather(tile_pictures.coarse(flat), SAME_APPEARANCE)
    like = np.zeros(len(clusters.sizes), dtype=np.float32)
    for index, picture in enumerate(clusters.pictures):
        same = clusters.of_tile == index
        others = [flat[leader] for leader in leaders[:16]]
        near = [_distance(picture, other) for other in others]
        if min(near) <= LIKE_FRESH:
            like[index] = 1.0
            continue
        if same.any():
            off = [_distance(*pair) for pair in zip(clusters.tiles[same], fresh[same], strict=True)]
            like[index] = float((np.array(off) <= 2 * LIKE_FRESH).mean())
        if min(near) <= UNLIKE_FRESH:
            like[index] = max(like[index], NEITHER)
    of_tile, change = like[clusters.of_tile], np.abs(clusters.tiles - fresh.astype(np.int16))
    middle = change[:, :, SIDE_PX:-SIDE_PX, SIDE_PX:-SIDE_PX]
    alike = middle.mean(axis=(2, 3, 4)) <= LIKE_FRESH
    same = _same(middle)
    if not alike.any() or same.sum() < ENOUGH_COPIES * alike.sum():
        return of_tile
    of_tile[change[:, :, 6:-6, 6:-6].mean(axis=(2, 3)).max(axis=2) >= OTHER_SHADE] = 0
    of_tile[_changed_with_neighbours(clusters.tiles, fresh, change, same)] = 1
    return of_tile


def _changed_with_neighbours(
    tiles: NDArray[np.uint8], fresh: NDArray[np.uint8], change: NDArray[np.int16], same: Mask
) -> Mask:
    """Mark the tiles that changed only at sides next to tiles that changed inside.

    ``same`` marks the tiles whose insides did not change. The line between two tiles changes when
    one of them opens, or a shadow goes. A tile is marked only if it cannot be open: it has the
    texture of a hidden tile, or opened tiles change their colour on this board.
    """
    middle, first, last = slice(SIDE_PX, -SIDE_PX), slice(SIDE_PX), slice(-SIDE_PX, None)
    before, now = (colour_range(one[:, :, middle, middle]) for one in (fresh, tiles))
    opens_in_colour = (~same & (before <= PLAIN) & (now <= PLAIN)).sum() >= FEWEST_COLOURED
    marked = same & ((before >= TEXTURED) | opens_in_colour)
    around = np.pad(same, 1, constant_values=True)
    marked &= _same(change[:, :, first, middle]) | ~around[:-2, 1:-1]
    marked &= _same(change[:, :, last, middle]) | ~around[2:, 1:-1]
    marked &= _same(change[:, :, middle, first]) | ~around[1:-1, :-2]
    marked &= _same(change[:, :, middle, last]) | ~around[1:-1, 2:]
    return np.asarray(marked)


def _same(change: NDArray[np.int16]) -> Mask:
    """Mark the tiles whose pixels all changed by at most one colour step."""
    return np.asarray(change.max(axis=(2, 3, 4)) <= 1)


def _distance(picture: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return by how many colour steps two tile pictures differ on average.

    They are far from each other if a small part of the middle changed: a tiny digit is drawn there.
    """
    off = cv2.absdiff(picture, other)
    middle = off[5:-5, 5:-5].reshape(7, 2, 7, 2, 3).mean(axis=(1, 3))
    return UNLIKE_FRESH + 1 if middle.max() > MOST_UNEVEN_MIDDLE else float(off.mean())


FAR_COLOUR, NO_COLOUR = -6.0, -2.0
"""What the colours say at most against a digit, and what they say where its colours are unknown."""

HEIGHT_SLACK = 0.11
"""How far the top or bottom of a digit may be from those of the others, in tiles."""

CLEAR_DIGIT, LIKELY_DIGIT = 0.65, 0.35
"""Probability by the network from which a digit is a clear one, whose colours count, and one from
which a drawing in other colours is likelier a digit than not."""


def digit_table(clusters: Clusters) -> Floats:
    """Return the log-likelihoods of 1 to 8, ``(n, 8)``."""
    seen = _digits_seen(clusters)
    off = _colour_distance(clusters, seen >= CLEAR_DIGIT)
    # Where different digits have one colour, it does not separate them.
    shared = (off <= SAME_COLOUR).sum(axis=1, keepdims=True) > 1
    off = np.where(shared, np.inf, off)
    colour = np.where(np.isinf(off), NO_COLOUR, np.maximum(FAR_COLOUR, -np.square(off / 30)))
    colour = np.where(shared, 0.0, colour) / 2.2
    least = np.where(off <= SAME_COLOUR, -0.1, LIKELY_DIGIT)
    likely = 6.0 * np.clip((seen - least) / 0.3, -0.5, 1) - 1.5
    table = colour - colour.max(axis=1, keepdims=True) + likely
    return np.asarray(table - _odd_heights(clusters, seen)[:, None], dtype=np.float32)


def _digits_seen(clusters: Clusters) -> Floats:
    """Return how likely each digit is by the network, or by its given label, ``(n, 8)``."""
    seen = clusters.digit_chances.copy()
    given = np.flatnonzero(clusters.given > 0)
    seen[given, clusters.given[given] - 1] = 1.0
    return seen


def _odd_heights(clusters: Clusters, seen: Floats) -> Floats:
    """Return what speaks against a digit of another height, or place, than the others, ``(n,)``."""
    features = clusters.features
    against = np.zeros(len(seen), np.float32)
    drawn = ~features.empty & (seen.max(axis=1) >= 0.5)
    if drawn.any():
        for side in (0, 2):
            usual = _weighted_median(features.ink_box[drawn, side], clusters.sizes[drawn])
            off = np.abs(features.ink_box[:, side] - usual)
            against += np.clip((off - HEIGHT_SLACK) / 0.02, 0, 4)
    return against


def _colour_distance(clusters: Clusters, clear: Mask) -> Floats:
    """Return the distance ``(n, 8)`` of each glyph's colours from those of the clear digits.

    Infinite where no glyph shows the digit clearly.
    """
    keys = _colour_keys(clusters.features)
    distance = np.full(clear.shape, np.inf, dtype=np.float32)
    for digit in range(8):
        anchors = keys[clear[:, digit] & ~clusters.features.empty]
        if len(anchors):
            distance[:, digit] = steps_between(keys, anchors).min(axis=1)
    return distance


def _colour_keys(features: Features) -> Floats:
    """Return the colours of ink and background, and the direction from background to ink.

    Float32 ``(n, 9)``; the direction comes first. Blurring changes it least.
    """
    direction = features.ink_colour - features.background_colour
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    direction = 90 * direction / np.maximum(length, 1)
    keys = [direction, 0.3 * features.ink_colour, features.background_colour]
    return np.hstack(keys).astype(np.float32)


def _weighted_median(values: Floats, weight: np.ndarray) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


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


def cue_tables(
    clusters: Clusters,
    like_fresh: Floats | None = None,
    opened: Mask | None = None,
    clicked: Mask | None = None,
) -> Mapping[str, Floats]:
    """Return the tables of all cues by name.

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
    # Symbols may be plain colours: of a tile without a drawing the network does not know better.
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

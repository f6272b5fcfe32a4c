"""Cues: sources of evidence that give every cluster a log-likelihood for every label.

A table is float32 ``(n, 16)`` with a column for each of `labels.LABELS`, in natural logarithms. 0
stands for what is not a tile of the game: 3 says that a tile with this label looks like this twenty
times as often as anything else.

Cues are a small network (`tile_network`), the colours and heights of clearer digits, the bevel and
colours of the backgrounds, and the board before the first click.
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
"""A tile or cluster looks as before the first click from this likeness."""

LIKE_FRESH = 1.5
"""A tile looks as on the fresh board if it differs by at most so many colour steps on average."""

MOST_UNEVEN_MIDDLE = 24.0
"""Parts of two by two pixels in the middle of such a tile differ by at most so many steps."""

ENOUGH_COPIES = 0.5
"""Nothing moved if this share of the insides that look like the fresh ones are exact copies."""

OTHER_SHADE = 4.0
"""If nothing moved, an inside that differs by so many colour steps has changed. On a page with
bubbles behind its tiles they differ by up to 3 steps."""

UNLIKE_FRESH, NEITHER = 10.0, 0.3
"""A tile that differs from it by at most so many mean steps may still be the same: its likeness."""

SIDE_PX = 3
"""Pixels along each side of a tile's picture that a neighbour may change."""

TEXTURED = 24
"""Range of colours inside these pixels from which an opened tile cannot look the same."""

FEWEST_COLOURED = 2
"""If so many plain tiles changed their colour, zeros do not look like hidden tiles."""


def mean_likeness(clusters: Clusters, like_fresh: Floats) -> NDArray[np.float64]:
    """Average the likeness to the fresh board ``(rows, cols)`` over the tiles of each cluster.

    Pictures of hidden tiles of earlier boards have likeness 1.
    """
    total = np.bincount(clusters.of_tile.ravel(), like_fresh.ravel(), len(clusters.sizes))
    return np.where(clusters.sizes > 0, total / np.maximum(clusters.sizes, 1), 1.0)


def likeness_to_fresh(clusters: Clusters, fresh: NDArray[np.uint8]) -> Floats:
    """Return how much each tile looks as at the start, ``(rows, cols)``.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click.
    The result is 1 if a tile equals a fresh tile, and `NEITHER` if it nearly does, for instance in
    a window that moved by a pixel.

    If most insides of equal tiles are exact copies, nothing moved, and small differences count: a
    tile with another colour inside gets 0, and one that changed only at the side of a neighbour
    that changed gets 1.
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
    one of them opens. A tile is marked only if it cannot be open: it has the texture of a hidden
    tile, or opened tiles change their colour on this board.
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

    If a small part of the middle changed, the result is large: it may be a tiny digit.
    """
    off = cv2.absdiff(picture, other)
    middle = off[5:-5, 5:-5].reshape(7, 2, 7, 2, 3).mean(axis=(1, 3))
    return UNLIKE_FRESH + 1 if middle.max() > MOST_UNEVEN_MIDDLE else float(off.mean())


FAR_COLOUR = -6.0
"""Lowest value of the colours for a digit."""

NO_COLOUR = -2.0
"""Value of the colours for a digit whose colours are unknown."""

HEIGHT_SLACK = 0.11
"""Largest distance of a digit's top or bottom from those of other digits, in tiles."""

CLEAR_DIGIT = 0.65
"""Probability by the network from which a digit is clear, and its colours count."""

LIKELY_DIGIT = 0.35
"""Probability from which a drawing in other colours is likely a digit."""


def digit_table(clusters: Clusters) -> Floats:
    """Return the log-likelihoods of 1 to 8, ``(n, 8)``."""
    seen = _digits_seen(clusters)
    off = _colour_distance(clusters, seen >= CLEAR_DIGIT)
    # If several digits share a colour, it does not separate them.
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
    """Return a penalty for digits of another height or place than the others, ``(n,)``."""
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

    It is infinite for digits that no glyph shows clearly.
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
"""Log-likelihood of a label that is known from the theme or an earlier frame."""

LEAST_OTHER = -4.0
"""Lowest log-probability of *other* that is accepted from the network; lower ones are raised to
it."""

PICTURE_ON_EMPTY = 1.0
"""Penalty for *hidden* and *open* on a tile that the network does not know."""

UNKNOWN_DRAWING = 1.5
"""Penalty for *flag* and *mine* on a drawing that the network does not know."""

DRAWN_SYMBOL, PLAIN_SYMBOL = (0.7, -2.0, 0.0, -1.0, -0.7), (-1.0, -6.0, -1.5, -1.0, -6.0)
"""Values for flag, question mark, mine, exploded mine and wrong flag by how frequent they are: on a
glyph, and on a tile without one."""

ON_COLOUR = 0.5
"""Value for an exploded mine if a glyph is on a colour, which marks it."""

MOST_MINES = 0.35
"""Largest share of mines on a board."""

EVEN_SAYS = 4.0
"""Value of a plain tile for the labels without a drawing."""

MOST_SAID = 6.0
"""Largest value of the network for or against a label."""

OPENED = 4.0
"""Penalty for *covered* and *other* on a tile that only clicks changed."""

NO_MARK = 9.0
"""Penalty for a mark on a tile that changed after a click to open it."""


def cue_tables(
    clusters: Clusters,
    like_fresh: Floats | None = None,
    opened: Mask | None = None,
    clicked: Mask | None = None,
) -> Mapping[str, Floats]:
    """Return the tables of all cues by name.

    ``like_fresh`` ``(rows, cols)`` says how much each tile looks as before the first click, 0 to 1.
    ``opened`` ``(n,)`` marks clusters that clicks must have opened, ``clicked`` those that changed
    after clicks to open them.
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
        tables["clicks"] = _changed_by_clicks(clusters, clicked)
    return tables


def _table(clusters: Clusters) -> Floats:
    return np.zeros((len(clusters.sizes), len(labels.LABELS)), dtype=np.float32)


def _drawing(clusters: Clusters) -> Floats:
    """Rate whether a glyph is drawn, and digits by how they are drawn elsewhere on the board."""
    table, empty = _table(clusters), clusters.empty
    table[:, labels.DIGITS] = digit_table(clusters)
    table[:, labels.FLAG : labels.OTHER] = DRAWN_SYMBOL
    tinted = np.ptp(clusters.features.background_colour, axis=1) > TINTED
    table[tinted, labels.EXPLODED] = ON_COLOUR
    # A program may draw a picture on each empty tile, or mark a tile by its colour alone.
    table[:, [labels.HIDDEN, labels.ZERO]] = np.where(empty, 3.0, -1.5)[:, None]
    table[empty, labels.DIGITS] = -9.0
    table[empty, labels.FLAG : labels.OTHER] = PLAIN_SYMBOL
    table[:, labels.OTHER] = -1.0 - np.minimum(0.6 * clusters.sizes, 12.0)
    return table


def _colour(clusters: Clusters, like_fresh: Floats | None) -> Floats:
    """Favour mines for plain red tiles, and flags for a few coloured ones on a grey board.

    Colours say nothing on a board of many colours. Red says nothing if the hidden tiles are red:
    before the first click, or if there are too many to be mines.
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
    """Rate single tiles by the small network, which knows neither neighbours nor rules."""
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
        labels.FLAG: np.maximum(of_class["flag"], other - UNKNOWN_DRAWING),
        labels.QUESTION: of_class["question"],
        labels.MINE: np.maximum(
            np.maximum(of_class["mine"], of_class["exploded"]), other - UNKNOWN_DRAWING
        ),
        labels.EXPLODED: np.maximum(of_class["exploded"], of_class["mine"] - 1.0),
        labels.WRONG_FLAG: np.maximum(of_class["wrong_flag"], other - UNKNOWN_DRAWING),
    }
    for column, score in columns.items():
        table[asked, column] = np.clip(score - other, -MOST_SAID, MOST_SAID)
    # Symbols may be plain colours, which the network cannot know.
    empty = np.flatnonzero(clusters.empty & (clusters.given == UNREAD))
    for column in (labels.HIDDEN, labels.ZERO, labels.FLAG, labels.MINE, labels.EXPLODED):
        table[empty, column] = EVEN_SAYS
    table[empty, labels.ZERO + 1 : labels.FLAG] = -MOST_SAID
    table[empty, labels.QUESTION] = table[empty, labels.WRONG_FLAG] = -MOST_SAID
    return table


def _relief(clusters: Clusters) -> Floats:
    """Favour hidden a little for empty tiles that look raised."""
    table = _table(clusters)
    bevel = clusters.features.bevel
    raised = np.clip((bevel[:, 0] - bevel[:, 1]) / 40, -0.5, 1) * clusters.features.empty
    table[:, labels.HIDDEN] = 0.7 * raised
    table[:, labels.ZERO] = -0.7 * raised
    return table


def _known(clusters: Clusters) -> Floats:
    """Favour the label that is known from a theme or an earlier frame."""
    table = _table(clusters)
    for cluster in np.flatnonzero(clusters.given != UNREAD):
        table[cluster] = -GIVEN
        table[cluster, labels.COLUMN_OF[int(clusters.given[cluster])]] = GIVEN
    table[:, labels.OTHER] = 0.0
    return table


def _fresh_board(clusters: Clusters, like_fresh: Floats) -> Floats:
    """Favour hidden for tiles that look as before the first click."""
    table = _table(clusters)
    like = mean_likeness(clusters, like_fresh)
    table[:, labels.HIDDEN] = np.where(like > 0.5, 7.0, np.where(like < 0.1, -6.0, 0.0))
    table[:, labels.ZERO] = np.where(like > 0.5, -4.0, 0.0)
    table[:, labels.FLAG : labels.OTHER] = np.where(like > 0.5, -4.0, 0.0)[:, None]
    return table


def _opened(clusters: Clusters, opened: Mask) -> Floats:
    """Favour *open* and *mine* for tiles that only clicks changed, whatever is drawn on them."""
    table = _table(clusters)
    for column in (labels.HIDDEN, labels.FLAG, labels.QUESTION, labels.WRONG_FLAG, labels.OTHER):
        table[opened, column] = -OPENED
    return table


def _changed_by_clicks(clusters: Clusters, clicked: Mask) -> Floats:
    """Rule out marks for tiles that changed after a click to open them: another click sets marks.

    If such a tile is a mine, it exploded.
    """
    table = _table(clusters)
    for column in (labels.FLAG, labels.QUESTION, labels.WRONG_FLAG):
        table[clicked, column] = -NO_MARK
    table[clicked, labels.MINE] = -OPENED
    return table

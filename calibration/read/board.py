"""Read a board by the network and the rules: a label for each tile, and how sure it is.

The network rates each tile; what is exact is done here. Tiles that look the same share a label, so
their log-probabilities are averaged. A number has at least as many covered neighbours as it says,
and at most as many mines; a zero has neither a hidden tile nor a mine beside it, but may have
marks. The labelling with the best sum of both wins (coordinate descent over groups of equal tiles).
The confidence of a group follows from how much worse its second-best label is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.errors import UnreadableTiles
from calibration.grid import Grid
from calibration.labels import (
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    MINE,
    QUESTION,
    WRONG_FLAG,
    ZERO,
    columns_of,
)
from calibration.read.network import MARGIN, Cut, cells_within, cut_views, rate_tiles
from calibration.rules import UNREAD, Mask, Tiles, impossible_numbers
from calibration.tiles import colour_range, colour_steps, gather
from solver.analysis import certain_cells
from solver.board import Tile, count_neighbours

SAME_MEAN = 1.5
"""Largest mean difference between views of the same tile, in grey levels."""

SAME_MOST = 13.0
"""Largest difference of a single pixel between views of the same tile, in grey levels."""

TEMPERATURE = 1.0
"""Logits are divided by this: the probabilities are right for themes that training did not use."""

MOST_LOST = 5.0
"""Two labels are exchanged only if this costs a tile at most so much log-probability on average."""

SURELY_ZERO = 0.97
"""A zero with at least this probability by its picture alone is open, whatever is around it: a few
programs open their cells one by one."""

MOST_MARKED = 0.4
"""Largest share of the cells with a flag or question mark."""

MOST_GROUPS = 90
"""Largest number of groups of equal tiles; on noise each tile would be a group."""

BROKEN = 3.0
"""Cost of a number that cannot be right, in log-probability. ``n`` equal tiles cost ``sqrt(n)``
times as much, and the evidence of the network counts alike: equal tiles are not independent."""

RIVALS = 4
"""How many labels are tried for a group, the likeliest ones."""

FAR_LESS = -9.0
"""A label with less log-probability than this is not tried."""

MOST_WEIGHED = 40
"""For how many groups labels are tried, the least sure ones first."""

_MAY_BE_MINE = LABELS < 0
_IS_MINE = np.isin(np.arange(len(LABELS)), (MINE, EXPLODED))
_NEVER_BY_ZERO = np.isin(np.arange(len(LABELS)), (HIDDEN, MINE, EXPLODED))


@dataclass(frozen=True, eq=False)
class Decoded:
    """The label of each group, as a column of `LABELS`, and the probabilities of all labels.

    ``columns`` is ``(n,)``, ``chances`` float64 ``(n, 16)``.
    """

    columns: NDArray[np.intp]
    chances: NDArray[np.float64]


def decode_board(logits: NDArray[np.float32], groups: NDArray[np.intp]) -> Decoded:
    """Decode a board; if no game can look so, exchange hidden tiles with another label.

    In an unusual theme the network may confuse hidden tiles with zeros, flags or question marks. An
    exchange must give a possible board and must not contradict a network that is sure. See `decode`
    for the arguments.
    """
    decoded = decode(logits, groups, TEMPERATURE)
    tiles = LABELS[decoded.columns][groups]
    if is_possible(tiles, open_ground(logits, tiles)):
        return decoded
    likely = _log_softmax(logits)
    for column in (ZERO, FLAG, QUESTION):
        exchanged = logits.copy()
        exchanged[..., [HIDDEN, column]] = logits[..., [column, HIDDEN]]
        other = decode(exchanged, groups, TEMPERATURE)
        if not is_possible(LABELS[other.columns][groups]):
            continue
        loss = _values_at(likely, decoded.columns[groups]) - _values_at(
            likely, other.columns[groups]
        )
        if loss[decoded.columns[groups] != other.columns[groups]].mean() <= MOST_LOST:
            return other
    return decoded


def open_ground(logits: NDArray[np.float32], tiles: Tiles) -> Mask:
    """Mark the zeros that are open by their picture alone, ``(rows, cols)``."""
    return np.asarray((tiles == 0) & (_log_softmax(logits)[..., ZERO] >= np.log(SURELY_ZERO)))


def is_possible(tiles: Tiles, sure_zeros: Mask | None = None) -> bool:
    """Whether tiles ``(rows, cols)`` can be a board of a game.

    Some layout of mines must fit all numbers, not all tiles are zeros, and at most `MOST_MARKED` of
    them are marked. Hidden cells may be next to ``sure_zeros``.
    """
    marked = np.isin(tiles, (Tile.FLAG, Tile.QUESTION)).mean()
    if (tiles == 0).all() or marked > MOST_MARKED or impossible_numbers(tiles, sure_zeros).any():
        return False
    return (
        certain_cells(np.where(tiles == Tile.WRONG_FLAG, np.int8(Tile.HIDDEN), tiles)) is not None
    )


def groups_of(views: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Group views ``(n, VIEW_SIDE, VIEW_SIDE, 3)`` that show the same tile; ``(n,)``."""
    rows = views[:, MARGIN:-MARGIN, MARGIN:-MARGIN].reshape(len(views), -1).astype(np.int16)
    return gather(rows, SAME_MOST, on_average=SAME_MEAN, most=MOST_GROUPS)[0]


def broken(columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mark the numbers that cannot be right, ``(rows, cols)``; takes columns of `LABELS`."""
    numbers = columns - ZERO
    is_number = (numbers >= 0) & (numbers <= 8)
    too_few = count_neighbours(_MAY_BE_MINE[columns]) < numbers
    too_many = count_neighbours(_IS_MINE[columns]) > numbers
    not_opened = (numbers == 0) & (count_neighbours(_NEVER_BY_ZERO[columns]) > 0)
    return np.asarray(is_number & (too_few | too_many | not_opened))


def decode(logits: NDArray[np.float32], groups: NDArray[np.intp], temperature: float) -> Decoded:
    """Label the groups ``(rows, cols)`` of a board from the logits ``(rows, cols, 16)``."""
    flat = groups.ravel()
    sizes = np.bincount(flat)
    weights = np.sqrt(sizes)
    likely = _mean_of_groups(logits.reshape(len(flat), -1) / temperature, flat, sizes)
    columns = likely.argmax(axis=1)
    if not np.isin(columns, (MINE, EXPLODED)).any():
        likely = _without(likely, WRONG_FLAG)  # never shown without mines
        columns = likely.argmax(axis=1)
    rivals = [
        [column for column in np.argsort(-row)[:RIVALS] if row[column] > FAR_LESS] for row in likely
    ]
    tried = [k for k in np.argsort(likely.max(axis=1)) if len(rivals[k]) > 1][:MOST_WEIGHED]
    cost = _cost(columns, groups)
    moved = bool(cost)
    while moved:
        moved = False
        for k in tried:
            best, chosen = 1e-6, columns[k]
            for column in rivals[k]:
                other = columns.copy()
                other[k] = column
                gain = weights[k] * (likely[k, column] - likely[k, columns[k]])
                gain += cost - _cost(other, groups)
                if gain > best:
                    best, chosen = gain, column
            if chosen != columns[k]:
                columns = columns.copy()
                columns[k] = chosen
                cost, moved = _cost(columns, groups), True
    return Decoded(columns, _chances(likely, columns, groups, weights, rivals, tried, cost))


def _mean_of_groups(
    rows: NDArray[np.floating], groups: NDArray[np.intp], sizes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the mean log-probabilities of each group, ``(n, 16)``."""
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, groups, _log_softmax(rows))
    return _log_softmax(sums / sizes[:, None])


def _log_softmax(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return rows shifted so that their exponentials sum to 1."""
    rows = rows - rows.max(axis=-1, keepdims=True)
    return np.asarray(rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True)), np.float64)


def _values_at(rows: NDArray[np.float64], columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return one value of each row, that in the column given for it."""
    return np.take_along_axis(rows, columns[..., None], -1)[..., 0]


def _without(rows: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    rows = rows.copy()
    rows[:, column] -= 20
    return _log_softmax(rows)


def _cost(columns: NDArray[np.intp], groups: NDArray[np.intp]) -> float:
    """Return the cost of the numbers that cannot be right."""
    wrong = groups[broken(columns[groups])]
    return float(BROKEN * np.sqrt(np.bincount(wrong)).sum()) if len(wrong) else 0.0


def _chances(
    likely: NDArray[np.float64],
    columns: NDArray[np.intp],
    groups: NDArray[np.intp],
    weights: NDArray[np.float64],
    rivals: list[list[np.intp]],
    tried: list[np.intp],
    cost: float,
) -> NDArray[np.float64]:
    """Return the probability of each label of a group if the other groups are labelled rightly."""
    scores = likely.copy()
    for k in tried:
        for column in rivals[k]:
            other = columns.copy()
            other[k] = column
            scores[k, column] = weights[k] * likely[k, column] - (_cost(other, groups) - cost)
        out = np.setdiff1d(np.arange(likely.shape[1]), rivals[k])
        scores[k, out] = weights[k] * likely[k, out]
    return np.exp(_log_softmax(scores))


ALIKE = 8.0
"""A cell beside a grid may be a tile of its board if its mean difference from one is at most this,
in colour steps, and its log-odds are at least `A_STEP` for each of these steps."""

A_STEP = 0.5
"""See `ALIKE`."""

DRAWN = 20
"""A cell with a smaller range of colours is only the background around the board."""

MOST_DIFFERENT = 2000
"""With more different tiles a picture is refused. A board has some dozen; a blurred or noisy one
has as many as it has cells, and the network takes up to 0.7 ms for each."""

LEAST_VISIBLE = 0.2
"""Share of a tile that must be visible where the edge of the picture cuts it."""

CUT_TILE = 2.0
"""Log-odds from which the network rates a cut cell as a tile."""

SURE_TILE = 4.0
"""The network alone is enough if `SEVERAL` cells have at least these log-odds."""

SEVERAL = 3
"""See `SURE_TILE`."""


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """What the network and the rules say about a board; all arrays are ``(rows, cols)``.

    ``tiles`` int8 are as in `Board`, `UNREAD` for what is not a tile of the game. ``confidence`` is
    the probability of each, 0 if it is probably not a tile, and ``rivals`` are the second most
    likely tiles. ``open_ground`` marks zeros that are open by their picture alone. ``is_possible``
    says whether a game can look like this. ``chances`` float64 ``(rows, cols, 16)`` is the
    probability of each of `LABELS`. ``different`` is how many different tiles the network rated.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    is_possible: bool
    chances: NDArray[np.float64]
    different: int = 0


def cut_in_groups(
    pixels: NDArray[np.uint8], grid: Grid, most: int = MOST_DIFFERENT
) -> tuple[Cut, NDArray[np.intp]]:
    """Cut a board out of a picture and group its equal tiles, intp ``(rows, cols)``.

    Raises `UnreadableTiles` if there are more than ``most`` groups.
    """
    cut = cut_views(pixels, grid)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    if int(groups.max()) >= most:
        raise UnreadableTiles("Its cells differ more than the tiles of any board.")
    return cut, groups


def read_board(
    pixels: NDArray[np.uint8],
    grid: Grid,
    fresh: NDArray[np.uint8] | None = None,
    opened: Mask | None = None,
) -> NetworkReading:
    """Read the board on a grid of a picture, uint8 ``(height, width, 3)``.

    ``fresh`` are the views of the board before the first click (`cut_views`), ``opened`` marks the
    cells that clicks should open. Raises `BadNetwork`, and `UnreadableTiles` if more than
    `MOST_DIFFERENT` tiles differ.
    """
    cut, groups = cut_in_groups(pixels, grid)
    logits, is_tile = rate_tiles(cut, groups, fresh, opened)
    decoded = decode_board(logits, groups)
    tiles, chances = LABELS[decoded.columns][groups], decoded.chances[groups]
    columns = columns_of(tiles)[..., None].astype(np.intp)
    confidence = np.take_along_axis(chances, columns, 2)[..., 0]
    others = chances.copy()
    np.put_along_axis(others, columns, -1.0, 2)
    zeros = open_ground(logits, tiles)
    return NetworkReading(
        tiles=tiles,
        confidence=np.where((tiles == UNREAD) | (is_tile < 0), 0.0, confidence),
        rivals=np.asarray(LABELS[others.argmax(axis=2)], np.int8),
        open_ground=zeros,
        is_possible=is_possible(tiles, zeros),
        chances=chances,
        different=int(groups.max()) + 1,
    )


def tiles_around(pixels: NDArray[np.uint8], grid: Grid) -> Mask:
    """Mark the cells in the ring around a grid that are tiles, too, ``(rows + 2, cols + 2)``.

    A marked cell shows that the board continues there: it is larger, or something covers the rest
    of a row. The cell must look like a tile of the grid; else the network must be sure of several.
    This marks a cell around 1 of 449 complete boards, 257 of 260 grids that lack a row or column,
    and 480 of 567 grids where a dialog covers one to three of them. Raises `BadNetwork` and
    `UnreadableTiles`.
    """
    wider = grid.widened(1, 1, 1, 1)
    cut, groups = cut_in_groups(pixels, wider)
    views = cut.views.reshape(*groups.shape, *cut.views.shape[1:])
    inner = np.s_[1:-1, 1:-1]
    beside = cells_within(pixels, wider) & (colour_range(views) >= DRAWN)
    beside[inner] = False
    odds = rate_tiles(cut, groups)[1]
    # One tile of each group, and the outer ones, whose margins show what is around the board.
    shown = np.zeros((grid.rows, grid.cols), np.bool_)
    shown[[0, -1]] = shown[:, [0, -1]] = True
    shown.ravel()[np.unique(groups[inner], return_index=True)[1]] = True
    own = np.stack(list({view.tobytes(): view for view in views[inner][shown]}.values()))
    off = np.full(groups.shape, np.inf)
    for row, col in np.argwhere(beside & (odds >= 0)):
        off[row, col] = colour_steps(own, views[row, col]).mean(axis=(1, 2)).min()
    alike = beside & (off <= ALIKE) & (odds >= A_STEP * off)
    sure = beside & (odds >= SURE_TILE)
    return np.asarray(alike | sure if sure.sum() >= SEVERAL else alike)


def is_cut_off(pixels: NDArray[np.uint8], grid: Grid) -> bool:
    """Whether the edge of the picture cuts through further tiles of the board.

    The network must rate at least half of the cells along one edge, all cut by it, as tiles; a
    plain background does not count. Of 756 boards cut there it sees 484, most others by their
    lines, and of 754 that end less than a tile from the edge none. Raises `BadNetwork` and
    `UnreadableTiles`.
    """
    wider = grid.widened(1, 1, 1, 1)
    partly = cells_within(pixels, wider, 1 - LEAST_VISIBLE) & ~cells_within(pixels, wider)
    if not partly.any():
        return False
    cut, groups = cut_in_groups(pixels, wider)
    drawn = (colour_range(cut.views) >= DRAWN).reshape(groups.shape)
    tiles = partly & drawn & (rate_tiles(cut, groups)[1] >= CUT_TILE)
    sides = tiles[0, 1:-1], tiles[-1, 1:-1], tiles[1:-1, 0], tiles[1:-1, -1]
    return any(2 * int(side.sum()) >= len(side) for side in sides)

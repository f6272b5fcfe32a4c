"""Read a board by the network and the rules: a label for each tile, and how sure it is.

The network names each tile; what is exact is done here. Tiles that look the same are the same, so
their logarithms of probability are averaged. A number needs as many covered neighbours as it says,
and has at most as many mines beside it; a zero has no covered neighbour that was never marked. The
labelling with the best sum of both wins (coordinate descent over groups of equal tiles), and how
much worse the next best label of each group is says how sure it is.
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
from calibration.read.network import MARGIN, Cut, cells_within, cut_views, name_tiles
from calibration.rules import UNREAD, Mask, Tiles, impossible_numbers
from calibration.tiles import colour_range, colour_steps, gather
from solver.analysis import certain_cells
from solver.board import Tile, count_neighbours

SAME_MEAN, SAME_MOST = 1.5, 13.0
"""Grey levels, in the mean and at most, by which views of the same tile differ."""

TEMPERATURE = 1.0
"""What logits are divided by, so that the stated probabilities are those of boards in themes that
the network was not trained on."""

MOST_LOST = 5.0
"""Logarithm of probability that a tile loses on average, up to which two labels are exchanged."""

SURELY_ZERO = 0.97
"""Probability by its picture alone from which a zero is open, whatever is around it: few programs
open cells one by one."""

MOST_MARKED = 0.4
"""Largest share of cells that flags and question marks stand on."""

MOST_GROUPS = 90
"""Groups of equal tiles; on noise each tile is one of its own."""

BROKEN = 3.0
"""Cost of a number that cannot be right, as a logarithm of probability. The costs of equal tiles
add up as their root, as the evidence of the network does: they are not independent."""

RIVALS, FAR_LESS = 4, -9.0
"""Labels of a group that are tried, and the logarithm of probability below which none is."""

MOST_WEIGHED = 40
"""Groups whose labels are tried, the least sure first."""

_MAY_BE_MINE = np.ones(len(LABELS), np.bool_)
_MAY_BE_MINE[ZERO : ZERO + 9] = False
_IS_MINE = np.isin(np.arange(len(LABELS)), (MINE, EXPLODED))
_NEVER_BY_ZERO = np.isin(np.arange(len(LABELS)), (HIDDEN, MINE, EXPLODED))


@dataclass(frozen=True, eq=False)
class Decoded:
    """The labels of the groups, as columns of `LABELS`, and how likely all labels are.

    ``columns`` is ``(n,)`` and ``chances`` float64 ``(n, 16)``.
    """

    columns: NDArray[np.intp]
    chances: NDArray[np.float64]


def decode_board(logits: NDArray[np.float32], groups: NDArray[np.intp]) -> Decoded:
    """Decode a board; exchange two labels if only that gives a board that can be.

    In a theme far from all that the network has seen it may take hidden tiles for open ones, or
    for flags, which breaks no number's own rule. Not if it is sure that they are what it says. See
    `decode` for the arguments.
    """
    decoded = decode(logits, groups, TEMPERATURE)
    tiles = LABELS[decoded.columns][groups]
    if may_be(tiles, open_ground(logits, tiles)):
        return decoded
    likely = _normal(logits)
    for column in (ZERO, FLAG, QUESTION):
        exchanged = logits.copy()
        exchanged[..., [HIDDEN, column]] = logits[..., [column, HIDDEN]]
        other = decode(exchanged, groups, TEMPERATURE)
        if not may_be(LABELS[other.columns][groups]):
            continue
        loss = _of(likely, decoded.columns[groups]) - _of(likely, other.columns[groups])
        if loss[decoded.columns[groups] != other.columns[groups]].mean() <= MOST_LOST:
            return other
    return decoded


def open_ground(logits: NDArray[np.float32], tiles: Tiles) -> Mask:
    """Mark the zeros that are open by their picture alone, ``(rows, cols)``."""
    return np.asarray((tiles == 0) & (_normal(logits)[..., ZERO] >= np.log(SURELY_ZERO)))


def may_be(tiles: Tiles, sure_zeros: Mask | None = None) -> bool:
    """Whether tiles ``(rows, cols)`` may be a board of a game.

    Some layout of at least one mine must have all its numbers; nor are most cells marked. Around
    ``sure_zeros`` hidden cells may be left.
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
        likely = _without(likely, WRONG_FLAG)  # none is shown before a mine is
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
    """Return the mean logarithms of probability of each group, ``(n, 16)``."""
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, groups, _normal(rows))
    return _normal(sums / sizes[:, None])


def _normal(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return rows shifted so that their exponentials sum to 1."""
    rows = rows - rows.max(axis=-1, keepdims=True)
    return np.asarray(rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True)), np.float64)


def _of(rows: NDArray[np.float64], columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the values in these columns, of each row one."""
    return np.take_along_axis(rows, columns[..., None], -1)[..., 0]


def _without(rows: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    rows = rows.copy()
    rows[:, column] -= 20
    return _normal(rows)


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
    """Return how likely each label of a group is if the others are as labelled."""
    scores = likely.copy()
    for k in tried:
        for column in rivals[k]:
            other = columns.copy()
            other[k] = column
            scores[k, column] = weights[k] * likely[k, column] - (_cost(other, groups) - cost)
        out = np.setdiff1d(np.arange(likely.shape[1]), rivals[k])
        scores[k, out] = weights[k] * likely[k, out]
    return np.exp(_normal(scores))


ALIKE, A_STEP, DRAWN = 8.0, 0.5, 20
"""The mean colour steps by which a cell beside a grid may differ from a tile of it; the logarithm
of the odds for a tile that the network must give it for each of them; and the range of colours from
which a cell is more than the ground around a board."""

MOST_DIFFERENT = 2000
"""Different tiles up to which the network is asked; each takes it 0.7 ms. A board has some dozen,
but as many as it has cells if it is blurred or noisy."""

LEAST_VISIBLE, CUT_TILE = 0.2, 2.0
"""Part of a tile that must be visible where the edge of the picture cuts it, and the logarithm of
the odds for a tile that the network must give that part."""

SURE_TILE, SEVERAL = 4.0, 3
"""The logarithm of the odds, and the number of cells, from which the network alone is enough."""


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """What the network and the rules say of a board; all arrays are ``(rows, cols)``.

    ``tiles`` int8 are as in `Board`, `UNREAD` for what is not a tile of the game. ``confidence`` is
    the probability of each, 0 for what is rather no tile, and ``rivals`` are the next likely tiles.
    ``open_ground`` marks zeros that are open by their picture alone. ``is_possible`` says that a
    game can look so. ``chances`` float64 ``(rows, cols, 16)`` is the probability of each of
    `LABELS`. ``different`` is how many different tiles the network was shown.
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
    cells that were clicked to open them. Raises `BadNetwork`, and `UnreadableTiles` if more than
    `MOST_DIFFERENT` tiles differ.
    """
    cut, groups = cut_in_groups(pixels, grid)
    logits, is_tile = name_tiles(cut, groups, fresh, opened)
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
        is_possible=may_be(tiles, zeros),
        chances=chances,
        different=int(groups.max()) + 1,
    )


def tiles_around(pixels: NDArray[np.uint8], grid: Grid) -> Mask:
    """Mark the cells around a grid that are tiles of its board, ``(rows + 2, cols + 2)``.

    One is enough if it looks like a tile of the grid, too; if not, the network must be sure of
    several. The board then continues there: it is larger, or something covers the rest of a row.
    Of 449 whole boards in pictures one seems to, of 260 grids that lack a row or a column 257 do,
    and of 567 that end where a dialog covers one to three of them 480. Raises `BadNetwork` and
    `UnreadableTiles`.
    """
    wider = grid.widened(1, 1, 1, 1)
    cut, groups = cut_in_groups(pixels, wider)
    views = cut.views.reshape(*groups.shape, *cut.views.shape[1:])
    inner = np.s_[1:-1, 1:-1]
    beside = cells_within(pixels, wider) & (colour_range(views) >= DRAWN)
    beside[inner] = False
    odds = name_tiles(cut, groups)[1]
    # One tile of each group, and the outer ones, whose margins show the ground around the board.
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
    """Whether the edge of the picture shows a part of further tiles beside a grid.

    The network must take half of the cells that the edge cuts for tiles; plain ground does not
    count. Of 756 boards cut there it sees 484, most others by their lines, and of 754 that end less
    than a tile from the edge none. Raises `BadNetwork` and `UnreadableTiles`.
    """
    wider = grid.widened(1, 1, 1, 1)
    partly = cells_within(pixels, wider, 1 - LEAST_VISIBLE) & ~cells_within(pixels, wider)
    if not partly.any():
        return False
    cut, groups = cut_in_groups(pixels, wider)
    drawn = (colour_range(cut.views) >= DRAWN).reshape(groups.shape)
    tiles = partly & drawn & (name_tiles(cut, groups)[1] >= CUT_TILE)
    sides = tiles[0, 1:-1], tiles[-1, 1:-1], tiles[1:-1, 0], tiles[1:-1, -1]
    return any(2 * int(side.sum()) >= len(side) for side in sides)

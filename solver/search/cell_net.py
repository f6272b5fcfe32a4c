"""The cell net: how good a guess looks at a glance, without counting layouts again.

A small network over what lies around a cell and a few numbers of the position. It takes a
microsecond a cell, where the look-ahead takes a thousand. So it plays the roll-outs, and it names
the candidates that the look-ahead deserves. It was fitted to the differences between the guesses of
a position, tried in the same drawn worlds (see ``tests/bench/fit_cells.py``).
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, risk_of
from solver.search.game_state import COVERED, UNKNOWN_MINES, GameState

AROUND: Final = 25
"""How many numbers describe the surroundings of a cell."""

SEEN: Final = AROUND + 5
"""How many numbers the net sees: after those of the cell come those of the position."""

REACH: Final = 0.1
"""How much above the least the risk of a guess may be."""


class CellNet(NamedTuple):
    """Weights of two hidden layers, ``[input, unit]``, and of the output."""

    first: NDArray[np.float64]
    first_bias: NDArray[np.float64]
    second: NDArray[np.float64]
    second_bias: NDArray[np.float64]
    out: NDArray[np.float64]
    out_bias: NDArray[np.float64]


class Survey(NamedTuple):
    """What is the same for all cells of a position.

    ``least`` is the least risk of a hidden cell, ``located`` how many certain mines are not marked
    as such. For each cell, ``close`` is how many open numbers above 0 lie at most two cells away;
    for each number, ``around`` is how many hidden cells beside it are no certain mines.
    """

    least: float
    located: int
    close: NDArray[np.int8]
    around: NDArray[np.int8]


@kernel
def survey(state: GameState, counted: LayoutCounts) -> Survey:
    """Look at a whole position once. ``counted`` are its layout counts."""
    width = state.near[6]
    close, around = np.zeros(state.field.size, np.int8), state.around.copy()
    least, located = 2.0, 0
    for cell in range(state.field.size):
        if state.field[cell] == HIDDEN:
            risk = risk_of(counted, cell)
            least = min(least, risk)
            if risk == 1.0:
                located += 1
                for step in state.near:
                    around[cell + step] -= 1
        elif state.field[cell] > 0:
            row, col = cell // width, cell % width
            for other_row in range(max(1, row - 2), min(state.field.size // width - 1, row + 3)):
                for other_col in range(max(1, col - 2), min(width - 1, col + 3)):
                    close[other_row * width + other_col] += 1
    return Survey(least, located, close, around)


@kernel
def cells_to_rate(
    state: GameState, counted: LayoutCounts, seen: Survey, reach: float
) -> NDArray[np.int64]:
    """Return the hidden cells whose risk is at most ``reach`` above the least.

    Cells far from every number look alike, so of those only one in a corner, one at an edge and
    one elsewhere is returned. A certain mine is returned only if all hidden cells are mines.
    """
    most = seen.least + reach
    if seen.least < 1.0:
        most = min(most, 1.0 - 2.0**-53)
    cells, count = np.empty(state.field.size, np.int64), 0
    met = np.zeros(3, np.bool_)
    for cell in range(state.field.size):
        if state.field[cell] != HIDDEN or risk_of(counted, cell) > most:
            continue
        if seen.close[cell] == 0:
            edges = edges_at(state, cell)
            if met[edges]:
                continue
            met[edges] = True
        cells[count] = cell
        count += 1
    return cells[:count]


@kernel
def rate_cells(
    net: CellNet,
    state: GameState,
    counted: LayoutCounts,
    seen: Survey,
    cells: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return how good a guess at each of ``cells`` looks.

    Ratings have a scale of their own: the difference of two is that of the chances to win with the
    two guesses, as a share of the position's chance.
    """
    ratings, inputs = np.empty(cells.size), np.empty(SEEN)
    inner, middle = np.empty(net.first_bias.size), np.empty(net.second_bias.size)
    describe_position(state, counted, seen, inputs)
    for at in range(cells.size):
        describe_cell(state, counted, seen, cells[at], inputs)
        safe = 1.0 - risk_of(counted, cells[at])
        ratings[at] = safe * _value(net, inputs, inner, middle)
    return ratings


@kernel
def best_at_sight(net: CellNet, state: GameState, counted: LayoutCounts) -> int:
    """Return the cell of the highest rating; of equal ones the first."""
    seen = survey(state, counted)
    cells = cells_to_rate(state, counted, seen, REACH)
    ratings = rate_cells(net, state, counted, seen, cells)
    best = 0
    for at in range(cells.size):
        if ratings[at] > ratings[best] + 1e-9:
            best = at
    return int(cells[best])


@kernel
def edges_at(state: GameState, cell: int) -> int:
    """Return how many edges of the board a cell lies on: 2 in a corner."""
    width = state.near[6]
    rows, row, col = state.field.size // width - 2, cell // width - 1, cell % width - 1
    return min(2, int(row == 0) + int(row == rows - 1) + int(col == 0) + int(col == width - 3))


@kernel
def describe_position(
    state: GameState, counted: LayoutCounts, seen: Survey, into: NDArray[np.float64]
) -> None:
    """Fill the last of the SEEN numbers: they describe the position."""
    risk = counted.totals.unconstrained_risk
    free = counted.unconstrained if risk < 1.0 else 0
    into[AROUND] = free / 240.0
    into[AROUND + 1] = min(counted.log_layouts, 300.0) / 100.0
    into[AROUND + 2] = 4.0 * seen.least
    into[AROUND + 3] = 4.0 * risk if free > 0 else 1.0
    mines, hidden = state.counts[UNKNOWN_MINES], state.counts[COVERED]
    into[AROUND + 4] = 4.0 * (mines - seen.located) / max(1, hidden - seen.located)


@kernel
def describe_cell(
    state: GameState,
    counted: LayoutCounts,
    seen: Survey,
    cell: int,
    into: NDArray[np.float64],
) -> None:
    """Fill the first AROUND numbers: they describe a hidden cell and its neighbours.

    An *open question* is a hidden neighbour whose risk is neither 0 nor 1. A certain mine counts as
    marked, whether it is or not.
    """
    super_cell_of = counted.constraints.super_cell_of
    hidden, frontier, numbers, settled, pairs, low, questions = 0, 0, 0, 0, 0, 0, 0
    none, all_mines, spread, lowest, highest = 1.0, 1.0, 0.0, 1.0, 0.0
    for step in state.near:
        other = cell + step
        if state.field[other] == HIDDEN and risk_of(counted, other) < 1.0:
            risk = risk_of(counted, other)
            hidden += 1
            frontier += super_cell_of[other] >= 0
            none *= 1.0 - risk
            all_mines *= risk
            spread += risk * (1.0 - risk)
            if risk > 0.0:
                questions += 1
                low += risk < seen.least + 0.05
                lowest, highest = min(lowest, risk), max(highest, risk)
        elif state.field[other] == HIDDEN or state.field[other] == MINE:
            none = 0.0
        elif state.field[other] > 0:
            numbers += 1
            settled += state.around[other] - state.need[other] == 1
            pairs += seen.around[other] == 2
    super_cell, edges = super_cell_of[cell], edges_at(state, cell)
    free = super_cell < 0
    into[0] = none  # about how likely the cell shows that no mine is beside it
    into[1] = sqrt(none)
    into[2] = all_mines if hidden > 0 else 0.0
    into[3] = spread
    into[4] = lowest
    into[5] = highest
    into[6] = low / 4.0
    into[7] = hidden / 8.0
    into[8] = frontier / 8.0
    into[9] = questions / 8.0
    into[10] = questions == 0
    into[11] = questions == 1
    into[12] = questions == 2
    into[13] = free
    into[14] = free and frontier > 0
    into[15] = not free and hidden > frontier
    into[16] = 0.0 if free else counted.constraints.size[super_cell] / 4.0
    into[17] = numbers / 4.0
    into[18] = (seen.close[cell] - numbers) / 8.0
    into[19] = settled / 2.0  # numbers whose other hidden cells are mines if this one is none
    into[20] = settled > 0
    into[21] = pairs / 2.0
    into[22] = edges / 2.0
    into[23] = edges == 2
    into[24] = 10.0 * (risk_of(counted, cell) - seen.least)


@kernel
def _value(
    net: CellNet,
    inputs: NDArray[np.float64],
    inner: NDArray[np.float64],
    middle: NDArray[np.float64],
) -> float:
    """Return the output of the net; ``inner`` and ``middle`` are room to work in."""
    inner[:] = net.first_bias
    for place in range(inputs.size):
        if inputs[place] != 0.0:
            for unit in range(inner.size):
                inner[unit] += inputs[place] * net.first[place, unit]
    middle[:] = net.second_bias
    for place in range(inner.size):
        if inner[place] > 0.0:
            for unit in range(middle.size):
                middle[unit] += inner[place] * net.second[place, unit]
    total: float = net.out_bias[0]
    for place in range(middle.size):
        total += max(middle[place], 0.0) * net.out[place]
    return total


def load_cell_net() -> CellNet:
    """Return the net that ships with the package."""
    with np.load(Path(__file__).parent / "cell_net.npz") as file:
        return CellNet(*(np.ascontiguousarray(file[name], np.float64) for name in CellNet._fields))

"""Look-ahead: the value of a guess, averaged over the numbers it may show.

For each number the layouts are counted exactly, and the value net estimates the win chance. A
linear judge then weighs this estimate against other numbers that describe the guess, the first of
all how safe the move after it will be: the net's estimates alone explain 20 % of what whole
roll-outs find between the guesses of one position, the judge 54 % (131 positions at expert, 500
roll-outs a guess).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts, risk_of
from solver.search.game_state import COVERED, UNKNOWN_MINES, GameState
from solver.search.limit import Limit
from solver.search.value_net import (
    CERTAIN,
    FEATURES,
    JUDGED,
    SAFEST,
    Net,
    estimate,
    features,
    value,
)


def look_ahead(
    state: GameState, counted: LayoutCounts, net: Net, limit: Limit
) -> tuple[int, float]:
    """Return the candidate of the highest value, and its estimated chance to win."""
    cells, values = candidate_values(state, counted, net, limit)
    best = int(values.argmax())
    return int(cells[best]), float(values[best])


def candidate_values(
    state: GameState, counted: LayoutCounts, net: Net, limit: Limit
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the candidates, and the estimated chance to win with each."""
    cells, risks = candidates(state, counted, limit.tolerance, limit.candidates)
    values = values_of_guesses(state, counted, net, cells, risks)
    if values.max() <= 0.0:  # all are dead: look at every cell before taking one
        cells, risks = candidates(state, counted, 1.0, int(state.counts[COVERED]))
        values = values_of_guesses(state, counted, net, cells, risks)
    return cells, values


@kernel
def candidates(
    state: GameState, counted: LayoutCounts, tolerance: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return up to ``most`` cells within ``tolerance`` of the least risk, and their risks.

    The safest come first. Of equally safe cells, those with few hidden neighbours come first, and
    unconstrained cells beside the frontier come before others: they may open a large area, or
    connect two open areas.
    """
    field = state.field
    least = 2.0
    for cell in range(field.size):
        if field[cell] == HIDDEN:
            least = min(least, risk_of(counted, cell))
    cells = np.empty(most, np.int64)
    keys = np.empty(most)
    count = 0
    for cell in range(field.size):
        if field[cell] != HIDDEN or risk_of(counted, cell) > least + tolerance:
            continue
        key = risk_of(counted, cell)
        near = 0
        for step in state.near:
            key += 1e-4 * (field[cell + step] == HIDDEN)
            near += (
                field[cell + step] == HIDDEN and counted.constraints.super_cell_of[cell + step] >= 0
            )
        if counted.constraints.super_cell_of[cell] < 0:
            key -= 2.5e-4 * (near > 0) + 1e-5 * near
        if count < most:
            count += 1
        elif key >= keys[count - 1]:
            continue
        at = count - 1
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            cells[at] = cells[at - 1]
            at -= 1
        keys[at] = key
        cells[at] = cell
    risks = np.empty(count)
    for at in range(count):
        risks[at] = risk_of(counted, cells[at])
    return cells[:count], risks


@kernel
def show_number(state: GameState, cell: int, number: int, mines: int, hidden: int) -> None:
    """Let the cell on trial show ``number``, with the counts that `start_trial` returned."""
    state.field[cell] = number
    state.need[cell] = number - mines
    state.around[cell] = hidden


@kernel
def start_trial(state: GameState, cell: int) -> tuple[int, int]:
    """Begin the trial of a hidden cell: the numbers beside it count one hidden cell less.

    Returns how many known mines and how many hidden cells are beside the cell.
    """
    mines, hidden = 0, 0
    state.counts[COVERED] -= 1
    for step in state.near:
        other = cell + step
        mines += state.field[other] == MINE
        hidden += state.field[other] == HIDDEN
        if state.field[other] >= 0:
            state.around[other] -= 1
    return mines, hidden


@kernel
def end_trial(state: GameState, cell: int) -> None:
    """Undo `start_trial` and `show_number`."""
    state.counts[COVERED] += 1
    state.field[cell] = HIDDEN
    state.need[cell] = 0
    state.around[cell] = 0
    for step in state.near:
        if state.field[cell + step] >= 0:
            state.around[cell + step] += 1


@kernel
def values_of_guesses(
    state: GameState,
    counted: LayoutCounts,
    net: Net,
    cells: NDArray[np.int64],
    risks: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the estimated chance to win with each cell opened next, as the judge sees it.

    A dead cell has the value 0. A cell whose chance to be safe is not above the best value so far
    cannot be the best: it is skipped, and its value stays 0, too.
    """
    worth = np.zeros(cells.size)
    inputs = np.empty(JUDGED)
    chances, values = np.empty(9), np.empty(9)
    standing = estimate(net, state, counted)
    most = 0.0
    for at in range(cells.size):
        safe = 1.0 - risks[at]
        if safe <= most:
            continue
        describe_guess(state, net, cells[at], safe, standing, inputs, chances, values)
        if chances.max() == 1.0:
            continue
        judged = 0.0
        for place in range(JUDGED):
            judged += net.judge[place] * inputs[place]
        worth[at] = min(max(standing * judged, 1e-9), safe)
        most = max(most, worth[at])
    return worth


@kernel
def describe_guess(
    state: GameState,
    net: Net,
    cell: int,
    safe: float,
    standing: float,
    into: NDArray[np.float64],
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Fill ``into`` with the JUDGED numbers that describe a guess at ``cell``.

    The first FEATURES are those of the position after it, and the next the chance to survive the
    move after it, each averaged over the numbers that the cell may show and multiplied by ``safe``,
    the chance to survive the guess. Then come the chance to win by the net, as a share of
    ``standing``, the net's value of the present position; ``safe``; how many edges of the board the
    cell lies on; and 1. ``chances[number]`` and ``values[number]`` are filled with how likely a
    safe cell shows each number, and with the net's value then.
    """
    into[:] = 0.0
    inputs = np.empty(FEATURES)
    after_inputs = np.zeros((9, FEATURES))
    mines, hidden = start_trial(state, cell)
    chances[:] = -np.inf
    values[:] = 0.0
    for number in range(mines, mines + hidden + 1):
        show_number(state, cell, number, mines, hidden)
        after = count_layouts(
            state.field,
            state.near,
            state.need,
            state.around,
            state.counts[COVERED],
            state.counts[UNKNOWN_MINES],
        )
        if not after.fits:
            continue
        chances[number] = after.log_layouts
        features(state, after, inputs)
        after_inputs[number] = inputs
        values[number] = value(net, inputs) if after.log_layouts > 1e-6 else 1.0
    end_trial(state, cell)
    chances[:] = np.exp(chances - chances.max())
    chances /= chances.sum()
    for number in range(9):
        share = safe * chances[number]
        if share == 0.0:
            continue
        for place in range(FEATURES):
            into[place] += share * after_inputs[number, place]
        certain = after_inputs[number, CERTAIN] > 0.0 or values[number] == 1.0  # or all is known
        into[FEATURES] += share * (
            1.0 if certain else 1.0 - after_inputs[number, FEATURES - SAFEST]
        )
        into[FEATURES + 1] += share * values[number] / standing
    into[FEATURES + 2] = safe
    into[FEATURES + 3] = _edges(state, cell)
    into[FEATURES + 4] = 1.0


@kernel
def _edges(state: GameState, cell: int) -> int:
    """Return how many edges of the board a cell lies on: 2 in a corner."""
    width = state.near[6]
    rows, row, col = state.field.size // width - 2, cell // width - 1, cell % width - 1
    return int(row == 0) + int(row == rows - 1) + int(col == 0) + int(col == width - 3)

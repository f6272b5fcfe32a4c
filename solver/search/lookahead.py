"""Look-ahead: the value of a guess, averaged over the numbers it may show.

For each number the layouts are counted exactly, and the value net estimates the win chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts, risk_of
from solver.search.game_state import COVERED, UNKNOWN_MINES, GameState
from solver.search.limit import Limit
from solver.search.value_net import FEATURES, Net, features, value


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
    values = values_of_guesses(state, net, cells, risks)
    if values.max() <= 0.0:  # all are dead: look at every cell before taking one
        cells, risks = candidates(state, counted, 1.0, int(state.counts[COVERED]))
        values = values_of_guesses(state, net, cells, risks)
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
    state: GameState, net: Net, cells: NDArray[np.int64], risks: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the estimated chance to win with each cell opened next.

    A dead cell has the value 0. A cell whose chance to be safe is not above the best value so far
    cannot be the best: it is skipped, and its value stays 0, too.
    """
    worth = np.zeros(cells.size)
    inputs = np.empty(FEATURES)
    logs, values = np.empty(9), np.empty(9)
    most = 0.0
    for at in range(cells.size):
        cell, safe = cells[at], 1.0 - risks[at]
        if safe <= most:
            continue
        mines, hidden = start_trial(state, cell)
        count = 0
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
            logs[count] = after.log_layouts
            values[count] = 1.0
            if after.log_layouts > 1e-6:
                features(state, after, inputs)
                values[count] = value(net, inputs)
            count += 1
        end_trial(state, cell)
        if count > 1:
            worth[at] = safe * _mean(logs[:count], values[:count])
            most = max(most, worth[at])
    return worth


@kernel
def _mean(logs: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return the mean of values weighted by the exponentials of ``logs``."""
    weights = np.exp(logs - logs.max())
    return float((weights * values).sum() / weights.sum())

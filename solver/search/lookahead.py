"""Look-ahead: the value of a guess, averaged over the numbers it may show.

For each number the layouts are counted exactly, and the value net estimates the win chance. Its
estimates alone explain a third of what whole roll-outs find between the guesses of one position. A
linear judge that weighs them against other numbers which describe the guess, the first of all how
safe the move after it will be, explains half. So the best guesses after each number are described,
too, and a last judge, linear again, weighs both (see ``tests/bench/fit_judge.py``).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts, risk_of
from solver.search.cell_net import cells_to_rate, edges_at, rate_cells, survey
from solver.search.game_state import COVERED, UNKNOWN_MINES, GameState, study_state
from solver.search.limit import Limit
from solver.search.value_net import (
    BY_NET,
    CERTAIN,
    CONSTANT,
    EDGES,
    FEATURES,
    FOLLOWING,
    JUDGED,
    RATED,
    SAFE,
    SAFEST,
    SURVIVES_NEXT,
    Net,
    estimate,
    features,
    value,
)

NEXT: Final = 4
"""How many candidates are looked at for the guess after a guess."""

NEXT_TOLERANCE: Final = 0.05
"""How much above the least their risk may be."""

RARE: Final = 0.01
"""A number less likely than this is judged by the net alone."""


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
    cells, risks = candidates(state, counted, net, limit.tolerance, limit.candidates)
    values = values_of_guesses(state, counted, net, cells, risks, limit)
    if values.max() <= 0.0:  # all are dead: look at every cell before taking one
        cells, risks = candidates(state, counted, net, 1.0, int(state.counts[COVERED]))
        values = values_of_guesses(state, counted, net, cells, risks, limit)
    return cells, values


@kernel
def candidates(
    state: GameState, counted: LayoutCounts, net: Net, tolerance: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return up to ``most`` cells within ``tolerance`` of the least risk, and their risks.

    Those that the cell net rates best, the best first.
    """
    seen = survey(state, counted)
    cells = cells_to_rate(state, counted, seen, tolerance)
    ratings = rate_cells(net.cells, state, counted, seen, cells)
    cells = cells[np.argsort(-ratings, kind="mergesort")[:most]]
    risks = np.empty(cells.size)
    for at in range(cells.size):
        risks[at] = risk_of(counted, cells[at])
    return cells, risks


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


def values_of_guesses(
    state: GameState,
    counted: LayoutCounts,
    net: Net,
    cells: NDArray[np.int64],
    risks: NDArray[np.float64],
    limit: Limit,
) -> NDArray[np.float64]:
    """Return the estimated chance to win with each cell opened next, as the judge sees it.

    The first judge names the finalists, and the last one weighs them with the guess after each. All
    others have the value 0: also a finalist whose chance to be safe is not above the best value so
    far. With no finalists, the values are those of the first judge, and 0 for dead cells.
    """
    worth = np.zeros(cells.size)
    standing = estimate(net, state, counted)
    described, chances, values = describe_guesses(state, counted, net, cells, 1.0 - risks, standing)
    first = standing * (described @ net.judge)
    living = np.flatnonzero(chances.max(1) < 1.0)
    if limit.finalists == 0:
        worth[living] = np.clip(first[living], 1e-9, 1.0 - risks[living])
        return worth
    for at in living[np.argsort(-first[living], kind="stable")][: limit.finalists]:
        safe = 1.0 - risks[at]
        if safe <= worth.max():
            continue
        follows = describe_next(state, net, int(cells[at]), chances[at], values[at])
        judged = net.last_judge @ np.concatenate([standing * described[at], safe * follows])
        worth[at] = min(max(judged, 1e-9), safe)
    return worth


def describe_next(
    state: GameState,
    net: Net,
    cell: int,
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the FOLLOWING numbers that describe the guess after a safe one at ``cell``.

    They are the first judge's value of the best of NEXT candidates, the highest of the net's, and
    the highest chance to survive that guess and the move after it, averaged over the numbers that
    ``cell`` may show. Where a number leaves something certain or is less likely than RARE, the
    net's value stands for the first two and 1 for the third. ``chances`` and ``values`` are those
    of `describe_guess`.
    """
    average = np.zeros(FOLLOWING)
    mines, hidden = start_trial(state, cell)
    for number in np.flatnonzero(chances):
        found = values[number], values[number], 1.0
        if chances[number] >= RARE and values[number] < 1.0:
            show_number(state, cell, int(number), mines, hidden)
            found = _best_next(state, net, values[number]) or found
        average += chances[number] * np.array(found)
    end_trial(state, cell)
    return average


def _best_next(state: GameState, net: Net, standing: float) -> tuple[float, float, float] | None:
    """Return what describes the best guess of a state of the value ``standing``.

    None if a cell is certain.
    """
    counted = study_state(state)
    cells, risks = candidates(state, counted, net, NEXT_TOLERANCE, NEXT)
    if risks.min() == 0.0:
        return None
    described, chances, _ = describe_guesses(state, counted, net, cells, 1.0 - risks, standing)
    living = chances.max(1) < 1.0
    if not living.any():
        return standing, standing, 1.0 - risks.min()
    described, safe = described[living], 1.0 - risks[living]
    judged = np.minimum(standing * (described @ net.judge), safe)
    by_net = standing * described[:, BY_NET]
    return judged.max(), by_net.max(), described[:, SURVIVES_NEXT].max()


@kernel
def describe_guesses(
    state: GameState,
    counted: LayoutCounts,
    net: Net,
    cells: NDArray[np.int64],
    safe: NDArray[np.float64],
    standing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return what `describe_guess` finds of each cell: ``[cell, JUDGED]`` and ``[cell, number]``.

    The numbers that describe it, how likely it shows each number, and the net's value then.
    """
    described = np.empty((cells.size, JUDGED))
    chances, values = np.empty((cells.size, 9)), np.empty((cells.size, 9))
    ratings = rate_cells(net.cells, state, counted, survey(state, counted), cells)
    for at in range(cells.size):
        describe_guess(
            state, net, cells[at], safe[at], standing, described[at], chances[at], values[at]
        )
        described[at, RATED] = ratings[at]
    return described, chances, values


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

    The first FEATURES are those of the position after it, the next FEATURES their squares, and at
    SURVIVES_NEXT stands the chance to survive the move after it, each averaged over the numbers
    that the cell may show and multiplied by ``safe``, the chance to survive the guess. Then come
    the chance to win by the net, as a share of ``standing``, the net's value of the present
    position; room for the rating of the cell net; ``safe``; how many edges of the board the cell
    lies on; and 1. ``chances[number]`` and ``values[number]`` are filled with how likely a safe
    cell shows each number, and with the net's value then.
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
            seen = after_inputs[number, place]
            into[place] += share * seen
            into[FEATURES + place] += share * seen**2
        certain = after_inputs[number, CERTAIN] > 0.0 or values[number] == 1.0  # or all is known
        into[SURVIVES_NEXT] += share * (
            1.0 if certain else 1.0 - after_inputs[number, FEATURES - SAFEST]
        )
        into[BY_NET] += share * values[number] / standing
    into[SAFE] = safe
    into[EDGES] = edges_at(state, cell)
    into[CONSTANT] = 1.0

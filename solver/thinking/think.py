"""Choose a guess with more thought: the search first, then a race of the candidates in worlds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact import cache
from solver.exact.codes import MINE
from solver.exact.probability import LayoutCounts, risk_of
from solver.search.cell_net import CellNet
from solver.search.game_state import UNKNOWN_MINES, GameState, begin_state
from solver.search.guess import Guess, Method, begin_located, choose, is_slow, settled_guess
from solver.search.limit import Limit
from solver.search.lookahead import candidate_values
from solver.search.value_net import Net
from solver.thinking.playouts import forecast_numbers, try_worlds
from solver.thinking.race import estimates, in_the_race, prior_worlds
from solver.thinking.workers import Workers, open_workers

Progress = Callable[[int, int], None]
"""Is told how many worlds are done, and how many there are at most."""

FIRST_ROUND: Final = 16
"""Worlds before any candidate is dropped; each later round doubles what is done."""


def decide(
    field: NDArray[np.int8],
    cols: int,
    mines: int,
    net: Net,
    limit: Limit,
    *,
    on_progress: Progress = lambda done, most: None,
) -> Guess:
    """Choose a guess on a field where nothing is certain, with ``mines`` in all.

    Waits for a process that compiles the kernels now, if there is one.
    """
    for part in (cache.Part.GUESSES, cache.Part.THINKING):
        cache.wait_for(part)
    return think(*begin_located(field, cols, mines), net, limit, on_progress=on_progress)


def think(
    state: GameState,
    counted: LayoutCounts,
    net: Net,
    limit: Limit,
    *,
    threads: int | None = None,
    on_progress: Progress = lambda done, most: None,
) -> Guess:
    """Choose a guess in a state where nothing is certain; ``counted`` are its layout counts.

    The same guess with any number of ``threads`` (None: one a core).
    """
    if limit.worlds == 0 or counted.log_layouts > limit.late or is_slow(counted):
        return choose(state, counted, net, limit)
    settled = settled_guess(state, counted, net, limit)
    if settled is not None:
        return settled
    with open_workers(threads) as workers:
        return race(state, counted, net, limit, workers, on_progress)


def race(
    state: GameState,
    counted: LayoutCounts,
    net: Net,
    limit: Limit,
    workers: Workers,
    on_progress: Progress,
) -> Guess:
    """Try the candidates in worlds, up to ``limit.worlds`` each; drop those clearly behind."""
    cells, judged = candidate_values(state, counted, net, limit)
    living = judged > 0.0
    if not living.any():  # all are dead or mines: there is nothing to try
        return Guess(int(cells[0]), 0.0, Method.LOOK_AHEAD)
    cells, judged = cells[living], judged[living]
    means, values = forecast_numbers(state, counted, net, cells)
    means *= 1.0 - np.array([risk_of(counted, cell) for cell in cells])
    gains, prior = np.empty((0, cells.size)), prior_worlds(counted.log_layouts)
    while len(gains) < limit.worlds and cells.size > 1:
        done = len(gains)
        more = workers.try_all(
            partial(_try_chunk, state, counted, net.cells, cells, values),
            done,
            min(max(FIRST_ROUND, done), limit.worlds - done),
            partial(_pass_on, on_progress, done, limit.worlds),
        )
        gains = np.concatenate([gains, more + means - judged])
        kept = in_the_race(judged, gains, prior)
        cells, judged, means = cells[kept], judged[kept], means[kept]
        values, gains = values[kept], gains[:, kept]
    best = int(estimates(judged, gains, prior).argmax())
    return Guess(int(cells[best]), float(judged[best]), Method.ROLL_OUTS)


def _pass_on(on_progress: Progress, before: int, most: int, done: int) -> None:
    on_progress(before + done, most)


def _try_chunk(
    state: GameState,
    counted: LayoutCounts,
    net: CellNet,
    cells: NDArray[np.int64],
    values: NDArray[np.float64],
    first: int,
    count: int,
) -> NDArray[np.float64]:
    """Try ``count`` worlds from number ``first``, each chunk in a state of its own."""
    mines = int(state.counts[UNKNOWN_MINES] + (state.field == MINE).sum())
    room = begin_state(state.field, int(state.near[6]) - 2, mines)
    return try_worlds(state, counted, net, cells, values, room, first, count)

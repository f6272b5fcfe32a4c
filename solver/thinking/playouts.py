"""Kernels of the roll-outs: a guess is tried in drawn worlds, and each world is played on.

A roll-out opens the guess in a world where it is safe and plays on to the end by the cell net. A
guess on the way that hits a mine does not end it: its chance to survive is multiplied in, and the
world is drawn again with the guess safe. The product has far less noise than wins and losses.
To stop a roll-out early and ask the value net is cheaper, but tells guesses apart less well: after
one guess, its means explain 21 % of what `deep` itself then wins with each guess of a position, and
those of whole roll-outs 27 %, of 30 % that its noise leaves (53 positions, 5 guesses each).

Two things take away more of the noise. All candidates meet the same worlds. And from each result
the forecast of the number that the guess showed is taken off (a control variate): the mean of these
forecasts over all numbers is known exactly, so only their errors are left to be measured.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, risk_of
from solver.exact.sampling import draw_layout
from solver.search.cell_net import CellNet, best_at_sight
from solver.search.game_state import GameState
from solver.search.lookahead import describe_guesses
from solver.search.value_net import Net
from solver.search.whole_games import advance, copy_state, open_cell

SPREAD: Final = np.uint64(0xD1B54A32D192ED03)
"""Odd number that sets the seeds of neighbouring worlds far apart. It must not be the step of the
generator itself: then each world would draw the numbers of the one before, shifted by one cell."""


def forecast_numbers(
    state: GameState, counted: LayoutCounts, net: Net, cells: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the net's forecasts for each cell opened safely: the mean, and by the number it shows.

    The shapes are ``[cell]`` and ``[cell, number]``; a number that cannot be shown has the value 0.
    """
    _, chances, values = describe_guesses(state, counted, net, cells, np.ones(cells.size), 1.0)
    return (chances * values).sum(1), values


@kernel
def try_worlds(
    state: GameState,
    counted: LayoutCounts,
    net: CellNet,
    cells: NDArray[np.int64],
    values: NDArray[np.float64],
    room: GameState,
    first: int,
    count: int,
) -> NDArray[np.float64]:
    """Try each cell in ``count`` worlds; return how much better than forecast each ended.

    The result is ``[world, cell]``, in chances to win. The worlds are those numbered from
    ``first``; each is played in ``room``, a copy of ``state`` to work in. ``values`` are those of
    `forecast_numbers`. A world in which the cell is a mine is drawn again, for this cell alone.
    """
    gains = np.empty((count, cells.size))
    random = np.zeros(1, np.uint64)
    for world in range(count):
        for at in range(cells.size):
            cell = cells[at]
            random[0] = np.uint64(first + world + 1) * SPREAD
            copy_state(room, state)
            draw_layout(state.field, counted, random, room.mined)
            while room.mined[cell]:
                draw_layout(state.field, counted, random, room.mined)
            number = 0
            for step in state.near:
                number += room.mined[cell + step]
            open_cell(room, cell)
            result = play_on(room, net, random)
            gains[world, at] = (1.0 - risk_of(counted, cell)) * (result - values[at, number])
    return gains


@kernel
def play_on(room: GameState, net: CellNet, random: NDArray[np.uint64]) -> float:
    """Play on to the end by the cell net; return the chance to survive all guesses."""
    chance = 1.0
    while True:
        over, counted = advance(room)
        if over:
            return chance
        cell = best_at_sight(net, room, counted)
        chance *= 1.0 - risk_of(counted, cell)
        while room.mined[cell]:
            draw_layout(room.field, counted, random, room.mined)
        open_cell(room, cell)

"""Whole games inside the kernels: what benches run, and what the value net learns from.

After a fatal guess a game can go on in another layout in which the guess was safe. The product of
the chances to survive then estimates the chance to win, with far less noise than counting wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.arrays import copy
from solver.exact.codes import FREE, HIDDEN, MINE
from solver.exact.constraints import apply_rules
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts, risk_of
from solver.exact.sampling import draw_layout
from solver.search.cell_net import CellNet, best_at_sight
from solver.search.game_state import COVERED, UNKNOWN_MINES, WAITING, GameState, study_state


class End(NamedTuple):
    """How a game ended: the mine hit (-1: won), the chance survived, the guesses."""

    hit: int
    chance: float
    guesses: int


@kernel
def untouched_field(rows: int, cols: int) -> NDArray[np.int8]:
    """Return the field of a board on which every cell is hidden."""
    field = np.full((rows + 2, cols + 2), FREE, np.int8)
    field[1:-1, 1:-1] = HIDDEN
    return field.ravel()


@kernel
def lay_mines(
    state: GameState, order: NDArray[np.int32], cols: int, first: int, mines: int, zero: bool
) -> None:
    """Lay mines on the first ``mines`` entries of ``order`` that the first-click rule allows.

    An entry is ``row * cols + col``. ``first`` is the place in the field of the first cell, which
    has no mine; with ``zero`` its neighbours have none either.
    """
    state.mined[:] = False
    laid = 0
    for index in order:
        cell = (index // cols + 1) * (cols + 2) + index % cols + 1
        spared = cell == first
        if zero:
            for step in state.near:
                spared |= cell == first + step
        if not spared and laid < mines:
            state.mined[cell] = True
            laid += 1


@kernel
def copy_state(state: GameState, saved: GameState) -> None:
    """Make ``state`` a copy of ``saved``; only the layout stays."""
    copy(saved.field, state.field, saved.field.size)
    copy(saved.need, state.need, saved.need.size)
    copy(saved.around, state.around, saved.around.size)
    copy(saved.counts, state.counts, saved.counts.size)
    copy(saved.queue, state.queue, saved.counts[WAITING])


@kernel
def _queue_number(state: GameState, number: int) -> None:
    """Queue an open number that a single-number rule may fit now."""
    if state.around[number] > 0 and (
        state.need[number] <= 0 or state.need[number] >= state.around[number]
    ):
        state.queue[state.counts[WAITING]] = number
        state.counts[WAITING] += 1


@kernel
def mark_mine(state: GameState, cell: int) -> None:
    """Mark a hidden cell as a certain mine."""
    state.field[cell] = MINE
    state.counts[COVERED] -= 1
    state.counts[UNKNOWN_MINES] -= 1
    for step in state.near:
        number = cell + step
        if state.field[number] >= 0:
            state.need[number] -= 1
            state.around[number] -= 1
            _queue_number(state, number)


@kernel
def _mark_free(state: GameState, cell: int) -> None:
    """Mark a hidden cell as free; it is opened later."""
    state.field[cell] = FREE
    state.counts[COVERED] -= 1
    for step in state.near:
        number = cell + step
        if state.field[number] >= 0:
            state.around[number] -= 1
            _queue_number(state, number)


@kernel
def open_cell(state: GameState, first: int) -> None:
    """Open a cell that is no mine, and the area around a zero."""
    if state.field[first] == HIDDEN:
        _mark_free(state, first)
    stack = state.stack
    stack[0] = first
    waiting = 1
    while waiting > 0:
        waiting -= 1
        cell = stack[waiting]
        if state.field[cell] >= 0:
            continue
        number, need, around = 0, 0, 0
        for step in state.near:
            other = cell + step
            number += state.mined[other]
            around += state.field[other] == HIDDEN
            need -= state.field[other] == MINE
        state.field[cell] = number
        state.need[cell] = number + need
        state.around[cell] = around
        if number > 0:
            _queue_number(state, cell)
            continue
        for step in state.near:
            if state.field[cell + step] == HIDDEN:
                _mark_free(state, cell + step)
                stack[waiting] = cell + step
                waiting += 1


@kernel
def open_by_rules(state: GameState) -> bool:
    """Open all that the single-number rules prove free, until they prove no more.

    Returns false where the numbers contradict each other.
    """
    while state.counts[WAITING] > 0:
        waiting = state.counts[WAITING]
        state.counts[WAITING] = 0
        fits, found, located = apply_rules(
            state.field, state.near, state.need, state.around, state.queue, waiting, state.found
        )
        if not fits:
            return False
        state.counts[COVERED] -= found + located
        state.counts[UNKNOWN_MINES] -= located
        for at in range(found):
            open_cell(state, int(state.found[at]))
    return True


@kernel
def open_proven(state: GameState, counted: LayoutCounts) -> bool:
    """Open all cells of risk 0 and mark those of risk 1; return whether any has risk 0.

    If none has, nothing changes, and ``counted`` still describes ``state``.
    """
    count = 0
    for cell in range(state.field.size):
        if state.field[cell] == HIDDEN and risk_of(counted, cell) == 0.0:
            state.found[count] = cell
            count += 1
    if count == 0:
        return False
    for cell in range(state.field.size):
        if state.field[cell] == HIDDEN and risk_of(counted, cell) == 1.0:
            mark_mine(state, cell)
    for at in range(count):
        open_cell(state, int(state.found[at]))
    return True


@kernel
def safest(state: GameState, counted: LayoutCounts) -> int:
    """Return the cell of least risk.

    Of equals, one beside a number, which the next numbers may decide; then the one with the fewest
    hidden neighbours. The same choice as `least_risk` in `solver.agents.tank`.
    """
    best, least, fewest = -1, 2.0, 99
    for cell in range(state.field.size):
        if state.field[cell] != HIDDEN:
            continue
        super_cell = counted.constraints.super_cell_of[cell]
        risk = risk_of(counted, cell)
        if risk > least + 1e-9:
            continue
        hidden = 9 if super_cell < 0 else 0
        for step in state.near:
            other = cell + step
            hidden += state.field[other] == HIDDEN and risk_of(counted, other) < 1.0
        if risk < least - 1e-9 or hidden < fewest:
            best, least, fewest = cell, risk, hidden
    return best


@kernel
def advance(state: GameState) -> tuple[bool, LayoutCounts]:
    """Open all that is certain; return whether the game is won then, and the last counts."""
    while True:
        open_by_rules(state)
        counted = count_layouts(
            state.field,
            state.near,
            state.need,
            state.around,
            state.counts[COVERED],
            state.counts[UNKNOWN_MINES],
        )
        over = state.counts[COVERED] == state.counts[UNKNOWN_MINES]
        if over or not open_proven(state, counted):
            return over, counted


@kernel
def finish_tank(state: GameState) -> End:
    """Play to the end as `tank` does."""
    chance, guesses = 1.0, 0
    while True:
        over, counted = advance(state)
        if over:
            return End(-1, chance, guesses)
        cell = safest(state, counted)
        chance *= 1.0 - risk_of(counted, cell)
        guesses += 1
        if state.mined[cell]:
            return End(cell, chance, guesses)
        open_cell(state, cell)


@kernel
def finish_at_sight(state: GameState, net: CellNet) -> End:
    """Play to the end as `glance` does: by the cell net."""
    chance, guesses = 1.0, 0
    while True:
        over, counted = advance(state)
        if over:
            return End(-1, chance, guesses)
        cell = best_at_sight(net, state, counted)
        chance *= 1.0 - risk_of(counted, cell)
        guesses += 1
        if state.mined[cell]:
            return End(cell, chance, guesses)
        open_cell(state, cell)


def survive_guess(state: GameState, cell: int, random: NDArray[np.uint64]) -> None:
    """Go on after a guess that hit a mine: draw a layout in which it is none, and open the cell."""
    counted = study_state(state)
    while state.mined[cell]:
        draw_layout(state.field, counted, random, state.mined)
    open_cell(state, cell)

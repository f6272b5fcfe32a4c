"""Choose a guess by the chance to win.

Three methods are tried in this order. If few layouts are left, the endgame search finds the best
guess, unless that takes too much work. An *independent guess*, which nothing learned elsewhere can
make better, is made at once. In all other positions the look-ahead decides.

The steps are Python, and the work is done by kernels that do not call each other: compiling a
kernel compiles again every kernel that it calls.
"""

from __future__ import annotations

from enum import Enum
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact import cache
from solver.exact.codes import FREE, HIDDEN, MINE
from solver.exact.forward_pass import HIGH, LOW
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, risk_of
from solver.search.endgame.best_play import search_endgame
from solver.search.game_state import UNKNOWN_MINES, GameState, begin_state, study_state
from solver.search.limit import Limit
from solver.search.lookahead import look_ahead
from solver.search.value_net import Net, estimate

SLOW_NODES: Final = 5_000
"""A count with more nodes takes milliseconds. No turn of 150 expert games had more than 600."""

MOST_WORK: Final = 5_000_000
"""Most nodes of all counts of a look-ahead whose counts are slow: 1 to 3 s."""


class Method(Enum):
    """How a guess was chosen."""

    ENDGAME = "endgame search"
    INDEPENDENT = "independent guess"
    LOOK_AHEAD = "look-ahead"
    ROLL_OUTS = "roll-outs"


class Guess(NamedTuple):
    """A cell of the field to open, the estimated chance to win with it, and how it was chosen."""

    cell: int
    win: float
    method: Method


def decide(field: NDArray[np.int8], cols: int, mines: int, net: Net, limit: Limit) -> Guess:
    """Choose a guess on a field where nothing is certain, with ``mines`` in all.

    Waits for a process that compiles the kernels now, if there is one.
    """
    cache.wait_for(cache.Part.GUESSES)
    return choose(*begin_located(field, cols, mines), net, limit)


def begin_located(field: NDArray[np.int8], cols: int, mines: int) -> tuple[GameState, LayoutCounts]:
    """Return the state of a field and its layout counts, each certain mine marked as one.

    The nets learned from such states, as the kernels play them.
    """
    state = begin_state(field, cols, mines)
    return _with_mines_located(state, study_state(state))


def choose(state: GameState, counted: LayoutCounts, net: Net, limit: Limit) -> Guess:
    """Choose a guess in a state where nothing is certain; ``counted`` are its layout counts."""
    settled = settled_guess(state, counted, net, limit)
    if settled is not None:
        return settled
    if is_slow(counted):
        affordable = MOST_WORK // (9 * _nodes(counted))  # one count for each number it may show
        limit = limit._replace(candidates=min(max(affordable, 1), limit.candidates), finalists=0)
    return Guess(*look_ahead(state, counted, net, limit), Method.LOOK_AHEAD)


def is_slow(counted: LayoutCounts) -> bool:
    """Whether such a position takes too long to count for it to be counted thousands of times."""
    return _nodes(counted) > SLOW_NODES


def _nodes(counted: LayoutCounts) -> int:
    return int(counted.forward.level[-1])


def settled_guess(state: GameState, counted: LayoutCounts, net: Net, limit: Limit) -> Guess | None:
    """Return the guess that the endgame search finds, or an independent one, if there is any."""
    if counted.log_layouts <= log(limit.layouts):
        exact = search_endgame(state, counted, limit)
        if exact is not None:
            return Guess(*exact, Method.ENDGAME)
    cell = independent_guess(state, counted, limit)
    if cell is not None:
        return Guess(cell, estimate(net, state, counted), Method.INDEPENDENT)
    return None


def independent_guess(state: GameState, counted: LayoutCounts, limit: Limit) -> int | None:
    """Return a cell to guess before all others, if there is one.

    It is a cell of a pair that nothing can ever tell apart, or the best cell of a closed region: a
    component that touches no other hidden cell and whose number of mines is known. To wait makes
    neither better, and what they show may help elsewhere.
    """
    state, counted = _with_mines_located(state, counted)
    cell = find_fifty_fifty(state)
    if cell >= 0:
        return cell
    for component in range(counted.order.first.size - 1):
        end = counted.forward.level[counted.order.first[component + 1] + component]
        mines = int(counted.forward.node[end, LOW])
        if mines != counted.forward.node[end, HIGH]:
            continue
        field = cut_out(state, counted, component)
        if field.size == 0:
            continue
        region = begin_state(field, _columns(state), mines)
        inside = study_state(region)
        if 0.0 < inside.log_layouts <= log(limit.layouts):
            best = search_endgame(region, inside, limit)
            if best is not None:
                return best[0]
    return None


def _with_mines_located(state: GameState, counted: LayoutCounts) -> tuple[GameState, LayoutCounts]:
    """Return the state with each certain mine marked as one, unless no other cell is hidden."""
    marked = mark_certain_mines(state, counted)
    if (marked == state.field).all() or not (marked == HIDDEN).any():
        return state, counted
    mines = int(state.counts[UNKNOWN_MINES] + (state.field == MINE).sum())
    located = begin_state(marked, _columns(state), mines)
    return located, study_state(located)


def _columns(state: GameState) -> int:
    return int(state.near[6]) - 2


@kernel
def mark_certain_mines(state: GameState, counted: LayoutCounts) -> NDArray[np.int8]:
    """Return the field with each certain mine marked as one."""
    field = state.field.copy()
    for cell in range(field.size):
        if field[cell] == HIDDEN and risk_of(counted, cell) == 1.0:
            field[cell] = MINE
    return field


@kernel
def find_fifty_fifty(state: GameState) -> int:
    """Return a cell of the first pair that stays a guess of 50:50 for ever, or -1.

    A number says that one of the two cells is a mine, and no number will ever say which: beside
    just one of them there is no open number and no hidden cell, which may show one later.
    """
    pair = np.empty(2, np.int64)
    for number in range(state.field.size):
        if state.field[number] <= 0 or state.need[number] != 1 or state.around[number] != 2:
            continue
        count = 0
        for step in state.near:
            if state.field[number + step] == HIDDEN:
                pair[count] = number + step
                count += 1
        told_apart = False
        for this in range(2):
            for step in state.near:
                cell = pair[this] + step
                beside_both = cell == pair[1 - this]
                for other_step in state.near:
                    beside_both |= other_step == cell - pair[1 - this]
                if not beside_both and (state.field[cell] == HIDDEN or state.field[cell] >= 0):
                    told_apart = True
        if not told_apart:
            return int(pair[0])
    return -1


@kernel
def cut_out(state: GameState, counted: LayoutCounts, component: int) -> NDArray[np.int8]:
    """Return a field of one component alone; an empty one if other hidden cells touch it."""
    order, super_cell_of = counted.order, counted.constraints.super_cell_of
    within = np.zeros(counted.risk.size + 1, np.bool_)  # the last stands for no super-cell, -1
    for step in range(order.first[component], order.first[component + 1]):
        within[order.super_cells[step]] = True
    field = np.full(state.field.size, FREE, np.int8)
    for cell in range(field.size):
        if state.field[cell] != HIDDEN or not within[super_cell_of[cell]]:
            continue
        field[cell] = HIDDEN
        for step in state.near:
            other = cell + step
            if state.field[other] >= 0:
                field[other] = state.need[other]
            elif state.field[other] == HIDDEN and not within[super_cell_of[other]]:
                return field[:0]
    return field

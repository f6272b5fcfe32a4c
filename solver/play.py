"""Whole games inside the kernels: what benches and roll-outs run.

A `Play` holds a layout that must not be looked at except to see what an opened cell shows. After a
fatal guess it can go on in another layout in which the guess was safe; the product of the chances
to survive is then an estimate of the chance to win with far less noise than counting wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.arrays import copy
from solver.codes import FREE, HIDDEN, MINE
from solver.constraints import count_around, count_cells, list_ready, offsets, settle
from solver.kernels import kernel
from solver.probability import Study, study
from solver.worlds import draw

COVERED, UNKNOWN_MINES, WAITING = 0, 1, 2
"""Places in ``Play.counts``: hidden cells, mines not located, numbers in the queue."""


class Play(NamedTuple):
    """One game as its player sees it, the layout behind it, and room to work in.

    ``counts`` holds the hidden cells, the mines not located yet and the length of ``queue``.
    """

    field: NDArray[np.int8]
    mined: NDArray[np.bool_]
    near: NDArray[np.int64]
    need: NDArray[np.int8]
    free: NDArray[np.int8]
    queue: NDArray[np.int32]
    found: NDArray[np.int32]
    stack: NDArray[np.int32]
    counts: NDArray[np.int64]


class End(NamedTuple):
    """How a game ended: the mine hit (-1: won), the chance survived, the guesses."""

    hit: int
    chance: float
    guesses: int


@kernel
def fresh(rows: int, cols: int) -> NDArray[np.int8]:
    """Return the field of a board nobody has touched."""
    field = np.full((rows + 2, cols + 2), FREE, np.int8)
    field[1:-1, 1:-1] = HIDDEN
    return field.ravel()


@kernel
def begin(field: NDArray[np.int8], cols: int, mines: int) -> Play:
    """Take up a game with ``mines`` in all; the layout is filled in by the caller."""
    near = offsets(cols)
    size = field.size
    play = Play(
        field.copy(),
        np.zeros(size, np.bool_),
        near,
        np.zeros(size, np.int8),
        np.zeros(size, np.int8),
        np.empty(9 * size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.zeros(3, np.int64),
    )
    resume(play, field, mines)
    return play


@kernel
def resume(play: Play, field: NDArray[np.int8], mines: int) -> None:
    """Put the game back to ``field``, with ``mines`` in all."""
    copy(field, play.field, field.size)
    count_around(play.field, play.near, play.need, play.free)
    hidden, located = count_cells(field)
    play.counts[COVERED] = hidden
    play.counts[UNKNOWN_MINES] = mines - located
    play.counts[WAITING] = list_ready(play.field, play.need, play.free, play.queue)


@kernel
def restore(play: Play, saved: Play) -> None:
    """Put the game back to where ``saved`` stands; the layout stays."""
    copy(saved.field, play.field, saved.field.size)
    copy(saved.need, play.need, saved.need.size)
    copy(saved.free, play.free, saved.free.size)
    copy(saved.counts, play.counts, saved.counts.size)
    copy(saved.queue, play.queue, saved.counts[WAITING])


@kernel
def _notice(play: Play, number: int) -> None:
    """Queue an open number that a rule may fit now."""
    if play.free[number] > 0 and (play.need[number] <= 0 or play.need[number] >= play.free[number]):
        play.queue[play.counts[WAITING]] = number
        play.counts[WAITING] += 1


@kernel
def locate(play: Play, cell: int) -> None:
    """Note a hidden cell as a certain mine."""
    play.field[cell] = MINE
    play.counts[COVERED] -= 1
    play.counts[UNKNOWN_MINES] -= 1
    for step in play.near:
        number = cell + step
        if play.field[number] >= 0:
            play.need[number] -= 1
            play.free[number] -= 1
            _notice(play, number)


@kernel
def _claim(play: Play, cell: int) -> None:
    """Note a hidden cell as free, to be opened."""
    play.field[cell] = FREE
    play.counts[COVERED] -= 1
    for step in play.near:
        number = cell + step
        if play.field[number] >= 0:
            play.free[number] -= 1
            _notice(play, number)


@kernel
def uncover(play: Play, first: int) -> None:
    """Open a cell that is no mine, and the area around a zero."""
    if play.field[first] == HIDDEN:
        _claim(play, first)
    stack = play.stack
    stack[0] = first
    waiting = 1
    while waiting > 0:
        waiting -= 1
        cell = stack[waiting]
        if play.field[cell] >= 0:
            continue
        number, need, free = 0, 0, 0
        for step in play.near:
            other = cell + step
            number += play.mined[other]
            free += play.field[other] == HIDDEN
            need -= play.field[other] == MINE
        play.field[cell] = number
        play.need[cell] = number + need
        play.free[cell] = free
        if number > 0:
            _notice(play, cell)
            continue
        for step in play.near:
            if play.field[cell + step] == HIDDEN:
                _claim(play, cell + step)
                stack[waiting] = cell + step
                waiting += 1


@kernel
def open_certain(play: Play) -> bool:
    """Open all that the single-number rules prove free, until they prove no more.

    Returns false where the numbers contradict each other.
    """
    while play.counts[WAITING] > 0:
        waiting = play.counts[WAITING]
        play.counts[WAITING] = 0
        fits, found, located = settle(
            play.field, play.near, play.need, play.free, play.queue, waiting, play.found
        )
        if not fits:
            return False
        play.counts[COVERED] -= found + located
        play.counts[UNKNOWN_MINES] -= located
        for at in range(found):
            uncover(play, int(play.found[at]))
    return True


@kernel
def learn(play: Play, known: Study) -> bool:
    """Open all that an exact study proves free and locate its mines; whether any is free.

    Where none is, nothing changes: ``known`` still fits the game.
    """
    count = 0
    for cell in range(play.field.size):
        if play.field[cell] == HIDDEN and risk_of(known, cell) == 0.0:
            play.found[count] = cell
            count += 1
    if count == 0:
        return False
    for cell in range(play.field.size):
        if play.field[cell] == HIDDEN and risk_of(known, cell) == 1.0:
            locate(play, cell)
    for at in range(count):
        uncover(play, int(play.found[at]))
    return True


@kernel
def look(play: Play) -> Study:
    """Study the game exactly as it stands."""
    return study(
        play.field,
        play.near,
        play.need,
        play.free,
        play.counts[COVERED],
        play.counts[UNKNOWN_MINES],
    )


@kernel
def safest(play: Play, known: Study) -> int:
    """Return the cell least likely a mine.

    Of equals, one beside a number, which may settle it; then the one with the fewest hidden
    neighbours.
    """
    best, least, fewest = -1, 2.0, 99
    for cell in range(play.field.size):
        if play.field[cell] != HIDDEN:
            continue
        group = known.parts.of[cell]
        risk = known.shares.elsewhere if group < 0 else known.risk[group]
        if risk > least + 1e-9:
            continue
        hidden = 9 if group < 0 else 0
        for step in play.near:
            other = cell + step
            hidden += play.field[other] == HIDDEN and risk_of(known, other) < 1.0
        if risk < least - 1e-9 or hidden < fewest:
            best, least, fewest = cell, risk, hidden
    return best


@kernel
def risk_of(known: Study, cell: int) -> float:
    """Return the chance that a hidden cell is a mine."""
    group = known.parts.of[cell]
    return known.shares.elsewhere if group < 0 else known.risk[group]


@kernel
def lay(
    play: Play, order: NDArray[np.int32], cols: int, first: int, mines: int, zero: bool
) -> None:
    """Lay the first ``mines`` entries of ``order`` (row * cols + col) that the rule allows."""
    play.mined[:] = False
    laid = 0
    for index in order:
        cell = (index // cols + 1) * (cols + 2) + index % cols + 1
        spared = cell == first
        if zero:
            for step in play.near:
                spared |= cell == first + step
        if not spared and laid < mines:
            play.mined[cell] = True
            laid += 1


@kernel
def advance(play: Play) -> tuple[bool, Study]:
    """Open all that is certain; return whether no cell is left to open, and the last study."""
    while True:
        open_certain(play)
        known = look(play)
        over = play.counts[COVERED] == play.counts[UNKNOWN_MINES]
        if over or not learn(play, known):
            return over, known


@kernel
def finish_tank(play: Play) -> End:
    """Play to the end by `safest`."""
    chance, guesses = 1.0, 0
    while True:
        over, known = advance(play)
        if over:
            return End(-1, chance, guesses)
        cell = safest(play, known)
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        if play.mined[cell]:
            return End(cell, chance, guesses)
        uncover(play, cell)


@kernel
def outlive(play: Play, cell: int, random: NDArray[np.uint64]) -> None:
    """Go on after a guess that hit a mine: lay the mines anew, so that it is none, and open it."""
    known = look(play)
    while play.mined[cell]:
        draw(play.field, known, random, play.mined)
    uncover(play, cell)

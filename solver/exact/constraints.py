"""From numbers to constraints: the single-number rules and super-cells.

A *field* (see `codes`) is read through two arrays kept beside it: ``need``, the mines still to
be found around each open number, and ``free``, the hidden cells around it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import FREE, HIDDEN, MINE
from solver.kernels import kernel


class Constraints(NamedTuple):
    """Open numbers over super-cells: hidden cells that touch exactly the same numbers.

    ``need[c]`` mines lie on the ``members[c, :width[c]]`` super-cells of constraint ``c``;
    super-cell ``s`` has ``size[s]`` cells and stands in constraints ``touch[s, :degree[s]]``;
    ``of[cell]`` is the super-cell of a field's cell, -1 for none.
    """

    need: NDArray[np.int32]
    members: NDArray[np.int32]
    width: NDArray[np.int32]
    size: NDArray[np.int32]
    touch: NDArray[np.int32]
    degree: NDArray[np.int32]
    of: NDArray[np.int32]


@kernel
def offsets(cols: int) -> NDArray[np.int64]:
    """Return the steps to the eight neighbours in a field of ``cols`` columns, in scan order."""
    wide = cols + 2
    return np.array([-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide, wide + 1])


@kernel
def count_around(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    free: NDArray[np.int8],
) -> None:
    """Fill ``need`` and ``free`` for every open number."""
    wide = near[6]
    for cell in range(wide, field.size - wide):
        need[cell] = 0
        free[cell] = 0
        if field[cell] < 0:
            continue
        need[cell] = field[cell]
        for step in near:
            if field[cell + step] == HIDDEN:
                free[cell] += 1
            elif field[cell + step] == MINE:
                need[cell] -= 1


@kernel
def count_cells(field: NDArray[np.int8]) -> tuple[int, int]:
    """Return how many cells are hidden and how many are known mines."""
    hidden, known = 0, 0
    for code in field:
        hidden += code == HIDDEN
        known += code == MINE
    return hidden, known


@kernel
def list_ready(
    field: NDArray[np.int8],
    need: NDArray[np.int8],
    free: NDArray[np.int8],
    queue: NDArray[np.int32],
) -> int:
    """List in ``queue`` the open numbers that a rule fits, or that are broken; return how many."""
    waiting = 0
    for cell in range(field.size):
        if field[cell] >= 0 and (need[cell] <= 0 or need[cell] >= free[cell]):
            queue[waiting] = cell
            waiting += 1
    return waiting


@kernel
def settle(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    free: NDArray[np.int8],
    queue: NDArray[np.int32],
    waiting: int,
    found: NDArray[np.int32],
) -> tuple[bool, int, int]:
    """Apply the two single-number rules until nothing changes.

    ``queue[:waiting]`` holds the open numbers to look at. Settled cells become MINE or FREE in
    ``field``; the free ones are listed in ``found``. Returns whether the numbers hold together,
    how many
    were found free and how many mines were located.
    """
    count, located = 0, 0
    while waiting > 0:
        waiting -= 1
        cell = queue[waiting]
        if need[cell] < 0 or need[cell] > free[cell]:
            return False, count, located
        if free[cell] == 0 or 0 < need[cell] < free[cell]:
            continue
        mined = need[cell] > 0
        for step in near:
            target = cell + step
            if field[target] != HIDDEN:
                continue
            field[target] = MINE if mined else FREE
            if mined:
                located += 1
            else:
                found[count] = target
                count += 1
            for back in near:
                number = target + back
                if field[number] < 0:
                    continue
                free[number] -= 1
                if mined:
                    need[number] -= 1
                # A queue entry is a hint: a number may stand in it more than once. It is
                # pushed only when a rule now fits it, or when it is broken.
                if need[number] <= 0 or need[number] >= free[number]:
                    queue[waiting] = number
                    waiting += 1
    return True, count, located


@kernel
def collect(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    free: NDArray[np.int8],
) -> Constraints:
    """Turn the open numbers that still touch hidden cells into constraints over super-cells."""
    number_of = np.full(field.size, -1, np.int32)
    wide = near[6]
    count = 0
    for cell in range(wide, field.size - wide):
        if field[cell] >= 0 and free[cell] > 0:
            number_of[cell] = count
            count += 1
    most = min(8 * count, field.size)
    needs = np.empty(count, np.int32)
    members = np.empty((count, 8), np.int32)
    width = np.zeros(count, np.int32)
    size = np.empty(most, np.int32)
    touch = np.empty((most, 8), np.int32)
    degree = np.empty(most, np.int32)
    of = np.full(field.size, -1, np.int32)
    supers = 0
    for cell in range(wide, field.size - wide):
        own = number_of[cell]
        if own < 0:
            continue
        needs[own] = need[cell]
        first = supers
        for step in near:
            target = cell + step
            if field[target] != HIDDEN or of[target] >= 0:
                continue
            # Numbers are met in scan order, so this is the first of them to see ``target``:
            # its like can only be among the super-cells made for this very number.
            links = 0
            for back in near:
                if number_of[target + back] >= 0:
                    touch[supers, links] = number_of[target + back]
                    links += 1
            degree[supers] = links
            of[target] = _same(touch, degree, first, supers)
            if of[target] < supers:
                size[of[target]] += 1
                continue
            size[supers] = 1
            for link in range(links):
                other = touch[supers, link]
                members[other, width[other]] = supers
                width[other] += 1
            supers += 1
    return Constraints(needs, members, width, size[:supers], touch[:supers], degree[:supers], of)


@kernel
def _same(touch: NDArray[np.int32], degree: NDArray[np.int32], first: int, last: int) -> int:
    """Return the super-cell from ``first`` on that touches the same numbers as ``last``."""
    for other in range(first, last):
        if degree[other] != degree[last]:
            continue
        for link in range(degree[last]):
            if touch[other, link] != touch[last, link]:
                break
        else:
            return other
    return last

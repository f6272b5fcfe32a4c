"""From numbers to constraints: the single-number rules and super-cells.

Two int8 arrays of the field's size stand beside a *field* (see `codes`). For each open number,
``need`` counts the mines still to be found around it and ``around`` the hidden cells around it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import FREE, HIDDEN, MINE
from solver.exact.kernels import kernel


class Constraints(NamedTuple):
    """The constraints of a field over its super-cells.

    ``need[c]`` mines lie on the super-cells ``members[c, :width[c]]`` of constraint ``c``.
    Super-cell ``s`` has ``size[s]`` cells and is part of the constraints ``touch[s, :degree[s]]``.
    ``super_cell_of[cell]`` is the super-cell of a cell of the field, -1 for none.
    """

    need: NDArray[np.int32]
    members: NDArray[np.int32]
    width: NDArray[np.int32]
    size: NDArray[np.int32]
    touch: NDArray[np.int32]
    degree: NDArray[np.int32]
    super_cell_of: NDArray[np.int32]


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
    around: NDArray[np.int8],
) -> None:
    """Fill ``need`` and ``around`` for every open number."""
    wide = near[6]
    for cell in range(wide, field.size - wide):
        need[cell] = 0
        around[cell] = 0
        if field[cell] < 0:
            continue
        need[cell] = field[cell]
        for step in near:
            if field[cell + step] == HIDDEN:
                around[cell] += 1
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
def list_ready_numbers(
    field: NDArray[np.int8],
    need: NDArray[np.int8],
    around: NDArray[np.int8],
    queue: NDArray[np.int32],
) -> int:
    """List in ``queue`` the numbers that a rule fits or that are impossible; return how many."""
    waiting = 0
    for cell in range(field.size):
        if field[cell] >= 0 and (need[cell] <= 0 or need[cell] >= around[cell]):
            queue[waiting] = cell
            waiting += 1
    return waiting


@kernel
def apply_rules(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    around: NDArray[np.int8],
    queue: NDArray[np.int32],
    waiting: int,
    found: NDArray[np.int32],
) -> tuple[bool, int, int]:
    """Apply the two single-number rules until nothing changes.

    The first rule: a number that needs no mine has only free cells around it. The second: a number
    that needs as many mines as it has hidden cells around it has only mines there.
    ``queue[:waiting]`` lists the open numbers to look at; ``queue`` needs room for nine entries a
    cell. Cells that a rule decides become MINE or FREE in ``field``; the free ones are listed in
    ``found``. Returns whether the numbers agree, how many cells are free, and how many are mines.
    """
    count, located = 0, 0
    while waiting > 0:
        waiting -= 1
        cell = queue[waiting]
        if need[cell] < 0 or need[cell] > around[cell]:
            return False, count, located
        if around[cell] == 0 or 0 < need[cell] < around[cell]:
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
                around[number] -= 1
                if mined:
                    need[number] -= 1
                # A number may be in the queue more than once. It is added only when a rule now
                # fits it or when it is impossible.
                if need[number] <= 0 or need[number] >= around[number]:
                    queue[waiting] = number
                    waiting += 1
    return True, count, located


@kernel
def build_constraints(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    around: NDArray[np.int8],
) -> Constraints:
    """Turn the open numbers beside hidden cells into constraints over super-cells."""
    number_of = np.full(field.size, -1, np.int32)
    wide = near[6]
    count = 0
    for cell in range(wide, field.size - wide):
        if field[cell] >= 0 and around[cell] > 0:
            number_of[cell] = count
            count += 1
    most = min(8 * count, field.size)
    needs = np.empty(count, np.int32)
    members = np.empty((count, 8), np.int32)
    width = np.zeros(count, np.int32)
    size = np.empty(most, np.int32)
    touch = np.empty((most, 8), np.int32)
    degree = np.empty(most, np.int32)
    super_cell_of = np.full(field.size, -1, np.int32)
    supers = 0
    for cell in range(wide, field.size - wide):
        own = number_of[cell]
        if own < 0:
            continue
        needs[own] = need[cell]
        first = supers
        for step in near:
            target = cell + step
            if field[target] != HIDDEN or super_cell_of[target] >= 0:
                continue
            # Numbers are visited in scan order, and this is the first that touches ``target``:
            # an equal super-cell can only be among those made for this number.
            links = 0
            for back in near:
                if number_of[target + back] >= 0:
                    touch[supers, links] = number_of[target + back]
                    links += 1
            degree[supers] = links
            super_cell_of[target] = _find_alike(touch, degree, first, supers)
            if super_cell_of[target] < supers:
                size[super_cell_of[target]] += 1
                continue
            size[supers] = 1
            for link in range(links):
                other = touch[supers, link]
                members[other, width[other]] = supers
                width[other] += 1
            supers += 1
    return Constraints(
        needs, members, width, size[:supers], touch[:supers], degree[:supers], super_cell_of
    )


@kernel
def _find_alike(touch: NDArray[np.int32], degree: NDArray[np.int32], first: int, last: int) -> int:
    """Return the first super-cell in ``first..last`` that has the same numbers as ``last``."""
    for other in range(first, last):
        if degree[other] != degree[last]:
            continue
        for link in range(degree[last]):
            if touch[other, link] != touch[last, link]:
                break
        else:
            return other
    return last


@kernel
def follow_rules(
    field: NDArray[np.int8], cols: int
) -> tuple[bool, NDArray[np.int8], NDArray[np.int64], NDArray[np.int8], NDArray[np.int8]]:
    """Apply the single-number rules to a copy of a field.

    Returns whether they found no contradiction, the copy, and ``near``, ``need`` and ``around``.
    """
    field = field.copy()
    near = offsets(cols)
    need = np.zeros(field.size, np.int8)
    around = np.zeros(field.size, np.int8)
    count_around(field, near, need, around)
    queue = np.empty(9 * field.size, np.int32)
    waiting = list_ready_numbers(field, need, around, queue)
    fits, _, _ = apply_rules(
        field, near, need, around, queue, waiting, np.empty(field.size, np.int32)
    )
    return fits, field, near, need, around

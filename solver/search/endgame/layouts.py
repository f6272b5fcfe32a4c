"""All layouts that fit a board, listed one by one where there are few."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.constraints import count_around
from solver.exact.forward_pass import HIGH, LOW
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts

MINED: Final = 9
"""What `numbers_shown` says of a cell that is a mine."""


@kernel
def list_layouts(
    field: NDArray[np.int8], near: NDArray[np.int64], counted: LayoutCounts, most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the hidden cells, and all layouts on them as bool ``[layout, cell]``.

    Returns no layouts where there are more than ``most``, or where finding them takes more than
    1,000 steps for each of ``most``.
    """
    cells = _cells_in_order(field, counted)
    found = np.empty((most, cells.size), np.bool_)
    need = np.zeros(field.size, np.int8)
    around = np.zeros(field.size, np.int8)
    count_around(field, near, need, around)
    fewest, largest = _bound_rest(field, counted, cells)
    choice = np.full(cells.size, -1, np.int8)
    left = counted.mines
    count, at, work = 0, 0, 0
    while at >= 0:
        work += 1
        if work > 1000 * most:
            return cells, found[:0]
        if at == cells.size:
            if count == most:
                return cells, found[:0]
            for place in range(cells.size):
                found[count, place] = choice[place] == 1
            count += 1
            at -= 1
            continue
        if choice[at] >= 0:  # take back
            left += choice[at]
            for step in near:
                number = cells[at] + step
                if field[number] >= 0:
                    around[number] += 1
                    need[number] += choice[at]
        choice[at] += 1
        if choice[at] == 2:
            choice[at] = -1
            at -= 1
            continue
        left -= choice[at]
        fits = left >= fewest[at + 1] and left <= largest[at + 1]
        for step in near:
            number = cells[at] + step
            if field[number] >= 0:
                around[number] -= 1
                need[number] -= choice[at]
                fits &= 0 <= need[number] <= around[number]
        if fits:
            at += 1
    return cells, found[:count]


@kernel
def _cells_in_order(field: NDArray[np.int8], counted: LayoutCounts) -> NDArray[np.int64]:
    """Return the hidden cells: the frontier in elimination order, then the others."""
    start = np.zeros(counted.constraints.size.size, np.int32)
    count = 0
    for super_cell in counted.order.super_cells:
        start[super_cell] = count
        count += counted.constraints.size[super_cell]
    cells = np.empty(count + counted.unconstrained, np.int64)
    for cell in range(field.size):
        if field[cell] != HIDDEN:
            continue
        super_cell = counted.constraints.super_cell_of[cell]
        if super_cell < 0:
            cells[count] = cell
            count += 1
        else:
            cells[start[super_cell]] = cell
            start[super_cell] += 1
    return cells


@kernel
def _bound_rest(
    field: NDArray[np.int8], counted: LayoutCounts, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the fewest and the most mines on ``cells[at:]``, for every ``at``."""
    fewest = np.zeros(cells.size + 1, np.int32)
    largest = np.zeros(cells.size + 1, np.int32)
    at = cells.size
    for _ in range(counted.unconstrained):
        at -= 1
        largest[at] = largest[at + 1] + 1
    for component in range(counted.order.first.size - 2, -1, -1):
        end = counted.forward.level[counted.order.first[component + 1] + component]
        after_fewest, after_largest = fewest[at], largest[at]
        for step in range(counted.order.first[component], counted.order.first[component + 1]):
            for _ in range(counted.constraints.size[counted.order.super_cells[step]]):
                at -= 1
                fewest[at] = after_fewest
                largest[at] = after_largest + counted.forward.node[end, HIGH]
        fewest[at] = after_fewest + counted.forward.node[end, LOW]
    return fewest, largest


@kernel
def numbers_shown(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    cells: NDArray[np.int64],
    layouts: NDArray[np.bool_],
) -> NDArray[np.int8]:
    """Return what each cell shows in each layout, int8 ``[cell, layout]``; MINED for a mine."""
    place = np.full(field.size, -1, np.int32)
    for at in range(cells.size):
        place[cells[at]] = at
    shown = np.empty((cells.size, layouts.shape[0]), np.int8)
    for at in range(cells.size):
        base = 0
        for step in near:
            base += field[cells[at] + step] == MINE
        for layout in range(layouts.shape[0]):
            number = base
            for step in near:
                other = place[cells[at] + step]
                if other >= 0:
                    number += layouts[layout, other]
            shown[at, layout] = MINED if layouts[layout, at] else number
    return shown

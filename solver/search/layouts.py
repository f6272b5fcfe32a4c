"""All layouts that fit a board, listed one by one where they are few."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.constraints import count_around
from solver.kernels import kernel
from solver.lattice import HIGH, LOW
from solver.probability import Study

MINED: Final = 9
"""What `numbers_shown` says of a cell that is a mine."""


MIRRORED: Final = 64
"""Cells of the largest board whose images are told."""


@kernel
def list_layouts(
    field: NDArray[np.int8], near: NDArray[np.int64], known: Study, most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """List the hidden cells, and all layouts on them as ``[layout, cell]``.

    Returns no layouts where there are more than ``most``, or where finding them takes more than
    a thousand steps each.
    """
    cells = _in_counting_order(field, known)
    found = np.empty((most, cells.size), np.bool_)
    need = np.zeros(field.size, np.int8)
    free = np.zeros(field.size, np.int8)
    count_around(field, near, need, free)
    fewest, largest = _rest(field, known, cells)
    choice = np.full(cells.size, -1, np.int8)
    left = known.mines
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
                    free[number] += 1
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
                free[number] -= 1
                need[number] -= choice[at]
                fits &= 0 <= need[number] <= free[number]
        if fits:
            at += 1
    return cells, found[:count]


@kernel
def _in_counting_order(field: NDArray[np.int8], known: Study) -> NDArray[np.int64]:
    """Return the hidden cells: the frontier as it was counted, then the others."""
    start = np.zeros(known.parts.size.size, np.int32)
    count = 0
    for group in known.order.layer:
        start[group] = count
        count += known.parts.size[group]
    cells = np.empty(count + known.loose, np.int64)
    for cell in range(field.size):
        if field[cell] != HIDDEN:
            continue
        group = known.parts.of[cell]
        if group < 0:
            cells[count] = cell
            count += 1
        else:
            cells[start[group]] = cell
            start[group] += 1
    return cells


@kernel
def _rest(
    field: NDArray[np.int8], known: Study, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Bound the mines on ``cells[at:]``, for every ``at``."""
    fewest = np.zeros(cells.size + 1, np.int32)
    largest = np.zeros(cells.size + 1, np.int32)
    at = cells.size
    for _ in range(known.loose):
        at -= 1
        largest[at] = largest[at + 1] + 1
    for component in range(known.order.first.size - 2, -1, -1):
        end = known.ways.level[known.order.first[component + 1] + component]
        after_fewest, after_largest = fewest[at], largest[at]
        for step in range(known.order.first[component], known.order.first[component + 1]):
            for _ in range(known.parts.size[known.order.layer[step]]):
                at -= 1
                fewest[at] = after_fewest
                largest[at] = after_largest + known.ways.node[end, HIGH]
        fewest[at] = after_fewest + known.ways.node[end, LOW]
    return fewest, largest


@kernel
def numbers_shown(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    cells: NDArray[np.int64],
    layouts: NDArray[np.bool_],
) -> NDArray[np.int8]:
    """Return what each cell shows in each layout, MINED for a mine, as ``[cell, layout]``."""
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


@kernel
def images(layouts: NDArray[np.bool_], cols: int) -> NDArray[np.int32]:
    """Return the place of each layout's image under every turn and mirror of an untouched board.

    As ``[way, layout]``; no ways on boards of more cells than MIRRORED. The layouts are all there
    are, in the order of `list_layouts`: as binary numbers, upwards.
    """
    count, cells = layouts.shape
    if cells > MIRRORED or count < 2:
        return np.empty((0, count), np.int32)
    rows, mines = cells // cols, layouts[0].sum()
    below = np.zeros((cells + 1, mines + 1), np.int64)  # binomials
    below[:, 0] = 1
    for size in range(1, cells + 1):
        for held in range(1, mines + 1):
            below[size, held] = below[size - 1, held - 1] + below[size - 1, held]
    ways = 8 if rows == cols else 4
    found = np.empty((ways - 1, count), np.int32)
    turned = np.empty(cells, np.int64)
    for way in range(1, ways):
        for cell in range(cells):
            row, col = cell // cols, cell % cols
            if way & 1:
                row = rows - 1 - row
            if way & 2:
                col = cols - 1 - col
            turned[cell] = col * cols + row if way & 4 else row * cols + col
        for layout in range(count):
            place, left = 0, mines
            for cell in range(cells):
                if layouts[layout, turned[cell]]:
                    place += below[cells - cell - 1, left]
                    left -= 1
            found[way - 1, layout] = place
    return found

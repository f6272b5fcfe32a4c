"""What a cell says of a set of layouts: where it is free, what it shows, how it splits them.

A set is an array of layout numbers, int32; ``shown[cell, layout]`` is made by `numbers_shown` in
`layouts`. ``live`` lists the cells that are not the same in all layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel
from solver.search.endgame.layouts import MINED

START, SIZE = 0, 1
"""Columns of a part: where its set starts, and how many layouts it has."""


@kernel
def count_safe(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    live: NDArray[np.int32],
    safe: NDArray[np.int32],
    kinds: NDArray[np.int32],
) -> int:
    """Fill in, for each cell in ``live``, in how many layouts it is free and how much it may show.

    ``kinds`` counts the different numbers, a mine included. Cells that are the same in all layouts
    are removed from ``live``; returns how many are left.
    """
    kept = 0
    for cell in live:
        seen, free = 0, 0
        for layout in layouts:
            number = int(shown[cell, layout])
            seen |= 1 << number
            free += number != MINED
        if seen & (seen - 1) == 0:
            continue
        live[kept] = cell
        kept += 1
        safe[cell] = free
        kinds[cell] = 0
        while seen > 0:
            kinds[cell] += seen & 1
            seen >>= 1
    return kept


@kernel
def likeliest_guess(
    live: NDArray[np.int32], safe: NDArray[np.int32], kinds: NDArray[np.int32]
) -> int:
    """Return the untried cell that is free in most layouts, or -1.

    Of equals, the one that shows the most different numbers. Dead cells are passed over.
    """
    best = -1
    for cell in live:
        if (
            kinds[cell] > 2
            and safe[cell] > 0
            and (
                best < 0
                or safe[cell] > safe[best]
                or (safe[cell] == safe[best] and kinds[cell] > kinds[best])
            )
        ):
            best = cell
    return best


@kernel
def safest_cell(live: NDArray[np.int32], safe: NDArray[np.int32]) -> int:
    """Return the cell that is free in most layouts."""
    best = live[0]
    for cell in live:
        if safe[cell] > safe[best]:
            best = cell
    return int(best)


@kernel
def upper_bound(
    shown: NDArray[np.int8], layouts: NDArray[np.int32], live: NDArray[np.int32]
) -> tuple[int, int]:
    """Return the most layouts that a guess may win, and a useful certain cell or -1.

    Useful is a cell that is free in all layouts and may show different numbers.
    """
    spare = layouts.size - 2  # a cell mined in more layouts than this is no better
    most = 1
    for cell in live:
        seen, mined = 0, 0
        for layout in layouts:
            number = int(shown[cell, layout])
            if number < MINED:
                seen |= 1 << number
            else:
                mined += 1
                if mined > spare:
                    break
        if mined > spare or seen & (seen - 1) == 0:
            continue
        most = layouts.size - mined
        if mined == 0:
            return most, cell
        spare = mined - 1
    return most, -1


@kernel
def split_by_number(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    sets: NDArray[np.int32],
    start: int,
    parts: NDArray[np.int32],
    count: int,
) -> tuple[int, int]:
    """Sort layouts by the number that a cell shows into ``sets``, from ``start`` on.

    Parts of at least two layouts are added to the ``count`` in ``parts``. Returns how many parts
    there are then, and how many parts had one layout only.
    """
    place = np.zeros(MINED + 2, np.int32)
    for layout in layouts:
        place[shown[layout] + 1] += 1
    single = 0
    place[0] = start
    for number in range(MINED):
        size = place[number + 1]
        if size > 1:
            parts[count, START] = place[number]
            parts[count, SIZE] = size
            count += 1
        single += size == 1
        place[number + 1] += place[number]
    for layout in layouts:
        number = shown[layout]
        if number < MINED:
            sets[place[number]] = layout
            place[number] += 1
    return count, single

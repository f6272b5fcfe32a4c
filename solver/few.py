"""Exact search over at most 64 layouts: a set of them is one word, a bit for each.

The same search as in `endgame`, which hands sets over once they are this small.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import kernel
from solver.layouts import MINED

FEW: Final = 64
"""Layouts that fit into a word."""

ANY: Final = -1
NONE: Final = -2
"""Choices that are no cell."""

FLOOR, BEST, CHOICE, PLACE, TOTAL, KIND, CERTAIN = range(7)
"""Columns of a frame: what a set must win more than to matter; the best so far and its cell; the
cell on trial, what it can still reach, the number it shows next, and whether it is certain."""

MET, MOST, PICK = range(3)
"""Columns of what is kept: in which round, the layouts won at most, and the best cell."""

KEPT: Final = 1 << 11
"""Sets whose values are kept, a later one in place of an earlier."""

ROUND, LOOKED, SPARE = range(3)
"""Places in ``Few.use``."""


class Few(NamedTuple):
    """The layouts of one set, by cells that may tell them apart.

    ``free[place]`` are the layouts in which a cell is free, ``shows[place, :kinds[place]]`` those
    in which it shows one number or another. ``keys`` are the sets met, ``values`` what they may
    win at most, or exactly where there is a pick. ``safe``, ``upper``, ``sets`` and ``frame`` are
    room for each depth. ``use`` tells of which round the sets are, and how many were looked at
    and may be.
    """

    cell: NDArray[np.int32]
    free: NDArray[np.uint64]
    shows: NDArray[np.uint64]
    kinds: NDArray[np.int32]
    keys: NDArray[np.uint64]
    values: NDArray[np.int32]
    safe: NDArray[np.int32]
    upper: NDArray[np.int32]
    sets: NDArray[np.uint64]
    frame: NDArray[np.int64]
    use: NDArray[np.int64]


@kernel
def make_few(cells: int) -> Few:
    """Make room for sets over so many cells."""
    return Few(
        np.empty(cells, np.int32),
        np.empty(cells, np.uint64),
        np.empty((cells, MINED), np.uint64),
        np.empty(cells, np.int32),
        np.zeros(KEPT, np.uint64),
        np.zeros((KEPT, 3), np.int32),
        np.empty((FEW + 1, cells), np.int32),
        np.empty((FEW + 1, MINED), np.int32),
        np.empty(FEW + 1, np.uint64),
        np.empty((FEW + 1, 7), np.int64),
        np.zeros(3, np.int64),
    )


@kernel
def take_up(
    few: Few, shown: NDArray[np.int8], layouts: NDArray[np.int32], live: NDArray[np.int32]
) -> int:
    """Fill in the cells in ``live`` that may show two numbers or more; return how many."""
    few.use[ROUND] += 1
    count = 0
    one = np.uint64(1)
    by_number = np.empty(MINED + 1, np.uint64)
    for cell in live:
        by_number[:] = np.uint64(0)
        for at in range(layouts.size):
            by_number[shown[cell, layouts[at]]] |= one << np.uint64(at)
        kinds = 0
        free = np.uint64(0)
        for number in range(MINED):
            if by_number[number] != np.uint64(0):
                few.shows[count, kinds] = by_number[number]
                free |= by_number[number]
                kinds += 1
        if kinds > 1:
            few.cell[count] = cell
            few.free[count] = free
            few.kinds[count] = kinds
            count += 1
    return count


@kernel
def everything(size: int) -> np.uint64:
    """Return the set of the first layouts."""
    return ~np.uint64(0) >> np.uint64(FEW - size)


@kernel
def size_of(own: np.uint64) -> int:
    """Count the layouts of a set."""
    own -= (own >> np.uint64(1)) & np.uint64(0x5555555555555555)
    own = (own & np.uint64(0x3333333333333333)) + (
        (own >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    own = (own + (own >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((own * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _tells(few: Few, place: int, free: np.uint64) -> bool:
    """Whether a cell shows two numbers or more where it is ``free``."""
    for kind in range(few.kinds[place]):
        part = few.shows[place, kind] & free
        if part != np.uint64(0):
            return bool(part != free)
    return False


@kernel
def _upper(few: Few, cells: int, own: np.uint64) -> int:
    """Return the layouts that can be won at most: what is known, or those the best guess leaves."""
    slot = _slot_of(own)
    if few.keys[slot] == own and few.values[slot, MET] == few.use[ROUND]:
        return int(few.values[slot, MOST])
    most = 1
    for place in range(cells):
        free = few.free[place] & own
        safe = size_of(free)
        if safe > most and _tells(few, place, free):
            most = safe
    return most


@kernel
def _slot_of(own: np.uint64) -> int:
    """Return where a set is kept."""
    return int((own * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(53))


@kernel
def wins_few(  # noqa: PLR0912, PLR0915  one loop down and up the stack
    few: Few, cells: int, whole: np.uint64, least: int
) -> tuple[int, int]:
    """Return in how many layouts of a set the best line wins, and the place of the cell it opens.

    Where no line wins more than ``least``, the number is only an upper bound, not above it, and
    the place NONE, as when more sets were looked at than may be. It is ANY where any cell that is
    free in one layout wins that one, and no more can be won. The stack is spelled out, as in
    `endgame.wins`.
    """
    depth, value, entering = 0, 0, True
    few.sets[0] = whole
    few.frame[0, FLOOR] = least
    while True:
        own, now = few.sets[depth], few.frame[depth]
        safe, upper = few.safe[depth], few.upper[depth]
        if entering:
            slot = _slot_of(own)
            done = few.keys[slot] == own and few.values[slot, MET] == few.use[ROUND]
            done &= few.values[slot, PICK] != NONE or few.values[slot, MOST] <= now[FLOOR]
            if not done:
                few.use[LOOKED] += 1
                if few.use[LOOKED] > few.use[SPARE]:
                    return least, NONE
                for place in range(cells):
                    free = few.free[place] & own
                    safe[place] = size_of(free) if _tells(few, place, free) else 0
                now[BEST], now[CHOICE] = now[FLOOR], NONE
                if now[FLOOR] < 1:
                    now[BEST], now[CHOICE] = 1, ANY
                now[PLACE] = -1
            else:
                now[BEST], now[CHOICE] = few.values[slot, MOST], few.values[slot, PICK]
        else:
            done = False
            now[TOTAL] += value - upper[now[KIND]]
            now[KIND] += 1
        while not done:
            if now[PLACE] >= 0:  # go on with the cell on trial
                kinds = few.kinds[now[PLACE]]
                while now[TOTAL] > now[BEST] and now[KIND] < kinds and upper[now[KIND]] <= 1:
                    now[KIND] += 1
                if now[TOTAL] > now[BEST]:
                    if now[KIND] < kinds:
                        break
                    now[BEST], now[CHOICE] = now[TOTAL], now[PLACE]
                done = now[CERTAIN] > 0
            if not done:
                done = not _try_next(few, cells, own, depth)
            if done:
                slot = _slot_of(own)
                few.keys[slot] = own
                few.values[slot, MET] = few.use[ROUND]
                few.values[slot, MOST] = now[BEST]
                few.values[slot, PICK] = now[CHOICE]
        if done:
            if depth == 0:
                return now[BEST], now[CHOICE]
            value = now[BEST]
            depth -= 1
            entering = False
        else:
            below = few.frame[depth + 1]
            below[FLOOR] = max(0, now[BEST] - now[TOTAL] + upper[now[KIND]])
            few.sets[depth + 1] = few.shows[now[PLACE], now[KIND]] & own
            depth += 1
            entering = True


@kernel
def _try_next(few: Few, cells: int, own: np.uint64, depth: int) -> bool:
    """Put the safest cell not tried yet on trial; whether there is one that may be the best."""
    now, safe, upper = few.frame[depth], few.safe[depth], few.upper[depth]
    place = -1
    most = now[BEST]
    for other in range(cells):
        if safe[other] > most:
            place, most = other, safe[other]
    if place < 0:
        return False
    total = most
    safe[place] = 0
    for kind in range(few.kinds[place]):
        part = few.shows[place, kind] & own
        upper[kind] = 0
        if part != np.uint64(0) and total > now[BEST]:
            upper[kind] = _upper(few, cells, part)
            total += upper[kind] - size_of(part)
    now[PLACE] = place
    now[TOTAL] = total
    now[KIND] = 0
    now[CERTAIN] = most == size_of(own)
    return True

"""Endgame search over at most 64 layouts: a word stands for a set, with one bit a layout.

The method is that of `endgame`, which passes on its sets once they are this small.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel
from solver.search.endgame.layouts import MINED

MOST_LAYOUTS: Final = 64
"""Layouts that fit into a word."""

ANY: Final = -1
NONE: Final = -2
"""Choices that are not a cell: any that is free in one layout, and none known."""

TO_BEAT, BEST, CHOICE, PLACE, TOTAL, KIND, CERTAIN = range(7)
"""Columns of ``SmallSets.stack``, with one row a set.

TO_BEAT: the set matters only if it wins more layouts than this. BEST, CHOICE: the best value so far
and its cell. PLACE, TOTAL: the cell on trial and the most it can still win. KIND: which of its
numbers is next. CERTAIN: whether it is free in all layouts."""

MET, MOST, PICK = range(3)
"""Columns of ``SmallSets.values``: the round, the most layouts that may be won, the best cell."""

KEPT: Final = 1 << 11
"""How many sets have their values kept; a later one replaces an earlier one."""

ROUND, LOOKED, SPARE = range(3)
"""Places in ``SmallSets.use``: the round, how many sets were looked at, how many may be."""


class SmallSets(NamedTuple):
    """The layouts of one set, by the cells that may tell them apart.

    ``free[place]`` is the set of layouts in which a cell is free; ``shows[place, :kinds[place]]``
    are those in which it shows each of its numbers. ``keys`` are sets met before, ``values`` the
    most that they may win, or exactly what they win where there is a best cell. ``safe``,
    ``upper``, ``sets`` and ``stack`` are room for each depth. ``use`` holds the current round, how
    many sets were looked at, and how many may be.
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
    stack: NDArray[np.int64]
    use: NDArray[np.int64]


@kernel
def make_small_sets(cells: int) -> SmallSets:
    """Return room for sets over ``cells`` cells."""
    return SmallSets(
        np.empty(cells, np.int32),
        np.empty(cells, np.uint64),
        np.empty((cells, MINED), np.uint64),
        np.empty(cells, np.int32),
        np.zeros(KEPT, np.uint64),
        np.zeros((KEPT, 3), np.int32),
        np.empty((MOST_LAYOUTS + 1, cells), np.int32),
        np.empty((MOST_LAYOUTS + 1, MINED), np.int32),
        np.empty(MOST_LAYOUTS + 1, np.uint64),
        np.empty((MOST_LAYOUTS + 1, 7), np.int64),
        np.zeros(3, np.int64),
    )


@kernel
def load_set(
    small: SmallSets, shown: NDArray[np.int8], layouts: NDArray[np.int32], live: NDArray[np.int32]
) -> int:
    """Take in the cells of ``live`` that may show at least two numbers; return how many."""
    small.use[ROUND] += 1
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
                small.shows[count, kinds] = by_number[number]
                free |= by_number[number]
                kinds += 1
        if kinds > 1:
            small.cell[count] = cell
            small.free[count] = free
            small.kinds[count] = kinds
            count += 1
    return count


@kernel
def full_set(size: int) -> np.uint64:
    """Return the set of the first ``size`` layouts."""
    return ~np.uint64(0) >> np.uint64(MOST_LAYOUTS - size)


@kernel
def size_of(layouts: np.uint64) -> int:
    """Count the layouts of a set."""
    layouts -= (layouts >> np.uint64(1)) & np.uint64(0x5555555555555555)
    layouts = (layouts & np.uint64(0x3333333333333333)) + (
        (layouts >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    layouts = (layouts + (layouts >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((layouts * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _tells(small: SmallSets, place: int, free: np.uint64) -> bool:
    """Whether a cell may show two numbers or more in the layouts ``free``."""
    for kind in range(small.kinds[place]):
        part = small.shows[place, kind] & free
        if part != np.uint64(0):
            return bool(part != free)
    return False


@kernel
def _upper_bound(small: SmallSets, cells: int, position: np.uint64) -> int:
    """Return the most layouts that a set may win: what is known, or what the best guess leaves."""
    slot = _slot_of(position)
    if small.keys[slot] == position and small.values[slot, MET] == small.use[ROUND]:
        return int(small.values[slot, MOST])
    most = 1
    for place in range(cells):
        free = small.free[place] & position
        safe = size_of(free)
        if safe > most and _tells(small, place, free):
            most = safe
    return most


@kernel
def _slot_of(position: np.uint64) -> int:
    """Return the place where a set is kept."""
    return int((position * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(53))


@kernel
def most_wins_small(  # noqa: PLR0912, PLR0915  one loop down and up the stack
    small: SmallSets, cells: int, first_set: np.uint64, to_beat: int
) -> tuple[int, int]:
    """Return how many layouts of a set the best line wins, and the place of the cell it opens.

    If no line wins more than ``to_beat``, the number is an upper bound that is at most ``to_beat``,
    and the place is NONE; it is NONE, too, if more sets were looked at than allowed. The place is
    ANY if every cell that is free in one layout wins that one, and no more can be won. The search
    has a stack of its own, as in `endgame.most_wins`.
    """
    depth, value, entering = 0, 0, True
    small.sets[0] = first_set
    small.stack[0, TO_BEAT] = to_beat
    while True:
        position, top = small.sets[depth], small.stack[depth]
        safe, upper = small.safe[depth], small.upper[depth]
        if entering:
            slot = _slot_of(position)
            done = small.keys[slot] == position and small.values[slot, MET] == small.use[ROUND]
            done &= small.values[slot, PICK] != NONE or small.values[slot, MOST] <= top[TO_BEAT]
            if not done:
                small.use[LOOKED] += 1
                if small.use[LOOKED] > small.use[SPARE]:
                    return to_beat, NONE
                for place in range(cells):
                    free = small.free[place] & position
                    safe[place] = size_of(free) if _tells(small, place, free) else 0
                top[BEST], top[CHOICE] = top[TO_BEAT], NONE
                if top[TO_BEAT] < 1:
                    top[BEST], top[CHOICE] = 1, ANY
                top[PLACE] = -1
            else:
                top[BEST], top[CHOICE] = small.values[slot, MOST], small.values[slot, PICK]
        else:
            done = False
            top[TOTAL] += value - upper[top[KIND]]
            top[KIND] += 1
        while not done:
            if top[PLACE] >= 0:  # go on with the cell on trial
                kinds = small.kinds[top[PLACE]]
                while top[TOTAL] > top[BEST] and top[KIND] < kinds and upper[top[KIND]] <= 1:
                    top[KIND] += 1
                if top[TOTAL] > top[BEST]:
                    if top[KIND] < kinds:
                        break
                    top[BEST], top[CHOICE] = top[TOTAL], top[PLACE]
                done = top[CERTAIN] > 0
            if not done:
                done = not _try_next(small, cells, position, depth)
            if done:
                slot = _slot_of(position)
                small.keys[slot] = position
                small.values[slot, MET] = small.use[ROUND]
                small.values[slot, MOST] = top[BEST]
                small.values[slot, PICK] = top[CHOICE]
        if done:
            if depth == 0:
                return top[BEST], top[CHOICE]
            value = top[BEST]
            depth -= 1
            entering = False
        else:
            pushed = small.stack[depth + 1]
            pushed[TO_BEAT] = max(0, top[BEST] - top[TOTAL] + upper[top[KIND]])
            small.sets[depth + 1] = small.shows[top[PLACE], top[KIND]] & position
            depth += 1
            entering = True


@kernel
def _try_next(small: SmallSets, cells: int, position: np.uint64, depth: int) -> bool:
    """Begin to try the safest untried cell; return whether one is left that may be the best."""
    top, safe, upper = small.stack[depth], small.safe[depth], small.upper[depth]
    place = -1
    most = top[BEST]
    for other in range(cells):
        if safe[other] > most:
            place, most = other, safe[other]
    if place < 0:
        return False
    total = most
    safe[place] = 0
    for kind in range(small.kinds[place]):
        part = small.shows[place, kind] & position
        upper[kind] = 0
        if part != np.uint64(0) and total > top[BEST]:
            upper[kind] = _upper_bound(small, cells, part)
            total += upper[kind] - size_of(part)
    top[PLACE] = place
    top[TOTAL] = total
    top[KIND] = 0
    top[CERTAIN] = most == size_of(position)
    return True

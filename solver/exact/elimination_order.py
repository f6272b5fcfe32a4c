"""The elimination order: component after component, with few constraints open at once.

A constraint is *open* from its first counted super-cell to its last. The cost of the count grows
with the number of constraints that are open at once. Each of them has a slot of four bits for the
mines that it still needs; a 64-bit word has fifteen slots.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.constraints import Constraints
from solver.exact.kernels import kernel

SLOTS: Final = 15
"""Open numbers that fit into one signed 64-bit word, four bits each."""


class Order(NamedTuple):
    """Super-cells in elimination order.

    ``super_cells[t]`` is the super-cell counted at step ``t``. Component ``k`` takes the steps from
    ``first[k]`` up to ``first[k + 1]``. ``slot[c]`` is the slot of constraint ``c`` while it is
    open; ``words`` words hold all slots.
    """

    super_cells: NDArray[np.int32]
    first: NDArray[np.int32]
    slot: NDArray[np.int32]
    words: int


@kernel
def order_super_cells(constraints: Constraints) -> Order:
    """Order the super-cells: always finish the open constraint that opens the fewest new ones.

    This greedy choice keeps few constraints open; the start at the far end of a component makes the
    count run along the frontier once.
    """
    numbers = constraints.need.size
    count = constraints.size.size
    super_cells = np.empty(count, np.int32)
    first = np.zeros(numbers + 1, np.int32)
    slot = np.full(numbers, -1, np.int32)
    left = constraints.width.copy()
    mark = np.full(numbers, -1, np.int32)
    placed = np.zeros(count, np.bool_)
    busy = np.zeros(numbers + 1, np.bool_)
    opened = np.empty(numbers, np.int32)
    steps, components, slots = 0, 0, 0
    for seed in range(numbers):
        if slot[seed] >= 0:
            continue
        start = _distant_number(constraints, seed, mark, opened)
        slot[start] = _take_slot(busy)
        slots = max(slots, slot[start] + 1)
        opened[0] = start
        waiting = 1
        while waiting > 0:
            best = _cheapest_number(constraints, opened, waiting, slot, placed, mark)
            number = opened[best]
            for place in range(constraints.width[number]):
                super_cell = constraints.members[number, place]
                if placed[super_cell]:
                    continue
                placed[super_cell] = True
                super_cells[steps] = super_cell
                steps += 1
                for link in range(constraints.degree[super_cell]):
                    other = constraints.touch[super_cell, link]
                    if slot[other] < 0:
                        slot[other] = _take_slot(busy)
                        slots = max(slots, slot[other] + 1)
                        opened[waiting] = other
                        waiting += 1
                    left[other] -= 1
                for link in range(constraints.degree[super_cell]):
                    other = constraints.touch[super_cell, link]
                    if left[other] == 0:
                        busy[slot[other]] = False
            kept = 0
            for at in range(waiting):
                if left[opened[at]] > 0:
                    opened[kept] = opened[at]
                    kept += 1
            waiting = kept
        components += 1
        first[components] = steps
    return Order(super_cells, first[: components + 1], slot, max(1, (slots + SLOTS - 1) // SLOTS))


@kernel
def _take_slot(busy: NDArray[np.bool_]) -> int:
    """Mark the lowest free slot as busy; return it."""
    place = 0
    while busy[place]:
        place += 1
    busy[place] = True
    return place


@kernel
def _cheapest_number(
    constraints: Constraints,
    opened: NDArray[np.int32],
    waiting: int,
    slot: NDArray[np.int32],
    placed: NDArray[np.bool_],
    mark: NDArray[np.int32],
) -> int:
    """Return the index in ``opened`` of the constraint that opens the fewest new ones."""
    best, fewest = 0, 1 << 30
    for at in range(waiting):
        number = opened[at]
        newly_open = 0
        for place in range(constraints.width[number]):
            super_cell = constraints.members[number, place]
            if placed[super_cell]:
                continue
            for link in range(constraints.degree[super_cell]):
                other = constraints.touch[super_cell, link]
                if slot[other] < 0 and mark[other] != number:
                    mark[other] = number
                    newly_open += 1
        for place in range(constraints.width[number]):  # clear the marks for the next number
            super_cell = constraints.members[number, place]
            for link in range(constraints.degree[super_cell]):
                mark[constraints.touch[super_cell, link]] = -1
        if newly_open < fewest:
            best, fewest = at, newly_open
            if newly_open == 0:
                break
    return best


@kernel
def _distant_number(
    constraints: Constraints, seed: int, mark: NDArray[np.int32], queue: NDArray[np.int32]
) -> int:
    """Return a constraint far from ``seed``: the last that a breadth-first search reaches."""
    head, tail = 0, 1
    queue[0] = seed
    mark[seed] = -2
    while head < tail:
        number = queue[head]
        head += 1
        for place in range(constraints.width[number]):
            super_cell = constraints.members[number, place]
            for link in range(constraints.degree[super_cell]):
                other = constraints.touch[super_cell, link]
                if mark[other] != -2:
                    mark[other] = -2
                    queue[tail] = other
                    tail += 1
    far = queue[tail - 1]
    for at in range(tail):
        mark[queue[at]] = -1
    return int(far)

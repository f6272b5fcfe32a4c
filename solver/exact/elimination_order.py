"""The order in which super-cells are counted: component after component, few numbers open.

A number is *open* from the first of its super-cells to the last; the cost of the count grows with
the numbers open at once. Each open number holds a slot of four bits, fifteen slots to a word.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.constraints import Constraints
from solver.kernels import kernel

SLOTS: Final = 15
"""Open numbers that fit into one signed 64-bit word, four bits each."""


class Order(NamedTuple):
    """Super-cells in counting order.

    ``layer[t]`` is the super-cell counted at step ``t``; component ``k`` takes the steps from
    ``first[k]`` to ``first[k + 1]``; ``slot[c]`` is the place of constraint ``c`` while open;
    ``words`` is how many words hold all slots.
    """

    layer: NDArray[np.int32]
    first: NDArray[np.int32]
    slot: NDArray[np.int32]
    words: int


@kernel
def arrange(parts: Constraints) -> Order:
    """Order the super-cells: always finish the open number that opens the fewest new ones."""
    numbers = parts.need.size
    supers = parts.size.size
    layer = np.empty(supers, np.int32)
    first = np.zeros(numbers + 1, np.int32)
    slot = np.full(numbers, -1, np.int32)
    left = parts.width.copy()
    mark = np.full(numbers, -1, np.int32)
    placed = np.zeros(supers, np.bool_)
    busy = np.zeros(numbers + 1, np.bool_)
    opened = np.empty(numbers, np.int32)
    steps, components, slots = 0, 0, 0
    for seed in range(numbers):
        if slot[seed] >= 0:
            continue
        start = _far_end(parts, seed, mark, opened)
        slot[start] = _take_slot(busy)
        slots = max(slots, slot[start] + 1)
        opened[0] = start
        waiting = 1
        while waiting > 0:
            best = _cheapest(parts, opened, waiting, slot, placed, mark)
            number = opened[best]
            for place in range(parts.width[number]):
                cell = parts.members[number, place]
                if placed[cell]:
                    continue
                placed[cell] = True
                layer[steps] = cell
                steps += 1
                for link in range(parts.degree[cell]):
                    other = parts.touch[cell, link]
                    if slot[other] < 0:
                        slot[other] = _take_slot(busy)
                        slots = max(slots, slot[other] + 1)
                        opened[waiting] = other
                        waiting += 1
                    left[other] -= 1
                for link in range(parts.degree[cell]):
                    other = parts.touch[cell, link]
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
    return Order(layer, first[: components + 1], slot, max(1, (slots + SLOTS - 1) // SLOTS))


@kernel
def _take_slot(busy: NDArray[np.bool_]) -> int:
    """Return the lowest slot not in use, now in use."""
    place = 0
    while busy[place]:
        place += 1
    busy[place] = True
    return place


@kernel
def _cheapest(
    parts: Constraints,
    opened: NDArray[np.int32],
    waiting: int,
    slot: NDArray[np.int32],
    placed: NDArray[np.bool_],
    mark: NDArray[np.int32],
) -> int:
    """Return the place among the open numbers of the one that opens the fewest new ones."""
    best, fewest = 0, 1 << 30
    for at in range(waiting):
        number = opened[at]
        fresh = 0
        for place in range(parts.width[number]):
            cell = parts.members[number, place]
            if placed[cell]:
                continue
            for link in range(parts.degree[cell]):
                other = parts.touch[cell, link]
                if slot[other] < 0 and mark[other] != number:
                    mark[other] = number
                    fresh += 1
        for place in range(parts.width[number]):  # forget, so that marks never go stale
            cell = parts.members[number, place]
            for link in range(parts.degree[cell]):
                mark[parts.touch[cell, link]] = -1
        if fresh < fewest:
            best, fewest = at, fresh
            if fresh == 0:
                break
    return best


@kernel
def _far_end(
    parts: Constraints, seed: int, mark: NDArray[np.int32], queue: NDArray[np.int32]
) -> int:
    """Return a number far from ``seed``, so that the count runs along the frontier once."""
    head, tail = 0, 1
    queue[0] = seed
    mark[seed] = -2
    while head < tail:
        number = queue[head]
        head += 1
        for place in range(parts.width[number]):
            cell = parts.members[number, place]
            for link in range(parts.degree[cell]):
                other = parts.touch[cell, link]
                if mark[other] != -2:
                    mark[other] = -2
                    queue[tail] = other
                    tail += 1
    far = queue[tail - 1]
    for at in range(tail):
        mark[queue[at]] = -1
    return int(far)

"""One pass forward along the frontier: every way through it, merged.

Super-cells are taken one after the other. What is kept of the past is, for each open number, the
mines it still needs; pasts that agree in this are merged into one *node*, with a tally of weights
by mine count. Cells are weighted as if each were a mine with chance ``density`` of its own: that
keeps every weight near one, and once the total is imposed the density cancels.
"""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.arrays import copy, grown, grown_rows
from solver.components import SLOTS, Order
from solver.constraints import Constraints
from solver.kernels import kernel

LOW: Final = 0
HIGH: Final = 1
AT: Final = 2
EDGE: Final = 3
LEAST: Final = 4
MOST: Final = 5
"""Columns of ``Lattice.node``: mine counts from LOW to HIGH, tallied from AT on; the edges to the
next level start at EDGE, one for each number of mines from LEAST to MOST."""


class Lattice(NamedTuple):
    """All ways through the frontier, merged.

    Level ``t + k`` of component ``k`` stands before step ``t``; its nodes start at
    ``level[t + k]``. ``node`` has the columns above, ``edge`` the node each choice leads to,
    ``tally`` the forward weights. ``weight[s, k]`` is the weight of ``k`` mines on ``s`` cells.
    ``log_scale`` is the logarithm of what the weights were divided by.
    """

    level: NDArray[np.int32]
    node: NDArray[np.int32]
    edge: NDArray[np.int32]
    tally: NDArray[np.float64]
    weight: NDArray[np.float64]
    log_scale: float
    fits: bool


class Step(NamedTuple):
    """One super-cell about to be counted.

    For each number it touches: the word and shift of its slot, what it needs if it opens here
    (else -1), and the cells it has left afterwards. Then, over all words of a key: what opening
    numbers add, what each mine takes, and room for the key itself.
    """

    word: NDArray[np.int64]
    shift: NDArray[np.int64]
    start: NDArray[np.int64]
    spare: NDArray[np.int64]
    initial: NDArray[np.int64]
    pattern: NDArray[np.int64]
    key: NDArray[np.int64]


@kernel
def weights(density: float) -> NDArray[np.float64]:
    """Return the chance of ``k`` mines on ``s`` cells as ``[s, k]``, up to eight cells."""
    table = np.zeros((9, 9))
    table[0, 0] = 1.0
    for size in range(1, 9):
        table[size, 0] = table[size - 1, 0] * (1.0 - density)
        for mines in range(1, size + 1):
            table[size, mines] = (
                table[size - 1, mines] * (1.0 - density) + table[size - 1, mines - 1] * density
            )
    return table


@kernel
def count_forward(  # noqa: PLR0915  the growing arrays keep it in one piece
    parts: Constraints, order: Order, density: float, tallied: bool
) -> Lattice:
    """Walk over all super-cells once, merging what need not be told apart.

    Without ``tallied`` (no mine total) layouts are not told apart by their mines. Arrays start
    small and grow: sized for the worst case they would cost more than the work.
    """
    steps = order.layer.size
    components = order.first.size - 1
    weight = weights(density)
    level = np.zeros(steps + components + 1, np.int32)
    node = np.empty((8 * steps + 32, 6), np.int32)
    keys = np.empty((node.shape[0], order.words), np.int64)
    edge = np.empty(4 * node.shape[0], np.int32)
    tally = np.empty(8 * node.shape[0])
    table = np.full(64, -1, np.int32)
    left = _cells_of_numbers(parts)
    now = _new_step(order.words)
    nodes, edges, tallies = 0, 0, 0
    log_scale = 0.0
    for component in range(components):
        node, keys = grown_rows(node, nodes + 1), grown_rows(keys, nodes + 1)
        tally = grown(tally, tallies + 1)
        level[order.first[component] + component] = nodes
        keys[nodes] = 0
        node[nodes] = 0
        node[nodes, AT] = tallies
        tally[tallies] = 1.0
        nodes += 1
        tallies += 1
        for step in range(order.first[component], order.first[component + 1]):
            size = parts.size[order.layer[step]]
            links = _describe(parts, order, order.layer[step], left, now)
            base, above = level[step + component], nodes
            level[step + component + 1] = above
            node = grown_rows(node, nodes + 9 * (above - base))
            keys = grown_rows(keys, nodes + 9 * (above - base))
            edge = grown(edge, edges + 9 * (above - base))
            for past in range(base, above):
                _bound(node[past], keys[past], now, links, size)
                node[past, EDGE] = edges
                for mines in range(node[past, LEAST], node[past, MOST] + 1):
                    for at in range(order.words):
                        now.key[at] = keys[past, at] + now.initial[at] - mines * now.pattern[at]
                    place = _find(table, keys, now.key, above, nodes)
                    target = table[place]
                    more = mines if tallied else 0
                    if target < above or target >= nodes:
                        target = nodes
                        nodes += 1
                        table[place] = target
                        copy(now.key, keys[target], order.words)
                        node[target, LOW] = node[past, LOW] + more
                        node[target, HIGH] = node[past, HIGH] + more
                        node[target, LEAST] = 0
                        node[target, MOST] = -1
                        if 2 * (nodes - above) > table.size:
                            table = _wider(table, keys, above, nodes)
                    node[target, LOW] = min(node[target, LOW], node[past, LOW] + more)
                    node[target, HIGH] = max(node[target, HIGH], node[past, HIGH] + more)
                    edge[edges] = target
                    edges += 1
            first = tallies
            for target in range(above, nodes):
                node[target, AT] = tallies
                tallies += node[target, HIGH] - node[target, LOW] + 1
            tally = grown(tally, tallies)
            tally[first:tallies] = 0.0
            for past in range(base, above):
                _pour(node, edge, tally, weight[size], past, tallied)
            if step % 16 == 15 and tallies > first:
                log_scale += scale(tally[first:tallies])
        if nodes == level[order.first[component + 1] + component]:
            return Lattice(level, node, edge, tally, weight, log_scale, False)
    level[steps + components] = nodes
    return Lattice(level, node, edge, tally, weight, log_scale, True)


@kernel
def _new_step(words: int) -> Step:
    return Step(
        np.empty(8, np.int64),
        np.empty(8, np.int64),
        np.empty(8, np.int64),
        np.empty(8, np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
    )


@kernel
def _cells_of_numbers(parts: Constraints) -> NDArray[np.int32]:
    """Return how many hidden cells each number touches."""
    cells = np.zeros(parts.need.size, np.int32)
    for number in range(parts.need.size):
        for place in range(parts.width[number]):
            cells[number] += parts.size[parts.members[number, place]]
    return cells


@kernel
def _describe(
    parts: Constraints, order: Order, cell: int, left: NDArray[np.int32], now: Step
) -> int:
    """Fill ``now`` for a super-cell; return how many numbers it touches.

    ``left`` holds the cells a number still has, negative once it is open.
    """
    now.initial[:] = 0
    now.pattern[:] = 0
    for link in range(parts.degree[cell]):
        number = parts.touch[cell, link]
        word = order.slot[number] // SLOTS
        shift = 4 * (order.slot[number] % SLOTS)
        now.word[link] = word
        now.shift[link] = shift
        now.start[link] = -1
        if left[number] > 0:
            now.start[link] = parts.need[number]
            now.initial[word] += np.int64(parts.need[number]) << shift
            left[number] = -left[number]
        left[number] += parts.size[cell]
        now.spare[link] = -left[number]
        now.pattern[word] += np.int64(1) << shift
    return int(parts.degree[cell])


@kernel
def _bound(
    row: NDArray[np.int32], key: NDArray[np.int64], now: Step, links: int, size: int
) -> None:
    """Set the fewest and most mines a super-cell may hold after a node's past."""
    least, most = 0, size
    for link in range(links):
        needed = now.start[link]
        if needed < 0:
            needed = (key[now.word[link]] >> now.shift[link]) & 15
        most = min(most, needed)
        least = max(least, needed - now.spare[link])
    row[LEAST] = least
    row[MOST] = most


@kernel
def _find(
    table: NDArray[np.int32],
    keys: NDArray[np.int64],
    key: NDArray[np.int64],
    base: int,
    last: int,
) -> int:
    """Return the place in the hash table of ``key``, or of the hole where it belongs.

    An entry counts only if it is a node of this level, from ``base`` to ``last``: the table is
    never cleared.
    """
    mixed = np.int64(0)
    for word in range(key.size):
        mixed = (mixed ^ key[word]) * np.int64(0x2545F4914F6CDD1D)
        mixed ^= mixed >> np.int64(29)
    place = mixed & (table.size - 1)
    while True:
        node = table[place]
        if node < base or node >= last:
            return int(place)
        same = True
        for word in range(key.size):
            same &= keys[node, word] == key[word]
        if same:
            return int(place)
        place = (place + 1) & (table.size - 1)


@kernel
def _wider(
    table: NDArray[np.int32], keys: NDArray[np.int64], first: int, last: int
) -> NDArray[np.int32]:
    """Return a larger hash table with the nodes of this level."""
    larger = np.full(4 * table.size, -1, np.int32)
    for known in range(first, last):
        larger[_find(larger, keys, keys[known], first, last)] = known
    return larger


@kernel
def _pour(
    node: NDArray[np.int32],
    edge: NDArray[np.int32],
    tally: NDArray[np.float64],
    weight: NDArray[np.float64],
    past: int,
    tallied: bool,
) -> None:
    """Add a node's tally to those it leads to."""
    span = node[past, HIGH] - node[past, LOW] + 1
    source, least = node[past, AT], node[past, LEAST]
    for mines in range(least, node[past, MOST] + 1):
        target = edge[node[past, EDGE] + mines - least]
        more = mines if tallied else 0
        sink = node[target, AT] + node[past, LOW] + more - node[target, LOW]
        for at in range(span):
            tally[sink + at] += weight[mines] * tally[source + at]


@kernel
def scale(row: NDArray[np.float64]) -> float:
    """Divide by the largest weight; return its logarithm."""
    largest = 0.0
    for weight in row:
        largest = max(largest, weight)
    if largest <= 0.0:
        return 0.0
    for at in range(row.size):
        row[at] /= largest
    return log(largest)

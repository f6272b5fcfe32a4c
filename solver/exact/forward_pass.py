"""The forward pass: dynamic programming along the elimination order.

Super-cells are counted one after the other. All that matters of those counted so far is how many
mines each open constraint still needs. Placements that agree in this are one *node*. The *tally* of
a node lists the total weight of its placements for each mine count; the nodes before one step are a
*level*. Each mine of a placement weighs ``density``, each safe cell ``1 - density``. This keeps
every weight near one, and the density cancels out once the mine total is taken into account.
"""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.arrays import copy, grown, grown_rows
from solver.exact.constraints import Constraints
from solver.exact.elimination_order import SLOTS, Order
from solver.exact.kernels import kernel

LOW: Final = 0
HIGH: Final = 1
TALLY: Final = 2
EDGES: Final = 3
LEAST: Final = 4
MOST: Final = 5
"""Columns of ``ForwardPass.node``.

LOW, HIGH: the fewest and the most mines counted so far. TALLY: where in ``tally`` the weights of
LOW to HIGH mines start. LEAST, MOST: the fewest and the most mines that the next super-cell may
hold. EDGES: where in ``edge`` the edges to the next level start, one for each of these numbers.
"""

MOST_NODES: Final = 2**23
MOST_WEIGHTS: Final = 2**26
"""Limits of the nodes and of the weights in their tallies: about 2 GB and 2 s.

In 150 expert games and on 100x100 boards with 2,000 mines no turn had more than 600 nodes. What
exceeds the limits are boards that no game leads to, such as 24x24 cells of which every second of
every second row shows a number.
"""


class ForwardPass(NamedTuple):
    """The nodes of all levels, and how they are joined.

    A component of ``n`` steps has ``n + 1`` levels: one before each step, and one at its end. So
    step ``t``, in component ``k``, goes from level ``t + k`` to level ``t + k + 1``. The rows of
    ``node`` from ``level[i]`` up to ``level[i + 1]`` are the nodes of level ``i``. ``edge`` holds
    the node that each number of mines leads to, and ``tally`` the tallies of all nodes.
    ``weight[s, k]`` is the weight of ``k`` mines on ``s`` cells. All weights were divided by a
    scale, of which ``log_scale`` is the natural logarithm. ``fits`` is false where no placement
    agrees with the numbers, or where there are too many nodes; ``log_scale`` is then infinite.
    """

    level: NDArray[np.int32]
    node: NDArray[np.int32]
    edge: NDArray[np.int32]
    tally: NDArray[np.float64]
    weight: NDArray[np.float64]
    log_scale: float
    fits: bool


class Step(NamedTuple):
    """One super-cell that is about to be counted.

    For each constraint that it belongs to, ``word`` and ``shift`` say where in a key its slot is,
    ``start`` how many mines it needs if it opens here (else -1), and ``spare`` how many of its
    cells are counted later. For each word of a key, ``initial`` is what the constraints that open
    here add, and ``pattern`` what each mine subtracts. ``key`` is room for a key.
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
    """Return the weight of ``k`` mines on ``s`` cells as ``[s, k]``, for up to eight cells."""
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
    constraints: Constraints, order: Order, density: float, total_known: bool
) -> ForwardPass:
    """Count all placements on the frontier, super-cell by super-cell.

    If ``total_known`` is false, mine counts do not matter, and each tally is one weight: that of
    all placements of the node. The arrays start small and grow: with room for the worst case they
    would cost more than the work. At `MOST_NODES` or `MOST_WEIGHTS` the count is given up:
    ``log_scale`` is then infinite.
    """
    steps = order.super_cells.size
    components = order.first.size - 1
    weight = weights(density)
    level = np.zeros(steps + components + 1, np.int32)
    node = np.empty((8 * steps + 32, 6), np.int32)
    keys = np.empty((node.shape[0], order.words), np.int64)
    edge = np.empty(4 * node.shape[0], np.int32)
    tally = np.empty(8 * node.shape[0])
    table = np.full(64, -1, np.int32)
    left = _cells_of_numbers(constraints)
    now = _new_step(order.words)
    nodes, edges, tallies = 0, 0, 0
    log_scale = 0.0
    for component in range(components):
        node, keys = grown_rows(node, nodes + 1), grown_rows(keys, nodes + 1)
        tally = grown(tally, tallies + 1)
        level[order.first[component] + component] = nodes
        keys[nodes] = 0
        node[nodes] = 0
        node[nodes, TALLY] = tallies
        tally[tallies] = 1.0
        nodes += 1
        tallies += 1
        for step in range(order.first[component], order.first[component + 1]):
            size = constraints.size[order.super_cells[step]]
            links = _prepare_step(constraints, order, order.super_cells[step], left, now)
            base, above = level[step + component], nodes
            level[step + component + 1] = above
            node = grown_rows(node, nodes + 9 * (above - base))
            keys = grown_rows(keys, nodes + 9 * (above - base))
            edge = grown(edge, edges + 9 * (above - base))
            for past in range(base, above):
                _bound_mines(node[past], keys[past], now, links, size)
                node[past, EDGES] = edges
                for mines in range(node[past, LEAST], node[past, MOST] + 1):
                    for at in range(order.words):
                        now.key[at] = keys[past, at] + now.initial[at] - mines * now.pattern[at]
                    place = _find_place(table, keys, now.key, above, nodes)
                    target = table[place]
                    more = mines if total_known else 0
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
                            table = _grow_table(table, keys, above, nodes)
                    node[target, LOW] = min(node[target, LOW], node[past, LOW] + more)
                    node[target, HIGH] = max(node[target, HIGH], node[past, HIGH] + more)
                    edge[edges] = target
                    edges += 1
            first = tallies
            for target in range(above, nodes):
                node[target, TALLY] = tallies
                tallies += node[target, HIGH] - node[target, LOW] + 1
            if nodes > MOST_NODES or tallies > MOST_WEIGHTS:
                return ForwardPass(level, node, edge, tally, weight, np.inf, False)
            tally = grown(tally, tallies)
            tally[first:tallies] = 0.0
            for past in range(base, above):
                _add_to_next_level(node, edge, tally, weight[size], past, total_known)
            if step % 16 == 15 and tallies > first:
                log_scale += scale(tally[first:tallies])
        if nodes == level[order.first[component + 1] + component]:
            return ForwardPass(level, node, edge, tally, weight, log_scale, False)
    level[steps + components] = nodes
    return ForwardPass(level, node, edge, tally, weight, log_scale, True)


@kernel
def _new_step(words: int) -> Step:
    """Return a step with room for everything."""
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
def _cells_of_numbers(constraints: Constraints) -> NDArray[np.int32]:
    """Return how many hidden cells each constraint covers."""
    cells = np.zeros(constraints.need.size, np.int32)
    for number in range(constraints.need.size):
        for place in range(constraints.width[number]):
            cells[number] += constraints.size[constraints.members[number, place]]
    return cells


@kernel
def _prepare_step(
    constraints: Constraints, order: Order, super_cell: int, left: NDArray[np.int32], now: Step
) -> int:
    """Fill ``now`` for a super-cell; return how many constraints it belongs to.

    ``left[c]`` counts the cells of constraint ``c`` that were not counted yet. Its sign says
    whether the constraint is open: positive before it opens, negative while it is open.
    """
    now.initial[:] = 0
    now.pattern[:] = 0
    for link in range(constraints.degree[super_cell]):
        number = constraints.touch[super_cell, link]
        word = order.slot[number] // SLOTS
        shift = 4 * (order.slot[number] % SLOTS)
        now.word[link] = word
        now.shift[link] = shift
        now.start[link] = -1
        if left[number] > 0:
            now.start[link] = constraints.need[number]
            now.initial[word] += np.int64(constraints.need[number]) << shift
            left[number] = -left[number]
        left[number] += constraints.size[super_cell]
        now.spare[link] = -left[number]
        now.pattern[word] += np.int64(1) << shift
    return int(constraints.degree[super_cell])


@kernel
def _bound_mines(
    row: NDArray[np.int32], key: NDArray[np.int64], now: Step, links: int, size: int
) -> None:
    """Set the fewest and the most mines that a super-cell may hold after a node."""
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
def _find_place(
    table: NDArray[np.int32],
    keys: NDArray[np.int64],
    key: NDArray[np.int64],
    base: int,
    last: int,
) -> int:
    """Return the place of ``key`` in the hash table, or else the empty place where it is to go.

    The table is never cleared: a place is empty unless it holds a node of this level, from
    ``base`` up to ``last``.
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
def _grow_table(
    table: NDArray[np.int32], keys: NDArray[np.int64], first: int, last: int
) -> NDArray[np.int32]:
    """Return a larger hash table with the nodes of this level."""
    larger = np.full(4 * table.size, -1, np.int32)
    for known in range(first, last):
        larger[_find_place(larger, keys, keys[known], first, last)] = known
    return larger


@kernel
def _add_to_next_level(
    node: NDArray[np.int32],
    edge: NDArray[np.int32],
    tally: NDArray[np.float64],
    weight: NDArray[np.float64],
    past: int,
    total_known: bool,
) -> None:
    """Add the tally of node ``past`` to the nodes that it leads to."""
    span = node[past, HIGH] - node[past, LOW] + 1
    source, least = node[past, TALLY], node[past, LEAST]
    for mines in range(least, node[past, MOST] + 1):
        target = edge[node[past, EDGES] + mines - least]
        more = mines if total_known else 0
        sink = node[target, TALLY] + node[past, LOW] + more - node[target, LOW]
        for at in range(span):
            tally[sink + at] += weight[mines] * tally[source + at]


@kernel
def scale(row: NDArray[np.float64]) -> float:
    """Divide ``row`` by its largest weight; return the natural logarithm of that weight."""
    largest = 0.0
    for weight in row:
        largest = max(largest, weight)
    if largest <= 0.0:
        return 0.0
    for at in range(row.size):
        row[at] /= largest
    return log(largest)

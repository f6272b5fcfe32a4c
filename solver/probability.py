"""Exact counting along the frontier: one forward and one backward pass.

Super-cells are taken one after the other. What is kept of the past is, for each open number, the
mines it still needs; pasts that agree in this are merged into one *node*, with a tally of weights
by mine count. Cells are weighted as if each were a mine with chance ``density`` of its own: that
keeps every weight near one, and once the total is imposed the density cancels.
"""

from __future__ import annotations

from math import lgamma, log, log1p
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.components import SLOTS, Order, arrange
from solver.constraints import Constraints, collect, count_around, offsets, settle
from solver.kernels import kernel

LOW: Final = 0
HIGH: Final = 1
AT: Final = 2
EDGE: Final = 3
LEAST: Final = 4
MOST: Final = 5
"""Columns of ``Lattice.node``: mine counts from LOW to HIGH, tallied from AT on; the edges to the
next level start at EDGE, one for each number of mines from LEAST to MOST."""

TINY: Final = 1e-100
"""Overlap below which a count is done again with another density, lest weights underflow."""


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


class Shares(NamedTuple):
    """How the mine total is shared between components and the cells off the frontier.

    Row ``k`` of ``before`` weighs the mines in the components before ``k``; row ``k`` of
    ``after`` weighs, by the mines before component ``k``, all that comes from it on. Both start
    at no mines. ``overlap`` is near one where the density suits the total and tiny where weights
    may be lost, ``elsewhere`` the chance of a mine on a
    cell off the frontier, ``log_total`` the logarithm of the weight of everything.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    overlap: float
    elsewhere: float
    log_total: float


class Study(NamedTuple):
    """All that is counted of a field whose single-number rules are settled.

    ``fits`` is false when no layout does. ``risk[s]`` is the chance that a cell of super-cell
    ``s`` is a mine, ``shares.elsewhere`` that of the ``loose`` cells off the frontier;
    ``log_layouts`` is the natural logarithm of the number of layouts.
    """

    fits: bool
    parts: Constraints
    order: Order
    ways: Lattice
    shares: Shares
    risk: NDArray[np.float64]
    loose: int
    mines: int
    log_layouts: float


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
def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return an array with room for ``size``, the same one if it has."""
    if size <= array.size:
        return array
    larger = np.empty(2 * size, array.dtype)
    larger[: array.size] = array
    return larger


@kernel
def _with_room(
    node: NDArray[np.int32], keys: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return nodes and their keys with room for ``size`` of them."""
    if size <= node.shape[0]:
        return node, keys
    nodes = np.empty((2 * size, node.shape[1]), np.int32)
    nodes[: node.shape[0]] = node
    wider = np.empty((2 * size, keys.shape[1]), np.int64)
    wider[: keys.shape[0]] = keys
    return nodes, wider


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
        node, keys = _with_room(node, keys, nodes + 1)
        tally = _grown(tally, tallies + 1)
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
            node, keys = _with_room(node, keys, nodes + 9 * (above - base))
            edge = _grown(edge, edges + 9 * (above - base))
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
                        keys[target] = now.key
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
            tally = _grown(tally, tallies)
            tally[first:tallies] = 0.0
            for past in range(base, above):
                _pour(node, edge, tally, weight[size], past, tallied)
            if step % 16 == 15 and tallies > first:
                log_scale += _scale(tally[first:tallies])
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
def share(
    order: Order, ways: Lattice, loose: int, mines: int, density: float, tallied: bool
) -> Shares:
    """Share ``mines`` among the components and the ``loose`` cells off the frontier.

    Both convolutions run over the mines found in the components; each row is scaled to a largest
    weight of one, and ``log_total`` carries the scales.
    """
    components = order.first.size - 1
    ends = np.zeros((components, 2), np.int32)
    most = 0
    for component in range(components):
        end = ways.level[order.first[component + 1] + component]
        ends[component, 0] = ways.node[end, LOW]
        ends[component, 1] = ways.node[end, HIGH]
        most += ends[component, 1]
    before = np.zeros((components + 1, most + 1))
    after = np.zeros((components + 1, most + 1))
    before[0, 0] = 1.0
    low, high = 0, 0
    for component in range(components):
        end = ways.node[ways.level[order.first[component + 1] + component], AT]
        fewest, span = ends[component, 0], ends[component, 1] - ends[component, 0] + 1
        for found in range(low, high + 1):
            for at in range(span):
                before[component + 1, found + fewest + at] += (
                    before[component, found] * ways.tally[end + at]
                )
        low += fewest
        high += ends[component, 1]
        _scale(before[component + 1])
    log_scale = ways.log_scale + _off_frontier(after[components], loose, mines, density, tallied)
    for component in range(components - 1, -1, -1):
        end = ways.node[ways.level[order.first[component + 1] + component], AT]
        fewest, span = ends[component, 0], ends[component, 1] - ends[component, 0] + 1
        low -= fewest
        high -= ends[component, 1]
        for found in range(low, high + 1):
            for at in range(span):
                after[component, found] += (
                    after[component + 1, found + fewest + at] * ways.tally[end + at]
                )
        log_scale += _scale(after[component])
    elsewhere, overlap = 0.0, 0.0
    for found in range(most + 1):
        part = before[components, found] * after[components, found]
        overlap += part
        elsewhere += part * (mines - found)
    if loose > 0 and overlap > 0.0:
        elsewhere = elsewhere / (overlap * loose) if tallied else 0.5
    return Shares(before, after, overlap, elsewhere, log_scale)


@kernel
def _scale(row: NDArray[np.float64]) -> float:
    """Divide by the largest weight; return its logarithm."""
    largest = row.max()
    if largest <= 0.0:
        return 0.0
    row /= largest
    return log(largest)


@kernel
def _off_frontier(
    row: NDArray[np.float64], loose: int, mines: int, density: float, tallied: bool
) -> float:
    """Fill ``row[found]`` with the chance of ``mines - found`` mines on the loose cells.

    Scaled to a largest weight of one; returns the logarithm of the scale.
    """
    if not tallied:
        row[0] = 1.0
        return 0.0
    first, last = max(0, mines - loose), min(mines, row.size - 1)
    if first > last:
        return 0.0
    # Start at the likeliest count and step outwards: C(2500, 500) itself would overflow.
    peak = min(max(mines - int(loose * density), first), last)
    rest = mines - peak
    odds = density / (1.0 - density)
    row[peak] = 1.0
    for found in range(peak + 1, last + 1):
        held = mines - found + 1
        row[found] = row[found - 1] * held / ((loose - held + 1) * odds)
    for found in range(peak - 1, first - 1, -1):
        held = mines - found
        row[found] = row[found + 1] * (loose - held + 1) * odds / held
    scale = (
        lgamma(loose + 1.0)
        - lgamma(rest + 1.0)
        - lgamma(loose - rest + 1.0)
        + rest * log(density)
        + (loose - rest) * log1p(-density)
    )
    return scale + _scale(row)


@kernel
def count_backward(
    parts: Constraints, order: Order, ways: Lattice, shares: Shares, tallied: bool
) -> NDArray[np.float64]:
    """Walk back over all super-cells; return the chance that a cell of each is a mine.

    It is 0.0 or 1.0 exactly where the cell is certain, and only there.
    """
    risk = np.empty(parts.size.size)
    most = shares.after.shape[1]
    future = np.empty(ways.tally.size)
    for component in range(order.first.size - 1):
        end = ways.level[order.first[component + 1] + component]
        for at in range(ways.node[end, HIGH] - ways.node[end, LOW] + 1):
            chance = 0.0
            own = ways.node[end, LOW] + at
            for found in range(most - own):
                chance += shares.before[component, found] * shares.after[component + 1, found + own]
            future[ways.node[end, AT] + at] = chance
        for step in range(order.first[component + 1] - 1, order.first[component] - 1, -1):
            cell = order.layer[step]
            size = parts.size[cell]
            mined, clear, largest = 0.0, 0.0, 0.0
            base, above = ways.level[step + component], ways.level[step + component + 1]
            for past in range(base, above):
                source = ways.node[past, AT]
                span = ways.node[past, HIGH] - ways.node[past, LOW] + 1
                future[source : source + span] = 0.0
                least = ways.node[past, LEAST]
                for mines in range(least, ways.node[past, MOST] + 1):
                    target = ways.edge[ways.node[past, EDGE] + mines - least]
                    more = mines if tallied else 0
                    sink = (
                        ways.node[target, AT] + ways.node[past, LOW] + more - ways.node[target, LOW]
                    )
                    weight = ways.weight[size, mines]
                    mass = 0.0
                    for at in range(span):
                        future[source + at] += weight * future[sink + at]
                        mass += ways.tally[source + at] * future[sink + at]
                    mined += mines * weight * mass
                    clear += (size - mines) * weight * mass
                for at in range(span):
                    largest = max(largest, future[source + at])
            risk[cell] = mined / (mined + clear)
            if clear > 0.0 and risk[cell] == 1.0:
                risk[cell] = 1.0 - 2.0**-53
            if step % 16 == 0 and largest > 0.0:
                first = ways.node[base, AT]
                future[first : ways.node[above, AT]] /= largest
    return risk


@kernel
def study(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    free: NDArray[np.int8],
    hidden: int,
    mines: int,
) -> Study:
    """Count the layouts of a settled field with ``mines`` left on its ``hidden`` cells.

    ``mines`` below 0 stands for an unknown total: every layout then counts alike.
    """
    tallied = mines >= 0
    parts = collect(field, near, need, free)
    order = arrange(parts)
    loose = hidden - parts.size.sum()
    density = (mines + 0.5) / (hidden + 1.0) if tallied else 0.5
    ways = count_forward(parts, order, density, tallied)
    risk = np.empty(0)
    if not ways.fits or (tallied and not _in_range(order, ways, loose, mines)):
        shares = Shares(np.empty((0, 0)), np.empty((0, 0)), 0.0, 0.0, -np.inf)
        return Study(False, parts, order, ways, shares, risk, loose, mines, -np.inf)
    shares = share(order, ways, loose, mines, density, tallied)
    odds = density / (1.0 - density)
    for attempt in range(2, 42):
        if shares.overlap >= TINY:
            break
        # Too many or too few mines for this frontier: weigh them otherwise, ever more so.
        tilt = 4.0 ** (attempt // 2 if attempt % 2 == 0 else -(attempt // 2))
        density = odds * tilt / (1.0 + odds * tilt)
        ways = count_forward(parts, order, density, tallied)
        shares = share(order, ways, loose, mines, density, tallied)
    if shares.overlap <= 0.0:
        return Study(False, parts, order, ways, shares, risk, loose, mines, -np.inf)
    risk = count_backward(parts, order, ways, shares, tallied)
    log_layouts = shares.log_total - hidden * log1p(-density)
    if tallied:
        log_layouts -= mines * (log(density) - log1p(-density))
    return Study(True, parts, order, ways, shares, risk, loose, mines, log_layouts)


@kernel
def _in_range(order: Order, ways: Lattice, loose: int, mines: int) -> bool:
    """Whether the total lies between the fewest and the most mines possible."""
    fewest, most = 0, loose
    for component in range(order.first.size - 1):
        end = ways.level[order.first[component + 1] + component]
        fewest += ways.node[end, LOW]
        most += ways.node[end, HIGH]
    return fewest <= mines <= most


@kernel
def chances(field: NDArray[np.int8], cols: int, mines: int) -> tuple[NDArray[np.float64], float]:
    """Return the chance of a mine per cell of a field, and the logarithm of the layouts' number.

    Known mines count towards the total ``mines`` (below 0: unknown). A logarithm of minus
    infinity says that no layout fits.
    """
    field = field.copy()
    near = offsets(cols)
    need = np.zeros(field.size, np.int8)
    free = np.zeros(field.size, np.int8)
    count_around(field, near, need, free)
    risk = np.zeros(field.size)
    queue = np.empty(9 * field.size, np.int32)
    waiting = 0
    for cell in range(field.size):
        if field[cell] >= 0 and (need[cell] <= 0 or need[cell] >= free[cell]):
            queue[waiting] = cell
            waiting += 1
    covered = field == HIDDEN
    fits, _, _ = settle(field, near, need, free, queue, waiting, np.empty(field.size, np.int32))
    known, hidden = 0, 0
    for cell in range(field.size):
        known += field[cell] == MINE
        hidden += field[cell] == HIDDEN
    if not fits or (mines >= 0 and (known > mines or mines - known > hidden)):
        return risk, -np.inf
    result = study(field, near, need, free, hidden, mines - known if mines >= 0 else -1)
    if not result.fits:
        return risk, -np.inf
    for cell in range(field.size):
        if field[cell] == HIDDEN:
            group = result.parts.of[cell]
            risk[cell] = result.shares.elsewhere if group < 0 else result.risk[group]
        elif covered[cell]:
            risk[cell] = 1.0 if field[cell] == MINE else 0.0
    return risk, result.log_layouts

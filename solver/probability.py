"""Exact probabilities of any position: one pass forward (`lattice`), one back.

The total is imposed on both by `shares`. Nothing is approximate, at any size.
"""

from __future__ import annotations

from math import log, log1p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.components import Order, arrange
from solver.constraints import (
    Constraints,
    collect,
    count_around,
    count_cells,
    list_ready,
    offsets,
    settle,
)
from solver.kernels import kernel
from solver.lattice import AT, EDGE, HIGH, LEAST, LOW, MOST, Lattice, count_forward
from solver.shares import Shares, share

TINY: Final = 1e-100
"""Overlap below which a count is done again with another density, lest weights underflow."""


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
                for at in range(first, ways.node[above, AT]):
                    future[at] /= largest
    return risk


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
    waiting = list_ready(field, need, free, queue)
    covered = field.copy()
    fits, _, _ = settle(field, near, need, free, queue, waiting, np.empty(field.size, np.int32))
    hidden, known = count_cells(field)
    if not fits or (mines >= 0 and (known > mines or mines - known > hidden)):
        return risk, -np.inf
    result = study(field, near, need, free, hidden, mines - known if mines >= 0 else -1)
    if not result.fits:
        return risk, -np.inf
    for cell in range(field.size):
        if field[cell] == HIDDEN:
            group = result.parts.of[cell]
            risk[cell] = result.shares.elsewhere if group < 0 else result.risk[group]
        elif covered[cell] == HIDDEN:
            risk[cell] = 1.0 if field[cell] == MINE else 0.0
    return risk, result.log_layouts

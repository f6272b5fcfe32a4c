"""Exact risks of any position: a forward pass, the mine total, a backward pass.

Nothing is approximate, at any size of board: what is too large to count is told so.
"""

from __future__ import annotations

from math import log, log1p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.constraints import (
    Constraints,
    build_constraints,
    count_cells,
    follow_rules,
)
from solver.exact.elimination_order import Order, order_super_cells
from solver.exact.forward_pass import (
    EDGES,
    HIGH,
    LEAST,
    LOW,
    MOST,
    TALLY,
    ForwardPass,
    count_forward,
)
from solver.exact.kernels import kernel
from solver.exact.mine_totals import MineTotals, split_total

TINY: Final = 1e-100
"""``MineTotals.overlap`` below which the count is done again with another density."""


class LayoutCounts(NamedTuple):
    """What counting all solutions of a field gives, after the single-number rules were applied.

    ``fits`` is false if there is no solution; it is false too, and ``log_layouts`` infinite, if the
    field is too large to count. ``risk[s]`` is the risk of each cell of super-cell
    ``s``; ``totals.unconstrained_risk`` is that of the ``unconstrained`` cells. ``log_layouts`` is
    the natural logarithm of the number of solutions.
    """

    fits: bool
    constraints: Constraints
    order: Order
    forward: ForwardPass
    totals: MineTotals
    risk: NDArray[np.float64]
    unconstrained: int
    mines: int
    log_layouts: float


@kernel
def count_layouts(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    need: NDArray[np.int8],
    around: NDArray[np.int8],
    hidden: int,
    mines: int,
) -> LayoutCounts:
    """Count the layouts that fit a field with ``mines`` left on its ``hidden`` cells.

    ``field``, ``near``, ``need`` and ``around`` are as in `constraints`, after `apply_rules`. If
    ``mines`` is below 0, the total is unknown: layouts of every total are equally likely.
    """
    total_known = mines >= 0
    constraints = build_constraints(field, near, need, around)
    order = order_super_cells(constraints)
    unconstrained = hidden - constraints.size.sum()
    density = (mines + 0.5) / (hidden + 1.0) if total_known else 0.5
    forward = count_forward(constraints, order, density, total_known)
    risk = np.empty(0)
    if not forward.fits or (total_known and not _in_range(order, forward, unconstrained, mines)):
        totals = MineTotals(np.empty((0, 0)), np.empty((0, 0)), 0.0, 0.0, -np.inf)
        logs = np.inf if forward.log_scale == np.inf else -np.inf
        return LayoutCounts(
            False, constraints, order, forward, totals, risk, unconstrained, mines, logs
        )
    totals = split_total(order, forward, unconstrained, mines, density, total_known)
    odds = density / (1.0 - density)
    for attempt in range(2, 42):
        if totals.overlap >= TINY:
            break
        # Too many or too few mines for this frontier, so that weights may underflow: multiply the
        # odds of a mine by factors further and further from one.
        factor = 4.0 ** (attempt // 2 if attempt % 2 == 0 else -(attempt // 2))
        density = odds * factor / (1.0 + odds * factor)
        forward = count_forward(constraints, order, density, total_known)
        totals = split_total(order, forward, unconstrained, mines, density, total_known)
    if totals.overlap <= 0.0:
        return LayoutCounts(
            False, constraints, order, forward, totals, risk, unconstrained, mines, -np.inf
        )
    risk = count_backward(constraints, order, forward, totals, total_known)
    log_layouts = totals.log_total - hidden * log1p(-density)
    if total_known:
        log_layouts -= mines * (log(density) - log1p(-density))
    return LayoutCounts(
        True, constraints, order, forward, totals, risk, unconstrained, mines, log_layouts
    )


@kernel
def _in_range(order: Order, forward: ForwardPass, unconstrained: int, mines: int) -> bool:
    """Whether the total lies between the fewest and the most mines possible."""
    fewest, most = 0, unconstrained
    for component in range(order.first.size - 1):
        end = forward.level[order.first[component + 1] + component]
        fewest += forward.node[end, LOW]
        most += forward.node[end, HIGH]
    return fewest <= mines <= most


@kernel
def count_backward(
    constraints: Constraints,
    order: Order,
    forward: ForwardPass,
    totals: MineTotals,
    total_known: bool,
) -> NDArray[np.float64]:
    """Return the risk of a cell of each super-cell: the backward pass.

    It is 0.0 or 1.0 exactly where the super_cell is certain, and only there.
    """
    risk = np.empty(constraints.size.size)
    most = totals.after.shape[1]
    future = np.empty(forward.tally.size)
    for component in range(order.first.size - 1):
        end = forward.level[order.first[component + 1] + component]
        for at in range(forward.node[end, HIGH] - forward.node[end, LOW] + 1):
            chance = 0.0
            own = forward.node[end, LOW] + at
            for found in range(most - own):
                chance += totals.before[component, found] * totals.after[component + 1, found + own]
            future[forward.node[end, TALLY] + at] = chance
        for step in range(order.first[component + 1] - 1, order.first[component] - 1, -1):
            super_cell = order.super_cells[step]
            size = constraints.size[super_cell]
            mined, clear, largest = 0.0, 0.0, 0.0
            base, above = forward.level[step + component], forward.level[step + component + 1]
            for past in range(base, above):
                source = forward.node[past, TALLY]
                span = forward.node[past, HIGH] - forward.node[past, LOW] + 1
                future[source : source + span] = 0.0
                least = forward.node[past, LEAST]
                for mines in range(least, forward.node[past, MOST] + 1):
                    target = forward.edge[forward.node[past, EDGES] + mines - least]
                    more = mines if total_known else 0
                    sink = (
                        forward.node[target, TALLY]
                        + forward.node[past, LOW]
                        + more
                        - forward.node[target, LOW]
                    )
                    weight = forward.weight[size, mines]
                    mass = 0.0
                    for at in range(span):
                        future[source + at] += weight * future[sink + at]
                        mass += forward.tally[source + at] * future[sink + at]
                    mined += mines * weight * mass
                    clear += (size - mines) * weight * mass
                for at in range(span):
                    largest = max(largest, future[source + at])
            risk[super_cell] = mined / (mined + clear)
            if clear > 0.0 and risk[super_cell] == 1.0:
                risk[super_cell] = 1.0 - 2.0**-53
            if step % 16 == 0 and largest > 0.0:
                first = forward.node[base, TALLY]
                for at in range(first, forward.node[above, TALLY]):
                    future[at] /= largest
    return risk


@kernel
def risk_of(counted: LayoutCounts, cell: int) -> float:
    """Return the risk of a hidden cell."""
    super_cell = counted.constraints.super_cell_of[cell]
    return counted.totals.unconstrained_risk if super_cell < 0 else counted.risk[super_cell]


@kernel
def mine_risks(field: NDArray[np.int8], cols: int, mines: int) -> tuple[NDArray[np.float64], float]:
    """Return the risk of each cell of a field, and the natural logarithm of the number of layouts.

    Known mines count towards the total ``mines``; below 0 the total is unknown. The risk of an open
    cell is 0. If no layout fits, the logarithm is minus infinity and all risks are 0; it is
    infinity if there are too many placements to count.
    """
    covered = field
    fits, field, near, need, around = follow_rules(covered, cols)
    risk = np.zeros(field.size)
    hidden, known = count_cells(field)
    if not fits or (mines >= 0 and (known > mines or mines - known > hidden)):
        return risk, -np.inf
    counted = count_layouts(field, near, need, around, hidden, mines - known if mines >= 0 else -1)
    if not counted.fits:
        return risk, counted.log_layouts
    for cell in range(field.size):
        if field[cell] == HIDDEN:
            risk[cell] = risk_of(counted, cell)
        elif covered[cell] == HIDDEN:
            risk[cell] = 1.0 if field[cell] == MINE else 0.0
    return risk, counted.log_layouts

"""The mine total, split between the components and the unconstrained cells."""

from __future__ import annotations

from math import lgamma, log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.constraints import build_constraints, count_cells, follow_rules
from solver.exact.elimination_order import Order, order_super_cells
from solver.exact.forward_pass import HIGH, LOW, TALLY, ForwardPass, count_forward, scale
from solver.exact.kernels import kernel


class MineTotals(NamedTuple):
    """How the mine total splits between the components and the unconstrained cells.

    Weights are those of placements, as in `forward_pass`; each row is scaled to a largest weight of
    one. ``before[k, n]`` is the weight of ``n`` mines on the components before ``k``. ``after[k,
    n]`` is the weight of all placements on component ``k``, those after it and the unconstrained
    cells, if ``n`` mines lie on the components before ``k``.

    ``overlap`` is the product of the last rows of both, summed over ``n``: near one if the density
    suits the mine total, tiny if weights may underflow. ``unconstrained_risk`` is the risk of an
    unconstrained cell; ``log_total`` is the natural logarithm of the weight of all placements.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    overlap: float
    unconstrained_risk: float
    log_total: float


@kernel
def split_total(
    order: Order,
    forward: ForwardPass,
    unconstrained: int,
    mines: int,
    density: float,
    total_known: bool,
) -> MineTotals:
    """Split ``mines`` between the components and the ``unconstrained`` cells.

    Both convolutions run over ``mines_before``, the mines on the components before one of them.
    Each row is scaled to a largest weight of one; ``log_total`` holds the scales.
    """
    components = order.first.size - 1
    ends = np.zeros((components, 2), np.int32)
    most = 0
    for component in range(components):
        end = forward.level[order.first[component + 1] + component]
        ends[component, 0] = forward.node[end, LOW]
        ends[component, 1] = forward.node[end, HIGH]
        most += ends[component, 1]
    before = np.zeros((components + 1, most + 1))
    after = np.zeros((components + 1, most + 1))
    before[0, 0] = 1.0
    low, high = 0, 0
    for component in range(components):
        end = forward.node[forward.level[order.first[component + 1] + component], TALLY]
        fewest, span = ends[component, 0], ends[component, 1] - ends[component, 0] + 1
        for mines_before in range(low, high + 1):
            for at in range(span):
                before[component + 1, mines_before + fewest + at] += (
                    before[component, mines_before] * forward.tally[end + at]
                )
        low += fewest
        high += ends[component, 1]
        scale(before[component + 1])
    log_scale = forward.log_scale + _weigh_unconstrained(
        after[components], unconstrained, mines, density, total_known
    )
    for component in range(components - 1, -1, -1):
        end = forward.node[forward.level[order.first[component + 1] + component], TALLY]
        fewest, span = ends[component, 0], ends[component, 1] - ends[component, 0] + 1
        low -= fewest
        high -= ends[component, 1]
        for mines_before in range(low, high + 1):
            for at in range(span):
                after[component, mines_before] += (
                    after[component + 1, mines_before + fewest + at] * forward.tally[end + at]
                )
        log_scale += scale(after[component])
    unconstrained_risk, overlap = 0.0, 0.0
    for on_frontier in range(most + 1):
        part = before[components, on_frontier] * after[components, on_frontier]
        overlap += part
        unconstrained_risk += part * (mines - on_frontier)
    if unconstrained > 0 and overlap > 0.0:
        unconstrained_risk = unconstrained_risk / (overlap * unconstrained) if total_known else 0.5
    return MineTotals(before, after, overlap, unconstrained_risk, log_scale)


@kernel
def _weigh_unconstrained(
    row: NDArray[np.float64], unconstrained: int, mines: int, density: float, total_known: bool
) -> float:
    """Fill ``row[n]`` with the weight of ``mines - n`` mines on the unconstrained cells.

    ``n`` is the number of mines on the frontier. The row is scaled to a largest weight of one;
    returns the natural logarithm of the scale.
    """
    if not total_known:
        row[0] = 1.0
        return 0.0
    first, last = max(0, mines - unconstrained), min(mines, row.size - 1)
    if first > last:
        return 0.0
    # Start at the likeliest count and step outwards: C(2500, 500) itself would overflow.
    peak = min(max(mines - int(unconstrained * density), first), last)
    off_at_peak = mines - peak
    odds = density / (1.0 - density)
    row[peak] = 1.0
    for on_frontier in range(peak + 1, last + 1):
        off_frontier = mines - on_frontier + 1
        row[on_frontier] = (
            row[on_frontier - 1] * off_frontier / ((unconstrained - off_frontier + 1) * odds)
        )
    for on_frontier in range(peak - 1, first - 1, -1):
        off_frontier = mines - on_frontier
        row[on_frontier] = (
            row[on_frontier + 1] * (unconstrained - off_frontier + 1) * odds / off_frontier
        )
    log_peak = (
        lgamma(unconstrained + 1.0)
        - lgamma(off_at_peak + 1.0)
        - lgamma(unconstrained - off_at_peak + 1.0)
        + off_at_peak * log(density)
        + (unconstrained - off_at_peak) * log1p(-density)
    )
    return log_peak + scale(row)


@kernel
def weigh_totals(field: NDArray[np.int8], cols: int, density: float) -> NDArray[np.float64]:
    """Return how many layouts each mine total from 0 to all cells has, in one forward pass.

    These are natural logarithms, less one constant that is the same for all totals; minus infinity
    where no layout fits. All of them are infinite if there are too many placements to count.
    ``density`` is the share of mines that is likely: it keeps the weights near one.
    """
    logs = np.full((field.size // (cols + 2) - 2) * cols + 1, -np.inf)
    fits, field, near, need, around = follow_rules(field, cols)
    if not fits:
        return logs
    hidden, known = count_cells(field)
    constraints = build_constraints(field, near, need, around)
    order = order_super_cells(constraints)
    forward = count_forward(constraints, order, density, True)
    if not forward.fits:
        logs[:] = np.inf if forward.log_scale == np.inf else -np.inf
        return logs
    unconstrained = hidden - constraints.size.sum()
    frontier = split_total(order, forward, unconstrained, 0, density, True).before[-1]
    for on_frontier in range(frontier.size):
        if frontier[on_frontier] == 0.0:
            continue
        # A mine on the frontier weighs `density`, a safe cell the rest: take that off again.
        ways = log(frontier[on_frontier]) - on_frontier * (log(density) - log1p(-density))
        for off_frontier in range(unconstrained + 1):
            if off_frontier > 0:
                ways += log((unconstrained - off_frontier + 1.0) / off_frontier)
            total = known + on_frontier + off_frontier
            logs[total] = np.logaddexp(logs[total], ways)
    return logs

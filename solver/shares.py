"""How the mine total is shared between the components and the cells off the frontier."""

from __future__ import annotations

from math import lgamma, log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.components import Order
from solver.kernels import kernel
from solver.lattice import AT, HIGH, LOW, Lattice, scale


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
        scale(before[component + 1])
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
        log_scale += scale(after[component])
    elsewhere, overlap = 0.0, 0.0
    for found in range(most + 1):
        part = before[components, found] * after[components, found]
        overlap += part
        elsewhere += part * (mines - found)
    if loose > 0 and overlap > 0.0:
        elsewhere = elsewhere / (overlap * loose) if tallied else 0.5
    return Shares(before, after, overlap, elsewhere, log_scale)


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
    log_peak = (
        lgamma(loose + 1.0)
        - lgamma(rest + 1.0)
        - lgamma(loose - rest + 1.0)
        + rest * log(density)
        + (loose - rest) * log1p(-density)
    )
    return log_peak + scale(row)

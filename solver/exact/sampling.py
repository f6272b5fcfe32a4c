"""Draw whole layouts at random: all that fit the board are equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.constraints import count_around, count_cells, offsets
from solver.exact.forward_pass import EDGES, HIGH, LEAST, LOW, MOST, TALLY
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts


@kernel
def uniform(random: NDArray[np.uint64]) -> float:
    """Return a number in [0, 1) and advance the generator.

    ``random`` is its state, one word. The method is splitmix64 (Steele, Lea and Flood, 2014).
    """
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.float64(mixed >> np.uint64(11)) * 2.0**-53


def draw_layouts(
    field: NDArray[np.int8], cols: int, mines: int, count: int, random: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Draw ``count`` layouts of a field that some layout fits, as ``[layout, cell]``.

    ``mines`` counts all on the board; below 0 it is unknown. ``random`` is one word of state,
    which changes. All layouts that fit are equally likely.
    """
    near = offsets(cols)
    need, around = np.zeros(field.size, np.int8), np.zeros(field.size, np.int8)
    count_around(field, near, need, around)
    hidden, located = count_cells(field)
    counted = count_layouts(
        field, near, need, around, hidden, mines - located if mines >= 0 else -1
    )
    layouts = np.empty((count, field.size), np.bool_)
    _fill(layouts, field, counted, random)
    return layouts


@kernel
def _fill(
    layouts: NDArray[np.bool_],
    field: NDArray[np.int8],
    counted: LayoutCounts,
    random: NDArray[np.uint64],
) -> None:
    """Draw each row of ``layouts``."""
    for layout in layouts:
        draw_layout(field, counted, random, layout)


@kernel
def draw_layout(
    field: NDArray[np.int8],
    counted: LayoutCounts,
    random: NDArray[np.uint64],
    mined: NDArray[np.bool_],
) -> None:
    """Fill ``mined`` with a layout that fits ``field``; all such layouts are equally likely.

    ``counted`` holds the layout counts of this field.
    """
    held = counted.constraints.size.copy()  # mines on each super-cell
    left = counted.constraints.size.copy()  # its cells that are not drawn yet
    rest = _draw_counts(counted, random, held)
    unconstrained = counted.unconstrained
    for cell in range(field.size):
        mined[cell] = field[cell] == MINE
        if field[cell] != HIDDEN:
            continue
        super_cell = counted.constraints.super_cell_of[cell]
        if super_cell < 0:
            mined[cell] = uniform(random) * unconstrained < rest
            rest -= mined[cell]
            unconstrained -= 1
        else:
            mined[cell] = (
                held[super_cell] == left[super_cell]
                or uniform(random) * left[super_cell] < held[super_cell]
            )
            held[super_cell] -= mined[cell]
            left[super_cell] -= 1


@kernel
def _draw_counts(counted: LayoutCounts, random: NDArray[np.uint64], held: NDArray[np.int32]) -> int:
    """Draw the mines of each super-cell into ``held``; return how many lie off the frontier."""
    total_known = counted.mines >= 0
    order, forward = counted.order, counted.forward
    found = 0
    for component in range(order.first.size - 1):
        end = forward.level[order.first[component + 1] + component]
        at, low = forward.node[end, TALLY], forward.node[end, LOW]
        span = forward.node[end, HIGH] - low + 1
        total = 0.0
        for own in range(span):
            total += (
                forward.tally[at + own] * counted.totals.after[component + 1, found + low + own]
            )
        mark = uniform(random) * total
        own = 0
        for more in range(span):
            part = (
                forward.tally[at + more] * counted.totals.after[component + 1, found + low + more]
            )
            if part > 0.0:
                own = more
                mark -= part
                if mark < 0.0:
                    break
        _draw_path(counted, component, end, low + own, random, held)
        found += low + own
    if total_known:
        return counted.mines - found
    rest = 0
    for _ in range(counted.unconstrained):
        rest += uniform(random) < 0.5
    return rest


@kernel
def _draw_path(
    counted: LayoutCounts,
    component: int,
    end: int,
    mines: int,
    random: NDArray[np.uint64],
    held: NDArray[np.int32],
) -> None:
    """Draw a path through one component that ends in node ``end`` with ``mines`` found."""
    order, forward = counted.order, counted.forward
    target = end
    for step in range(order.first[component + 1] - 1, order.first[component] - 1, -1):
        super_cell = order.super_cells[step]
        base, above = forward.level[step + component], forward.level[step + component + 1]
        total = 0.0
        for past in range(base, above):
            total += _weight_from(counted, super_cell, past, target, mines)
        mark = uniform(random) * total
        chosen = -1
        for past in range(base, above):
            arrival = _weight_from(counted, super_cell, past, target, mines)
            if arrival > 0.0:
                chosen = past
                mark -= arrival
                if mark < 0.0:
                    break
        least = forward.node[chosen, LEAST]
        for more in range(least, forward.node[chosen, MOST] + 1):
            if forward.edge[forward.node[chosen, EDGES] + more - least] == target:
                held[super_cell] = more
                break
        if counted.mines >= 0:
            mines -= held[super_cell]
        target = chosen


@kernel
def _weight_from(
    counted: LayoutCounts, super_cell: int, past: int, target: int, mines: int
) -> float:
    """Return the weight that reaches ``target``, with ``mines`` found, from node ``past``.

    Different numbers of mines lead to different nodes, so at most one edge joins the two.
    """
    forward = counted.forward
    least = forward.node[past, LEAST]
    for more in range(least, forward.node[past, MOST] + 1):
        if forward.edge[forward.node[past, EDGES] + more - least] != target:
            continue
        at = mines - forward.node[past, LOW] - (more if counted.mines >= 0 else 0)
        if 0 <= at <= forward.node[past, HIGH] - forward.node[past, LOW]:
            weight = forward.weight[counted.constraints.size[super_cell], more]
            return float(weight * forward.tally[forward.node[past, TALLY] + at])
    return 0.0

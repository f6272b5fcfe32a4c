"""Whole layouts drawn at random, each that fits the board with the same chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.constraints import count_around, count_cells, offsets
from solver.kernels import kernel
from solver.lattice import AT, EDGE, HIGH, LEAST, LOW, MOST
from solver.probability import Study, study


@kernel
def uniform(random: NDArray[np.uint64]) -> float:
    """Return a number in [0, 1) and step the generator (splitmix64, one word of state)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.float64(mixed >> np.uint64(11)) * 2.0**-53


@kernel
def draw_many(
    field: NDArray[np.int8], cols: int, mines: int, count: int, random: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Draw ``count`` layouts of a field that some layout fits, as ``[layout, cell]``.

    ``mines`` counts all on the board; below 0 it is unknown.
    """
    near = offsets(cols)
    need = np.zeros(field.size, np.int8)
    free = np.zeros(field.size, np.int8)
    count_around(field, near, need, free)
    hidden, located = count_cells(field)
    known = study(field, near, need, free, hidden, mines - located if mines >= 0 else -1)
    worlds = np.empty((count, field.size), np.bool_)
    for at in range(count):
        draw(field, known, random, worlds[at])
    return worlds


@kernel
def draw(
    field: NDArray[np.int8], known: Study, random: NDArray[np.uint64], mined: NDArray[np.bool_]
) -> None:
    """Fill ``mined`` with a layout that fits ``field``, all such layouts equally likely.

    ``known`` is the study of this very field.
    """
    held = known.parts.size.copy()  # mines on each super-cell
    left = known.parts.size.copy()  # its cells not dealt with yet
    rest = _draw_counts(known, random, held)
    loose = known.loose
    for cell in range(field.size):
        mined[cell] = field[cell] == MINE
        if field[cell] != HIDDEN:
            continue
        group = known.parts.of[cell]
        if group < 0:
            mined[cell] = uniform(random) * loose < rest
            rest -= mined[cell]
            loose -= 1
        else:
            mined[cell] = held[group] == left[group] or uniform(random) * left[group] < held[group]
            held[group] -= mined[cell]
            left[group] -= 1


@kernel
def _draw_counts(known: Study, random: NDArray[np.uint64], held: NDArray[np.int32]) -> int:
    """Fill ``held`` with the mines of each super-cell; return those off the frontier."""
    tallied = known.mines >= 0
    order, ways = known.order, known.ways
    found = 0
    for component in range(order.first.size - 1):
        end = ways.level[order.first[component + 1] + component]
        at, low = ways.node[end, AT], ways.node[end, LOW]
        span = ways.node[end, HIGH] - low + 1
        total = 0.0
        for own in range(span):
            total += ways.tally[at + own] * known.shares.after[component + 1, found + low + own]
        mark = uniform(random) * total
        own = 0
        for more in range(span):
            part = ways.tally[at + more] * known.shares.after[component + 1, found + low + more]
            if part > 0.0:
                own = more
                mark -= part
                if mark < 0.0:
                    break
        _walk_back(known, component, end, low + own, random, held)
        found += low + own
    if tallied:
        return known.mines - found
    rest = 0
    for _ in range(known.loose):
        rest += uniform(random) < 0.5
    return rest


@kernel
def _walk_back(
    known: Study,
    component: int,
    end: int,
    mines: int,
    random: NDArray[np.uint64],
    held: NDArray[np.int32],
) -> None:
    """Draw a way through one component that ends in node ``end`` with ``mines`` found."""
    order, ways = known.order, known.ways
    target = end
    for step in range(order.first[component + 1] - 1, order.first[component] - 1, -1):
        cell = order.layer[step]
        base, above = ways.level[step + component], ways.level[step + component + 1]
        total = 0.0
        for past in range(base, above):
            total += _arrival(known, cell, past, target, mines)
        mark = uniform(random) * total
        chosen = -1
        for past in range(base, above):
            arrival = _arrival(known, cell, past, target, mines)
            if arrival > 0.0:
                chosen = past
                mark -= arrival
                if mark < 0.0:
                    break
        least = ways.node[chosen, LEAST]
        for more in range(least, ways.node[chosen, MOST] + 1):
            if ways.edge[ways.node[chosen, EDGE] + more - least] == target:
                held[cell] = more
                break
        if known.mines >= 0:
            mines -= held[cell]
        target = chosen


@kernel
def _arrival(known: Study, cell: int, past: int, target: int, mines: int) -> float:
    """Return the weight that reaches ``target`` with ``mines`` found by way of ``past``.

    Different numbers of mines lead to different nodes, so there is at most one edge.
    """
    ways = known.ways
    least = ways.node[past, LEAST]
    for more in range(least, ways.node[past, MOST] + 1):
        if ways.edge[ways.node[past, EDGE] + more - least] != target:
            continue
        at = mines - ways.node[past, LOW] - (more if known.mines >= 0 else 0)
        if 0 <= at <= ways.node[past, HIGH] - ways.node[past, LOW]:
            weight = ways.weight[known.parts.size[cell], more]
            return float(weight * ways.tally[ways.node[past, AT] + at])
    return 0.0

"""What an exact search knows of the sets of layouts it has met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.arrays import copy
from solver.kernels import kernel

ENTRIES, POOLED, VISITED, ALLOWED, STAMP = range(5)
"""Places in ``Search.use``."""


class Search(NamedTuple):
    """Layouts to search and what is known of their subsets.

    ``shown[cell, layout]`` is the number an opened cell shows, MINED for a mine; ``twins[k]`` are
    the layouts turned or mirrored in one way: what is known of a set holds for its image, too.
    ``table`` hashes sets by their ``mark`` to places in ``known``: where the set starts in
    ``pool``, how many layouts it has, the most that can be won, and whether that is exact; ``sum``
    are the marks of each. ``use`` counts the entries, the pool in use, the positions looked at,
    the positions allowed and the sets stamped in ``stamp``.
    """

    shown: NDArray[np.int8]
    twins: NDArray[np.int32]
    mark: NDArray[np.int64]
    table: NDArray[np.int32]
    known: NDArray[np.int32]
    sum: NDArray[np.int64]
    pool: NDArray[np.int32]
    stamp: NDArray[np.int64]
    use: NDArray[np.int64]


@kernel
def begin_search(shown: NDArray[np.int8], twins: NDArray[np.int32], allowed: int) -> Search:
    """Make room to search, for ``allowed`` positions at most."""
    count = shown.shape[1]
    entries = min(allowed, 100 * count, 1 << 22) + 1  # seldom more are kept
    size = 1024
    while size < 2 * entries:
        size *= 2
    use = np.zeros(5, np.int64)
    use[ALLOWED] = allowed
    mark = np.empty(count, np.int64)
    for layout in range(count):
        first = layout
        for way in range(twins.shape[0]):
            first = min(first, twins[way, layout])
        mixed = (first + 1) * np.int64(0x2545F4914F6CDD1D)
        mixed = (mixed ^ (mixed >> np.int64(29))) * np.int64(0x1CE4E5B9BF58476D)
        mark[layout] = mixed ^ (mixed >> np.int64(32))
    return Search(
        shown,
        twins,
        mark,
        np.full(size, -1, np.int32),
        np.empty((entries, 4), np.int32),
        np.empty(entries, np.int64),
        np.empty(max(64 * entries, 4 * count), np.int32),
        np.zeros(count, np.int64),
        use,
    )


@kernel
def look_up(search: Search, layouts: NDArray[np.int32]) -> int:
    """Return the place in the table of a set or its twin, or of the hole where it belongs."""
    mixed = np.int64(0)
    for layout in layouts:
        mixed += search.mark[layout]
    place = (mixed ^ (mixed >> np.int64(32))) & (search.table.size - 1)
    while search.table[place] >= 0:
        entry = search.table[place]
        if search.sum[entry] == mixed and search.known[entry, 1] == layouts.size:
            start = search.known[entry, 0]
            if _alike(search, search.pool[start : start + layouts.size], layouts):
                break
        place = (place + 1) & (search.table.size - 1)
    return int(place)


@kernel
def _alike(search: Search, other: NDArray[np.int32], layouts: NDArray[np.int32]) -> bool:
    """Whether two sets of one size are the same, or images of each other."""
    if np.array_equal(other, layouts):
        return True
    if search.twins.shape[0] == 0:
        return False
    search.use[STAMP] += 1
    for layout in layouts:
        search.stamp[layout] = search.use[STAMP]
    for twin in search.twins:
        for layout in other:
            if search.stamp[twin[layout]] != search.use[STAMP]:
                break
        else:
            return True
    return False


@kernel
def remember(search: Search, layouts: NDArray[np.int32], most: int, exact: bool) -> None:
    """Keep what a set can win, while there is room."""
    place = look_up(search, layouts)
    entry = search.table[place]
    if entry < 0:
        entry, start = search.use[ENTRIES], search.use[POOLED]
        if entry == search.known.shape[0] or start + layouts.size > search.pool.size:
            return
        copy(layouts, search.pool[start:], layouts.size)
        mixed = np.int64(0)
        for layout in layouts:
            mixed += search.mark[layout]
        search.sum[entry] = mixed
        search.known[entry, 0] = start
        search.known[entry, 1] = layouts.size
        search.table[place] = entry
        search.use[ENTRIES] += 1
        search.use[POOLED] += layouts.size
    search.known[entry, 2] = most
    search.known[entry, 3] = exact

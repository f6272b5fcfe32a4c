"""What an exact search knows of the sets of layouts it has met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.arrays import copy
from solver.kernels import kernel

ENTRIES, POOLED, VISITED, ALLOWED = range(4)
"""Places in ``Search.use``."""


class Search(NamedTuple):
    """Layouts to search and what is known of their subsets.

    ``shown[cell, layout]`` is the number an opened cell shows, MINED for a mine. ``table`` hashes
    sets to places in ``known``: where the set starts in ``pool``, how many layouts it has, a
    value, and the best cell. Where that is below 0 the value is only an upper bound: -1 before a
    guess, -2 - c where cell c is certain. ``use`` counts the entries, the pool in use, the
    positions looked at and the positions allowed.
    """

    shown: NDArray[np.int8]
    table: NDArray[np.int32]
    known: NDArray[np.int32]
    pool: NDArray[np.int32]
    use: NDArray[np.int64]


@kernel
def begin_search(shown: NDArray[np.int8], allowed: int) -> Search:
    """Make room to search, for ``allowed`` positions at most."""
    entries = min(allowed, 400 * shown.shape[1], 1 << 22) + 1  # seldom more are visited
    size = 1024
    while size < 2 * entries:
        size *= 2
    use = np.zeros(4, np.int64)
    use[ALLOWED] = allowed
    return Search(
        shown,
        np.full(size, -1, np.int32),
        np.empty((entries, 4), np.int32),
        np.empty(max(64 * entries, 4 * shown.shape[1]), np.int32),
        use,
    )


@kernel
def look_up(search: Search, layouts: NDArray[np.int32]) -> int:
    """Return the place in the table of a set, or of the hole where it belongs."""
    mixed = np.int64(layouts.size)
    for layout in layouts:
        mixed = (mixed ^ layout) * np.int64(0x2545F4914F6CDD1D)
        mixed ^= mixed >> np.int64(29)
    place = mixed & (search.table.size - 1)
    while search.table[place] >= 0:
        entry = search.known[search.table[place]]
        if entry[1] == layouts.size and np.array_equal(
            search.pool[entry[0] : entry[0] + entry[1]], layouts
        ):
            break
        place = (place + 1) & (search.table.size - 1)
    return int(place)


@kernel
def remember(search: Search, layouts: NDArray[np.int32], value: int, choice: int) -> None:
    """Keep the value of a set, while there is room."""
    place = look_up(search, layouts)
    entry = search.table[place]
    if entry < 0:
        entry, start = search.use[ENTRIES], search.use[POOLED]
        if entry == search.known.shape[0] or start + layouts.size > search.pool.size:
            return
        copy(layouts, search.pool[start:], layouts.size)
        search.known[entry, 0] = start
        search.known[entry, 1] = layouts.size
        search.table[place] = entry
        search.use[ENTRIES] += 1
        search.use[POOLED] += layouts.size
    search.known[entry, 2] = value
    search.known[entry, 3] = choice

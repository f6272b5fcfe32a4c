"""What an endgame search remembers of the sets of layouts it has met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.arrays import copy
from solver.exact.kernels import kernel

ENTRIES, POOLED, VISITED, ALLOWED, STAMP = range(5)
"""Places in ``Search.use``."""


class Search(NamedTuple):
    """The layouts to search, and what is known of their subsets.

    ``shown[cell, layout]`` is the number that an opened cell shows, MINED for a mine.
    ``mirrors[k]`` are the layouts after one turn or reflection of the board: what is known of a set
    holds for its images, too. ``table`` is a hash table from sets, by the sum of their layouts'
    ``mark``, to rows of ``known``: where the set starts in ``pool``, how many layouts it has, the
    most that can be won, and whether that is exact. ``sum`` holds the sum of marks of each row.
    ``use`` counts the rows, the pool in use, the positions looked at, the positions allowed, and
    the sets stamped in ``stamp``.
    """

    shown: NDArray[np.int8]
    mirrors: NDArray[np.int32]
    mark: NDArray[np.int64]
    table: NDArray[np.int32]
    known: NDArray[np.int32]
    sum: NDArray[np.int64]
    pool: NDArray[np.int32]
    stamp: NDArray[np.int64]
    use: NDArray[np.int64]


@kernel
def begin_search(shown: NDArray[np.int8], mirrors: NDArray[np.int32], allowed: int) -> Search:
    """Return room for a search of at most ``allowed`` positions."""
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
        for way in range(mirrors.shape[0]):
            first = min(first, mirrors[way, layout])
        mixed = (first + 1) * np.int64(0x2545F4914F6CDD1D)
        mixed = (mixed ^ (mixed >> np.int64(29))) * np.int64(0x1CE4E5B9BF58476D)
        mark[layout] = mixed ^ (mixed >> np.int64(32))
    return Search(
        shown,
        mirrors,
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
    """Return the place of a set or its image in the table, or the empty place where it is to go."""
    mixed = np.int64(0)
    for layout in layouts:
        mixed += search.mark[layout]
    place = (mixed ^ (mixed >> np.int64(32))) & (search.table.size - 1)
    while search.table[place] >= 0:
        entry = search.table[place]
        if search.sum[entry] == mixed and search.known[entry, 1] == layouts.size:
            start = search.known[entry, 0]
            if _are_alike(search, search.pool[start : start + layouts.size], layouts):
                break
        place = (place + 1) & (search.table.size - 1)
    return int(place)


@kernel
def _are_alike(search: Search, other: NDArray[np.int32], layouts: NDArray[np.int32]) -> bool:
    """Whether two sets of one size are the same or images of each other."""
    if np.array_equal(other, layouts):
        return True
    if search.mirrors.shape[0] == 0:
        return False
    search.use[STAMP] += 1
    for layout in layouts:
        search.stamp[layout] = search.use[STAMP]
    for mirror in search.mirrors:
        for layout in other:
            if search.stamp[mirror[layout]] != search.use[STAMP]:
                break
        else:
            return True
    return False


@kernel
def remember(search: Search, layouts: NDArray[np.int32], most: int, exact: bool) -> None:
    """Keep the most that a set can win, while there is room."""
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

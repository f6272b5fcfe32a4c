"""Exact endgame: the chance to win of the best line of play, over all layouts left.

A position is the set of layouts that survive in it. What was opened on the way does not matter:
it is free, and shows the same, in all of them. Opening a cell that is free in all costs nothing;
any other choice keeps the layouts in which the cell is free, split by the number it shows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.kernels import kernel
from solver.probability import HIGH, LOW, Study

MINED: Final = 9
"""What `shown` says of a cell that is a mine."""

GIVEN_UP: Final = -1
"""Value of a position that the allowed work did not suffice for."""


class Search(NamedTuple):
    """Layouts to search and what is known of their subsets.

    ``shown[cell, layout]`` is the number an opened cell shows, MINED for a mine. ``table`` hashes
    sets to places in ``known``: where the set starts in ``pool``, how many layouts it has, a
    value, and the best cell. ``use`` counts the entries, the pool in use, the positions visited
    and the positions allowed.
    """

    shown: NDArray[np.int8]
    table: NDArray[np.int32]
    known: NDArray[np.int32]
    pool: NDArray[np.int32]
    use: NDArray[np.int64]


ENTRIES, POOLED, VISITED, ALLOWED = 0, 1, 2, 3

START, SIZE, PARTS, FORCED, BEST, CHOICE, CELL, TOTAL, NUMBER = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Columns of a frame: where its set starts, how many layouts it has, where its parts go; a cell
that is free anyway; the best value and cell so far; the cell on trial, what it can still reach,
and the number it shows in the part on trial."""

ENTER, CHOOSE, DESCEND, LEAVE = 0, 1, 2, 3
"""What to do with the frame on top."""


@kernel
def list_layouts(  # noqa: PLR0912  one backtracking loop reads better whole
    field: NDArray[np.int8], near: NDArray[np.int64], known: Study, most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """List the hidden cells, and all layouts on them as ``[layout, cell]``.

    Returns no layouts where there are more than ``most``, or where finding them takes more than
    a thousand steps each.
    """
    cells = _in_counting_order(field, known)
    found = np.empty((most, cells.size), np.bool_)
    need = np.zeros(field.size, np.int8)
    free = np.zeros(field.size, np.int8)
    for cell in range(field.size):
        if field[cell] >= 0:
            need[cell] = field[cell]
            for step in near:
                free[cell] += field[cell + step] == HIDDEN
                need[cell] -= field[cell + step] == MINE
    fewest, largest = _rest(field, known, cells)
    choice = np.full(cells.size, -1, np.int8)
    left = known.mines
    count, at, work = 0, 0, 0
    while at >= 0:
        work += 1
        if work > 1000 * most:
            return cells, found[:0]
        if at == cells.size:
            if count == most:
                return cells, found[:0]
            for place in range(cells.size):
                found[count, place] = choice[place] == 1
            count += 1
            at -= 1
            continue
        if choice[at] >= 0:  # take back
            left += choice[at]
            for step in near:
                number = cells[at] + step
                if field[number] >= 0:
                    free[number] += 1
                    need[number] += choice[at]
        choice[at] += 1
        if choice[at] == 2:
            choice[at] = -1
            at -= 1
            continue
        left -= choice[at]
        fits = left >= fewest[at + 1] and left <= largest[at + 1]
        for step in near:
            number = cells[at] + step
            if field[number] >= 0:
                free[number] -= 1
                need[number] -= choice[at]
                fits &= 0 <= need[number] <= free[number]
        if fits:
            at += 1
    return cells, found[:count]


@kernel
def _in_counting_order(field: NDArray[np.int8], known: Study) -> NDArray[np.int64]:
    """Return the hidden cells: the frontier as it was counted, then the others."""
    start = np.zeros(known.parts.size.size, np.int32)
    count = 0
    for group in known.order.layer:
        start[group] = count
        count += known.parts.size[group]
    cells = np.empty(count + known.loose, np.int64)
    for cell in range(field.size):
        if field[cell] != HIDDEN:
            continue
        group = known.parts.of[cell]
        if group < 0:
            cells[count] = cell
            count += 1
        else:
            cells[start[group]] = cell
            start[group] += 1
    return cells


@kernel
def _rest(
    field: NDArray[np.int8], known: Study, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Bound the mines on ``cells[at:]``, for every ``at``."""
    fewest = np.zeros(cells.size + 1, np.int32)
    largest = np.zeros(cells.size + 1, np.int32)
    at = cells.size
    for _ in range(known.loose):
        at -= 1
        largest[at] = largest[at + 1] + 1
    for component in range(known.order.first.size - 2, -1, -1):
        end = known.ways.level[known.order.first[component + 1] + component]
        after_fewest, after_largest = fewest[at], largest[at]
        for step in range(known.order.first[component], known.order.first[component + 1]):
            for _ in range(known.parts.size[known.order.layer[step]]):
                at -= 1
                fewest[at] = after_fewest
                largest[at] = after_largest + known.ways.node[end, HIGH]
        fewest[at] = after_fewest + known.ways.node[end, LOW]
    return fewest, largest


@kernel
def numbers_shown(
    field: NDArray[np.int8],
    near: NDArray[np.int64],
    cells: NDArray[np.int64],
    layouts: NDArray[np.bool_],
) -> NDArray[np.int8]:
    """Return what each cell shows in each layout, MINED for a mine, as ``[cell, layout]``."""
    place = np.full(field.size, -1, np.int32)
    for at in range(cells.size):
        place[cells[at]] = at
    shown = np.empty((cells.size, layouts.shape[0]), np.int8)
    for at in range(cells.size):
        base = 0
        for step in near:
            base += field[cells[at] + step] == MINE
        for layout in range(layouts.shape[0]):
            number = base
            for step in near:
                other = place[cells[at] + step]
                if other >= 0:
                    number += layouts[layout, other]
            shown[at, layout] = MINED if layouts[layout, at] else number
    return shown


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
def wins(  # noqa: PLR0912, PLR0915  one state machine, four states
    search: Search, layouts: NDArray[np.int32]
) -> tuple[int, int]:
    """Return in how many of ``layouts`` the best line wins, and the cell it opens.

    The number is GIVEN_UP past the allowed work, the cell -1 where one layout is left. Plain
    depth-first search, its stack spelled out: compiled functions that call each other in turn
    crash once they come from numba's cache.
    """
    deepest = search.shown.shape[0] + 2
    frame = np.zeros((deepest, 9), np.int64)
    safe = np.empty((deepest, search.shown.shape[0]), np.int32)
    kinds = np.empty((deepest, search.shown.shape[0]), np.int32)
    bounds = np.zeros((deepest, 11), np.int32)
    sets = np.empty(layouts.size * (deepest + 1), np.int32)
    sets[: layouts.size] = layouts
    frame[0, SIZE] = layouts.size
    frame[0, PARTS] = layouts.size
    depth, value, state = 0, 0, ENTER
    while True:
        now = frame[depth]
        own = sets[now[START] : now[START] + now[SIZE]]
        if state == ENTER:
            value = _known_value(search, own)
            if value >= 0:
                state = LEAVE
                continue
            search.use[VISITED] += 1
            if search.use[VISITED] > search.use[ALLOWED]:
                return GIVEN_UP, -1
            now[FORCED] = _survey(search.shown, own, safe[depth], kinds[depth])
            now[BEST] = 0
            now[CHOICE] = -1
            state = CHOOSE
        elif state == CHOOSE:
            cell = now[FORCED]
            if cell < 0:
                cell = _likeliest(safe[depth], kinds[depth], now[SIZE])
            if cell < 0 or (now[CHOICE] >= 0 and safe[depth, cell] <= now[BEST]):
                _remember(search, own, now[BEST], now[CHOICE])
                value = now[BEST]
                state = LEAVE
                continue
            now[CELL] = cell
            now[TOTAL] = safe[depth, cell]
            now[NUMBER] = 0
            safe[depth, cell] = 0  # tried
            _split(search.shown[cell], own, sets[now[PARTS] :], bounds[depth])
            state = DESCEND
        elif state == DESCEND:
            if now[CHOICE] >= 0 and now[TOTAL] <= now[BEST]:
                state = CHOOSE  # it cannot beat the best any more
                continue
            number = now[NUMBER]
            while number < MINED and bounds[depth, number + 1] - bounds[depth, number] < 2:
                number += 1
            now[NUMBER] = number
            if number < MINED:
                depth += 1
                frame[depth, START] = now[PARTS] + bounds[depth - 1, number]
                frame[depth, SIZE] = bounds[depth - 1, number + 1] - bounds[depth - 1, number]
                frame[depth, PARTS] = now[PARTS] + now[SIZE]
                state = ENTER
                continue
            now[BEST] = now[TOTAL]
            now[CHOICE] = now[CELL]
            state = CHOOSE
            if now[FORCED] >= 0:
                _remember(search, own, now[BEST], now[CHOICE])
                value = now[BEST]
                state = LEAVE
        elif depth > 0:
            depth -= 1
            frame[depth, TOTAL] += value - now[SIZE]
            frame[depth, NUMBER] += 1
            state = DESCEND
        else:
            entry = search.table[look_up(search, own)]
            return value, search.known[entry, 3] if entry >= 0 else now[CHOICE]


@kernel
def _known_value(search: Search, layouts: NDArray[np.int32]) -> int:
    """Return the value of a set met before or too small to lose, else -1."""
    if layouts.size <= 1:
        return layouts.size
    entry = search.table[look_up(search, layouts)]
    return search.known[entry, 2] if entry >= 0 else -1


@kernel
def _survey(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    safe: NDArray[np.int32],
    kinds: NDArray[np.int32],
) -> int:
    """Count, for each cell, the layouts in which it is free and the numbers it may show.

    Stops at a cell that is free in all and tells something, and returns it; else -1.
    """
    for cell in range(shown.shape[0]):
        seen = 0
        safe[cell] = 0
        for layout in layouts:
            seen |= 1 << shown[cell, layout]
            safe[cell] += shown[cell, layout] != MINED
        kinds[cell] = 0
        while seen > 0:
            kinds[cell] += seen & 1
            seen >>= 1
        if safe[cell] == layouts.size and kinds[cell] > 1:
            return cell
    return -1


@kernel
def _likeliest(safe: NDArray[np.int32], kinds: NDArray[np.int32], size: int) -> int:
    """Return the cell not tried yet that is free in most layouts, telling most; -1 for none."""
    best = -1
    for cell in range(safe.size):
        if 0 < safe[cell] < size and (
            best < 0
            or safe[cell] > safe[best]
            or (safe[cell] == safe[best] and kinds[cell] > kinds[best])
        ):
            best = cell
    return best


@kernel
def _split(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    parts: NDArray[np.int32],
    bounds: NDArray[np.int32],
) -> None:
    """Sort layouts into ``parts`` by what a cell shows; number ``n`` starts at ``bounds[n]``."""
    bounds[:] = 0
    for layout in layouts:
        bounds[shown[layout] + 1] += 1
    for number in range(10):
        bounds[number + 1] += bounds[number]
    for layout in layouts:
        parts[bounds[shown[layout]]] = layout
        bounds[shown[layout]] += 1
    for number in range(9, -1, -1):
        bounds[number + 1] = bounds[number]
    bounds[0] = 0


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
def _remember(search: Search, layouts: NDArray[np.int32], value: int, choice: int) -> None:
    """Keep the value of a set, while there is room."""
    entry, start = search.use[ENTRIES], search.use[POOLED]
    if entry == search.known.shape[0] or start + layouts.size > search.pool.size:
        return
    search.pool[start : start + layouts.size] = layouts
    search.known[entry, 0] = start
    search.known[entry, 1] = layouts.size
    search.known[entry, 2] = value
    search.known[entry, 3] = choice
    search.table[look_up(search, layouts)] = entry
    search.use[ENTRIES] += 1
    search.use[POOLED] += layouts.size

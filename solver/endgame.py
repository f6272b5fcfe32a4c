"""Exact endgame: the chance to win of the best line of play, over all layouts left.

A position is the set of layouts that survive in it. What was opened on the way does not matter:
it is free, and shows the same, in all of them. Opening a cell that is free in all costs nothing;
any other choice keeps the layouts in which the cell is free, split by the number it shows.

The search is cut where no line can win more than one known already: a line wins at most the
layouts in which its cell is free, and after it, in each part, at most those in which the part's
likeliest cell is free. A *dead* cell, which shows one number wherever it is free, is never opened
while others are left: it tells nothing, and can be opened as well at the end. A set that fits
into a word goes to `few`, which does the same with words for sets.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.arrays import copy
from solver.few import FEW, LOOKED, NONE, SPARE, everything, make_few, take_up, wins_few
from solver.kernels import kernel
from solver.layouts import MINED
from solver.memo import ALLOWED, VISITED, Search, look_up, remember

GIVEN_UP: Final = -1
"""Value of a position that the allowed work did not suffice for."""


class Room(NamedTuple):
    """Room to work in: the stack's sets, parts not looked at yet, a set whole and a part of it."""

    sets: NDArray[np.int32]
    work: NDArray[np.int32]
    whole: NDArray[np.int32]
    part: NDArray[np.int32]


START, SIZE, PARTS, LIVE, FLOOR, BEST, CHOICE, CELL, TOTAL, FIRST, COUNT, NEXT = range(12)
"""Columns of a frame, one a position: where its set starts, how many layouts it has and where they
go once split; how many cells are not the same in all; what it must win more than to matter; the
best value and cell so far; the cell on trial and what it can still reach; where the parts begin
that are left to search, how many there are and which is next."""

ENTER, CHOOSE, DESCEND, LEAVE = range(4)
"""What to do with the frame on top."""

UPPER: Final = 2
"""Column of a part, after its start and size: the layouts it may win at most."""


@kernel
def wins(  # noqa: PLR0912, PLR0915  one state machine, four states
    search: Search, layouts: NDArray[np.int32], floor: int
) -> tuple[int, int]:
    """Return in how many of ``layouts`` the best line wins, and the cell it opens.

    Where no line wins more than ``floor``, the number is only an upper bound, not above it. The
    cell is -1 then, and where one layout is left. The number is GIVEN_UP past the allowed work.
    Plain depth-first search, its stack spelled out: compiled functions that call each other in
    turn crash once they come from numba's cache.
    """
    cells = search.shown.shape[0]
    frame = np.zeros((cells + 2, 12), np.int64)
    live = np.empty((cells + 2, cells), np.int32)
    safe = np.empty((cells + 2, cells), np.int32)
    kinds = np.empty((cells + 2, cells), np.int32)
    parts = np.empty((layouts.size * (cells + 2) // 2 + 1, 3), np.int32)
    room = Room(
        np.empty(layouts.size * (cells + 2), np.int32),
        np.empty((layouts.size + 1, 3), np.int32),
        np.empty(layouts.size, np.int32),
        np.empty(layouts.size, np.int32),
    )
    sets = room.sets
    copy(layouts, sets, layouts.size)
    for cell in range(cells):
        live[0, cell] = cell
    frame[1, CHOICE] = -1
    room.work[0, START] = 0
    room.work[0, SIZE] = layouts.size
    frame[0, SIZE] = layouts.size
    frame[0, LIVE] = cells
    frame[0, BEST] = floor
    frame[0, COUNT], frame[0, TOTAL] = _follow(
        search, room, live[0], parts, frame[0, NEXT] + 1, frame[0, TOTAL], floor
    )
    few = make_few(cells)
    depth, value, state = 0, 0, DESCEND
    while True:
        now = frame[depth]
        own = sets[now[START] : now[START] + now[SIZE]]
        if state == ENTER:
            search.use[VISITED] += 1
            if search.use[VISITED] > search.use[ALLOWED]:
                return GIVEN_UP, -1
            if own.size <= FEW:
                count = take_up(few, search.shown, own, live[depth, : now[LIVE]])
                few.use[SPARE] = search.use[ALLOWED] - search.use[VISITED]
                few.use[LOOKED] = 0
                value, now[CHOICE] = wins_few(few, count, everything(own.size), now[FLOOR])
                search.use[VISITED] += few.use[LOOKED]
                if search.use[VISITED] > search.use[ALLOWED]:
                    return GIVEN_UP, -1
                remember(search, own, value, now[CHOICE] != NONE)
                if now[CHOICE] >= 0:
                    now[CHOICE] = few.cell[now[CHOICE]]
                state = LEAVE
                continue
            now[LIVE] = _survey(
                search.shown, own, live[depth, : now[LIVE]], safe[depth], kinds[depth]
            )
            now[BEST] = now[FLOOR]
            now[CHOICE] = -1
            if now[FLOOR] < 1:  # one layout can always be won
                now[BEST] = 1
                now[CHOICE] = _safest(live[depth, : now[LIVE]], safe[depth])
            state = CHOOSE
        elif state == CHOOSE:
            cell = _likeliest(live[depth, : now[LIVE]], safe[depth], kinds[depth])
            if cell < 0 or safe[depth, cell] <= now[BEST]:
                remember(search, own, now[BEST], now[BEST] > now[FLOOR])
                value = now[BEST]
                state = LEAVE
                continue
            safe[depth, cell] = 0  # tried
            now[CELL] = cell
            now[NEXT] = 0
            count, single = _split(search.shown[cell], own, sets, now[PARTS], room.work, 0)
            now[COUNT], now[TOTAL] = _follow(
                search,
                room,
                live[depth, : now[LIVE]],
                parts[now[FIRST] :],
                count,
                single,
                now[BEST],
            )
            state = DESCEND
        elif state == DESCEND:
            if now[TOTAL] <= now[BEST]:  # it cannot beat the best any more
                if depth == 0:
                    return now[TOTAL], -1
                state = CHOOSE
            elif now[NEXT] < now[COUNT]:
                part = parts[now[FIRST] + now[NEXT]]
                below = frame[depth + 1]
                below[START] = part[START]
                below[SIZE] = part[SIZE]
                below[PARTS] = now[PARTS] + now[SIZE]
                below[FIRST] = now[FIRST] + now[COUNT]
                below[FLOOR] = max(0, now[BEST] - now[TOTAL] + part[UPPER])
                below[LIVE] = now[LIVE]
                copy(live[depth], live[depth + 1], now[LIVE])
                depth += 1
                state = ENTER
            elif depth == 0:
                choice = -1
                if now[COUNT] > 0 and parts[0, SIZE] == layouts.size:
                    choice = frame[1, CHOICE]
                if choice < 0 and layouts.size > 1:  # it is certain, or no line wins more than one
                    kept = _survey(search.shown, layouts, live[0], safe[0], kinds[0])
                    choice = _safest(live[0, :kept], safe[0])
                return now[TOTAL], choice
            else:
                now[BEST] = now[TOTAL]
                now[CHOICE] = now[CELL]
                state = CHOOSE
        else:
            depth -= 1
            now = frame[depth]
            now[TOTAL] += value - parts[now[FIRST] + now[NEXT], UPPER]
            now[NEXT] += 1
            state = DESCEND


@kernel
def _survey(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    live: NDArray[np.int32],
    safe: NDArray[np.int32],
    kinds: NDArray[np.int32],
) -> int:
    """Count, for each cell in ``live``, the layouts in which it is free and what it may show.

    Cells that are the same in all layouts are dropped from ``live``; returns how many are left.
    """
    kept = 0
    for cell in live:
        seen, free = 0, 0
        for layout in layouts:
            number = int(shown[cell, layout])
            seen |= 1 << number
            free += number != MINED
        if seen & (seen - 1) == 0:
            continue
        live[kept] = cell
        kept += 1
        safe[cell] = free
        kinds[cell] = 0
        while seen > 0:
            kinds[cell] += seen & 1
            seen >>= 1
    return kept


@kernel
def _likeliest(live: NDArray[np.int32], safe: NDArray[np.int32], kinds: NDArray[np.int32]) -> int:
    """Return the cell not tried yet that is free in most layouts, telling most; -1 for none.

    Dead cells, which are a mine or show one number, are passed over.
    """
    best = -1
    for cell in live:
        if (
            kinds[cell] > 2
            and safe[cell] > 0
            and (
                best < 0
                or safe[cell] > safe[best]
                or (safe[cell] == safe[best] and kinds[cell] > kinds[best])
            )
        ):
            best = cell
    return best


@kernel
def _safest(live: NDArray[np.int32], safe: NDArray[np.int32]) -> int:
    """Return the cell that is free in most layouts."""
    best = live[0]
    for cell in live:
        if safe[cell] > safe[best]:
            best = cell
    return int(best)


@kernel
def _follow(
    search: Search,
    room: Room,
    live: NDArray[np.int32],
    parts: NDArray[np.int32],
    count: int,
    won: int,
    bar: int,
) -> tuple[int, int]:
    """Open what is certain in each of the ``count`` parts in ``room.work``, as far as it leads.

    Fills ``parts`` with those that come to a guess whose value is not known, each with the most it
    may win; returns how many they are, and the most that all may win beside ``won``. Stops as soon
    as that is down to ``bar``.
    """
    work, sets = room.work, room.sets
    total = won
    for at in range(count):
        start, size = work[at, START], work[at, SIZE]
        entry = search.table[look_up(search, sets[start : start + size])]
        work[at, UPPER] = search.known[entry, 2] if entry >= 0 else size
        total += work[at, UPPER]
    kept = 0
    for whole in range(count):
        if total <= bar:
            break
        size = work[whole, SIZE]
        copy(sets[work[whole, START] :], room.whole, size)
        copy(work[whole], work[count], 3)
        waiting, before, reach, opened = count + 1, kept, 0, False
        while waiting > count:
            waiting -= 1
            start = int(work[waiting, START])
            end = start + work[waiting, SIZE]
            own = sets[start:end]
            entry = search.table[look_up(search, own)]
            if entry >= 0:
                most, settled = search.known[entry, 2], search.known[entry, 3] > 0
            else:
                most, settled = own.size, False
            certain = -1
            if not settled:
                search.use[VISITED] += 1
                hope, certain = _outlook(search.shown, own, live)
                most = min(most, hope)
                settled = most == 1
            if settled or certain < 0:
                reach += most
                if not settled:
                    parts[kept, START] = start
                    parts[kept, SIZE] = own.size
                    parts[kept, UPPER] = most
                    kept += 1
                continue
            opened = True
            copy(own, room.part, own.size)
            waiting, single = _split(
                search.shown[certain], room.part[: own.size], sets, start, work, waiting
            )
            reach += single
        total += reach - work[whole, UPPER]
        if opened:
            remember(search, room.whole[:size], reach, kept == before)
    return kept, total


@kernel
def _outlook(
    shown: NDArray[np.int8], layouts: NDArray[np.int32], live: NDArray[np.int32]
) -> tuple[int, int]:
    """Return the most layouts that a guess may win, and a cell that is certain and tells, or -1."""
    spare = layouts.size - 2  # a cell mined in more layouts than this is no better
    most = 1
    for cell in live:
        seen, mined = 0, 0
        for layout in layouts:
            number = int(shown[cell, layout])
            if number < MINED:
                seen |= 1 << number
            else:
                mined += 1
                if mined > spare:
                    break
        if mined > spare or seen & (seen - 1) == 0:
            continue
        most = layouts.size - mined
        if mined == 0:
            return most, cell
        spare = mined - 1
    return most, -1


@kernel
def _split(
    shown: NDArray[np.int8],
    layouts: NDArray[np.int32],
    sets: NDArray[np.int32],
    start: int,
    parts: NDArray[np.int32],
    count: int,
) -> tuple[int, int]:
    """Sort layouts into ``sets`` from ``start`` on by the number that a cell shows.

    Parts of two layouts and more are added to the ``count`` in ``parts``; returns how many there
    are then, and how many parts had but one layout.
    """
    place = np.zeros(MINED + 2, np.int32)
    for layout in layouts:
        place[shown[layout] + 1] += 1
    single = 0
    place[0] = start
    for number in range(MINED):
        size = place[number + 1]
        if size > 1:
            parts[count, START] = place[number]
            parts[count, SIZE] = size
            count += 1
        single += size == 1
        place[number + 1] += place[number]
    for layout in layouts:
        number = shown[layout]
        if number < MINED:
            sets[place[number]] = layout
            place[number] += 1
    return count, single

"""Endgame search: the best line of play over all layouts left, and how many of them it wins.

A position is the set of layouts that are still possible in it. The cells opened so far do not
matter: they are free in all of these layouts and show the same. Opening a cell that is free in all
layouts costs nothing. Any other choice keeps the layouts in which the cell is free, and splits
them by the number that it shows.

A choice is not searched where it cannot win more layouts than one known already. It wins at most
the layouts in which its cell is free; after it, each part wins at most the layouts in which the
part's safest cell is free. A *dead* cell, which shows one number wherever it is free, is not opened
while others are left: it teaches nothing, and can be opened as well at the end. A set of at most
64 layouts goes to `small_sets`, where one word stands for a set.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.arrays import copy
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts
from solver.search.endgame.layout_sets import (
    SIZE,
    START,
    count_safe,
    likeliest_guess,
    safest_cell,
    split_by_number,
    upper_bound,
)
from solver.search.endgame.layouts import list_layouts, numbers_shown
from solver.search.endgame.memo import ALLOWED, VISITED, Search, begin_search, look_up, remember
from solver.search.endgame.small_sets import (
    LOOKED,
    MOST_LAYOUTS,
    NONE,
    SPARE,
    full_set,
    load_set,
    make_small_sets,
    most_wins_small,
)
from solver.search.game_state import GameState
from solver.search.limit import Limit

GIVEN_UP: Final = -1
"""Value of a position if the search takes more work than allowed."""


class Workspace(NamedTuple):
    """Arrays to work in.

    ``sets`` holds the layouts of the positions on the stack, and of their parts. ``pending`` lists
    the parts that were not looked at yet. A split overwrites its place in ``sets``: the layouts of
    a part are copied to ``position_copy`` to be remembered, and to ``part_copy`` to be split.
    """

    sets: NDArray[np.int32]
    pending: NDArray[np.int32]
    position_copy: NDArray[np.int32]
    part_copy: NDArray[np.int32]


PARTS, LIVE, TO_BEAT, BEST, CHOICE, CELL, TOTAL, FIRST, COUNT, NEXT = range(2, 12)
"""Columns of ``stack``, with one row a position; START and SIZE of its set come first.

PARTS: where its layouts go when they are split. LIVE: how many cells differ between its layouts.
TO_BEAT: the position matters only if it wins more layouts than this. BEST, CHOICE: the best value
and cell so far. CELL, TOTAL: the cell on trial and the most it can still win. FIRST, COUNT, NEXT:
where the parts to search begin, how many there are, and which is next."""

ENTER, CHOOSE, DESCEND, LEAVE = range(4)
"""What to do next with the position on top of the stack."""

UPPER: Final = 2
"""Column of a part, after its start and size: the layouts it may win at most."""


def search_endgame(
    state: GameState, counted: LayoutCounts, limit: Limit
) -> tuple[int, float] | None:
    """Return the cell of the best line of play, and its chance to win.

    Returns None where there are more layouts than ``limit`` allows, or where the search would look
    at more positions than it allows. ``counted`` are the layout counts of ``state``.
    """
    cells, layouts = list_layouts(state.field, state.near, counted, limit.layouts)
    count = len(layouts)
    if count == 0:
        return None
    shown = numbers_shown(state.field, state.near, cells, layouts)
    search = begin_search(shown, np.empty((0, 0), np.int32), limit.positions)
    won, place = most_wins(search, np.arange(count, dtype=np.int32), 0)
    return (int(cells[place]), won / count) if place >= 0 else None


@kernel
def most_wins(  # noqa: PLR0912, PLR0915  one state machine, four states
    search: Search, layouts: NDArray[np.int32], to_beat: int
) -> tuple[int, int]:
    """Return how many of ``layouts`` the best line of play wins, and the cell it opens.

    If no line wins more than ``to_beat``, the number is an upper bound that is at most ``to_beat``,
    and the cell is -1. The cell is also -1 if one layout is left. The number is GIVEN_UP if the
    search took more positions than allowed. This is a plain depth-first search with a stack of its
    own: compiled functions that call each other in turn crash once numba loads them from disk.
    """
    cells = search.shown.shape[0]
    stack = np.zeros((cells + 2, 12), np.int64)
    live = np.empty((cells + 2, cells), np.int32)
    safe = np.empty((cells + 2, cells), np.int32)
    kinds = np.empty((cells + 2, cells), np.int32)
    parts = np.empty((layouts.size * (cells + 2) // 2 + 1, 3), np.int32)
    workspace = Workspace(
        np.empty(layouts.size * (cells + 2), np.int32),
        np.empty((layouts.size + 1, 3), np.int32),
        np.empty(layouts.size, np.int32),
        np.empty(layouts.size, np.int32),
    )
    sets = workspace.sets
    copy(layouts, sets, layouts.size)
    for cell in range(cells):
        live[0, cell] = cell
    stack[1, CHOICE] = -1
    workspace.pending[0, START] = 0
    workspace.pending[0, SIZE] = layouts.size
    stack[0, SIZE] = layouts.size
    stack[0, LIVE] = cells
    stack[0, BEST] = to_beat
    stack[0, COUNT], stack[0, TOTAL] = _open_certain(
        search, workspace, live[0], parts, stack[0, NEXT] + 1, stack[0, TOTAL], to_beat
    )
    small = make_small_sets(cells)
    depth, value, state = 0, 0, DESCEND
    while True:
        top = stack[depth]
        position = sets[top[START] : top[START] + top[SIZE]]
        if state == ENTER:
            search.use[VISITED] += 1
            if search.use[VISITED] > search.use[ALLOWED]:
                return GIVEN_UP, -1
            if position.size <= MOST_LAYOUTS:
                count = load_set(small, search.shown, position, live[depth, : top[LIVE]])
                small.use[SPARE] = search.use[ALLOWED] - search.use[VISITED]
                small.use[LOOKED] = 0
                value, top[CHOICE] = most_wins_small(
                    small, count, full_set(position.size), top[TO_BEAT]
                )
                search.use[VISITED] += small.use[LOOKED]
                if search.use[VISITED] > search.use[ALLOWED]:
                    return GIVEN_UP, -1
                remember(search, position, value, top[CHOICE] != NONE)
                if top[CHOICE] >= 0:
                    top[CHOICE] = small.cell[top[CHOICE]]
                state = LEAVE
                continue
            top[LIVE] = count_safe(
                search.shown, position, live[depth, : top[LIVE]], safe[depth], kinds[depth]
            )
            top[BEST] = top[TO_BEAT]
            top[CHOICE] = -1
            if top[TO_BEAT] < 1:  # one layout can always be won
                top[BEST] = 1
                top[CHOICE] = safest_cell(live[depth, : top[LIVE]], safe[depth])
            state = CHOOSE
        elif state == CHOOSE:
            cell = likeliest_guess(live[depth, : top[LIVE]], safe[depth], kinds[depth])
            if cell < 0 or safe[depth, cell] <= top[BEST]:
                remember(search, position, top[BEST], top[BEST] > top[TO_BEAT])
                value = top[BEST]
                state = LEAVE
                continue
            safe[depth, cell] = 0  # tried
            top[CELL] = cell
            top[NEXT] = 0
            count, single = split_by_number(
                search.shown[cell], position, sets, top[PARTS], workspace.pending, 0
            )
            top[COUNT], top[TOTAL] = _open_certain(
                search,
                workspace,
                live[depth, : top[LIVE]],
                parts[top[FIRST] :],
                count,
                single,
                top[BEST],
            )
            state = DESCEND
        elif state == DESCEND:
            if top[TOTAL] <= top[BEST]:  # it cannot beat the best any more
                if depth == 0:
                    return top[TOTAL], -1
                state = CHOOSE
            elif top[NEXT] < top[COUNT]:
                part = parts[top[FIRST] + top[NEXT]]
                pushed = stack[depth + 1]
                pushed[START] = part[START]
                pushed[SIZE] = part[SIZE]
                pushed[PARTS] = top[PARTS] + top[SIZE]
                pushed[FIRST] = top[FIRST] + top[COUNT]
                pushed[TO_BEAT] = max(0, top[BEST] - top[TOTAL] + part[UPPER])
                pushed[LIVE] = top[LIVE]
                copy(live[depth], live[depth + 1], top[LIVE])
                depth += 1
                state = ENTER
            elif depth == 0:
                choice = -1
                if top[COUNT] > 0 and parts[0, SIZE] == layouts.size:
                    choice = stack[1, CHOICE]
                if (
                    choice < 0 and layouts.size > 1
                ):  # the cell is certain, or no line wins more than 1
                    kept = count_safe(search.shown, layouts, live[0], safe[0], kinds[0])
                    choice = safest_cell(live[0, :kept], safe[0])
                return top[TOTAL], choice
            else:
                top[BEST] = top[TOTAL]
                top[CHOICE] = top[CELL]
                state = CHOOSE
        else:
            depth -= 1
            top = stack[depth]
            top[TOTAL] += value - parts[top[FIRST] + top[NEXT], UPPER]
            top[NEXT] += 1
            state = DESCEND


@kernel
def _open_certain(
    search: Search,
    workspace: Workspace,
    live: NDArray[np.int32],
    parts: NDArray[np.int32],
    count: int,
    won: int,
    to_beat: int,
) -> tuple[int, int]:
    """Open what is certain in the ``count`` parts in ``workspace.pending``, again and again.

    Fills ``parts`` with the parts that come to a guess of unknown value, each with the most layouts
    it may win. Returns how many parts that are, and the most that all of them may win together with
    ``won``. Stops as soon as this is not more than ``to_beat``.
    """
    pending, sets = workspace.pending, workspace.sets
    total = won
    for at in range(count):
        start, size = pending[at, START], pending[at, SIZE]
        entry = search.table[look_up(search, sets[start : start + size])]
        pending[at, UPPER] = search.known[entry, 2] if entry >= 0 else size
        total += pending[at, UPPER]
    kept = 0
    for index in range(count):
        if total <= to_beat:
            break
        size = pending[index, SIZE]
        copy(sets[pending[index, START] :], workspace.position_copy, size)
        copy(pending[index], pending[count], 3)
        waiting, before, reach, opened = count + 1, kept, 0, False
        while waiting > count:
            waiting -= 1
            start = int(pending[waiting, START])
            end = start + pending[waiting, SIZE]
            position = sets[start:end]
            entry = search.table[look_up(search, position)]
            if entry >= 0:
                most, exact = search.known[entry, 2], search.known[entry, 3] > 0
            else:
                most, exact = position.size, False
            certain = -1
            if not exact:
                search.use[VISITED] += 1
                bound, certain = upper_bound(search.shown, position, live)
                most = min(most, bound)
                exact = most == 1
            if exact or certain < 0:
                reach += most
                if not exact:
                    parts[kept, START] = start
                    parts[kept, SIZE] = position.size
                    parts[kept, UPPER] = most
                    kept += 1
                continue
            opened = True
            copy(position, workspace.part_copy, position.size)
            waiting, single = split_by_number(
                search.shown[certain],
                workspace.part_copy[: position.size],
                sets,
                start,
                pending,
                waiting,
            )
            reach += single
        total += reach - pending[index, UPPER]
        if opened:
            remember(search, workspace.position_copy[:size], reach, kept == before)
    return kept, total

"""Choosing a guess by the chance to win: exact search, else look-ahead.

Few layouts left: the endgame search settles it. Else what stands apart is played out at once,
for nothing that may be learned betters it. Else the look-ahead judges.
"""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import FREE, HIDDEN, MINE
from solver.endgame import GIVEN_UP, wins
from solver.kernels import kernel
from solver.lattice import HIGH, LOW
from solver.layouts import MINED, images, list_layouts, numbers_shown
from solver.limit import Limit
from solver.lookahead import judge
from solver.memo import Search, begin_search
from solver.play import UNKNOWN_MINES, End, Play, advance, begin, look, risk_of, uncover
from solver.probability import Study
from solver.value import FEATURES, Net, features, value

EXACT: Final = 0
JUDGED: Final = 1
SAMPLED: Final = 2
APART: Final = 3
"""How a guess was chosen: by full search, by look-ahead, by roll-outs, as one to make anyway."""


class Guess(NamedTuple):
    """A cell to open, the estimated chance to win with it, and how it was chosen."""

    cell: int
    win: float
    kind: int


@kernel
def choose(play: Play, known: Study, net: Net, limit: Limit) -> Guess:
    """Choose a cell where nothing is certain."""
    clear = clear_choice(play, known, net, limit)
    if clear.cell >= 0:
        return clear
    cells, worth = judge(play, known, net, limit)
    best = worth.argmax()
    return Guess(int(cells[best]), worth[best], JUDGED)


@kernel
def clear_choice(play: Play, known: Study, net: Net, limit: Limit) -> Guess:
    """Return the guess that needs no judging; a cell below 0 where there is none."""
    if known.log_layouts <= log(limit.layouts):
        exact = solve(play, known, limit)
        if exact.cell >= 0:
            return exact
    cell = apart(play, known, limit)
    if cell < 0:
        return Guess(-1, 0.0, APART)
    inputs = np.empty(FEATURES)
    features(play, known, inputs)
    return Guess(cell, value(net, inputs), APART)


@kernel
def apart(play: Play, known: Study, limit: Limit) -> int:
    """Return a cell to guess before all others, or -1.

    A toss-up that nothing can ever settle, or the best cell of a closed region: waiting betters
    neither, and what they show may help elsewhere.
    """
    play, known = _with_mines_located(play, known)
    for number in range(play.field.size):
        if play.field[number] > 0:
            cell = _toss_up(play, number)
            if cell >= 0:
                return cell
    for component in range(known.order.first.size - 1):
        end = known.ways.level[known.order.first[component + 1] + component]
        mines = known.ways.node[end, LOW]
        if mines == known.ways.node[end, HIGH]:
            field = _cut_out(play, known, component)
            if field.size > 0:
                region = begin(field, play.near[6] - 2, int(mines))
                inside = look(region)
                if 0.0 < inside.log_layouts <= log(limit.layouts):
                    best = solve(region, inside, limit)
                    if best.cell >= 0:
                        return best.cell
    return -1


@kernel
def _with_mines_located(play: Play, known: Study) -> tuple[Play, Study]:
    """Return the game with each certain mine noted as such, where some is not yet."""
    field = play.field.copy()
    mines = play.counts[UNKNOWN_MINES]
    for cell in range(field.size):
        mines += field[cell] == MINE
        if field[cell] == HIDDEN and risk_of(known, cell) == 1.0:
            field[cell] = MINE
    if (field == play.field).all():
        return play, known
    located = begin(field, play.near[6] - 2, mines)
    return located, look(located)


@kernel
def _toss_up(play: Play, number: int) -> int:
    """Return one of the two cells beside ``number`` of which one is a mine, or -1.

    Only where exchanging them changes no number: all beside but one of the two is mines.
    """
    if play.need[number] != 1 or play.free[number] != 2:
        return -1
    pair = np.empty(2, np.int64)
    count = 0
    for step in play.near:
        if play.field[number + step] == HIDDEN:
            pair[count] = number + step
            count += 1
    for this in range(2):
        for step in play.near:
            cell = pair[this] + step
            beside_both = cell == pair[1 - this] or (play.near == cell - pair[1 - this]).any()
            if not beside_both and (play.field[cell] == HIDDEN or play.field[cell] >= 0):
                return -1
    return int(pair[0])


@kernel
def _cut_out(play: Play, known: Study, component: int) -> NDArray[np.int8]:
    """Return a field of one component alone; an empty one where other hidden cells touch it."""
    order = known.order
    within = np.zeros(known.risk.size, np.bool_)
    within[order.layer[order.first[component] : order.first[component + 1]]] = True
    field = np.full(play.field.size, FREE, np.int8)
    for cell in range(field.size):
        if play.field[cell] != HIDDEN or not _is_in(known, within, cell):
            continue
        field[cell] = HIDDEN
        for step in play.near:
            other = cell + step
            if play.field[other] >= 0:
                field[other] = play.need[other]
            elif play.field[other] == HIDDEN and not _is_in(known, within, other):
                return field[:0]
    return field


@kernel
def _is_in(known: Study, within: NDArray[np.bool_], cell: int) -> bool:
    group = known.parts.of[cell]
    return bool(group >= 0 and within[group])


@kernel
def solve(play: Play, known: Study, limit: Limit) -> Guess:
    """Search all layouts left; a cell below 0 where the allowed work did not suffice."""
    cells, layouts = list_layouts(play.field, play.near, known, limit.layouts)
    if layouts.shape[0] == 0:
        return Guess(-1, 0.0, EXACT)
    shown = numbers_shown(play.field, play.near, cells, layouts)
    search = begin_search(shown, np.empty((0, 0), np.int32), limit.positions)
    everything = np.arange(layouts.shape[0]).astype(np.int32)
    won, place = wins(search, everything, 0)
    if place < 0:
        return Guess(-1, 0.0, EXACT)
    return Guess(int(cells[place]), won / layouts.shape[0], EXACT)


@kernel
def decide(field: NDArray[np.int8], cols: int, mines: int, net: Net, limit: Limit) -> Guess:
    """Choose a guess on a field where nothing is certain, with ``mines`` in all."""
    play = begin(field, cols, mines)
    return choose(play, look(play), net, limit)


@kernel
def decide_first(
    field: NDArray[np.int8], cols: int, mines: int, limit: Limit, spared: int
) -> tuple[int, float]:
    """Choose the first click by searching every game that may follow.

    ``spared`` is what the rule keeps free of mines: 0 nothing, 1 the cell, 2 its neighbours too.
    A cell below 0 where the allowed work did not suffice.
    """
    play = begin(field, cols, mines)
    cells, layouts = list_layouts(play.field, play.near, look(play), limit.layouts)
    count = layouts.shape[0]
    shown = numbers_shown(play.field, play.near, cells, layouts)
    search = begin_search(shown, images(layouts, cols), limit.positions)
    best, chance = -1, 0.0
    for at in range(cells.size):
        if not _first_of_its_like(cells[at], cols, field.size):
            continue
        last = MINED
        among = count
        if spared == 2 and (shown[at] == 0).any():
            last = 1  # the rule gives a zero where there is room for one
        if spared > 0:
            among = (shown[at] < last).sum()
        won = _wins_after(search, shown[at], last, int(chance * among))
        if won == GIVEN_UP:
            return -1, 0.0
        if among > 0 and (best < 0 or won > chance * among):
            best, chance = at, won / among
    return int(cells[best]), chance


@kernel
def _first_of_its_like(cell: int, cols: int, size: int) -> bool:
    """Whether a cell comes first of those that turns and mirrors of the board lay on it."""
    row, col = cell // (cols + 2) - 1, cell % (cols + 2) - 1
    rows = size // (cols + 2) - 2
    return 2 * row < rows and 2 * col < cols and (rows != cols or row <= col)


@kernel
def _wins_after(search: Search, shown: NDArray[np.int8], last: int, floor: int) -> int:
    """Return the layouts won once a first cell, showing less than ``last``, is open.

    Where it is not more than ``floor``, an upper bound.
    """
    most = (shown < last).sum()
    for number in range(last):
        part = np.flatnonzero(shown == number).astype(np.int32)
        if part.size > 1 and most > floor:
            won, _ = wins(search, part, max(0, floor - most + part.size))
            if won == GIVEN_UP:
                return GIVEN_UP
            most += won - part.size
    return int(most)


@kernel
def finish(play: Play, net: Net, limit: Limit) -> End:
    """Play to the end by `choose`."""
    chance, guesses = 1.0, 0
    while True:
        over, known = advance(play)
        if over:
            return End(-1, chance, guesses)
        cell = choose(play, known, net, limit).cell
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        if play.mined[cell]:
            return End(cell, chance, guesses)
        uncover(play, cell)

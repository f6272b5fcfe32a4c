"""Choosing a guess by the chance to win: exact search, else look-ahead.

Few layouts left: the endgame search settles it. Else each candidate is looked at through the
numbers it may show, each answered by an exact count and valued by the net.
"""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.endgame import GIVEN_UP, wins
from solver.kernels import kernel
from solver.layouts import MINED, images, list_layouts, numbers_shown
from solver.limit import Limit
from solver.memo import Search, begin_search
from solver.play import (
    COVERED,
    End,
    Play,
    advance,
    begin,
    look,
    risk_of,
    uncover,
)
from solver.probability import Study
from solver.value import FEATURES, Net, features, value

EXACT: Final = 0
JUDGED: Final = 1
SAMPLED: Final = 2
"""How a guess was chosen: by full search, by look-ahead, by roll-outs."""


class Guess(NamedTuple):
    """A cell to open, the estimated chance to win with it, and how it was chosen."""

    cell: int
    win: float
    kind: int


@kernel
def choose(play: Play, known: Study, net: Net, limit: Limit) -> Guess:
    """Choose a cell where nothing is certain."""
    if known.log_layouts <= log(limit.layouts):
        exact = solve(play, known, limit)
        if exact.cell >= 0:
            return exact
    cells, worth = judge(play, known, net, limit)
    best = worth.argmax()
    return Guess(int(cells[best]), worth[best], JUDGED)


@kernel
def judge(
    play: Play, known: Study, net: Net, limit: Limit
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the candidates, and the estimated chance to win with each."""
    cells = candidates(play, known, limit.tolerance, limit.candidates)
    worth = look_ahead(play, known, net, cells)
    if worth.max() <= 0.0:  # all dead: look at every cell before taking one
        cells = candidates(play, known, 1.0, play.counts[COVERED])
        worth = look_ahead(play, known, net, cells)
    return cells, worth


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
def candidates(play: Play, known: Study, tolerance: float, most: int) -> NDArray[np.int64]:
    """Return the cells worth a look, safest first.

    Of cells equally safe, those with few hidden neighbours come first, then those off the
    frontier that lie close to it: they may open the board, or join what is known.
    """
    field = play.field
    least = 2.0
    for cell in range(field.size):
        if field[cell] == HIDDEN:
            least = min(least, risk_of(known, cell))
    cells = np.empty(most, np.int64)
    keys = np.empty(most)
    count = 0
    for cell in range(field.size):
        if field[cell] != HIDDEN or risk_of(known, cell) > least + tolerance:
            continue
        key = risk_of(known, cell)
        near = 0
        for step in play.near:
            key += 1e-4 * (field[cell + step] == HIDDEN)
            near += field[cell + step] == HIDDEN and known.parts.of[cell + step] >= 0
        if known.parts.of[cell] < 0:
            key -= 2.5e-4 * (near > 0) + 1e-5 * near
        if count < most:
            count += 1
        elif key >= keys[count - 1]:
            continue
        at = count - 1
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            cells[at] = cells[at - 1]
            at -= 1
        keys[at] = key
        cells[at] = cell
    return cells[:count]


@kernel
def suppose(play: Play, cell: int, number: int, mines: int, hidden: int) -> None:
    """Open a hidden cell in thought: it shows ``number``, next to known ``mines``."""
    play.field[cell] = number
    play.need[cell] = number - mines
    play.free[cell] = hidden


@kernel
def lift(play: Play, cell: int) -> tuple[int, int]:
    """Take a hidden cell off the count of its neighbours; return the mines and hidden by it."""
    mines, hidden = 0, 0
    play.counts[COVERED] -= 1
    for step in play.near:
        other = cell + step
        mines += play.field[other] == MINE
        hidden += play.field[other] == HIDDEN
        if play.field[other] >= 0:
            play.free[other] -= 1
    return mines, hidden


@kernel
def lower(play: Play, cell: int) -> None:
    """Undo `lift` and `suppose`."""
    play.counts[COVERED] += 1
    play.field[cell] = HIDDEN
    play.need[cell] = 0
    play.free[cell] = 0
    for step in play.near:
        if play.field[cell + step] >= 0:
            play.free[cell + step] += 1


@kernel
def look_ahead(play: Play, known: Study, net: Net, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the estimated chance to win with each cell opened next.

    Cells less safe than another is worth are not looked at, and worth nothing.
    """
    worth = np.zeros(cells.size)
    inputs = np.empty(FEATURES)
    most = 0.0
    for at in range(cells.size):
        safe = 1.0 - risk_of(known, cells[at])
        if safe > most:
            worth[at] = safe * glance(play, known, net, cells[at], inputs)
            most = max(most, worth[at])
    return worth


@kernel
def glance(play: Play, known: Study, net: Net, cell: int, inputs: NDArray[np.float64]) -> float:
    """Return the net's value after ``cell`` was opened safely, over the numbers it may show.

    A dead cell, which can show but one number, is worth nothing.
    """
    mines, hidden = lift(play, cell)
    logs = np.empty(9)
    values = np.empty(9)
    count = 0
    for number in range(mines, mines + hidden + 1):
        suppose(play, cell, number, mines, hidden)
        after = look(play)
        if not after.fits:
            continue
        logs[count] = after.log_layouts
        values[count] = 1.0
        if after.log_layouts > 1e-6:
            features(play, after, inputs)
            values[count] = value(net, inputs)
        count += 1
    lower(play, cell)
    return _mean(logs[:count], values[:count]) if count > 1 else 0.0


@kernel
def _mean(logs: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return the mean of values weighted by the exponentials of ``logs``."""
    weights = np.exp(logs - logs.max())
    return float((weights * values).sum() / weights.sum())


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

"""Choosing a guess by the chance to win: exact search, look-ahead and roll-outs.

Few layouts left: the endgame search settles it. Else each living candidate is looked at through
the numbers it may show, each answered by an exact count and valued by the net; where that leaves
several close, worlds are drawn and played on, the same for all, until the lesser ones drop out.
"""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.endgame import GIVEN_UP, wins
from solver.kernels import kernel
from solver.layouts import MINED, list_layouts, numbers_shown
from solver.limit import Limit
from solver.memo import Search, begin_search
from solver.play import (
    COVERED,
    UNKNOWN_MINES,
    Play,
    begin,
    learn,
    look,
    open_certain,
    restore,
    risk_of,
    uncover,
)
from solver.probability import Study
from solver.value import FEATURES, Net, features, value
from solver.worlds import draw

EXACT: Final = 0
JUDGED: Final = 1
SAMPLED: Final = 2
"""How a guess was chosen: by full search, by look-ahead, by roll-outs."""

PRIOR: Final = 24.0
"""Worlds that the look-ahead's own estimate counts for."""

AHEAD: Final = 1
"""Guesses a roll-out goes through before the net judges."""


class Guess(NamedTuple):
    """A cell to open, the estimated chance to win with it, and how it was chosen."""

    cell: int
    win: float
    kind: int


@kernel
def choose(play: Play, known: Study, net: Net, limit: Limit, room: Play, seed: int) -> Guess:
    """Choose a cell where nothing is certain. ``room`` is a game to work in."""
    if known.log_layouts <= log(limit.layouts):
        exact = solve(play, known, limit)
        if exact.cell >= 0:
            return exact
    cells = candidates(play, known, limit.tolerance, limit.candidates)
    worth = np.empty(cells.size)
    inputs = np.empty(FEATURES)
    for at in range(cells.size):
        worth[at] = (1.0 - risk_of(known, cells[at])) * glance(play, known, net, cells[at], inputs)
    if worth.max() <= 0.0:  # all dead: look at every cell before taking one
        cells = candidates(play, known, 1.0, play.counts[COVERED])
        worth = np.empty(cells.size)
        for at in range(cells.size):
            worth[at] = (1.0 - risk_of(known, cells[at])) * glance(
                play, known, net, cells[at], inputs
            )
    if limit.second > 0:
        bar = worth.max() * (1.0 - limit.close)
        for at in range(cells.size):
            if worth[at] >= bar:
                worth[at] = (1.0 - risk_of(known, cells[at])) * study_closely(
                    play, known, net, cells[at], limit.second, inputs
                )
            else:
                worth[at] = 0.0
    best = worth.argmax()
    if limit.worlds > 0:
        return sample(play, known, net, limit, room, seed, cells, worth)
    return Guess(int(cells[best]), worth[best], JUDGED)


@kernel
def solve(play: Play, known: Study, limit: Limit) -> Guess:
    """Search all layouts left; a cell below 0 where the allowed work did not suffice."""
    cells, layouts = list_layouts(play.field, play.near, known, limit.layouts)
    if layouts.shape[0] == 0:
        return Guess(-1, 0.0, EXACT)
    shown = numbers_shown(play.field, play.near, cells, layouts)
    search = begin_search(shown, limit.positions)
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
def study_closely(
    play: Play, known: Study, net: Net, cell: int, most: int, inputs: NDArray[np.float64]
) -> float:
    """Return the value after ``cell``, looking ahead over the next guess where one is needed."""
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
            if after.risk.size > 0 and after.risk.min() == 0.0:
                features(play, after, inputs)
                values[count] = value(net, inputs)
            else:
                values[count] = 0.0
                for other in candidates(play, after, 0.04, most):
                    safe = 1.0 - risk_of(after, other)
                    if safe > values[count]:
                        values[count] = max(
                            values[count], safe * glance(play, after, net, other, inputs)
                        )
        count += 1
    lower(play, cell)
    return _mean(logs[:count], values[:count]) if count > 1 else 0.0


@kernel
def sample(
    play: Play,
    known: Study,
    net: Net,
    limit: Limit,
    room: Play,
    seed: int,
    cells: NDArray[np.int64],
    worth: NDArray[np.float64],
) -> Guess:
    """Play worlds on from each close candidate; drop those that fall clearly behind.

    All candidates meet the same worlds, drawn anew only where the candidate would be a mine.
    The look-ahead counts as PRIOR worlds.
    """
    alive = worth >= worth.max() * (1.0 - limit.close)
    count = cells.size
    sums = np.zeros(count)
    spread = np.zeros((count, count))
    results = np.zeros(count)
    random = np.zeros(1, np.uint64)
    inputs = np.empty(FEATURES)
    played = 0
    while played < limit.worlds and alive.sum() > 1:
        for at in range(count):
            if not alive[at]:
                continue
            random[0] = np.uint64(seed) + np.uint64(played + 1) * np.uint64(0x9E3779B97F4A7C15)
            restore(room, play)
            draw(play.field, known, random, room.mined)
            while room.mined[cells[at]]:
                draw(play.field, known, random, room.mined)
            uncover(room, cells[at])
            results[at] = roll_out(room, net, limit, random, inputs)
            results[at] *= 1.0 - risk_of(known, cells[at])
        played += 1
        for at in range(count):
            sums[at] += results[at] * alive[at]
            for other in range(count):
                spread[at, other] += (results[at] - results[other]) ** 2
        if played % 8 == 0:
            _drop(alive, sums, spread, played)
    best = -1
    for at in range(count):
        if alive[at]:
            worth[at] = (sums[at] + PRIOR * worth[at]) / (played + PRIOR)
            if best < 0 or worth[at] > worth[best]:
                best = at
    return Guess(int(cells[best]), worth[best], SAMPLED if played > 0 else JUDGED)


@kernel
def _drop(
    alive: NDArray[np.bool_],
    sums: NDArray[np.float64],
    spread: NDArray[np.float64],
    played: int,
) -> None:
    """Drop the candidates two standard errors behind the best."""
    best = -1
    for at in range(alive.size):
        if alive[at] and (best < 0 or sums[at] > sums[best]):
            best = at
    for at in range(alive.size):
        behind = (sums[best] - sums[at]) / played
        variance = spread[best, at] / played - behind * behind
        if at != best and behind > 2.0 * np.sqrt(max(variance, 0.0) / played):
            alive[at] = False


@kernel
def roll_out(
    room: Play, net: Net, limit: Limit, random: NDArray[np.uint64], inputs: NDArray[np.float64]
) -> float:
    """Play on through AHEAD guesses; return the chance survived times the net's value there.

    A guess that hits a mine does not end it: the world is drawn anew with the guess safe.
    """
    chance, guesses = 1.0, 0
    while True:
        open_certain(room)
        if room.counts[COVERED] == room.counts[UNKNOWN_MINES]:
            return chance
        known = look(room)
        if learn(room, known):
            continue
        if guesses == AHEAD:
            features(room, known, inputs)
            return chance * value(net, inputs)
        cell, best = -1, 0.0
        for other in candidates(room, known, 0.04, 6):
            safe = 1.0 - risk_of(known, other)
            if safe > best:
                worth = safe * glance(room, known, net, other, inputs)
                if worth > best or cell < 0:
                    cell, best = other, worth
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        while room.mined[cell]:
            draw(room.field, known, random, room.mined)
        uncover(room, cell)


@kernel
def decide(
    field: NDArray[np.int8], cols: int, mines: int, net: Net, limit: Limit, seed: int
) -> Guess:
    """Choose a guess on a field where nothing is certain, with ``mines`` in all."""
    play = begin(field, cols, mines)
    return choose(play, look(play), net, limit, begin(field, cols, mines), seed)


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
    search = begin_search(shown, limit.positions)
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
def finish(
    play: Play, room: Play, random: NDArray[np.uint64], net: Net, limit: Limit
) -> tuple[bool, float, int]:
    """Play to the end by `choose`; return whether won, the chance survived and the guesses.

    After a death the game goes on in a layout drawn anew, for the sake of the chance.
    """
    won, chance, guesses = True, 1.0, 0
    while True:
        open_certain(play)
        if play.counts[COVERED] == play.counts[UNKNOWN_MINES]:
            return won, chance, guesses
        known = look(play)
        if learn(play, known):
            continue
        cell = choose(play, known, net, limit, room, 0).cell
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        won &= not play.mined[cell]
        while play.mined[cell]:
            draw(play.field, known, random, play.mined)
        uncover(play, cell)

"""Look-ahead: what a guess is worth, over the numbers it may show.

Each number is answered by an exact count and valued by the net.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.kernels import kernel
from solver.limit import Limit
from solver.play import COVERED, Play, look, risk_of
from solver.probability import Study
from solver.value import FEATURES, Net, features, value


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

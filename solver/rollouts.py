"""Roll-outs: a guess judged by playing drawn worlds on from each of the closest candidates.

The same worlds for all, until the lesser ones drop out. The chance survived so far counts, not who
dies: its noise is far smaller than that of wins.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.guess import JUDGED, SAMPLED, Guess, clear_choice
from solver.kernels import kernel
from solver.limit import Limit
from solver.lookahead import candidates, judge, look_ahead
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

PRIOR: Final = 24.0
"""Worlds that the look-ahead's own estimate counts for."""

AHEAD: Final = 1
"""Guesses a roll-out goes through before the net judges."""


@kernel
def decide_by_worlds(
    field: NDArray[np.int8], cols: int, mines: int, net: Net, limit: Limit, seed: int
) -> Guess:
    """Choose a guess on a field where nothing is certain, with ``mines`` in all."""
    play = begin(field, cols, mines)
    known = look(play)
    clear = clear_choice(play, known, net, limit)
    if clear.cell >= 0:
        return clear
    cells, worth = judge(play, known, net, limit)
    best = worth.argmax()
    if worth[best] <= 0.0:
        return Guess(int(cells[best]), worth[best], JUDGED)
    return sample(play, known, net, limit, begin(field, cols, mines), seed, cells, worth)


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
            results[at] = roll_out(room, net, random)
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
def roll_out(room: Play, net: Net, random: NDArray[np.uint64]) -> float:
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
            inputs = np.empty(FEATURES)
            features(room, known, inputs)
            return chance * value(net, inputs)
        cells = candidates(room, known, 0.04, 6)
        cell = cells[look_ahead(room, known, net, cells).argmax()]
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        while room.mined[cell]:
            draw(room.field, known, random, room.mined)
        uncover(room, cell)

"""Measure what the judge, or a level of thought, wins over another, by survival on the same boards.

    python -m tests.bench.bench_thought [--level low] [--against none] [--games N] [--start N]
                                        [--size 16x30x99] [--zero]

After a fatal guess a game goes on in another layout in which the guess was safe; the product of
the chances to survive estimates the chance to win. The difference is given with its 95 % interval.
The level ``net`` is `deep` without its judge: guesses in the order of the value net alone. Times
are processor time of one core.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from solver.exact.probability import risk_of
from solver.search.game_state import GameState, begin_state
from solver.search.guess import choose
from solver.search.limit import Limit
from solver.search.value_net import FEATURES, JUDGED, Net, load_net
from solver.search.whole_games import (
    advance,
    copy_state,
    lay_mines,
    open_cell,
    survive_guess,
    untouched_field,
)
from solver.thinking.levels import WORLDS, with_thought
from solver.thinking.think import think

FIRST = {True: 3, False: 0}
"""Row and column of the first click, by whether it opens a zero."""


def player_of(level: str) -> tuple[Net, Limit]:
    """Return the net and the limit of a level of thought, or of ``net``."""
    net = load_net()
    if level != "net":
        return net, with_thought(Limit(), level)
    judge = np.zeros(JUDGED)
    judge[FEATURES + 1] = 1.0
    return net._replace(judge=judge), Limit()


def survival(play: GameState, net: Net, limit: Limit, random: np.ndarray) -> float:  # type: ignore[type-arg]
    """Play to the end; return the product of the chances to survive."""
    chance = 1.0
    while True:
        over, counted = advance(play)
        if over:
            return chance
        if limit.worlds:
            cell = think(play, counted, net, limit, threads=1).cell
        else:
            cell = choose(play, counted, net, limit).cell
        chance *= 1.0 - risk_of(counted, cell)
        if play.mined[cell]:
            survive_guess(play, cell, random)
        else:
            open_cell(play, cell)


def main() -> None:
    """Play the boards with both levels and print the difference as it settles."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--level", choices=("net", *WORLDS), default="none")
    parser.add_argument("--against", choices=("net", *WORLDS), default="net")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--start", type=int, default=0, help="number of the first board")
    parser.add_argument("--size", default="16x30x99", help="ROWSxCOLSxMINES")
    parser.add_argument("--zero", action="store_true", help="the first click opens a zero")
    options = parser.parse_args()
    rows, cols, mines = map(int, options.size.split("x"))
    place = (FIRST[options.zero] + 1) * (cols + 3)
    start, play = (begin_state(untouched_field(rows, cols), cols, mines) for _ in range(2))
    players = [player_of(level) for level in (options.level, options.against)]
    found, times_s = [], np.zeros(2)
    for number in range(options.start, options.start + options.games):
        order = np.random.default_rng([7, number]).permutation(rows * cols).astype(np.int32)
        chances = []
        for at, player in enumerate(players):
            random = np.array([number + 1], np.uint64) * np.uint64(104729)
            copy_state(play, start)
            lay_mines(play, order, cols, place, mines, options.zero)
            open_cell(play, place)
            began = time.process_time()
            chances.append(survival(play, *player, random))
            times_s[at] += time.process_time() - began
        found.append(chances)
        if len(found) % 20 == 0 or len(found) == options.games:
            report(np.array(found), times_s, (options.level, options.against))


def report(found: np.ndarray, times_s: np.ndarray, levels: tuple[str, str]) -> None:  # type: ignore[type-arg]
    """Print one line: the difference in points, both rates and the times."""
    difference = 100 * (found[:, 0] - found[:, 1])
    error = 1.96 * difference.std() / len(found) ** 0.5
    rates = ", ".join(
        f"{level} {100 * rate:.2f} % at {1e3 * took / len(found):.0f} ms"
        for level, rate, took in zip(levels, found.mean(0), times_s, strict=True)
    )
    print(
        f"{len(found)} games: {difference.mean():+.2f} ± {error:.2f} points ({rates})", flush=True
    )


if __name__ == "__main__":
    main()

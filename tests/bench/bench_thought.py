"""Measure what a judge or a level of thought wins over another, by survival on the same boards.

    python -m tests.bench.bench_thought [--level brief] [--against none] [--games N] [--start N]
                                        [--size 16x30x99] [--zero] [--worlds N]

After a fatal guess a game goes on in another layout in which the guess was safe; the product of
the chances to survive estimates the chance to win. The difference is given with its 95 % interval.
For levels that take seconds a game, ``--worlds`` needs far fewer games: only the guesses on which
the two disagree are played on, by the weaker of them, from both cells.
Four levels are parts of `deep`, with an endgame search from 600 layouts on: ``glance`` guesses by
the cell net alone; ``net`` in the order of the value net, ten candidates; ``first`` by the first
judge, only the guess itself described; ``last`` by both judges. ``--save FILE`` keeps the chances
of each board, to compare two versions of the program. Times are processor time of one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solver.exact.probability import LayoutCounts, risk_of
from solver.exact.sampling import draw_layout
from solver.search.cell_net import REACH
from solver.search.game_state import GameState, begin_state
from solver.search.guess import choose
from solver.search.limit import Limit
from solver.search.value_net import BY_NET, JUDGED, Net, load_net
from solver.search.whole_games import (
    advance,
    copy_state,
    lay_mines,
    open_cell,
    survive_guess,
    untouched_field,
)
from solver.thinking.levels import DEFAULT, WORLDS, with_thought
from solver.thinking.think import think

Player = tuple[Net, Limit]
Random = NDArray[np.uint64]

PARTS = ("glance", "net", "first", "last")

FAINTEST = 0.02
"""Games are followed down to this chance survived where guesses are summed up."""

FIRST = {True: 3, False: 0}
"""Row and column of the first click, by whether it opens a zero."""


def player_of(level: str) -> Player:
    """Return the net and the limit of a level of thought, or of a part of `deep` (PARTS)."""
    net = load_net()
    if level not in PARTS:
        return net, with_thought(Limit(), level)
    if level == "net":
        judge = np.zeros(JUDGED)
        judge[BY_NET] = 1.0
        net = net._replace(judge=judge)
    both = Limit(layouts=600, positions=60_000)
    one = both._replace(candidates=10, tolerance=0.05, finalists=0)
    glance = both._replace(candidates=1, tolerance=REACH, finalists=0)
    return net, {"last": both, "glance": glance}.get(level, one)


def choose_cell(state: GameState, counted: LayoutCounts, player: Player) -> int:
    """Return the cell that a player guesses."""
    net, limit = player
    if limit.worlds:
        return think(state, counted, net, limit, threads=1).cell
    return choose(state, counted, net, limit).cell


def survival(play: GameState, player: Player, random: Random) -> float:
    """Play to the end; return the product of the chances to survive."""
    chance = 1.0
    while True:
        over, counted = advance(play)
        if over:
            return chance
        cell = choose_cell(play, counted, player)
        chance *= 1.0 - risk_of(counted, cell)
        open_safely(play, cell, random)


def open_safely(play: GameState, cell: int, random: Random) -> None:
    """Open a cell; if it is a mine, in another layout in which it is none."""
    if play.mined[cell]:
        survive_guess(play, cell, random)
    else:
        open_cell(play, cell)


def advantage(
    play: GameState, room: GameState, players: tuple[Player, Player], random: Random, worlds: int
) -> float:
    """Play to the end by the first player; return what its guesses win over the second's.

    Where the two guess differently, the second plays on from both guesses in the same ``worlds``.
    The sum of these differences, each times the chance to get there, has the difference of the two
    players' chances as its mean (Kakade and Langford, 2002, lemma 6.1).
    """
    chance, total = 1.0, 0.0
    while chance > FAINTEST:
        over, counted = advance(play)
        if over:
            break
        cells = [choose_cell(play, counted, player) for player in players]
        if cells[0] != cells[1]:
            for world in range(worlds):
                found = []
                for cell in cells:
                    own = random + np.uint64(world)
                    copy_state(room, play)
                    draw_layout(play.field, counted, own, room.mined)
                    open_safely(room, cell, own)
                    found.append((1 - risk_of(counted, cell)) * survival(room, players[1], own))
                total += chance * (found[0] - found[1]) / worlds
        chance *= 1.0 - risk_of(counted, cells[0])
        open_safely(play, cells[0], random)
    return total


def main() -> None:
    """Play the boards and print the difference as it settles."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--level", choices=(*PARTS, *WORLDS), default=DEFAULT)
    parser.add_argument("--against", choices=(*PARTS, *WORLDS), default="net")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--start", type=int, default=0, help="number of the first board")
    parser.add_argument("--size", default="16x30x99", help="ROWSxCOLSxMINES")
    parser.add_argument("--zero", action="store_true", help="the first click opens a zero")
    parser.add_argument(
        "--worlds", type=int, default=0, help="sum up guesses, each compared in so many worlds"
    )
    parser.add_argument("--save", type=Path, help="keep the chances, [board, player], in a .npy")
    options = parser.parse_args()
    rows, cols, mines = map(int, options.size.split("x"))
    place = (FIRST[options.zero] + 1) * (cols + 3)
    start, play, room = (begin_state(untouched_field(rows, cols), cols, mines) for _ in range(3))
    players = player_of(options.level), player_of(options.against)
    found, played, began = list[float](), list[list[float]](), time.process_time()
    for number in range(options.start, options.start + options.games):
        order = np.random.default_rng([7, number]).permutation(rows * cols).astype(np.int32)
        chances = []
        for player in players[: 1 if options.worlds else 2]:
            random = np.array([number + 1], np.uint64) * np.uint64(104729)
            copy_state(play, start)
            lay_mines(play, order, cols, place, mines, options.zero)
            open_cell(play, place)
            if options.worlds:
                found.append(advantage(play, room, players, random, options.worlds))
            else:
                chances.append(survival(play, player, random))
        if chances:
            found.append(chances[0] - chances[1])
            played.append(chances)
        if len(found) % 20 == 0 or len(found) == options.games:
            report(np.array(found), time.process_time() - began)
            if options.save:
                np.save(options.save, np.array(played))


def report(found: np.ndarray, took_s: float) -> None:  # type: ignore[type-arg]
    """Print one line: the difference in points with its interval, and the time of a game."""
    error = 196 * found.std() / len(found) ** 0.5
    print(
        f"{len(found)} games: {100 * found.mean():+.2f} ± {error:.2f} points, "
        f"{took_s / len(found):.3g} s a game",
        flush=True,
    )


if __name__ == "__main__":
    main()

"""Measure what a mine total that is estimated wins where no mine counter is read.

    python -m tests.bench.bench_mine_total [--size 10x10] [--totals 10,15,20] [--games N]

The totals are drawn at random from the list, the first click is safe. Three players play the same
boards: `deep` that knows the total, `deep` that does not, and the least risk over all totals (all
layouts equally likely), as `tank` plays without a total. Differences are paired, with 95 %
intervals.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from solver.agents import Agent, make_agent
from solver.game import Game, Status

PLAYERS = {"deep, total known": ("deep", True), "deep": ("deep", False), "tank": ("tank", False)}


def is_won(game: Game, agent: Agent, *, known: bool) -> bool:
    """Play a game to its end."""
    while game.status is Status.PLAYING:
        decision = agent.decide(game.board if known else game.board.with_mines(None))
        for move in decision.moves:
            game.open(move.cell)
    return game.status is Status.WON


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="10x10")
    parser.add_argument("--totals", default="10,10,10,15,20")
    parser.add_argument("--games", type=int, default=500)
    args = parser.parse_args()
    rows, cols = map(int, args.size.split("x"))
    totals = [int(total) for total in args.totals.split(",")]
    won: dict[str, list[bool]] = {name: [] for name in PLAYERS}
    for seed in range(args.games):
        mines = random.Random(seed).choice(totals)
        for name, (agent, known) in PLAYERS.items():
            game = Game.random(rows, cols, mines, seed=seed)
            won[name].append(is_won(game, make_agent(agent), known=known))
    own = np.array(won["deep"], float)
    for name, games in won.items():
        lead = own - np.array(games, float)
        margin = 196 * lead.std() / np.sqrt(args.games)
        print(
            f"{name:18} {100 * np.mean(games):5.1f} %   deep without a total leads by "
            f"{100 * lead.mean():+.1f} ± {margin:.1f} points"
        )


if __name__ == "__main__":
    main()

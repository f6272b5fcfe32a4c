"""Measure what a mine total that is estimated wins where no mine counter is read.

    python -m tests.bench.bench_mine_total [--size 10x10] [--totals 10,15,20] [--games N]

The totals are drawn at random from the list, the first click is safe. Three players play the same
boards: `deep` that knows the total, `deep` that does not, and the least risk where the layouts of
all totals are equally likely. Differences are paired, with 95 % intervals.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from solver.agents import make_agent
from solver.agents.base import first_click, untouched
from solver.agents.tank import least_risk
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Game, Rule, Status

PLAYERS = {"deep, total known": True, "deep": False, "all layouts alike": False}


def cells_to_open(name: str, board: Board) -> list[Cell]:
    """Return what a player opens in one turn."""
    if name.startswith("deep"):
        return [move.cell for move in make_agent("deep").decide(board).moves]
    if untouched(board):
        return [first_click(board, Rule.SAFE)]
    known = analyse(board)
    return list(known.safe) or [least_risk(board, known)]


def is_won(game: Game, name: str, *, known: bool) -> bool:
    """Play a game to its end."""
    while game.status is Status.PLAYING:
        for cell in cells_to_open(name, game.board if known else game.board.with_mines(None)):
            game.open(cell)
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
        for name, known in PLAYERS.items():
            game = Game.random(rows, cols, mines, seed=seed)
            won[name].append(is_won(game, name, known=known))
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

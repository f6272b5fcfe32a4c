"""Measure the solver: probabilities, agents, start-up and known optima, with median and spread.

    python tests/bench/bench_solver.py [--positions FILE] [--boards DIR] [--games N] [--wins]
                                       [--think LEVEL] [--optima N]

All times are processor time, which other programs change little. ``--positions`` takes lines like
those of fixtures/positions/expert.jsonl, ``--boards`` a folder of board files like fixtures/boards.
Without boards, games are drawn from a seed: 40 by default, enough for times; strength needs 5,000.
With ``--wins`` the games end at the first mine: no survival, in half the time.
``--optima`` limits the layouts of the boards that are searched completely.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solver.agents import EnginePlayer, make_agent
from solver.analysis import analyse
from solver.arena.boards import BoardSet, Size, read_boards
from solver.board import Board, Tile
from solver.engine import calls
from solver.game import Game, Rule, Status
from solver.levels import DEFAULT, LEVELS, SearchLimits

FIXTURES = Path(__file__).parents[2] / "fixtures"
STANDARD = {"9x9x10": (9, 9, 10), "16x16x40": (16, 16, 40), "16x30x99": (16, 30, 99)}


def spread(name: str, times_ms: list[float]) -> None:
    """Print a line of timings."""
    low, middle, high = np.percentile(times_ms, [5, 50, 95])
    print(
        f"{name}: median {middle:.4g} ms, 5-95 % {low:.4g}-{high:.4g}, worst {max(times_ms):.4g}, "
        f"n = {len(times_ms)}",
        flush=True,
    )


def time_ms(call: Callable[[], object], repeats: int = 1) -> float:
    """Return the processor time of the fastest of ``repeats`` calls, in milliseconds."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, (time.process_time() - start) * 1e3)
    return float(best)


def bench_positions(path: Path) -> None:
    """Time exact probabilities and compare them with the figures in the file."""
    times_ms, worst = [], 0.0
    for line in path.read_text().splitlines():
        position = json.loads(line)
        board = Board.from_text("\n".join(position["board"]), position["mines"])
        times_ms.append(time_ms(partial(analyse, board), 9))
        expected = np.array(position["probabilities"], float)
        worst = max(worst, float(np.nanmax(abs(analyse(board).probabilities - expected))))
    spread("exact probabilities, analyse(board), best of 9", times_ms)
    print(f"largest difference from the file: {worst:.1e}")


def half_open(rows: int, cols: int, mines: int, rng: np.random.Generator, half: str) -> Board:
    """Open the left half of a board, or every second cell at random."""
    mined = np.zeros(rows * cols, bool)
    mined[rng.choice(rows * cols, mines, replace=False)] = True
    mined = mined.reshape(rows, cols)
    padded = np.pad(mined, 1).astype(int)
    numbers = sum(padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3))
    left = np.broadcast_to(np.arange(cols) < cols // 2, mined.shape)
    chosen = left if half == "left" else rng.random((rows, cols)) < 0.5
    return Board(np.where(chosen & ~mined, numbers, Tile.HIDDEN), mines)


def bench_huge() -> None:
    """Time large boards, half open."""
    for rows, cols, mines in ((100, 100, 2_000), (128, 240, 6_300)):
        times_ms = [
            time_ms(partial(analyse, half_open(rows, cols, mines, np.random.default_rng(at), half)))
            for at in range(4)
            for half in ("left", "random")
        ]
        spread(f"{rows}x{cols} with {mines} mines, half open", times_ms)


def board_sets(folder: Path | None, games: int) -> dict[str, BoardSet]:
    """Return the boards of a folder of files, or boards of our own from a seed."""
    if folder is not None:
        return {path.stem: read_boards(path) for path in sorted(folder.glob("*.json"))}
    return {
        f"{name}_{rule.value}": BoardSet(Size(*size), rule, seed=1)
        for name, size in STANDARD.items()
        for rule in (Rule.SAFE, Rule.ZERO)
    }


def bench_games(folder: Path | None, games: int, survive: bool, level: str) -> None:
    """Let the agents that play inside the engine play the same boards."""
    for name, boards in board_sets(folder, games).items():
        results = {}
        for agent in ("tank", "glance", f"deep:think={level}"):
            player = make_agent(agent, rule=boards.rule)
            assert isinstance(player, EnginePlayer)
            results[agent] = play_all(f"{name} {agent}", player, boards, games, survive)
        deep, glance = results[f"deep:think={level}"], results["glance"]
        error = 1.96 * float(np.std(deep - glance)) / len(deep) ** 0.5
        how = "survival" if survive else "wins"
        print(f"deep above glance by {how}, paired: {np.mean(deep - glance):.2%} ± {error:.2%}")


def play_all(
    name: str, player: EnginePlayer, boards: BoardSet, games: int, survive: bool
) -> NDArray[np.float64]:
    """Print wins with their interval, the survival estimate, if any, and the time.

    Returns the chance survived of each game: its mean is the win rate, with less noise. Where games
    end at the first mine, returns which are won.
    """
    played, times_ms = [], []
    for number in range(games if not boards.orders else min(games, len(boards))):
        game = boards.game(number)
        first = boards.first or player.decide(game.board).moves[0].cell
        mined = game.lay(first)
        start = time.process_time()
        played.append(player.play(mined, first, number if survive else None))
        times_ms.append((time.process_time() - start) * 1e3)
    won = np.array([one.won for one in played], float)
    chance = np.array([one.chance for one in played])
    error, smooth = (1.96 * float(np.std(one)) / len(one) ** 0.5 for one in (won, chance))
    survived = f"by survival {np.mean(chance):.2%} ± {smooth:.2%}; " if survive else ""
    guesses = np.mean([one.guesses for one in played])
    print(
        f"{name}: {np.mean(won):.2%} ± {error:.2%} of {len(won)} won; {survived}"
        f"{guesses:.2f} guesses; mean {np.mean(times_ms):.3g} ms a game",
        flush=True,
    )
    return chance if survive else won


def bench_decisions(name: str, games: int, level: str) -> None:
    """Time single decisions of `deep` as the window loop asks for them."""
    agent = make_agent(f"deep:think={level}")
    times_ms = []
    for seed in range(games):
        game = Game.random(*STANDARD[name], seed=seed)
        while game.status is Status.PLAYING:
            board = game.board
            start = time.process_time()
            decision = agent.decide(board)
            times_ms.append((time.process_time() - start) * 1e3)
            for move in decision.moves:
                game.open(move.cell)
    spread(f"one decision of deep, {name}", times_ms)


def bench_start() -> None:
    """Time a process that makes one decision."""
    program = (
        "from solver import Board, make_agent; from resource import *;"
        "make_agent('deep').decide(Board.from_text('1##\\n###\\n###', 3));"
        "used = getrusage(RUSAGE_SELF);"
        "print(f'a process with one decision: {used.ru_utime + used.ru_stime:.2f} s of processor',"
        "f'time, {used.ru_maxrss / 1024:.0f} MiB', flush=True)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


OPTIMA = {
    (3, 3, 2): (0.666667, 0.857143, 1.0),
    (4, 4, 2): (0.850000, 0.971429, 1.0),
    (4, 4, 3): (0.714286, 0.879121, 1.0),
    (4, 4, 4): (0.528022, 0.704029, 0.971429),
    (4, 4, 5): (0.334478, 0.486513, 0.952381),
    (4, 4, 6): (0.197802, 0.316484, 1.0),
    (4, 5, 4): (0.608875, 0.761094, 0.936364),
    (4, 5, 5): (0.451367, 0.601823, 0.919913),
    (5, 5, 2): (0.886667, 0.963768, 0.971429),
    (5, 5, 3): (0.781739, 0.888340, 0.914286),
    (5, 5, 4): (0.651067, 0.775080, 0.855495),
    (2, 5, 3): (0.175000, 0.250000, 0.500000),
    (1, 10, 5): (0.095238, 0.190476, 0.333333),
    (3, 7, 10): (0.039964, 0.076295, 0.439394),
}
"""Chance to win by the best play: first click unprotected, safe, opening a zero."""


def bench_optima(most: int) -> None:
    """Search boards of up to ``most`` layouts whole and compare with the known optima."""
    limits = SearchLimits(layouts=most, positions=4_000 * most)
    for (rows, cols, mines), known in OPTIMA.items():
        if comb(rows * cols, mines) > most:
            continue
        for spared, optimum in enumerate(known):
            start = time.process_time()
            win = calls.first_click(rows, cols, mines, spared, limits).win or 0.0
            verdict = "reached" if abs(win - optimum) < 1e-6 else "MISSED"
            seconds = time.process_time() - start
            rule = list(Rule)[spared].value
            print(f"{rows}x{cols} with {mines}, {rule}: {win:.6f} {verdict}, {seconds:.2f} s")


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=Path, default=FIXTURES / "positions" / "expert.jsonl")
    parser.add_argument("--boards", type=Path)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--wins", action="store_true", help="end each game at its first mine")
    parser.add_argument("--think", choices=tuple(LEVELS), default=DEFAULT)
    parser.add_argument("--optima", type=int, default=10_000, metavar="LAYOUTS")
    options = parser.parse_args()
    bench_start()
    bench_positions(options.positions)
    bench_huge()
    for name in STANDARD:
        bench_decisions(name, min(options.games, 40), options.think)
    bench_games(options.boards, options.games, not options.wins, options.think)
    bench_optima(options.optima)
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

"""Measure the solver: probabilities, agents, start-up and known optima, with median and spread.

    python tests/bench/bench_solver.py [--positions FILE] [--boards DIR] [--games N] [--wins]
                                       [--optima N]

All times are processor time, which other programs change little. ``--positions`` takes lines like
those of fixtures/positions/expert.jsonl, ``--boards`` a folder of board files like fixtures/boards.
Without boards, games are drawn from a seed: 40 by default, enough for times; strength needs 5,000.
With ``--wins`` the games end at the first mine: no survival, in half the time.
``--optima`` limits the layouts of the boards that are searched completely; 3x7 with 10 mines has
352,716 and takes minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from math import comb
from pathlib import Path

import numpy as np

from solver.agents import make_agent
from solver.agents.deep import Deep
from solver.agents.tank import Tank
from solver.analysis import analyse, field_of
from solver.arena.games import play_game, play_in_kernels
from solver.board import Board, Cell, Tile
from solver.exact.probability import mine_risks, risk_of
from solver.game import Game, Rule, Status
from solver.search.game_state import GameState, begin_state
from solver.search.limit import Limit
from solver.search.value_net import Net, load_net
from solver.search.whole_games import (
    End,
    advance,
    copy_state,
    finish_tank,
    lay_mines,
    open_cell,
    survive_guess,
    untouched_field,
)
from solver.thinking.levels import DEFAULT, with_thought
from solver.thinking.think import think

FIXTURES = Path(__file__).parents[2] / "fixtures"
STANDARD = {"9x9x10": (9, 9, 10), "16x16x40": (16, 16, 40), "16x30x99": (16, 30, 99)}


def finish_deep(play: GameState, net: Net, limit: Limit) -> End:
    """Play to the end as `deep` does."""
    chance, guesses = 1.0, 0
    while True:
        over, known = advance(play)
        if over:
            return End(-1, chance, guesses)
        cell = think(play, known, net, limit, threads=1).cell
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        if play.mined[cell]:
            return End(cell, chance, guesses)
        open_cell(play, cell)


def play_all(orders, rows, cols, mines, first, zero, net, limit, survive, deep):  # type: ignore[no-untyped-def]
    """Play a game for each order of cells; return wins, survival products and guesses.

    With ``survive`` a game goes on after a mine as if the guess had been safe: the product covers
    all of it.
    """
    count = orders.shape[0]
    won, chance = np.zeros(count, np.bool_), np.zeros(count)
    guesses = np.zeros(count, np.int64)
    random = np.zeros(1, np.uint64)
    field = untouched_field(rows, cols)
    play, base = begin_state(field, cols, mines), begin_state(field, cols, mines)
    for game in range(count):
        random[0] = np.uint64(game + 1) * np.uint64(104729)
        copy_state(play, base)
        lay_mines(play, orders[game], cols, first, mines, zero)
        open_cell(play, first)
        end = finish_deep(play, net, limit) if deep else finish_tank(play)
        won[game], chance[game], guesses[game] = end.hit < 0, end.chance, end.guesses
        while survive and end.hit >= 0:
            survive_guess(play, end.hit, random)
            end = finish_deep(play, net, limit) if deep else finish_tank(play)
            chance[game] *= end.chance
            guesses[game] += end.guesses
    return won, chance, guesses


def spread(name: str, times_ms: list[float]) -> None:
    """Print a line of timings."""
    low, middle, high = np.percentile(times_ms, [5, 50, 95])
    print(
        f"{name}: median {middle:.4g} ms, 5-95 % {low:.4g}-{high:.4g}, worst {max(times_ms):.4g}, "
        f"n = {len(times_ms)}"
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
    kernel_ms, once_ms, whole_ms, worst = [], [], [], 0.0
    for line in path.read_text().splitlines():
        position = json.loads(line)
        board = Board.from_text("\n".join(position["board"]), position["mines"])
        field = field_of(board)
        analyse(board)
        count = partial(mine_risks, field, board.cols, position["mines"])
        once_ms.append(time_ms(count))
        kernel_ms.append(time_ms(count, 5))
        whole_ms.append(time_ms(partial(analyse, board)))
        expected = np.array(position["probabilities"], float)
        worst = max(worst, float(np.nanmax(abs(analyse(board).probabilities - expected))))
    spread("exact probabilities, kernel, single call", once_ms)
    spread("exact probabilities, kernel, best of 5", kernel_ms)
    spread("exact probabilities, analyse(board)", whole_ms)
    print(f"largest difference from the file: {worst:.1e}")


def bench_huge() -> None:
    """Time a 100x100 board with 2,000 mines, half open."""
    times_ms = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mined = np.zeros(10_000, bool)
        mined[rng.choice(10_000, 2_000, replace=False)] = True
        mined = mined.reshape(100, 100)
        padded = np.pad(mined, 1).astype(int)
        numbers = sum(padded[r : r + 100, c : c + 100] for r in range(3) for c in range(3))
        for half in (np.arange(100) < 50, rng.random((100, 100)) < 0.5):
            board = Board(np.where(half & ~mined, numbers, Tile.HIDDEN), 2_000)
            times_ms.append(time_ms(partial(analyse, board)))
    spread("100x100 with 2,000 mines, half open", times_ms)


def bench_games(boards: Path | None, games: int, survive: bool) -> None:
    """Let both agents play the same boards with the whole-game kernels."""
    net, limit = load_net(), with_thought(Limit(), DEFAULT)
    for name, (rows, cols, mines) in reversed(STANDARD.items()):
        for rule in (Rule.SAFE, Rule.ZERO):
            row, col = 0, 0
            if boards is None:
                rng = np.random.default_rng(1)
                orders = [rng.permutation(rows * cols)[: mines + 9] for _ in range(games)]
                if rule is Rule.ZERO:
                    row = col = 3 if name == "16x30x99" else 2
            else:
                data = json.loads((boards / f"{name}_{rule.value}.json").read_text())
                row, col = data["first"]
                orders = [board["order"] for board in data["boards"][:games]]
            first = (row + 1) * (cols + 2) + col + 1
            tank, deep = (
                report(
                    f"{name} {rule.value} {agent}",
                    np.array(orders, np.int32),
                    (rows, cols, mines, first, rule is Rule.ZERO, net, limit, survive),
                    agent,
                )
                for agent in ("tank", "deep")
            )
            error = 1.96 * float(np.std(deep - tank)) / len(orders) ** 0.5
            how = "survival" if survive else "wins"
            print(f"deep above tank by {how}, paired: {np.mean(deep - tank):.2%} ± {error:.2%}")


def report(
    name: str,
    orders: np.ndarray,  # type: ignore[type-arg]
    setting: tuple,  # type: ignore[type-arg]
    agent: str,
) -> np.ndarray:  # type: ignore[type-arg]
    """Play in blocks; print wins with interval, the survival estimate, if any, and the time.

    Returns the chance survived of each game: its mean is the win rate, with less noise. Where games
    end at the first mine, returns which are won.
    """
    play_all(orders[:1], *setting, agent == "deep")
    won, chance, guesses, times_ms = [], [], [], []
    for start in range(0, len(orders), 50):
        block = orders[start : start + 50]
        began = time.process_time()
        results = play_all(block, *setting, agent == "deep")
        times_ms.append((time.process_time() - began) / len(block) * 1e3)
        for into, values in zip((won, chance, guesses), results, strict=True):
            into.extend(values.tolist())
    count = len(won)
    survive = setting[-1]
    share = float(np.mean(won))
    error = 1.96 * (share * (1 - share) / count) ** 0.5
    smooth = 1.96 * float(np.std(chance)) / count**0.5
    survived = f"by survival {np.mean(chance):.2%} ± {smooth:.2%}; " if survive else ""
    print(
        f"{name}: {share:.2%} ± {error:.2%} of {count} won; {survived}"
        f"{np.mean(guesses):.2f} guesses; {np.mean(times_ms):.3g} ms a game "
        f"(blocks of 50: {min(times_ms):.3g}-{max(times_ms):.3g})",
        flush=True,
    )
    return np.array(chance if survive else won, float)


def bench_tank(games: int) -> None:
    """Time games of `tank` as `minebot bench` plays them, and turn by turn."""
    agent = Tank()
    for how, play in (("bench", play_in_kernels), ("turn by turn", play_game)):
        play(agent, Game.random(16, 30, 99, seed="warm"), first=Cell(0, 0))
        times_ms = [
            time_ms(partial(play, agent, Game.random(16, 30, 99, seed=seed), first=Cell(0, 0)))
            for seed in range(games)
        ]
        print(f"mean {np.mean(times_ms):.3g} ms", end="; ")
        spread(f"one game of tank, expert, {how}", times_ms)


def bench_decisions(name: str, games: int) -> None:
    """Time single decisions of `deep` as the window loop asks for them."""
    agent = make_agent("deep")
    agent.decide(Game.random(*STANDARD[name], seed=0).board)
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
    """Time a first decision with an empty cache and with a full one."""
    program = (
        "from solver.warm_up import Part, compile_part; compile_part(Part.ANALYSIS);"
        "compile_part(Part.GUESSES); compile_part(Part.THINKING); from resource import *;"
        "used = getrusage(RUSAGE_SELF);"
        "print(f'  {used.ru_utime + used.ru_stime:.2f} s of processor time,'"
        "f' {used.ru_maxrss / 1024:.0f} MiB', flush=True)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", program]
        for name in ("cold start", "warm start"):
            start = time.perf_counter()
            subprocess.run(command, env=environment, check=True)
            times_ms = time.perf_counter() - start
            print(f"{name}, process and first decision: {times_ms:.2f} s", flush=True)


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
    for (rows, cols, mines), known in OPTIMA.items():
        if comb(rows * cols, mines) > most:
            continue
        board = Board(np.full((rows, cols), Tile.HIDDEN), mines)
        for rule, optimum in zip(Rule, known, strict=True):
            deep = Deep(rule=rule, limit=Limit(whole=most))
            start = time.process_time()
            win = deep.decide(board).win or 0.0
            verdict = "reached" if abs(win - optimum) < 1e-6 else "MISSED"
            times_ms = time.process_time() - start
            print(
                f"{rows}x{cols} with {mines}, {rule.value}: {win:.6f} {verdict}, {times_ms:.2f} s",
                flush=True,
            )


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=Path, default=FIXTURES / "positions" / "expert.jsonl")
    parser.add_argument("--boards", type=Path)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--wins", action="store_true", help="end each game at its first mine")
    parser.add_argument("--optima", type=int, default=20_000, metavar="LAYOUTS")
    options = parser.parse_args()
    bench_start()
    bench_positions(options.positions)
    bench_huge()
    for name in STANDARD:
        bench_decisions(name, options.games)
    bench_tank(options.games)
    bench_games(options.boards, options.games, not options.wins)
    bench_optima(options.optima)
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

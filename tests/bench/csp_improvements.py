"""What the thesis proposes to improve its network, each as a switch on the same positions.

    python -m tests.bench.csp_improvements DIR [--only NAME,...] [--games 500] [--episodes 7000]

Each network is trained once, into DIR, and plays the same easy boards as the base; it also decides
positions that none was trained on. An interval covers boards or positions, not trainings.
"""

import argparse
from pathlib import Path

import numpy as np

from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, compare, play_match, standing
from solver.arena.statistics import wilson
from solver.arena.training import StuckPositions
from solver.game import Rule
from solver.learning.boards import StuckPosition
from solver.learning.nets import middle_values, stuck_values
from solver.learning.training.loop import train
from solver.learning.training.supervised import StuckLearner
from solver.learning.weights import Recipe, agent_weights, read_archive, write_archive

SIZE = Size(16, 16, 40)
LONGER = 2
"""How many times as many episodes "more episodes" are."""

UNSEEN, POSITIONS = 77, 1000
"""A seed of positions that no network was trained on, and how many are decided."""

_BASE = Recipe(
    "csp-dqn",
    "stuck",
    SIZE.rows,
    SIZE.cols,
    SIZE.mines,
    first="zero",
    boards=1,
    batch=64,
    memory=7000,
    rate=1e-4,
    averaging=0.0,
)


def switches(episodes: int) -> dict[str, Recipe]:
    """Return the recipe of each row, the thesis's own first."""
    base = _BASE.changed(rounds=episodes)
    return {
        "base": base,
        "more at random": base.changed(epsilon_factor=0.9995),
        "more episodes": base.changed(rounds=LONGER * episodes, memory=LONGER * episodes),
        "one-hot": base.changed(one_hot=True),
        "known mines": base.changed(less_mines=True),
        "taught first": base.changed(taught=episodes // 2),
        "all 25 cells": base.changed(all_cells=True),
        "turned": base.changed(symmetries=True),
        "rate 0.001": base.changed(rate=1e-3, averaging=0.998),
        "all": base.changed(
            rounds=LONGER * episodes,
            memory=LONGER * episodes,
            rate=1e-3,
            cooling=0.5,
            averaging=0.998,
            taught=LONGER * episodes,
            one_hot=True,
            less_mines=True,
            all_cells=True,
            symmetries=True,
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--episodes", type=int, default=7000)
    args = parser.parse_args()
    source = stuck_positions(args.folder / "positions.npz", LONGER * args.episodes).__getitem__
    rows = switches(args.episodes)
    chosen = args.only.split(",") if args.only else list(rows)
    paths = {name: args.folder / name.replace(" ", "-") / "csp-dqn.npz" for name in chosen}
    for name, path in paths.items():
        if not path.exists():
            train(StuckLearner(rows[name], source), path.parent)
            print(f"trained: {name}", flush=True)
    unseen = StuckPositions(SIZE, Rule.ZERO, UNSEEN)
    found = [unseen(number) for number in range(POSITIONS)]
    boards = BoardSet(Size(9, 9, 10), Rule.ZERO, seed="improvements")
    agents = {name: f"csp-dqn:weights={path}" for name, path in paths.items()}
    played = play_match(Match(boards, tuple(agents.values()), args.games, with_chance=False))
    for name, agent in agents.items():
        one, mean = (decided(paths[name], found, ways) for ways in (1, 8))
        won = standing(agent, played[agent]).win_rate
        paired, _ = compare(played[agent], played[agents[chosen[0]]])
        low, high = paired.difference.ci95
        print(
            f"{name:15} right {one}, by the mean of eight ways {mean}; won {won.value:.1%} "
            f"({won.low:.1%} to {won.high:.1%}), over {chosen[0]} "
            f"{100 * paired.difference.value:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}), "
            f"p = {paired.p_value:.2g}"
        )


def stuck_positions(path: Path, count: int) -> list[StuckPosition]:
    """Return the first positions of the shipped recipe's seed; they are made once and kept."""
    if not path.exists():
        source = StuckPositions(SIZE, Rule.ZERO, 1)
        parts = map(np.stack, zip(*map(source, range(count)), strict=True))
        write_archive(path, dict(zip(StuckPosition._fields, parts, strict=True)))
    kept = read_archive(path)
    return [StuckPosition(*one) for one in zip(*map(kept.get, StuckPosition._fields), strict=True)]


def decided(path: Path, found: list[StuckPosition], ways: int) -> str:
    """Return the share of positions decided rightly, looked at in so many ways."""
    about, arrays = agent_weights(path, "stuck")
    codes = np.stack([one.less if about["less_mines"] else one.codes for one in found])
    total = np.zeros((len(found), 2), np.float32)
    for way in range(ways):
        turned = np.rot90(codes.transpose(0, 2, 1) if way >= 4 else codes, way % 4, (1, 2))
        total += middle_values(stuck_values(arrays, turned))
    right = (total.argmax(1) == 1) == np.array([one.mine for one in found])
    rate = wilson(int(right.sum()), len(right))
    return f"{rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


if __name__ == "__main__":
    main()

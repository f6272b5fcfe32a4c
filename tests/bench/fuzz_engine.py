"""Feed the engine with impossible boards, wrong totals and random arrays; it must answer or refuse.

    python -m tests.bench.fuzz_engine [--inputs N] [--seed S]

Run it with a library that has sanitizers, named by MINEBOT_ENGINE, to find reads and writes outside
of arrays (see .ci/run).
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from solver.engine import calls
from solver.engine.calls import NoLayout, PolicyKind, TooLarge
from solver.levels import SearchLimits

SIZES = [(1, 1), (1, 9), (9, 1), (2, 2), (3, 4), (5, 5), (8, 8), (9, 9), (16, 30), (1, 60)]


def random_tiles(rng: random.Random) -> NDArray[np.int8]:
    """Draw a board: true numbers, some of them spoiled, or tiles at random."""
    rows, cols = rng.choice(SIZES)
    draw = np.random.default_rng(rng.getrandbits(32))
    if rng.random() < 0.15:
        return draw.integers(-6, 9, (rows, cols)).astype(np.int8)
    mined = draw.random((rows, cols)) < rng.choice([0.0, 0.1, 0.2, 0.4, 0.9, 1.0])
    padded = np.pad(mined.astype(np.int8), 1)
    numbers = sum(padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3))
    shown = ~mined & (draw.random((rows, cols)) < rng.random())
    tiles = np.where(shown, numbers, -1).astype(np.int8)
    marks = draw.random((rows, cols)) < 0.05
    tiles[marks] = draw.integers(-6, 0, int(marks.sum()))
    if rng.random() < 0.3:
        spoiled = draw.random((rows, cols)) < 0.03
        tiles[spoiled] = draw.integers(0, 9, int(spoiled.sum()))
    return tiles


def try_input(rng: random.Random) -> str:
    """Draw one input and one entry; return how it ended. Anything unexpected raises."""
    tiles = random_tiles(rng)
    cells = tiles.size
    mines = rng.choice([None, rng.randint(0, cells), int(cells * 0.2), int((tiles == -1).sum())])
    limits = SearchLimits(
        layouts=rng.choice([0, 1, 50, 500]),
        positions=rng.choice([0, 10, 2_000]),
        worlds=rng.choice([0, 1, 4]),
        work=rng.choice([0, 20_000]),
    )
    entry = rng.choice(["risks", "totals", "draw", "decide", "first", "play"])
    try:
        if entry == "risks":
            risk, _ = calls.risks(tiles, mines)
            covered = (tiles < 0) & (tiles >= -3)
            assert ((risk[covered] >= 0) & (risk[covered] <= 1)).all()
        elif entry == "totals":
            calls.totals(tiles, rng.choice([1e-6, 0.2, 0.999]))
        elif entry == "draw":
            drawn = calls.draw(tiles, mines, rng.randint(0, 3), rng.getrandbits(64))
            assert mines is None or (drawn.sum(axis=(1, 2)) == mines).all()
        elif entry == "decide":
            player, also = rng.choice(list(PolicyKind)), [rng.randrange(cells) for _ in range(3)]
            settings = {"compared": rng.randint(0, 40), "estimated": rng.randint(0, 3), "sample": 2}
            total = mines or 0
            guess = calls.decide(tiles, total, player, limits, also=also, **settings)
            assert -3 <= tiles.ravel()[guess.cell] < 0
        elif entry == "first":
            rows, cols = tiles.shape
            calls.first_click(rows, cols, mines or 0, rng.randrange(3), limits)
        else:
            mined = tiles < -1
            first = (rng.randrange(tiles.shape[0]), rng.randrange(tiles.shape[1]))
            player = rng.choice(list(PolicyKind))
            played = calls.play(mined, first, player, limits, rng.choice([None, 7]))
            assert 0 <= played.chance <= 1
    except (NoLayout, TooLarge, ValueError) as error:
        return f"{entry}: {type(error).__name__}"
    return f"{entry}: answered"


def main() -> None:
    """Try as many inputs as asked for, and count how they ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ended = Counter(
        try_input(random.Random(options.seed * 10_000_019 + at)) for at in range(options.inputs)
    )
    for end, count in sorted(ended.items()):
        print(f"{count:8d} {end}")


if __name__ == "__main__":
    main()

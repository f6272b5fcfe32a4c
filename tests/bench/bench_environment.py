"""Steps a second of the vectorised environment, beside Jumanji's Minesweeper if it is installed.

    OMP_NUM_THREADS=1 taskset -c 0 python tests/bench/bench_environment.py [--boards 4096]

Both play 10x10 boards with 10 mines, uniformly random cells, on one core; a board whose game is
over is dealt anew. Seconds are processor time.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

STEPS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=4096)
    boards = parser.parse_args().boards
    for name, bench in (("minebot", own), ("jumanji", jumanji)):
        try:
            rates = [bench(boards) for _ in range(5)]
        except ImportError:
            print(f"{name} is not installed")
            continue
        low, middle, high = np.quantile(rates, (0, 0.5, 1))
        print(f"{name}: {middle:,.0f} steps a second ({low:,.0f} to {high:,.0f})")


def rate(step: Callable[[], None], boards: int) -> float:
    step()
    start = time.process_time()
    for _ in range(STEPS):
        step()
    return STEPS * boards / (time.process_time() - start)


def own(boards: int) -> float:
    from solver.learning.environments import VectorMinesweeper

    env = VectorMinesweeper(boards, rows=10, cols=10, mines=10)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    return rate(lambda: env.step(rng.integers(0, 100, boards)) and None, boards)


def jumanji(boards: int) -> float:
    import jax
    from jumanji import make
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(make("Minesweeper-v0"))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.key(0), boards))

    @jax.jit
    def one(state: object, key: jax.Array) -> object:
        return env.step(state, jax.random.randint(key, (boards, 2), 0, 10))[0]

    held = [state, jax.random.key(1)]

    def step() -> None:
        held[1], key = jax.random.split(held[1])
        held[0] = jax.block_until_ready(one(held[0], key))

    return rate(step, boards)


if __name__ == "__main__":
    main()

"""Fit the cell net in solver/search/cell_net.npz to what whole roll-outs find.

    python -m tests.bench.fit_cells DATA.npz --record SECONDS [--seed S] [--untrained]
    python -m tests.bench.fit_cells DATA.npz... --fit OUT.npz [--epochs N]

At the guesses of games that the cell net plays, the guess it takes and some others are tried in the
same WORLDS drawn worlds, each played to the end by the net itself. A new net is then fitted to the
differences between the guesses of each position. The first records are those of a net that knows
nothing but the risk (``--untrained``); each later net records what the next one is fitted to.
Recording takes 10 to 20 ms of one core a position; fitting 100,000 positions takes some minutes and
needs the extra ``learn``. Correlations are measured on a quarter of the games that no fit saw.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.exact.probability import LayoutCounts, risk_of
from solver.search.cell_net import (
    REACH,
    SEEN,
    CellNet,
    cells_to_rate,
    describe_cell,
    describe_position,
    load_cell_net,
    rate_cells,
    survey,
)
from solver.search.game_state import GameState, begin_state
from solver.search.whole_games import advance, copy_state, lay_mines, open_cell, untouched_field
from solver.thinking.playouts import try_worlds
from tests.bench.bench_thought import open_safely
from tests.bench.fit_judge import BOARDS

Floats = NDArray[Any]

WORLDS = 4
TRIED = 7
"""Guesses tried at a position: the one that is played, and others drawn at random."""

FAINTEST = 0.05
"""Games are followed down to this chance survived."""

UNITS = 32, 16
BATCH = 512
RATE = 2e-3
DECAY = 1e-4


def untrained() -> CellNet:
    """Return a net that rates each cell by its chance to be safe."""
    first, second = UNITS
    shapes = (SEEN, first), first, (first, second), second, second, 1
    return CellNet(*map(np.zeros, shapes))._replace(out_bias=np.ones(1))


def record(seconds: float, net: CellNet, seed: int) -> dict[str, Floats]:
    """Play games for a time; return one row a guess: what the net sees of it, and its worth."""
    rng, rows = np.random.default_rng(seed), list[tuple[Floats, ...]]()
    began, position, game = time.process_time(), 0, 0
    while time.process_time() - began < seconds:
        size = BOARDS[game % len(BOARDS)]
        for seen, worth, chance in record_game(size, net, rng):
            count = len(worth)
            labels = np.full(count, position), np.full(count, game), np.full(count, chance)
            rows.append((seen, worth, *labels))
            position += 1
        game += 1
    parts = zip(*rows, strict=True)
    names = "seen", "worth", "position", "game", "weight"
    return {name: np.concatenate(part) for name, part in zip(names, parts, strict=True)}


def record_game(
    size: tuple[int, int, int, int, bool], net: CellNet, rng: np.random.Generator
) -> list[tuple[Floats, Floats, float]]:
    """Play one game by the net; return what each guess tried looks like and is worth."""
    rows, cols, mines, place, zero = size
    field = untouched_field(rows, cols)
    play, room = begin_state(field, cols, mines), begin_state(field, cols, mines)
    cell = (place + 1) * (cols + 3)
    order = rng.permutation(rows * cols).astype(np.int32)
    lay_mines(play, order, cols, cell, mines, zero)
    open_cell(play, cell)
    random, survived = np.array([rng.integers(1 << 62)], np.uint64), 1.0
    found = list[tuple[Floats, Floats, float]]()
    while survived > FAINTEST:
        over, counted = advance(play)
        if over:
            break
        cells = cells_to_try(play, counted, net, rng)
        if cells.size > 1:
            copy_state(room, play)
            nothing, first = np.zeros((cells.size, 9)), int(rng.integers(1 << 60))
            worth = try_worlds(play, counted, net, cells, nothing, room, first, WORLDS).mean(0)
            found.append((looks(play, counted, cells), worth, survived))
        survived *= 1.0 - risk_of(counted, cells[0])
        open_safely(play, int(cells[0]), random)
    return found


def cells_to_try(
    play: GameState, counted: LayoutCounts, net: CellNet, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the guess that the net takes, and some others: the riskier, the more seldom."""
    seen = survey(play, counted)
    cells = cells_to_rate(play, counted, seen, REACH)
    best = int(rate_cells(net, play, counted, seen, cells).argmax())
    risks = np.array([risk_of(counted, cell) for cell in cells])
    keys = 8.0 * (risks - risks.min()) + rng.random(cells.size)
    keys[best] = -1.0
    return np.asarray(cells[np.argsort(keys)[:TRIED]])


def looks(play: GameState, counted: LayoutCounts, cells: NDArray[np.int64]) -> Floats:
    """Return what the net sees of each cell, and its chance to be safe, ``[cell, SEEN + 1]``."""
    seen, position = np.empty((cells.size, SEEN + 1)), survey(play, counted)
    for at, cell in enumerate(cells):
        describe_position(play, counted, position, seen[at])
        describe_cell(play, counted, position, cell, seen[at])
        seen[at, SEEN] = 1.0 - risk_of(counted, cell)
    return seen


class Positions:
    """What was recorded, ``[position, guess, ...]``, with empty places where fewer were tried."""

    def __init__(self, parts: list[dict[str, Floats]]) -> None:
        rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        starts = np.cumsum([0, *(part["position"].max() + 1 for part in parts)])
        games = np.cumsum([0, *(part["game"].max() + 1 for part in parts)])
        lengths = [len(part["position"]) for part in parts]
        position = rows["position"] + np.repeat(starts[:-1], lengths)
        place = np.arange(len(position)) - np.searchsorted(position, position)
        shape = position[-1] + 1, TRIED
        self.seen = np.zeros((*shape, SEEN), np.float32)
        self.safe, self.worth, self.there = (np.zeros(shape, np.float32) for _ in range(3))
        self.weight, self.game = np.zeros(shape[0], np.float32), np.zeros(shape[0], np.int64)
        self.seen[position, place] = rows["seen"][:, :SEEN]
        self.safe[position, place] = rows["seen"][:, SEEN]
        self.worth[position, place] = rows["worth"]
        self.there[position, place] = 1.0
        self.weight[position] = rows["weight"]
        self.game[position] = rows["game"] + np.repeat(games[:-1], lengths)
        self.mean = self.worth.sum(1) / self.there.sum(1)

    def part(self, chosen: NDArray[np.bool_]) -> Any:
        """Return the arrays of the chosen positions, in the order in which `loss` takes them."""
        arrays = self.seen, self.safe, self.worth, self.there, self.mean, self.weight
        return tuple(array[chosen] for array in arrays)


def fit(positions: Positions, chosen: NDArray[np.bool_], epochs: int, seed: int) -> CellNet:
    """Fit a net to the differences between the guesses of the chosen positions."""
    import jax
    import optax

    arrays = positions.part(chosen)
    there = arrays[3] > 0
    centre, spread = arrays[0][there].mean(0), arrays[0][there].std(0) + 1e-6
    arrays = ((arrays[0] - centre) / spread, *arrays[1:])
    rng = np.random.default_rng(seed)
    widths = SEEN, *UNITS, 1
    net = [
        (rng.normal(size=(a, b)) * (2 / a) ** 0.5 * (0.1 if b == 1 else 1.0), np.zeros(b))
        for a, b in pairwise(widths)
    ]
    net[-1][1][:] = 0.75
    net = jax.tree.map(np.float32, net)
    rounds = len(arrays[0]) // BATCH
    rates = optax.cosine_decay_schedule(RATE, epochs * rounds)
    optimiser = optax.adamw(rates, weight_decay=DECAY)
    state = optimiser.init(net)

    @jax.jit
    def step(net: Any, state: Any, batch: Any) -> Any:
        changes, state = optimiser.update(jax.grad(loss)(net, *batch), state, net)
        return optax.apply_updates(net, changes), state

    for _ in range(epochs):
        order = rng.permutation(len(arrays[0]))
        for at in range(rounds):
            picked = order[at * BATCH : (at + 1) * BATCH]
            net, state = step(net, state, tuple(array[picked] for array in arrays))
    (first, first_bias), *rest = jax.tree.map(lambda array: np.asarray(array, np.float64), net)
    first_bias = first_bias - (centre / spread) @ first
    (second, second_bias), (out, out_bias) = rest
    return CellNet(first / spread[:, None], first_bias, second, second_bias, out.ravel(), out_bias)


def loss(net: Any, seen: Any, safe: Any, worth: Any, there: Any, mean: Any, weight: Any) -> Any:
    """Return the squared error of the differences between the guesses of a position."""
    import jax

    for weights, bias in net[:-1]:
        seen = jax.nn.relu(seen @ weights + bias)
    rated = mean[:, None] * safe * (seen @ net[-1][0] + net[-1][1])[..., 0]
    missed = centred(rated, there) - centred(worth, there)
    return 100.0 * ((missed**2).sum(1) * weight).sum() / weight.sum()


def centred(values: Any, there: Any) -> Any:
    """Take the mean of its position off each value."""
    return (values - (values * there).sum(1, keepdims=True) / there.sum(1, keepdims=True)) * there


def correlation(net: CellNet, positions: Positions, chosen: NDArray[np.bool_]) -> float:
    """Return how well the net tells guesses apart; the noise of the worlds is in it."""
    seen, safe, worth, there, mean, weight = positions.part(chosen)
    inner = np.maximum(seen @ net.first + net.first_bias, 0.0)
    middle = np.maximum(inner @ net.second + net.second_bias, 0.0)
    rated = centred(mean[:, None] * safe * (middle @ net.out + net.out_bias), there)
    found, weight = centred(worth, there), weight[:, None]
    spread = (weight * rated**2).sum() * (weight * found**2).sum()
    return float((weight * rated * found).sum() / spread**0.5)


def main() -> None:
    """Record, or fit, measure and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--record", type=float, metavar="SECONDS")
    parser.add_argument("--untrained", action="store_true", help="record by the risk alone")
    parser.add_argument("--fit", type=Path, metavar="OUT.npz")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.record:
        net = untrained() if options.untrained else load_cell_net()
        found = record(options.record, net, options.seed)
        np.savez(options.data[0], **found)
        print(f"{found['position'][-1] + 1} positions of {found['game'][-1] + 1} games recorded")
    if options.fit:
        positions = Positions([dict(np.load(file)) for file in options.data])
        held = positions.game % 4 == 0
        tried = fit(positions, ~held, options.epochs, options.seed)
        seen, unseen = (correlation(tried, positions, chosen) for chosen in (~held, held))
        print(f"{len(held)} positions: correlation {seen:.3f} fitted, {unseen:.3f} held out")
        fitted = fit(positions, held | ~held, options.epochs, options.seed)
        np.savez(options.fit, **fitted._asdict())


if __name__ == "__main__":
    main()

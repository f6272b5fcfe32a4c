"""Fit the judge of the engine, judge.npz, to what whole roll-outs find.

    python -m solver.arena.judge record DATA.npz --games N [--size RxCxM] [--first RULE]
    python -m solver.arena.judge fit OUT.npz --data DATA.npz... [--epochs N]

At the guesses of games that `deep` plays without roll-outs, the best candidates are tried in the
same WORLDS drawn worlds, each played to the end by the cell net. The judge is then fitted to the
differences between the candidates of each position. A lost game goes on in another layout in which
the guess was safe; its later guesses count by the chance to get there. Recording takes about 20 ms
of one core a guess; fitting 50,000 guesses takes a minute and needs the extra ``learn``.
Correlations are measured on a tenth of the games that no fit saw, the noise of the worlds taken
out.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax
from numpy.typing import NDArray

from solver.agents import make_agent
from solver.analysis import analyse, sample_layouts
from solver.arena.boards import BoardSet, Size
from solver.board import Board, Cell, count_neighbours, flooded
from solver.engine import calls
from solver.engine.calls import CELL_INPUTS, JUDGED, Method, PolicyKind
from solver.game import Rule
from solver.levels import LEVELS

Floats = NDArray[Any]

TRIED, WORLDS = 8, 16
VALUE = CELL_INPUTS + 1
"""Place of the look-ahead's value among the inputs of the judge."""

FAINTEST = 0.02
"""Positions whose chance to win is less say nothing."""

UNITS = 32, 16
BATCH = 256
RATE = 2e-3
DECAY = 1e-3


def record(boards: BoardSet, games: int, path: Path) -> None:
    """Play games; write one row a guess: what the judge sees of its candidates, and their worth."""
    rows: list[tuple[Floats, Floats, float, int]] = []
    for number in range(games):
        rows += [(*found, number) for found in record_game(boards, number)]
        if number % 200 == 199 or number == games - 1:
            save(rows, path)
            print(f"{len(rows)} guesses of {number + 1} games", flush=True)


def save(rows: list[tuple[Floats, Floats, float, int]], path: Path) -> None:
    """Write what was recorded, with empty places where fewer candidates were tried."""
    described = np.zeros((len(rows), TRIED, JUDGED), np.float32)
    won = np.zeros((len(rows), TRIED, WORLDS), np.float32)
    for at, (seen, results, _, _) in enumerate(rows):
        described[at, : len(seen)] = seen
        won[at, : len(results)] = results
    weight, game = (np.array([row[place] for row in rows]) for place in (2, 3))
    count = np.array([len(row[0]) for row in rows])
    np.savez(path, described=described, won=won, weight=weight, game=game, count=count)


def record_game(boards: BoardSet, number: int) -> list[tuple[Floats, Floats, float]]:
    """Play one game; return what its guesses by look-ahead are fitted to."""
    game = boards.game(number)
    first = make_agent("deep", rule=boards.rule).decide(game.board).moves[0].cell
    mined, mines = game.lay(first), boards.size.mines
    board = opened(Board(np.full(mined.shape, -1), mines), mined, [first])
    survived, found = 1.0, list[tuple[Floats, Floats, float]]()
    while True:
        known = analyse(board)
        if known.safe:
            board = opened(board, mined, known.safe)
            continue
        if int(board.covered.sum()) == mines:
            return found
        guess = calls.decide(board.tiles, mines, PolicyKind.DEEP, LEVELS["none"])
        if guess.method is Method.LOOK_AHEAD:
            start = int(np.random.default_rng([number, len(found)]).integers(1 << 29))
            seen, won = calls.worlds(board.tiles, mines, LEVELS["none"], TRIED, start, WORLDS)
            if len(seen) > 1:
                found.append((seen, won, survived))
        cell = Cell(*divmod(guess.cell, board.cols))
        survived *= 1.0 - float(known.probabilities[cell])
        draws = 0
        while mined[cell]:
            mined = sample_layouts(board, 1, seed=hash((number, len(found), draws)))[0]
            draws += 1
        board = opened(board, mined, [cell])


def opened(board: Board, mined: NDArray[np.bool_], cells: Any) -> Board:
    """Open safe cells, and the areas around zeros."""
    numbers = count_neighbours(mined)
    chosen = np.zeros(mined.shape, bool)
    chosen[tuple(zip(*cells, strict=True))] = True
    shown = flooded(chosen, (numbers == 0) & ~mined)
    return Board(np.where(shown, numbers, board.tiles), board.mines)


class Positions:
    """What was recorded, ``[guess, candidate, ...]``, as the fits take it.

    ``worth`` is the chance to win as a share of the mean of the position's candidates, once by each
    half of the worlds; ``there`` says which candidates there are.
    """

    def __init__(self, files: list[Path]) -> None:
        parts = [dict(np.load(file)) for file in files]
        games = np.cumsum([0, *(part["game"].max() + 1 for part in parts)])
        self.game = np.concatenate(
            [part["game"] + at for part, at in zip(parts, games, strict=False)]
        )
        self.seen = np.concatenate([part["described"] for part in parts]).astype(np.float64)
        won = np.concatenate([part["won"] for part in parts]).astype(np.float64)
        count = np.concatenate([part["count"] for part in parts])
        self.there = (np.arange(TRIED) < count[:, None]).astype(np.float64)
        mean = won.mean(2).sum(1) / count
        self.mean = np.maximum(mean, FAINTEST)
        halves = won.reshape(*won.shape[:2], 2, -1).mean(3) / self.mean[:, None, None]
        self.halves = tuple(centred(halves[:, :, at], self.there) for at in (0, 1))
        self.weight = (
            np.concatenate([part["weight"] for part in parts])
            * np.minimum(1.0, self.mean / 0.3) ** 2
            * (mean > FAINTEST)
        )

    def correlation(self, rated: Floats, chosen: NDArray[np.bool_]) -> tuple[float, float]:
        """Return how well ratings separate candidates, and the factor for them."""
        rated, weight = centred(rated, self.there)[chosen], self.weight[chosen, None]
        one, other = (half[chosen] for half in self.halves)
        with_truth = (weight * rated * (one + other) / 2).sum()
        own, truth = (weight * rated**2).sum(), (weight * one * other).sum()
        return float(with_truth / np.sqrt(own * truth)), float(with_truth / own)


def centred(values: Any, there: Any) -> Any:
    """Take the mean of its position off each value."""
    return (values - (values * there).sum(1, keepdims=True) / there.sum(1, keepdims=True)) * there


def rate(layers: Any, values: Any) -> Any:
    """Return what a net says of candidates."""
    for weights, bias in layers[:-1]:
        values = (values @ weights + bias).clip(0.0)
    return (values @ layers[-1][0] + layers[-1][1])[..., 0]


def fit(positions: Positions, chosen: NDArray[np.bool_], epochs: int) -> Any:
    """Fit a net to the differences between the candidates of the chosen positions."""
    rng = np.random.default_rng(1)
    there = positions.there > 0
    centre, spread = positions.seen[there].mean(0), positions.seen[there].std(0) + 1e-6
    layers = [
        (rng.normal(size=(a, b)) * (2 / a) ** 0.5 * (0.1 if b == 1 else 1.0), np.zeros(b))
        for a, b in pairwise((JUDGED, *UNITS, 1))
    ]
    layers[0] = scaled(layers[0], centre, spread)
    unit = spread[:, None]
    net = jax.tree.map(np.float32, [(layers[0][0] * unit, layers[0][1]), *layers[1:]])
    worth = (positions.halves[0] + positions.halves[1]) / 2
    arrays = [positions.seen, worth, positions.there, positions.weight]
    arrays = [np.float32(array[chosen]) for array in arrays]
    rounds = len(arrays[0]) // BATCH
    rates = optax.cosine_decay_schedule(RATE, epochs * rounds)
    optimiser = optax.adamw(rates, weight_decay=DECAY)
    state = optimiser.init(net)

    def loss(net: Any, seen: Any, worth: Any, there: Any, weight: Any) -> Any:
        unscaled = [(net[0][0] / unit, net[0][1]), *net[1:]]
        missed = centred(rate(unscaled, seen), there) - worth
        return ((missed**2 * there).sum(1) * weight).sum() / weight.sum()

    def step(net: Any, state: Any, batch: Any) -> Any:
        changes, state = optimiser.update(jax.grad(loss)(net, *batch), state, net)
        return optax.apply_updates(net, changes), state

    take_step = jax.jit(step)
    for _ in range(epochs):
        order = rng.permutation(len(arrays[0]))
        for at in range(rounds):
            picked = order[at * BATCH : (at + 1) * BATCH]
            net, state = take_step(net, state, [array[picked] for array in arrays])
    found = jax.tree.map(lambda array: np.asarray(array, np.float64), net)
    return [(found[0][0] / unit, found[0][1]), *found[1:]]


def scaled(layer: Any, centre: Floats, spread: Floats) -> Any:
    """Return a first layer that takes its inputs as they are, not scaled."""
    weights = layer[0] / spread[:, None]
    return weights, layer[1] - centre @ weights


def write(layers: Any, path: Path) -> None:
    """Write a net as the engine reads it."""
    names = ("first", "first_bias", "second", "second_bias", "out", "out_bias")
    flat = [array for layer in layers for array in layer]
    flat[4] = flat[4].ravel()
    np.savez(path, **dict(zip(names, flat, strict=True)))


def main() -> None:
    """Record, or fit, measure and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("data", type=Path)
    recording.add_argument("--games", type=int, required=True)
    recording.add_argument("--size", default="16x30x99")
    recording.add_argument("--first", choices=("safe", "zero"), default="safe")
    recording.add_argument("--seed", type=int, default=1)
    fitting = commands.add_parser("fit")
    fitting.add_argument("out", type=Path)
    fitting.add_argument("--data", type=Path, nargs="+", required=True)
    fitting.add_argument("--epochs", type=int, default=40)
    options = parser.parse_args()
    if options.command == "record":
        boards = BoardSet(Size.parse(options.size), Rule(options.first), seed=options.seed)
        record(boards, options.games, options.data)
        return
    positions = Positions(options.data)
    held = positions.game % 10 == 0
    tried = rate(fit(positions, ~held, options.epochs), positions.seen)
    for name, rated in (("look-ahead", positions.seen[..., VALUE]), ("judge", tried)):
        figures = positions.correlation(rated, ~held)[0], *positions.correlation(rated, held)
        print("{}: correlation {:.3f} fitted, {:.3f} held out, slope {:.2f}".format(name, *figures))
    write(fit(positions, held | ~held, options.epochs), options.out)


if __name__ == "__main__":
    main()

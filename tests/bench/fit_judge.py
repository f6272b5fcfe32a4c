"""Fit the judges of guesses in solver/search/value_net.npz to what whole roll-outs find.

    python -m tests.bench.fit_judge DATA.npz --record SECONDS [--seed S]   play and record guesses
    python -m tests.bench.fit_judge DATA.npz... --fit OUT.npz              fit one, save the net

At the guesses of games by look-ahead, some candidates are tried in the same WORLDS drawn worlds,
each played to the end by the cell net: the five best and one of the others. The last judge, or with
``--judge judge`` the first, is then fitted, as a ridge regression, to the differences between the
candidates of each position. Its weight of a constant is set so that its mean is that of the value
net. Correlations and gains are measured on games that the fit did not see, in FOLDS parts.
Recording takes 25 to 50 ms of one core a position; fitting takes seconds. What describes the guess
after a guess depends on the first judge: record anew before fitting the last one to another first.
"""

from __future__ import annotations

import argparse
import time
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.probability import LayoutCounts, risk_of
from solver.exact.sampling import draw_layout
from solver.search.game_state import GameState, begin_state
from solver.search.guess import independent_guess
from solver.search.limit import Limit
from solver.search.lookahead import candidate_values, describe_guesses, describe_next
from solver.search.value_net import (
    BY_NET,
    CONSTANT,
    FOLLOWING,
    JUDGED,
    Net,
    estimate,
    load_net,
    save_net,
)
from solver.search.whole_games import advance, copy_state, lay_mines, open_cell, untouched_field
from solver.thinking.playouts import try_worlds

BOARDS = (
    (16, 30, 99, 0, False),
    (16, 30, 99, 0, False),
    (16, 30, 99, 3, True),
    (16, 30, 99, 3, True),
    (16, 16, 40, 0, False),
)
"""Boards in turn: rows, columns, mines, row and column of the first click, whether it is a zero."""

WORLDS = 8
FOLDS = 4
FAINTEST = 0.1
"""Games are followed down to this chance survived."""

RIDGE = 1e-2
"""Share of the data's own spread that is added to it: chosen on the positions held out."""

Floats = NDArray[Any]


class Guesses(NamedTuple):
    """Guesses that were tried, one row each, in chances to win.

    What describes them, ``[guess, number]``; what they are worth; the variance that the noise of
    the worlds adds to that; the chance to get to the position; the number of the position and of
    its game. The guesses of one position follow each other.
    """

    described: Floats
    worth: Floats
    noise: Floats
    weight: Floats
    position: Floats
    game: Floats


def joined(all_data: list[Guesses]) -> Guesses:
    """Put recordings together, so that their positions and games stay apart."""
    positions, games, renumbered = 0, 0, list[Guesses]()
    for data in all_data:
        renumbered.append(data._replace(position=data.position + positions, game=data.game + games))
        positions, games = positions + data.position.max() + 1, games + data.game.max() + 1
    return Guesses(*map(np.concatenate, zip(*renumbered, strict=True)))


def record(seconds: float, net: Net, seed: int) -> Guesses:
    """Play for so long; return the guesses tried, whole games only."""
    rng, found, game, end = np.random.default_rng(seed), list[Guesses](), 0, time.time() + seconds
    while time.time() < end:
        rows, cols, mines, first, zero = BOARDS[game % len(BOARDS)]
        play, room = (begin_state(untouched_field(rows, cols), cols, mines) for _ in range(2))
        place = (first + 1) * (cols + 3)
        order = rng.permutation(rows * cols).astype(np.int32)
        lay_mines(play, order, cols, place, mines, zero)
        open_cell(play, place)
        for described, worth, noise, weight in record_game(play, room, net, rng):
            numbers = (noise, weight, 0, game)
            found.append(Guesses(described, worth, *(np.full(len(worth), one) for one in numbers)))
        game += 1
    sizes = [len(one.worth) for one in found]
    data = Guesses(*map(np.concatenate, zip(*found, strict=True)))
    return data._replace(position=np.repeat(np.arange(len(sizes)), sizes))


def record_game(
    play: GameState, room: GameState, net: Net, rng: np.random.Generator
) -> list[tuple[Floats, Floats, float, float]]:
    """Play one game by look-ahead; return what `try_cells` found, and the weight, of each guess."""
    found, survived = list[tuple[Floats, Floats, float, float]](), 1.0
    random = np.array([rng.integers(1 << 62)], np.uint64)
    while survived > FAINTEST:
        over, counted = advance(play)
        if over or counted.log_layouts <= log(Limit().layouts):
            break
        cell = independent_guess(play, counted, Limit())
        if cell is None:
            cells, worth = candidate_values(play, counted, net, Limit())
            best = np.argsort(-worth, kind="stable")
            cells = cells[np.concatenate([best[:5], rng.permutation(best[5:])[:1]])]
            cell = int(cells[0])
            if cells.size > 1:
                first = int(rng.integers(1 << 60))
                found.append((*try_cells(play, counted, room, net, cells, first), survived))
        survived *= 1.0 - risk_of(counted, cell)
        while play.mined[cell]:
            draw_layout(play.field, counted, random, play.mined)
        open_cell(play, cell)
    return found


def try_cells(
    play: GameState,
    counted: LayoutCounts,
    room: GameState,
    net: Net,
    cells: NDArray[np.int64],
    first: int,
) -> tuple[Floats, Floats, float]:
    """Return what describes each cell, what it is worth, and the variance that the worlds add."""
    safe = np.array([1.0 - risk_of(counted, cell) for cell in cells])
    standing = estimate(net, play, counted)
    described, chances, values = describe_guesses(play, counted, net, cells, safe, standing)
    follows = [
        safe[at] * describe_next(play, net, int(cells[at]), chances[at], values[at])
        for at in range(cells.size)
    ]
    means = (chances * values).sum(1)
    copy_state(room, play)
    gains = try_worlds(play, counted, net.cells, cells, values, room, first, WORLDS)
    apart = gains - gains.mean(1, keepdims=True)
    noise = float(apart.var(0, ddof=1).mean() / WORLDS)
    return np.hstack([standing * described, follows]), safe * means + gains.mean(0), noise


def fit(inputs: Floats, data: Guesses, start: Floats) -> Floats:
    """Return the weights of a judge that sees ``inputs``, ``[guess, number]``.

    The ridge draws them towards those of the judge ``start``, scaled to the data.
    """
    apart, targets = centred(inputs, data.position), centred(data.worth, data.position)
    before = apart @ start
    start = start * ((before * targets).sum() / max((before**2).sum(), 1e-12))
    targets = targets - apart @ start
    scale = np.sqrt((apart**2).mean(0)) + 1e-6
    scaled = apart / scale
    weighted = scaled * data.weight[:, None]
    squares = weighted.T @ scaled + RIDGE * len(scaled) * np.eye(scaled.shape[1])
    judge = start + np.linalg.solve(squares, weighted.T @ targets) / scale
    best = best_of(inputs @ judge, data.position)
    missing = inputs[best, BY_NET] - inputs[best] @ judge
    judge[CONSTANT] += (missing / inputs[best, CONSTANT]).mean()
    return np.asarray(judge)


def centred(values: Floats, position: Floats) -> Floats:
    """Take the mean of its position off each row."""
    sums = np.zeros((position.max() + 1, *values.shape[1:]))
    np.add.at(sums, position, values)
    counts = np.bincount(position).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(values - (sums / np.maximum(counts, 1))[position])


def best_of(judged: Floats, position: Floats) -> Floats:
    """Return the row of the best guess of each position, the positions in their order."""
    order = np.lexsort((-judged, position))
    return np.asarray(order[np.unique(position[order], return_index=True)[1]])


def report(name: str, judged: Floats, against: Floats, data: Guesses) -> None:
    """Print how well a judge tells the guesses of a position apart, and what it wins."""
    seen, found = centred(judged, data.position), centred(data.worth, data.position)
    product, spread = (data.weight * seen * found).sum(), (data.weight * seen**2).sum()
    true_spread = (data.weight * (found**2 - data.noise)).sum()
    mine, other = best_of(judged, data.position), best_of(against, data.position)
    won = np.bincount(data.game[mine], (data.worth[mine] - data.worth[other]) * data.weight[mine])
    error = 196 * won.std() / len(won) ** 0.5
    print(
        f"{name}: correlation {product / np.sqrt(spread * true_spread):.3f} without the noise of "
        f"the worlds, {100 * won.mean():+.3f} ± {error:.3f} points a game over the first judge"
    )


def main() -> None:
    """Record, or fit, measure and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--record", type=float, metavar="SECONDS")
    parser.add_argument("--fit", type=Path, metavar="OUT.npz")
    parser.add_argument("--judge", choices=("judge", "last_judge"), default="last_judge")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net = load_net()
    if options.record:
        data = record(options.record, net, options.seed)
        np.savez(options.data[0], **data._asdict())
        print(f"{data.position.max() + 1} positions recorded")
    if options.fit:
        data = joined([Guesses(**np.load(file)) for file in options.data])
        places = JUDGED if options.judge == "judge" else JUDGED + FOLLOWING
        inputs, judged = data.described[:, :places], np.zeros(len(data.worth))
        start = getattr(net, options.judge)
        for fold in range(FOLDS):
            held = data.game % FOLDS == fold
            rest = Guesses(*(part[~held] for part in data))
            judged[held] = inputs[held] @ fit(inputs[~held], rest, start)
        now = data.described[:, :JUDGED] @ net.judge
        report("net alone", data.described[:, BY_NET], now, data)
        report(f"{options.judge} as it is", inputs @ start, now, data)
        report(f"{options.judge} fitted anew", judged, now, data)
        save_net(net._replace(**{options.judge: fit(inputs, data, start)}), options.fit)


if __name__ == "__main__":
    main()

"""Fit the judge of guesses in solver/search/value_net.npz to what whole roll-outs find.

    python -m tests.bench.fit_judge DATA.npz --record SECONDS [--seed S]   play and record guesses
    python -m tests.bench.fit_judge DATA.npz --fit OUT.npz                 fit it, save the net

At half of the guesses of games by look-ahead, some candidates are tried in the same WORLDS drawn
worlds, each played to the end by least risk: the four best, one of the others, and three cells that
the look-ahead leaves out. The judge is then fitted, as a ridge regression, to the differences
between the candidates of each position. Its last weight, a constant, is set so that its mean is
that of the value net. One position in eight is held out. Recording takes 65 ms of one core a
position; fitting takes seconds.
"""

from __future__ import annotations

import argparse
import time
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.exact.probability import LayoutCounts, risk_of
from solver.exact.sampling import draw_layout
from solver.search.game_state import GameState, begin_state
from solver.search.guess import choose, independent_guess
from solver.search.limit import Limit
from solver.search.lookahead import candidate_values, candidates, describe_guess
from solver.search.value_net import FEATURES, JUDGED, Net, estimate, load_net
from solver.search.whole_games import advance, copy_state, lay_mines, open_cell, untouched_field
from solver.thinking.playouts import forecast_numbers, try_worlds

BOARDS = (
    (16, 30, 99, 0, False),
    (16, 30, 99, 0, False),
    (16, 30, 99, 3, True),
    (16, 30, 99, 3, True),
    (16, 16, 40, 0, False),
)
"""Boards in turn: rows, columns, mines, row and column of the first click, whether it is a zero."""

WORLDS = 24
FAINTEST = 0.1
"""Games are followed down to this chance survived."""

RIDGE = 1e-2
"""Share of the data's own spread that is added to it: chosen on the positions held out."""

Floats = NDArray[Any]
Guesses = tuple[Floats, Floats, float]
"""What describes each guess of a position times its standing; its worth; the position's weight."""


def record(seconds: float, net: Net, seed: int) -> list[Guesses]:
    """Play for so long; return the positions met."""
    rng, found, game, end = np.random.default_rng(seed), list[Guesses](), 0, time.time() + seconds
    while time.time() < end:
        rows, cols, mines, first, zero = BOARDS[game % len(BOARDS)]
        play, room = (begin_state(untouched_field(rows, cols), cols, mines) for _ in range(2))
        place = (first + 1) * (cols + 3)
        order = rng.permutation(rows * cols).astype(np.int32)
        lay_mines(play, order, cols, place, mines, zero)
        open_cell(play, place)
        found += record_game(play, room, net, rng)
        game += 1
    return found


def record_game(
    play: GameState, room: GameState, net: Net, rng: np.random.Generator
) -> list[Guesses]:
    """Play one game by look-ahead; try the candidates of half of its guesses."""
    found, survived = [], 1.0
    random = np.array([rng.integers(1 << 62)], np.uint64)
    while survived > FAINTEST:
        over, counted = advance(play)
        if over or counted.log_layouts <= log(Limit().layouts):
            break
        cell = choose(play, counted, net, Limit()).cell
        if rng.random() < 0.5 and independent_guess(play, counted, Limit()) is None:
            cells = some_candidates(play, counted, net, rng)
            if cells.size > 1:
                first = int(rng.integers(1 << 60))
                found.append((*try_cells(play, counted, room, net, cells, first), survived))
        survived *= 1.0 - risk_of(counted, cell)
        while play.mined[cell]:
            draw_layout(play.field, counted, random, play.mined)
        open_cell(play, cell)
    return found


def some_candidates(
    play: GameState, counted: LayoutCounts, net: Net, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the four best candidates, one other, and up to three cells that are none."""
    ten, worth = candidate_values(play, counted, net, Limit())
    ten = ten[np.argsort(-worth, kind="stable")]
    wide, _ = candidates(play, counted, 0.08, 400)
    others = np.setdiff1d(wide, ten)
    chosen = [*ten[:4], *rng.permutation(ten[4:])[:1], *rng.permutation(others)[:3]]
    return np.array(chosen, np.int64)


def try_cells(
    play: GameState,
    counted: LayoutCounts,
    room: GameState,
    net: Net,
    cells: NDArray[np.int64],
    first: int,
) -> tuple[Floats, Floats]:
    """Return what describes each cell, and what it is worth, both in chances to win."""
    standing, safe = estimate(net, play, counted), [1.0 - risk_of(counted, cell) for cell in cells]
    described = np.zeros((cells.size, JUDGED))
    for at, cell in enumerate(cells):
        describe_guess(play, net, cell, safe[at], standing, described[at], np.empty(9), np.empty(9))
    means, values = forecast_numbers(play, net, cells)
    copy_state(room, play)
    gains = try_worlds(play, counted, cells, values, room, first, WORLDS)
    return described * standing, np.array(safe) * means + gains.mean(0)


def fit(described: Floats, worth: Floats, position: Floats, weight: Floats) -> Floats:
    """Return the weights of the judge, from arrays with one row a guess."""
    inputs, targets = centred(described, position), centred(worth, position)
    scale = np.sqrt((inputs**2).mean(0)) + 1e-6
    scaled = inputs / scale
    weighted = scaled * weight[:, None]
    squares = weighted.T @ scaled + RIDGE * len(scaled) * np.eye(scaled.shape[1])
    judge = np.linalg.solve(squares, weighted.T @ targets) / scale
    best = [
        np.flatnonzero(position == at)[(described @ judge)[position == at].argmax()]
        for at in np.unique(position)
    ]
    apart = (described[best, FEATURES + 1] - described[best] @ judge) / described[best, -1]
    judge[-1] += apart.mean()
    return np.asarray(judge)


def centred(values: Floats, position: Floats) -> Floats:
    """Take the mean of its position off each row."""
    sums = np.zeros((position.max() + 1, *values.shape[1:]))
    np.add.at(sums, position, values)
    counts = np.bincount(position).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(values - (sums / np.maximum(counts, 1))[position])


def explained(judge: Floats, described: Floats, worth: Floats, position: Floats) -> float:
    """Return the correlation between judged and found differences, noise of the worlds included."""
    judged, found = centred(described @ judge, position), centred(worth, position)
    return float((judged * found).sum() / np.sqrt((judged**2).sum() * (found**2).sum()))


def main() -> None:
    """Record, or fit and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--record", type=float, metavar="SECONDS")
    parser.add_argument("--fit", type=Path, metavar="OUT.npz")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net = load_net()
    if options.record:
        found = record(options.record, net, options.seed)
        counts = [len(worth) for _, worth, _ in found]
        np.savez(
            options.data,
            described=np.concatenate([described for described, _, _ in found]),
            worth=np.concatenate([worth for _, worth, _ in found]),
            position=np.repeat(np.arange(len(found)), counts),
            weight=np.repeat([weight for _, _, weight in found], counts),
        )
        print(f"{len(found)} positions recorded")
    if options.fit:
        with np.load(options.data) as file:
            data = {name: file[name] for name in ("described", "worth", "position", "weight")}
        held = data["position"] % 8 == 0
        rest = {name: part[~held] for name, part in data.items()}
        tested = [data[name][held] for name in ("described", "worth", "position")]
        plain = np.eye(JUDGED)[FEATURES + 1]
        for name, judge in (("net alone", plain), ("judge", fit(**rest))):
            print(f"{name}: correlation {explained(judge, *tested):.3f} on positions held out")
        np.savez(options.fit, **net._replace(judge=fit(**data))._asdict())


if __name__ == "__main__":
    main()

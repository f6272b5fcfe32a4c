"""Make solver/search/value_net.npz: play games against oneself, fit the net to their chances.

    python -m tests.bench.train_value OUT.npz [--records N] [--from NET.npz] [--seed S]

A game is played by least risk, or by look-ahead with the net given by ``--from``. One guess in it
is made at random, and all positions after that are recorded: stuck ones, and those right after
the number of a guess was seen. The target is the product of the chances to survive from there to
the end, which the exact search gives. Two million records take about ten minutes on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from solver.exact.kernels import kernel
from solver.exact.probability import risk_of
from solver.exact.sampling import draw_layout, uniform
from solver.search.cell_net import load_cell_net
from solver.search.endgame.best_play import search_endgame
from solver.search.game_state import COVERED, UNKNOWN_MINES, begin_state, study_state
from solver.search.guess import choose
from solver.search.limit import Limit
from solver.search.lookahead import candidates, end_trial, show_number, start_trial
from solver.search.value_net import (
    BY_NET,
    FEATURES,
    FOLLOWING,
    JUDGED,
    Net,
    features,
    load_net,
    save_net,
)
from solver.search.whole_games import (
    copy_state,
    lay_mines,
    open_by_rules,
    open_cell,
    open_proven,
    safest,
    untouched_field,
)

SHARES = {
    (16, 30, 99, (0, 0), False): 0.56,
    (16, 30, 99, (3, 3), True): 0.24,
    (16, 16, 40, (0, 0), False): 0.14,
    (16, 16, 40, (2, 2), True): 0.03,
    (9, 9, 10, (0, 0), False): 0.02,
    (9, 9, 10, (2, 2), True): 0.01,
}
"""Boards and rules to learn from, and how much of each."""

LIGHT = Limit(layouts=60, positions=2_000, candidates=8, tolerance=0.05, finalists=0)


def record_game(  # type: ignore[no-untyped-def]  # noqa: PLR0912
    play, random, net, limit, use_net, explore_at, into, target, used
):
    """Play to the end; add what was seen after guess ``explore_at`` (all of it below 0)."""
    chance, guesses, first, keep = 1.0, 0, used, explore_at < 0
    while True:
        open_by_rules(play)
        if play.counts[COVERED] == play.counts[UNKNOWN_MINES]:
            break
        known = study_state(play)
        if open_proven(play, known):
            continue
        keep &= used + 2 <= into.shape[0]
        if keep:
            features(play, known, into[used])
            target[used] = chance
            used += 1
        if known.log_layouts <= np.log(limit.layouts):
            exact = search_endgame(play, known, limit)
            if exact is not None:
                chance *= exact[1]
                break
        if guesses == explore_at:
            cells, _ = candidates(play, known, net, 0.1, 40)
            if uniform(random) < 0.5:
                cells, _ = candidates(play, known, net, 0.04, 8)
            cell = int(cells[int(uniform(random) * cells.size)])
            keep = used + 2 <= into.shape[0]
        elif use_net:
            cell = choose(play, known, net, limit).cell
        else:
            cell = safest(play, known)
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        while play.mined[cell]:
            draw_layout(play.field, known, random, play.mined)
        if keep:
            number = 0
            for step in play.near:
                number += play.mined[cell + step]
            mines, hidden = start_trial(play, cell)
            show_number(play, cell, number, mines, hidden)
            features(play, study_state(play), into[used])
            target[used] = chance
            used += 1
            end_trial(play, cell)
        open_cell(play, cell)
    for at in range(first, used):
        target[at] = chance / target[at]
    return used


@kernel
def shuffle(order, random):  # type: ignore[no-untyped-def]
    """Shuffle an array in place."""
    for at in range(order.size):
        other = at + int(uniform(random) * (order.size - at))
        order[at], order[other] = order[other], order[at]


def record(rows, cols, mines, first, zero, net, limit, use_net, seed, into, target):  # type: ignore[no-untyped-def]
    """Fill ``into`` with features and ``target`` with what became of the positions."""
    random = np.array([seed], np.uint64)
    field = untouched_field(rows, cols)
    play, base = begin_state(field, cols, mines), begin_state(field, cols, mines)
    order = np.arange(rows * cols).astype(np.int32)
    used = 0
    while used + 2 <= into.shape[0]:
        shuffle(order, random)
        copy_state(play, base)
        lay_mines(play, order, cols, first, mines, zero)
        open_cell(play, first)
        chosen = uniform(random)
        explore_at = -1
        if chosen >= 0.25:
            explore_at = 0 if chosen < 0.5 else int((chosen - 0.5) * 16)
        used = record_game(play, random, net, limit, use_net, explore_at, into, target, used)
    return used


def blank_net(inner: int = 48, middle: int = 24) -> Net:
    """Return a net of the right shape that knows nothing."""
    return Net(
        np.zeros((inner, FEATURES)),
        np.zeros(inner),
        np.zeros((middle, inner)),
        np.zeros(middle),
        np.zeros(middle),
        np.zeros(1),
        np.eye(JUDGED)[BY_NET],  # judges that believe the net
        np.eye(JUDGED + FOLLOWING)[BY_NET],
        load_cell_net(),
    )


def fit(inputs: np.ndarray, target: np.ndarray, seed: int, epochs: int = 7) -> Net:  # type: ignore[type-arg]
    """Fit by Adam on cross-entropy, batches of 2,048, the rate falling as a cosine."""
    rng = np.random.default_rng(seed)
    mean, scale = inputs.mean(0), inputs.std(0) + 1e-9
    scaled = ((inputs - mean) / scale).astype(np.float32)
    order = rng.permutation(len(scaled))
    held, rest = order[: len(order) // 20], order[len(order) // 20 :]
    weights = [
        rng.normal(0, (2 / max(1, part.shape[-1])) ** 0.5, part.shape) * (part.ndim > 1)
        for part in blank_net()[:-3]
    ]
    weights[4] = rng.normal(0, weights[4].size ** -0.5, weights[4].shape)
    weights = [part.astype(np.float32) for part in weights]
    batch = 2048
    adam = Adam(weights, epochs * (len(rest) // batch), 4e-3)
    for epoch in range(epochs):
        rng.shuffle(rest)
        for start in range(0, len(rest) - batch + 1, batch):
            chosen = rest[start : start + batch]
            error = (forward(weights, scaled[chosen])[2] - target[chosen]) / batch
            adam.step(gradients(weights, scaled[chosen], error))
        error = ((forward(weights, scaled[held])[2] - target[held]) ** 2).mean()
        print(f"epoch {epoch + 1}: squared error {error:.5f} of {target[held].var():.5f}")
    first = weights[0].astype(float) / scale
    bias = weights[1].astype(float) - first @ mean
    rest = (part.astype(float) for part in weights[2:])
    return Net(first, bias, *rest, *blank_net()[-3:])


class Adam:
    """Moves weights, in place, against their gradients; the rate falls as a cosine."""

    def __init__(self, weights, steps: int, rate: float) -> None:  # type: ignore[no-untyped-def]
        self._weights = weights
        self._steps = steps
        self._rate = rate
        self._done = 0
        self._slopes = [np.zeros_like(part) for part in weights]
        self._squares = [np.zeros_like(part) for part in weights]

    def step(self, slopes) -> None:  # type: ignore[no-untyped-def]
        """Take one step."""
        self._done += 1
        rate = self._rate * 0.5 * (1 + np.cos(np.pi * self._done / self._steps)) + 1e-5
        for at, slope in enumerate(slopes):
            self._slopes[at] = 0.9 * self._slopes[at] + 0.1 * slope
            self._squares[at] = 0.999 * self._squares[at] + 0.001 * slope**2
            rise = self._slopes[at] / (1 - 0.9**self._done)
            spread = np.sqrt(self._squares[at] / (1 - 0.999**self._done))
            self._weights[at] -= rate * rise / (spread + 1e-8)


def forward(weights, inputs):  # type: ignore[no-untyped-def]
    """Return what both hidden layers hold, and the value."""
    inner = np.maximum(inputs @ weights[0].T + weights[1], 0)
    middle = np.maximum(inner @ weights[2].T + weights[3], 0)
    return inner, middle, 1 / (1 + np.exp(-(middle @ weights[4] + weights[5])))


def gradients(weights, inputs, error):  # type: ignore[no-untyped-def]
    """Return the slopes of the weights, given those of the value before the last sigmoid."""
    inner, middle, _ = forward(weights, inputs)
    error = error.astype(np.float32)
    back = np.outer(error, weights[4]) * (middle > 0)
    deep = (back @ weights[2]) * (inner > 0)
    return [
        deep.T @ inputs,
        deep.sum(0),
        back.T @ inner,
        back.sum(0),
        middle.T @ error,
        error.sum(keepdims=True),
    ]


def main() -> None:
    """Play, fit, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--records", type=int, default=2_100_000)
    parser.add_argument("--from", dest="start", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net = load_net(options.start) if options.start else blank_net()
    inputs, targets = [], []
    for (rows, cols, mines, (row, col), zero), share in SHARES.items():
        into = np.empty((int(options.records * share), FEATURES))
        target = np.empty(len(into))
        first = (row + 1) * (cols + 2) + col + 1
        setting = (rows, cols, mines, first, zero, net, LIGHT, options.start is not None)
        used = record(*setting, options.seed, into, target)
        inputs.append(into[:used].astype(np.float32))
        targets.append(target[:used].astype(np.float32))
        print(f"{rows}x{cols} with {mines}: {used} records")
    fitted = fit(np.concatenate(inputs), np.concatenate(targets), options.seed)
    save_net(fitted, options.out)


if __name__ == "__main__":
    main()

"""Refine solver/search/value_net.npz: teach the net which of several guesses is better.

    python -m tests.bench.refine_value OUT.npz [--positions N] [--seed S]

Where a game by look-ahead comes to a guess, up to CANDIDATES close ones are tried in the same
WORLDS drawn worlds each, played on through AHEAD guesses of least risk and then valued by the net.
What the net says of the number shown is taken off and its mean put back: less noise, the same
mean. The net is then fitted to the differences between the candidates of a position, which value
alone tells badly: they are a tenth of the noise of what becomes of a game.
Fifty thousand positions take about half an hour on one core.
"""

from __future__ import annotations

import argparse
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel
from solver.exact.probability import count_layouts, risk_of
from solver.exact.sampling import draw_layout, uniform
from solver.search.game_state import COVERED, UNKNOWN_MINES, begin_state
from solver.search.limit import Limit
from solver.search.lookahead import candidate_values, end_trial, show_number, start_trial
from solver.search.value_net import FEATURES, Net, features, load_net, save_net, value
from solver.search.whole_games import (
    advance,
    copy_state,
    lay_mines,
    open_cell,
    safest,
    untouched_field,
)
from solver.thinking.playouts import SPREAD
from tests.bench.train_value import Adam, forward, gradients

SHARES = {
    (16, 30, 99, (0, 0), False): 0.79,
    (16, 30, 99, (3, 3), True): 0.17,
    (16, 16, 40, (0, 0), False): 0.04,
}
"""Boards and rules to learn from, and how much of each."""

CANDIDATES, WORLDS, AHEAD = 6, 12, 2
WIDE = Limit(candidates=30, tolerance=0.08)
CLOSE = 0.88
"""Candidates worth less than this share of the best are left out."""

FAINTEST = 0.08
"""Games are followed down to this chance survived."""

Floats = NDArray[Any]


class Records(NamedTuple):
    """Positions with candidates.

    ``inputs[position, candidate, number]`` are the features after the candidate showed the
    number, ``chance`` of the same shape without the last axis how likely it does; ``safe`` and
    ``worth`` are ``[position, candidate]``, worth given that the candidate is safe; ``weight``
    is the chance survived so far, ``count`` the candidates there are.
    """

    inputs: Floats
    chance: Floats
    safe: Floats
    worth: Floats
    weight: Floats
    count: Floats


def room_for(positions: int) -> Records:
    """Return empty records."""
    each = (positions, CANDIDATES)
    return Records(
        np.zeros((*each, 9, FEATURES), np.float32),
        np.zeros((*each, 9), np.float32),
        np.zeros(each),
        np.zeros(each),
        np.zeros(positions),
        np.zeros(positions, np.int64),
    )


@kernel
def foretell(play, cell, net, inputs, chance, values):  # type: ignore[no-untyped-def]
    """Fill in features, chances and values by the number a safe cell shows; return the mean."""
    mines, hidden = start_trial(play, cell)
    logs = np.full(9, -1e300)
    row = np.zeros(FEATURES)
    values[:] = 0.0
    for number in range(mines, mines + hidden + 1):
        show_number(play, cell, number, mines, hidden)
        after = count_layouts(
            play.field,
            play.near,
            play.need,
            play.around,
            play.counts[COVERED],
            play.counts[UNKNOWN_MINES],
        )
        if after.fits:
            logs[number] = after.log_layouts
            values[number] = 1.0
            if after.log_layouts > 1e-6:
                features(play, after, row)
                inputs[number] = row
                values[number] = value(net, row)
    end_trial(play, cell)
    weights = np.exp(logs - logs.max())
    chance[:] = weights / weights.sum()
    return (weights * values).sum() / weights.sum()


@kernel
def play_on(room, net, random):  # type: ignore[no-untyped-def]
    """Play through AHEAD guesses; return the chance survived times the value there."""
    chance, guesses = 1.0, 0
    while True:
        over, known = advance(room)
        if over:
            return chance
        if guesses == AHEAD:
            row = np.empty(FEATURES)
            features(room, known, row)
            return chance * value(net, row)
        cell = safest(room, known)
        chance *= 1.0 - risk_of(known, cell)
        guesses += 1
        while room.mined[cell]:
            draw_layout(room.field, known, random, room.mined)
        open_cell(room, cell)


@kernel
def compare(play, known, room, net, cells, random, records, at):  # type: ignore[no-untyped-def]
    """Fill in one record: the candidates ``cells``, all in the same worlds."""
    values = np.zeros((cells.size, 9))
    for nth in range(cells.size):
        records.safe[at, nth] = 1.0 - risk_of(known, cells[nth])
        records.worth[at, nth] = foretell(
            play,
            cells[nth],
            net,
            records.inputs[at, nth],
            records.chance[at, nth],
            values[nth],
        )
    state = np.zeros(1, np.uint64)
    for world in range(WORLDS):
        for nth in range(cells.size):
            state[0] = random[0] + np.uint64(world + 1) * SPREAD
            copy_state(room, play)
            draw_layout(play.field, known, state, room.mined)
            while room.mined[cells[nth]]:
                draw_layout(play.field, known, state, room.mined)
            number = 0
            for step in play.near:
                number += room.mined[cells[nth] + step]
            open_cell(room, cells[nth])
            gain = play_on(room, net, state) - values[nth, number]
            records.worth[at, nth] += gain / WORLDS


def record_game(play, room, random, net, limit, records, used):  # type: ignore[no-untyped-def]
    """Play by look-ahead; compare the candidates of each guess before the endgame."""
    survived = 1.0
    while True:
        over, known = advance(play)
        if over or known.log_layouts <= log(limit.layouts) or survived < FAINTEST:
            return used
        cells, worth = candidate_values(play, known, net, limit)
        order = np.argsort(-worth)
        cell = cells[order[0]]
        close = (worth >= max(CLOSE * worth[order[0]], 1e-9)).sum()
        if close > 1 and used < records.weight.size:
            chosen = cells[order[:close]].copy()
            for at in range(CANDIDATES // 2, close):  # the best half, then any
                other = at + int(uniform(random) * (close - at))
                chosen[at], chosen[other] = chosen[other], chosen[at]
            chosen = chosen[:CANDIDATES]
            compare(play, known, room, net, chosen, random, records, used)
            records.weight[used] = survived
            records.count[used] = chosen.size
            used += 1
        survived *= 1.0 - risk_of(known, cell)
        while play.mined[cell]:
            draw_layout(play.field, known, random, play.mined)
        open_cell(play, cell)


def record(rows, cols, mines, first, zero, net, positions, seed):  # type: ignore[no-untyped-def]
    """Return ``positions`` records of one size of board."""
    rng = np.random.default_rng(seed)
    records, field, used = room_for(positions), untouched_field(rows, cols), 0
    place = (first[0] + 1) * (cols + 2) + first[1] + 1
    while used < positions:
        play, room = begin_state(field, cols, mines), begin_state(field, cols, mines)
        lay_mines(play, rng.permutation(rows * cols).astype(np.int32), cols, place, mines, zero)
        open_cell(play, place)
        random = np.array([rng.integers(1 << 62)], np.uint64)
        used = record_game(play, room, random, net, WIDE, records, used)
    return records


def fit(records: Records, net: Net, seed: int, epochs: int = 8, batch: int = 256) -> Net:
    """Fit the net to the differences between candidates, and a little to their mean.

    It is drawn to where it started; one record in eight is held out to show what was gained.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(records.weight))
    held, rest = order[: len(order) // 8], order[len(order) // 8 :]
    scale = records.inputs[rest[:5000]].reshape(-1, FEATURES).std(0) + 1e-3
    weights = [part.astype(np.float32) for part in net[:-2]]  # the judges stay
    weights[0] *= scale
    start = [part.copy() for part in weights]
    _show("before", records, held, start, weights, scale)
    adam = Adam(weights, epochs * (len(rest) // batch), 1e-3)
    for epoch in range(epochs):
        rng.shuffle(rest)
        for first in range(0, len(rest) - batch + 1, batch):
            slopes = _slopes(_take(records, rest[first : first + batch]), weights, scale)
            pulls = [2e-4 * (now - then) for now, then in zip(weights, start, strict=True)]
            adam.step([slope + pull for slope, pull in zip(slopes, pulls, strict=True)])
        _show(f"epoch {epoch + 1}", records, held, start, weights, scale)
    weights[0] /= scale
    return Net(*(part.astype(float) for part in weights), *net[-3:])


def _take(records: Records, which: Floats) -> Records:
    return Records(*(part[which] for part in records))


def _estimate(part: Records, weights, scale):  # type: ignore[no-untyped-def]
    """Return each candidate's chance to win by the net, with what the slopes need."""
    inputs = part.inputs.reshape(-1, FEATURES) / scale
    open_ = inputs.any(1)  # no features: the number settles the board
    values = np.where(open_, forward(weights, inputs)[2], 1.0)
    worth = part.safe * (part.chance * values.reshape(part.chance.shape)).sum(2)
    return worth, inputs, values * (1 - values) * open_


def _apart(values: Floats, there: Floats) -> Floats:
    """Return values less the mean of their position."""
    mean = (values * there).sum(1, keepdims=True) / there.sum(1, keepdims=True)
    return np.asarray((values - mean) * there)


def _slopes(part: Records, weights, scale):  # type: ignore[no-untyped-def]
    there = np.arange(CANDIDATES) < part.count[:, None]
    worth, inputs, bend = _estimate(part, weights, scale)
    error = (worth - part.safe * part.worth) * there
    mean = error.sum(1, keepdims=True) / part.count[:, None]
    slope = 2 * np.sqrt(part.weight)[:, None] * _apart(error, there) / there.sum()
    slope += 2 * 0.02 * mean * there / part.count[:, None] / len(mean)
    back = (slope * part.safe)[:, :, None] * part.chance
    return gradients(weights, inputs, back.ravel() * bend)


def _show(tag: str, records: Records, held: Floats, start, weights, scale) -> None:  # type: ignore[no-untyped-def]
    """Print what is won a guess on the records held out, by choosing with the new weights."""
    gains, errors = [], []
    for at in range(0, len(held), 1000):
        part = _take(records, held[at : at + 1000])
        there = np.arange(CANDIDATES) < part.count[:, None]
        truth = part.safe * part.worth
        new, old = (_estimate(part, which, scale)[0] for which in (weights, start))
        best = [np.where(there, worth, -1.0).argmax(1)[:, None] for worth in (new, old)]
        took = [np.take_along_axis(truth, which, 1)[:, 0] for which in best]
        gains.append(part.weight * (took[0] - took[1]))
        errors.append(_apart(new - truth, there)[there] ** 2)
    gain = np.concatenate(gains)
    print(
        f"{tag}: squared error {np.concatenate(errors).mean():.6f}, chance gained a guess "
        f"{100 * gain.mean():+.3f} ± {100 * gain.std() / len(gain) ** 0.5:.3f} points",
        flush=True,
    )


def main() -> None:
    """Play, fit, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--positions", type=int, default=54_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net, parts = load_net(), []
    for board, share in SHARES.items():
        parts.append(record(*board, net, int(options.positions * share), options.seed))
        print(f"{board[0]}x{board[1]} with {board[2]}: {len(parts[-1].weight)} positions")
    records = Records(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    save_net(fit(records, net, options.seed), options.out)


if __name__ == "__main__":
    main()

"""The value net: it estimates the win chance of a position that is too large to search.

A small network over features of the exact layout counts. It was fitted to the survival of games
that it played itself, then to the differences between guesses in the same layouts (see
``tests/bench/train_value.py`` and ``tests/bench/refine_value.py``). It tells positions apart far
better than the guesses of one position; the weights of two judges correct that (see `lookahead`,
and ``tests/bench/fit_judge.py``). All order guesses; they never decide what is safe.
"""

from __future__ import annotations

from math import exp, log, log1p
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN, MINE
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, risk_of
from solver.search.cell_net import CellNet, load_cell_net
from solver.search.game_state import COVERED, UNKNOWN_MINES, GameState

FEATURES: Final = 36
"""How many numbers describe a position."""

SAFEST: Final = 6
"""How many of the lowest risks above 0 are among them; they come last."""

CERTAIN: Final = 14
"""Place of the number of certainly safe cells."""

JUDGED: Final = 2 * FEATURES + 6
"""How many numbers describe a guess (see `lookahead.describe_guess`)."""

SURVIVES_NEXT, BY_NET, RATED, SAFE, EDGES, CONSTANT = range(2 * FEATURES, JUDGED)
"""Places of the last six of them."""

FOLLOWING: Final = 3
"""How many numbers describe the guess after it (see `lookahead.describe_next`)."""


class Net(NamedTuple):
    """Weights of two hidden layers and of the output, of the judges of guesses, and the cell net.

    ``judge`` weighs the JUDGED numbers of a guess, ``last_judge`` these and the FOLLOWING of the
    guess after it.
    """

    first: NDArray[np.float64]
    first_bias: NDArray[np.float64]
    second: NDArray[np.float64]
    second_bias: NDArray[np.float64]
    out: NDArray[np.float64]
    out_bias: NDArray[np.float64]
    judge: NDArray[np.float64]
    last_judge: NDArray[np.float64]
    cells: CellNet


SAVED: Final = Net._fields[:-1]
"""What a file holds: all but the cell net."""

SHIPPED: Final = Path(__file__).parent / "value_net.npz"
"""The file that ships with the package."""


@kernel
def features(  # noqa: PLR0912, PLR0915  one pass over the cells, one line a feature
    state: GameState, counted: LayoutCounts, into: NDArray[np.float64]
) -> None:
    """Fill ``into`` with the FEATURES numbers that describe a position.

    ``counted`` are its layout counts.
    """
    into[:] = 0.0
    hidden, mines = state.counts[COVERED], state.counts[UNKNOWN_MINES]
    risks = into[FEATURES - SAFEST :]
    risks[:] = 1.0
    for cell in range(state.field.size):
        if state.field[cell] != HIDDEN:
            continue
        super_cell = counted.constraints.super_cell_of[cell]
        covered, unconstrained, zero = 0, 0, 1.0
        for step in state.near:
            other = cell + step
            if state.field[other] == HIDDEN:
                covered += 1
                unconstrained += counted.constraints.super_cell_of[other] < 0
                zero *= 1.0 - risk_of(counted, other)
            elif state.field[other] == MINE:
                zero = 0.0
        if super_cell < 0:
            risk = counted.totals.unconstrained_risk
            into[0] += covered < 8
            into[1] += covered <= 5
            into[2] += covered <= 3
            into[3] += covered == 0
            into[4] += unconstrained < covered
        else:
            risk = counted.risk[super_cell]
            into[5] += 1.0
            into[6] += risk * (1.0 - risk)
            into[7] += abs(risk - 0.5) < 0.1
            into[8] += risk == 1.0
            into[9] += covered == 0
            into[10] += unconstrained > 0
            into[11] += unconstrained
            if 0.0 < risk < 1.0:
                into[12] += -risk * log(risk) - (1.0 - risk) * log1p(-risk)
                into[13] += covered <= 1
        if risk == 0.0:
            into[14] += 1.0
            into[15] += covered
            into[16] += unconstrained
            into[24] += zero * (covered > 0)
            into[25] = max(into[25], zero * (covered > 0))
            continue
        if (1.0 - risk) * zero > into[26]:
            into[27] = into[26]
            into[26] = (1.0 - risk) * zero
        elif (1.0 - risk) * zero > into[27]:
            into[27] = (1.0 - risk) * zero
        into[28] += (1.0 - risk) * zero
        if risk < risks[SAFEST - 1]:
            place = SAFEST - 1
            while place > 0 and risks[place - 1] > risk:
                risks[place] = risks[place - 1]
                place -= 1
            risks[place] = risk
    into[17] = counted.constraints.need.size
    into[18] = counted.order.first.size - 1
    into[19] = counted.unconstrained
    into[20] = counted.totals.unconstrained_risk if counted.unconstrained > 0 else 0.0
    into[21] = hidden - mines
    into[22] = counted.log_layouts
    into[23] = mines / max(1, hidden)
    into[29] = counted.log_layouts / (1.0 + hidden)
    for place in range(20):
        into[place] = log1p(into[place])
    into[21] = log1p(into[21])
    into[22] = log1p(into[22])
    into[24] = log1p(into[24])
    into[28] = log1p(into[28])


@kernel
def value(net: Net, inputs: NDArray[np.float64]) -> float:
    """Return the estimated win chance for the features ``inputs``."""
    middle = np.empty(net.second.shape[0])
    inner = np.empty(net.first.shape[0])
    for row in range(inner.size):
        total = net.first_bias[row]
        for column in range(inputs.size):
            total += net.first[row, column] * inputs[column]
        inner[row] = max(total, 0.0)
    for row in range(middle.size):
        total = net.second_bias[row]
        for column in range(inner.size):
            total += net.second[row, column] * inner[column]
        middle[row] = max(total, 0.0)
    total = net.out_bias[0]
    for column in range(middle.size):
        total += net.out[column] * middle[column]
    return 1.0 / (1.0 + exp(-total))


@kernel
def estimate(net: Net, state: GameState, counted: LayoutCounts) -> float:
    """Return the estimated win chance of a state; ``counted`` are its layout counts."""
    inputs = np.empty(FEATURES)
    features(state, counted, inputs)
    return value(net, inputs)


def load_net(path: Path = SHIPPED) -> Net:
    """Return the value net and the judges of a file, with the cell net of the package."""
    cells = load_cell_net()
    with np.load(path) as file:
        saved = [np.ascontiguousarray(file[name], np.float64) for name in SAVED]
    return Net._make([*saved, cells])


def save_net(net: Net, path: Path) -> None:
    """Write the value net and the judges to a file."""
    np.savez(path, **{name: getattr(net, name) for name in SAVED})

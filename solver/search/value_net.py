"""A learned guess at the chance to win from a position, where no search can tell.

A small net over features of the exact study, fitted to the survival products of self-played
games, then to the differences between guesses in the same worlds. It orders guesses and ends
roll-outs early; it never decides what is safe.
"""

from __future__ import annotations

from math import exp, log, log1p
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.codes import HIDDEN, MINE
from solver.kernels import kernel
from solver.play import COVERED, UNKNOWN_MINES, Play
from solver.probability import Study

FEATURES: Final = 36
"""How many numbers describe a position."""

SAFEST: Final = 6
"""How many of the lowest risks are among them."""


class Net(NamedTuple):
    """Weights of two hidden layers and the output; inputs are used as `features` gives them."""

    first: NDArray[np.float64]
    first_bias: NDArray[np.float64]
    second: NDArray[np.float64]
    second_bias: NDArray[np.float64]
    out: NDArray[np.float64]
    out_bias: NDArray[np.float64]


@kernel
def _risk(known: Study, cell: int) -> float:
    group = known.parts.of[cell]
    return known.shares.elsewhere if group < 0 else known.risk[group]


@kernel
def features(  # noqa: PLR0912, PLR0915  one pass over the cells, one line a feature
    play: Play, known: Study, into: NDArray[np.float64]
) -> None:
    """Describe a position that has been studied."""
    into[:] = 0.0
    hidden, mines = play.counts[COVERED], play.counts[UNKNOWN_MINES]
    risks = into[FEATURES - SAFEST :]
    risks[:] = 1.0
    for cell in range(play.field.size):
        if play.field[cell] != HIDDEN:
            continue
        group = known.parts.of[cell]
        covered, loose, zero = 0, 0, 1.0
        for step in play.near:
            other = cell + step
            if play.field[other] == HIDDEN:
                covered += 1
                loose += known.parts.of[other] < 0
                zero *= 1.0 - _risk(known, other)
            elif play.field[other] == MINE:
                zero = 0.0
        if group < 0:
            risk = known.shares.elsewhere
            into[0] += covered < 8
            into[1] += covered <= 5
            into[2] += covered <= 3
            into[3] += covered == 0
            into[4] += loose < covered
        else:
            risk = known.risk[group]
            into[5] += 1.0
            into[6] += risk * (1.0 - risk)
            into[7] += abs(risk - 0.5) < 0.1
            into[8] += risk == 1.0
            into[9] += covered == 0
            into[10] += loose > 0
            into[11] += loose
            if 0.0 < risk < 1.0:
                into[12] += -risk * log(risk) - (1.0 - risk) * log1p(-risk)
                into[13] += covered <= 1
        if risk == 0.0:
            into[14] += 1.0
            into[15] += covered
            into[16] += loose
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
    into[17] = known.parts.need.size
    into[18] = known.order.first.size - 1
    into[19] = known.loose
    into[20] = known.shares.elsewhere if known.loose > 0 else 0.0
    into[21] = hidden - mines
    into[22] = known.log_layouts
    into[23] = mines / max(1, hidden)
    into[29] = known.log_layouts / (1.0 + hidden)
    for place in range(20):
        into[place] = log1p(into[place])
    into[21] = log1p(into[21])
    into[22] = log1p(into[22])
    into[24] = log1p(into[24])
    into[28] = log1p(into[28])


@kernel
def value(net: Net, inputs: NDArray[np.float64]) -> float:
    """Return the estimated chance to win."""
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


def load_net() -> Net:
    """Return the net that ships with the package."""
    with np.load(Path(__file__).parent / "value.npz") as file:
        return Net(*(np.ascontiguousarray(file[name], np.float64) for name in Net._fields))

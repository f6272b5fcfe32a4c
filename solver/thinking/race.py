"""Which candidates are still in the race, and who leads: successive elimination.

A candidate's estimate is its forecast plus the mean of what the worlds added to it, drawn towards
the forecast while there are few worlds. Candidates are compared world by world, because what a
world gives to one it mostly gives to the others too.
"""

from __future__ import annotations

from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

PRIOR_WORLDS: Final = 40.0
PRIOR_GROWTH: Final = 75.0
"""How many worlds the forecast counts for where few layouts are left, and by how much their
logarithm grows while that number grows by a factor of e. It is the square of how much one world
errs between two candidates, 11 to 13 points, over how much the judge does: 1.9 points at 10 to 20,
1.5 at 20 to 60, 1.1 at 80 to 150 and 0.5 above 180 (2,400 positions at expert)."""

TRUST: Final = 0.85
"""How far even endless roll-outs count against the judge, because `deep` plays on better than they
do: by the share that fits to games of `deep` give them, played on after each guess. 0.71 ± 0.14 of
0.71 + 0.10 where e ** 9 to e ** 50 layouts are left (83 positions, 24 games a guess, 512 worlds),
0.46 of 0.46 + 0.32 at all guesses (53 positions, 60 games a guess, 500 worlds). Measured with
roll-outs of least risk; those of the cell net play better, so that this may be too cautious."""

DROPPED_AT: Final = 2.0
"""Standard errors behind the leader at which a candidate is dropped, the forecast counted as
`prior_worlds` worlds."""


def prior_worlds(log_layouts: float) -> float:
    """Return how many worlds the judge's forecast counts for, by how many layouts are left."""
    return PRIOR_WORLDS * exp(log_layouts / PRIOR_GROWTH)


def estimates(forecasts: Values, gains: Values, prior: float) -> Values:
    """Return each candidate's estimated chance to win, on a scale of their own.

    Roll-outs play less well than `deep`, so all estimates are too low by about as much.
    ``forecasts`` is ``[cell]``, the judge's; ``gains`` is ``[world, cell]``, what each world adds;
    ``prior`` is that of `prior_worlds`.
    """
    believed = TRUST * len(gains) / (len(gains) + prior)
    return np.asarray(forecasts + believed * gains.sum(0) / max(1, len(gains)))


def in_the_race(forecasts: Values, gains: Values, prior: float) -> NDArray[np.bool_]:
    """Return which candidates are not clearly behind the leader, who always is among them."""
    found = estimates(forecasts, gains, prior)
    leader = int(found.argmax())
    errors = (gains - gains[:, [leader]]).std(0) / np.sqrt(len(gains) + prior)
    return np.asarray(found[leader] - found <= DROPPED_AT * errors)

"""Which candidates are still in the race, and who leads: successive elimination.

A candidate's estimate is its forecast plus the mean of what the worlds added to it, drawn towards
the forecast while there are few worlds. Candidates are compared world by world, because what a
world gives to one it mostly gives to the others too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

PRIOR_WORLDS: Final = 150.0
"""How many worlds the forecast counts for. The judge errs by about 1.1 points between candidates,
and one world by 13.9: (13.9 / 1.1) ** 2 (131 positions at expert, 500 worlds a candidate)."""

TRUST: Final = 0.65
"""How far even endless roll-outs count against the judge, because `deep` plays on better than they
do: the share that a fit to whole games of `deep` gives them (0.46 of 0.32 + 0.46, with 500 worlds;
53 positions, 60 games a guess)."""

DROPPED_AT: Final = 2.0
"""Standard errors behind the leader at which a candidate is dropped, the forecast counted as
PRIOR_WORLDS worlds."""


def estimates(forecasts: Values, gains: Values) -> Values:
    """Return each candidate's estimated chance to win, on a scale of their own.

    Roll-outs play less well than `deep`, so all estimates are too low by about as much.
    ``forecasts`` is ``[cell]``, the judge's; ``gains`` is ``[world, cell]``, what each world adds.
    """
    return np.asarray(forecasts + _weight(gains) * gains.sum(0) / max(1, len(gains)))


def in_the_race(forecasts: Values, gains: Values) -> NDArray[np.bool_]:
    """Return which candidates are not clearly behind the leader, who always is among them."""
    found = estimates(forecasts, gains)
    leader = int(found.argmax())
    errors = (gains - gains[:, [leader]]).std(0) / np.sqrt(len(gains) + PRIOR_WORLDS)
    return np.asarray(found[leader] - found <= DROPPED_AT * errors)


def _weight(gains: Values) -> float:
    """Return how far the mean of the worlds is believed."""
    return TRUST * len(gains) / (len(gains) + PRIOR_WORLDS)

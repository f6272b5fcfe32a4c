"""The levels of thought: how many worlds a guess gets at most.

A level is a bound of work, never of time: it gives the same move on every machine.
"""

from __future__ import annotations

from math import inf
from typing import Final

from solver.errors import UnknownAgent
from solver.search.limit import Limit

WORLDS: Final = {"none": 0, "brief": 256, "low": 512, "medium": 2048, "high": 4096}
"""Most worlds that a candidate of a guess is tried in, by the name of the level."""

DEFAULT: Final = "brief"

LATE: Final = 100.0
"""The level ``brief`` tries only guesses where at most e ** LATE layouts are left. Earlier, the
judge errs by half a point, which takes far more worlds to see. The first guess of a game on 16x16
has more: there 256 worlds gained nothing (+0.01 ± 0.07 points, 300 games)."""

COSTS: Final = {
    "none": "0.05 s",
    "brief": "0.1 s",
    "low": "up to 3 s",
    "medium": "up to 12 s",
    "high": "up to 25 s",
}
"""Time of a game of expert on one core, by the name of the level: that of ``low`` was measured
(docs/figures.md), and more worlds take at most as much longer as they are more."""


def with_thought(limit: Limit, level: str) -> Limit:
    """Return ``limit`` with the worlds of a level. Raises `UnknownAgent` for an unknown level."""
    if level not in WORLDS:
        raise UnknownAgent(f"There is no level of thought {level!r}. Known: {', '.join(WORLDS)}.")
    return limit._replace(worlds=WORLDS[level], late=LATE if level == "brief" else inf)

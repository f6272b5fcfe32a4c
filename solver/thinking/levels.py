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

LATE: Final = 230.0
"""The level ``brief`` tries only guesses where at most e ** LATE layouts are left. Those with
e ** 100 to e ** 230 add 0.19 ± 0.09 points a game at expert; earlier ones, -0.03 ± 0.11, cost as
much time again (267 games)."""

COSTS: Final = {
    "none": "0.05 s",
    "brief": "0.4 s",
    "low": "up to 3 s",
    "medium": "up to 12 s",
    "high": "up to 25 s",
}
"""Time of a game of expert on one core, by the name of the level: that of ``low`` was measured
(docs/agents.md), and more worlds take at most as much longer as they are more."""


def with_thought(limit: Limit, level: str) -> Limit:
    """Return ``limit`` with the worlds of a level. Raises `UnknownAgent` for an unknown level."""
    if level not in WORLDS:
        raise UnknownAgent(f"There is no level of thought {level!r}. Known: {', '.join(WORLDS)}.")
    return limit._replace(worlds=WORLDS[level], late=LATE if level == "brief" else inf)

"""The levels of thought: how much work is spent on a guess, by name.

A level limits work, not time, so that it gives the same move on every machine.
"""

from __future__ import annotations

from math import comb, inf
from typing import Final, NamedTuple

from solver.errors import UnknownAgent


class SearchLimits(NamedTuple):
    """SearchLimits of the work of `deep` on a guess.

    Boards with at most ``whole`` layouts are searched completely from the first click. On others
    the endgame search starts at ``layouts`` layouts and visits at most ``positions`` positions.
    Before that, once at most e ** ``late`` layouts are left, the best candidates are tried in up to
    ``worlds`` worlds each, until ``work`` nodes were counted.
    """

    layouts: int = 2_000
    positions: int = 30_000
    worlds: int = 0
    late: float = inf
    work: int = 2_000_000
    whole: int = 5_000


LEVELS: Final = {
    "none": SearchLimits(),
    "brief": SearchLimits(worlds=128, late=160.0, work=400_000),
    "low": SearchLimits(worlds=512, work=20_000_000),
    "medium": SearchLimits(worlds=1024, work=40_000_000),
    "high": SearchLimits(worlds=2048, work=80_000_000),
}

DEFAULT: Final = "brief"

COSTS: Final = {"none": "2 ms", "brief": "15 ms", "low": "0.4 s", "medium": "0.7 s", "high": "1 s"}
"""Processor time of an expert game, by level."""


def limits_of(level: str) -> SearchLimits:
    """Return the limits of a level. Raises `UnknownAgent` for an unknown one."""
    if level not in LEVELS:
        raise UnknownAgent(f"There is no level of thought {level!r}. Known: {', '.join(LEVELS)}.")
    return LEVELS[level]


def limits_on(limits: SearchLimits, rows: int, cols: int, mines: int) -> SearchLimits:
    """Extend the endgame search to the whole game if the board is small enough."""
    if comb(rows * cols, mines) > limits.whole:
        return limits
    return limits._replace(layouts=limits.whole, positions=400 * limits.whole)

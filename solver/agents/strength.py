"""Measured win rates and times of the built-in agents.

The figures are in ``strength.csv``, which ``tests/bench/agent_strength.py`` writes: expert games,
first click safe, seed 0, the same boards for all agents. Times were taken on one core of a shared
machine and are only good for orders of magnitude.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STRENGTH_FILE = Path(__file__).with_name("strength.csv")


@dataclass(frozen=True)
class Strength:
    """The result of one agent: ``wins`` of ``games`` on boards of ``size`` (``ROWSxCOLSxMINES``).

    ``first`` is the first-click rule, ``measured`` the date (``2026-11-28``).
    """

    agent: str
    size: str
    first: str
    games: int
    wins: int
    ms_per_game: float
    measured: str

    @property
    def win_rate(self) -> float:
        """The share of games won, 0 to 1."""
        return self.wins / self.games


@cache
def strengths() -> dict[str, Strength]:
    """Return the figures of all measured agents, by name.

    >>> all(0 <= one.wins <= one.games for one in strengths().values())
    True
    """
    with STRENGTH_FILE.open(encoding="utf-8", newline="") as file:
        return {line["agent"]: _strength(**line) for line in csv.DictReader(file)}


def _strength(games: str, wins: str, ms_per_game: str, **words: str) -> Strength:
    return Strength(games=int(games), wins=int(wins), ms_per_game=float(ms_per_game), **words)

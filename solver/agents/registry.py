"""The one table of agents: a name, an idea, a source, and where the class lives.

Classes are imported when first asked for, so listing the agents costs nothing. A name may carry
options after a colon: ``single-improved:variables=20``, ``gac:stuck=guess``,
``relational-3:stuck=stop``. What options an agent takes are its constructor's keywords.

To add an agent: write its file, add one `Entry`. A constructor that takes ``seed``, ``rule`` or
``limit`` by keyword is given them; one that does not is not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from solver.agents.base import Agent
from solver.errors import UnknownAgent
from solver.game import Rule


@dataclass(frozen=True)
class Entry:
    """One line of the table. ``where`` is ``module:class`` inside this package."""

    name: str
    where: str
    idea: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)

    def factory(self) -> Callable[..., Agent]:
        """Import the class that makes the agent."""
        module, _, name = self.where.partition(":")
        factory: Callable[..., Agent] = getattr(import_module(f"solver.agents.{module}"), name)
        return factory


_ARTICLE = "How to Write your own Minesweeper AI (article)"
_REPORT = "MineSweeper AI, Kulkarni 2020 (report)"
_THESIS = "CSP and Reinforcement Learning on Minesweeper, Leblebjian and Alakach 2023 (thesis)"
_README = "Minesweeper-AI (README)"

_TABLE = (
    Entry(
        "straightforward",
        "straightforward:Straightforward",
        "single-number rules only, a random cell when stuck",
        _ARTICLE,
    ),
    Entry(
        "tank-no-endgame",
        "tank_no_endgame:TankNoEndgame",
        "least risk among the border's configurations, blind to the mine counter",
        _ARTICLE,
    ),
    Entry("basic", "basic:Basic", "two rules on a board of counts, random otherwise", _REPORT),
    Entry(
        "single-improved",
        "improved:SingleImproved",
        "basic, then backtracking over the 16 most restricted cells",
        _REPORT,
    ),
    Entry(
        "double-improved",
        "improved:DoubleImproved",
        "single-improved, then the cell mined in the fewest of those solutions",
        _REPORT,
    ),
    Entry("gac", "thesis:Gac", "the thesis's first method: one number at a time", _THESIS),
    Entry("two-constraint", "thesis:TwoConstraint", "gac, then two numbers at a time", _THESIS),
    Entry(
        "contradiction",
        "thesis:Contradiction",
        "two-constraint, then a flag on trial until something breaks",
        _THESIS,
    ),
    *(
        Entry(
            f"relational-{k}",
            "relational:Relational",
            f"consistency over any combination of up to {k} constraints",
            f"{_THESIS}, 3.1.2",
            {"k": k},
        )
        for k in (1, 2, 3)
    ),
    Entry(
        "periphery",
        "periphery:Periphery",
        "flag and pop, then enumeration over broken-up peripheries, least probability",
        _README,
    ),
    Entry(
        "tank",
        "tank:Tank",
        "certain cells, else the least risk over all hidden cells, counted exactly",
        _ARTICLE,
    ),
    Entry(
        "deep",
        "deep:Deep",
        "certain cells, exact search at the end, look-ahead judged by a learned value before",
        "this project",
    ),
)


def entries() -> tuple[Entry, ...]:
    """Return the whole table, weakest sources first."""
    return _TABLE


def names() -> tuple[str, ...]:
    """List the names that `make` knows."""
    return tuple(entry.name for entry in _TABLE)


def make(name: str, *, seed: int = 0, rule: Rule = Rule.SAFE, limit: object | None = None) -> Agent:
    """Make the agent called ``name``, with its options if any (``gac:stuck=guess``).

    ``seed`` settles what it does at random, ``rule`` the first click it plans for, ``limit`` how
    much work it may do. Raises `UnknownAgent` for a name or an option nobody knows.
    """
    base, _, options = name.partition(":")
    entry = next((entry for entry in _TABLE if entry.name == base), None)
    if entry is None:
        raise UnknownAgent(f"There is no agent {base!r}. Known: {', '.join(names())}.")
    factory = entry.factory()
    takes = inspect.signature(factory).parameters
    given: dict[str, Any] = {"seed": seed, "rule": rule, "limit": limit}
    settings = {key: value for key, value in given.items() if key in takes}
    own = {key: param.default for key, param in takes.items() if key not in given}
    chosen = {**entry.options, **_read_options(base, options, own)}
    return factory(**settings, **chosen)


def _read_options(agent: str, text: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """Read ``key=value,...`` with each value in the type of that option's default."""
    chosen: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise UnknownAgent(f"{agent} has no option {key!r}. Known: {known}.")
        try:
            chosen[key] = type(defaults[key])(value)
        except ValueError:
            raise UnknownAgent(f"{agent} cannot take {value!r} for {key}.") from None
    return chosen

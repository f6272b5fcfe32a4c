"""The table of agents: for each a name, its idea, its source and the class that makes it.

A class is imported when its agent is made, so listing the agents costs nothing. A name may carry
options after a colon: ``single-improved:variables=20``, ``gac:stuck=guess``,
``relational-3:stuck=stop``. The options of an agent are its constructor's keywords.

To add an agent to the program, write its file and add one `AgentEntry`. A constructor that takes
``seed``, ``rule`` or ``limit`` by keyword gets them. Plug-ins need no entry: see
`solver.agents.plugin`.

``strength.csv`` has the measured win rates and times of the built-in agents. It is written by
``tests/bench/agent_strength.py``: expert games, first click safe, seed 0, the same boards for all
agents. Times were taken on one core of a shared machine and are only good for orders of magnitude.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from solver.agents.base import Agent
from solver.agents.plugin import (
    Plugin,
    PluginAgent,
    installed_plugin,
    installed_plugins,
    plugin_errors,
    plugin_in_file,
)
from solver.counting import counted, no_such
from solver.errors import UnknownAgent
from solver.game import Rule


@dataclass(frozen=True)
class AgentEntry:
    """One built-in agent.

    ``where`` is ``module:class`` inside this package, ``source`` a word of `SOURCES` or "this
    project".
    """

    name: str
    where: str
    idea: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    """Rows and columns of the only boards it plays; None for any size."""

    def factory(self) -> Callable[..., Agent]:
        """Import and return the class of the agent."""
        module, _, name = self.where.partition(":")
        factory: Callable[..., Agent] = getattr(import_module(f"solver.agents.{module}"), name)
        return factory


SOURCES = {
    "article": "How to Write your own Minesweeper AI",
    "report": "MineSweeper AI, Kulkarni 2020",
    "thesis": "CSP and Reinforcement Learning on Minesweeper, Leblebjian and Alakach 2023",
    "README": "Minesweeper-AI",
    "DQN report": "Minesweeper AI Using Neural Networks, Knutsson and Unnebäck 2022",
}
"""The published sources of agents, by the word for each in the table of agents."""

_TABLE = (
    AgentEntry(
        "straightforward",
        "article:Straightforward",
        "one number at a time; random when stuck",
        "article",
    ),
    AgentEntry(
        "tank-no-endgame",
        "article:TankNoEndgame",
        "least risk on the frontier, without the counter",
        "article",
    ),
    AgentEntry("basic", "report:Basic", "two rules on counts; random when stuck", "report"),
    AgentEntry(
        "single-improved",
        "report:SingleImproved",
        "basic, then all solutions of 16 cells",
        "report",
    ),
    AgentEntry(
        "double-improved",
        "report:DoubleImproved",
        "single-improved, then the least mined of them",
        "report",
    ),
    AgentEntry("gac", "thesis:Gac", "one number at a time; gives up when stuck", "thesis"),
    AgentEntry(
        "two-constraint", "thesis:TwoConstraint", "gac, then two numbers at a time", "thesis"
    ),
    AgentEntry(
        "contradiction", "thesis:Contradiction", "two-constraint, then flags on trial", "thesis"
    ),
    *(
        AgentEntry(
            f"relational-{k}",
            "thesis:Relational",
            f"up to {counted(k, 'constraint')} together; random when stuck",
            "thesis",
            {"k": k},
        )
        for k in (1, 2, 3)
    ),
    AgentEntry(
        "periphery",
        "periphery:Periphery",
        "enumerates broken-up peripheries; least risk",
        "README",
    ),
    AgentEntry(
        "dqn-board",
        "dqn:DqnBoard",
        "a network over the whole board; 15x15 only",
        "DQN report",
        size=(15, 15),
    ),
    AgentEntry(
        "dqn-window", "dqn:DqnWindow", "a network slid over all covered cells", "DQN report"
    ),
    AgentEntry(
        "csp-dqn", "csp_dqn:CspDqn", "contradiction, then a network where it is stuck", "thesis"
    ),
    AgentEntry(
        "risk-net",
        "dqn:RiskNet",
        "a network that has learned exact risks",
        "this project",
    ),
    AgentEntry("tank", "tank:Tank", "certain cells, else the least exact risk", "article"),
    AgentEntry(
        "glance", "tank:Glance", "certain cells, else a small network's choice", "this project"
    ),
    AgentEntry(
        "deep",
        "deep:Deep",
        "certain cells, else the endgame or a look-ahead",
        "this project",
    ),
)


RECORDED_OPTION = re.compile(r"(think|stuck)=[a-z]+")
"""An option that a recording may name: it has a few fixed values."""

BUILT_IN = tuple(entry.name for entry in _TABLE)
"""Names of the agents that are part of this program."""


def agent_entries() -> tuple[AgentEntry | Plugin, ...]:
    """Return the whole table: the built-in agents, weakest first, then those of packages.

    A package's agent that has the name of a built-in one is left out.
    """
    others = (plugin for plugin in installed_plugins() if plugin.name not in BUILT_IN)
    return (*_TABLE, *others)


def agent_names() -> tuple[str, ...]:
    """List the names that `make_agent` knows. It also takes ``FILE.py:Class``."""
    return tuple(dict.fromkeys(entry.name for entry in agent_entries()))


def agents_that_play(sizes: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """List those of `agent_names` that play boards of all these sizes ``(rows, cols)``."""
    wanted = set(sizes)
    unfit = {entry.name for entry in _TABLE if entry.size and wanted - {entry.size}}
    return tuple(name for name in agent_names() if name not in unfit)


def make_agent(
    name: str, *, seed: int = 0, rule: Rule = Rule.SAFE, limit: object | None = None
) -> Agent:
    """Make the agent called ``name``, with its options if any (``gac:stuck=guess``).

    ``name`` is one of `agent_names`, or ``FILE.py:Class`` for your own agent. ``seed`` determines
    random choices, ``rule`` is the first-click rule to plan for, ``limit`` how much work is
    allowed. Raises `UnknownAgent` for an unknown name or option, `AgentFailed` for a plug-in that
    cannot be made.

    >>> make_agent("single-improved:variables=5").name
    'single-improved'
    """
    if found := plugin_in_file(name):
        return _plugin_agent(*found, seed, rule)
    base, _, options = name.partition(":")
    entry = next((entry for entry in _TABLE if entry.name == base), None)
    if entry is not None:
        settings = {"seed": seed, "rule": rule, "limit": limit}
        agent: Agent = construct(base, entry.factory(), options, settings, entry.options)
        return agent
    installed = installed_plugin(base)
    if installed is None:
        own = "FILE.py:Class for an agent of your own"
        raise UnknownAgent(no_such("agent", base, agent_names(), [own]))
    return _plugin_agent(installed, options, seed, rule)


def has_option(name: str, option: str) -> bool:
    """Whether this is a built-in agent with this option; False for plug-ins.

    >>> has_option("deep", "think"), has_option("basic", "think")
    (True, False)
    """
    entry = next((entry for entry in _TABLE if entry.name == name.partition(":")[0]), None)
    return entry is not None and option in parameters_of(entry.factory())


def may_be_recorded(name: str) -> bool:
    """Whether an untrusted file, such as a recording, may name this agent to be run.

    A built-in agent may be named with options that have fixed values, an installed one without
    options. ``FILE.py:Class`` would run code, and other options read files or have no limit.

    >>> may_be_recorded("deep:think=low"), may_be_recorded("gift.py:Agent")
    (True, False)
    >>> may_be_recorded("dqn-window:weights=gift.npz")
    False
    """
    base, _, options = name.partition(":")
    if base not in BUILT_IN:
        return not options and base in {plugin.name for plugin in installed_plugins()}
    return all(map(RECORDED_OPTION.fullmatch, filter(None, options.split(","))))


def _plugin_agent(plugin: Plugin, options: str, seed: int, rule: Rule) -> Agent:
    factory = plugin.factory()
    with plugin_errors(plugin.name):
        agent = construct(plugin.name, factory, options, {"seed": seed, "rule": rule})
    return PluginAgent(f"{plugin.name}:{options}" if options else plugin.name, agent)


# ---- making an agent -----------------------------------------------------------------------------


_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def construct(
    name: str,
    factory: Callable[..., Any],
    options: str,
    settings: Mapping[str, Any],
    fixed: Mapping[str, Any] | None = None,
) -> Any:
    """Call ``factory`` with those of ``settings`` that it accepts, and with its own options.

    ``options`` is the text ``key=value,...``; each value is converted to the type of the keyword's
    default, or stays text if the default is None or missing. ``fixed`` are preset keywords.
    Raises `UnknownAgent` for an unknown option or an invalid value.
    """
    takes = parameters_of(factory)
    given = {key: value for key, value in settings.items() if key in takes}
    own = {key: parameter.default for key, parameter in takes.items() if key not in settings}
    return factory(**given, **{**(fixed or {}), **_read_options(name, options, own)})


def parameters_of(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keywords of a factory; none if it is written in C without a signature."""
    try:
        parameters = inspect.signature(factory).parameters
    except ValueError:
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {key: parameter for key, parameter in parameters.items() if parameter.kind in named}


def _read_options(name: str, text: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise UnknownAgent(f"{name} has no option {key!r}. Known: {known}.")
        try:
            chosen[key] = _read_value(value, defaults[key])
        except (ValueError, KeyError):
            raise UnknownAgent(f"{name} cannot take {value!r} for {key}.") from None
    return chosen


def _read_value(text: str, default: Any) -> Any:
    if default is None or default is inspect.Parameter.empty:
        return text
    if isinstance(default, bool):
        return _TRUTHS[text.lower()]
    return type(default)(text)


# ---- measured strength ---------------------------------------------------------------------------


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

"""Who plays? Agents take a board and return a decision; one registry, one file per source.

base.py         Move, Decision, the protocols of agents, the first click, the papers' base class
registry.py     the table of agents with their strength, plug-ins included: make_agent(name)
plugin.py       agents from files and installed packages, with their decisions checked
constraints.py  the constraints of a board, and all solutions of a few cells, for the papers' agents

article.py      the article: straightforward, tank-no-endgame
report.py       the CSP report: basic, single-improved, double-improved
thesis.py       the thesis: gac, two-constraint, contradiction, relational
periphery.py    the README: flag and pop, then enumeration over peripheries
dqn.py          networks alone: the DQN report's dqn-board and dqn-window, and risk-net
csp_dqn.py      the thesis: its methods, and a network where they are stuck
tank.py         the article's Tank solver on exact probabilities; glance, with a small network
deep.py         the strongest: endgame search, look-ahead before it, then roll-outs

Every agent is a pure function of the board, its options and its seed. Agents import
``solver.engine``, ``solver.learning`` and the modules of ``solver``; never the arena.
"""

from solver.agents.base import (
    Action,
    Agent,
    Decision,
    EnginePlayer,
    Move,
    RatesCells,
    Thinker,
    give_up,
)
from solver.agents.registry import (
    AgentEntry,
    agent_entries,
    agent_names,
    agents_that_play,
    make_agent,
)

__all__ = [
    "Action",
    "Agent",
    "AgentEntry",
    "Decision",
    "EnginePlayer",
    "Move",
    "RatesCells",
    "Thinker",
    "agent_entries",
    "agent_names",
    "agents_that_play",
    "give_up",
    "make_agent",
]

"""Who plays? Agents take a board and return a decision; one file an agent, one registry.

base.py              Move, Decision, the protocols Agent, EnginePlayer, RatesCells and Thinker
registry.py          the table of agents, plug-ins included: agent_names(), make_agent(name)
strength.py          how often each wins and how long it takes, as measured
construct.py         an agent from its class, with the settings and options it takes

constraint_store.py  the constraints of a board and the cells proven so far, for the papers' agents
reasoner.py          what the papers' agents share: open what is proven, else guess or give up
backtracking.py      all solutions of a few cells, merged as they are found

straightforward.py   the article: single-number rules, a random cell when stuck
tank_no_endgame.py   the article: least risk on the frontier, without the mine counter
basic.py             the CSP report: two rules on a board of counts
improved.py          the CSP report: single-improved and double-improved
thesis.py            the thesis: gac, two-constraint, contradiction
relational.py        the thesis, 3.1.2: consistency of up to k constraints together
periphery.py         the README: flag and pop, then enumeration over peripheries

dqn.py               the DQN report: dqn-board and dqn-window
csp_dqn.py           the thesis: its methods, and a network where they are stuck
risk_net.py          a convolutional network that learned exact risks

opening.py           the first click, by the first-click rule
tank.py              the article's Tank solver on exact probabilities
glance.py            guesses of a small network, as fast as tank
deep.py              the strongest: endgame search, look-ahead before it, then roll-outs

plugins/             agents from files and installed packages, each in a process of its own

Every agent is a pure function of the board, its options and its seed. Agents import
``solver.engine``, ``solver.learning`` and the modules of ``solver``; never the arena.
"""

from solver.agents.base import Action, Agent, Decision, EnginePlayer, Move, RatesCells, Thinker
from solver.agents.reasoner import give_up
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

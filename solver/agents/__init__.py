"""Agents: what to do next on a board. One file an agent, one registry (this package map).

base.py             Move, Decision, the Agent protocol, and Swift for those that play whole games
registry.py         the table of agents: names(), entries(), make(name)

knowledge.py        what the numbers say of the cells nobody opened; shared by the papers' agents
reasoner.py         their common frame: open what is proven, else guess or give up
search.py           backtracking over a few cells, solutions merged as they come

straightforward.py  the article: single-number rules, random when stuck
tank_no_endgame.py  the article: least risk among the border configurations, no mine counter
basic.py            the CSP report: two rules on a visible board with counts
improved.py         the CSP report: single-improved and double-improved
thesis.py           the thesis: gac, two-constraint, contradiction
relational.py       the thesis, 3.1.2: consistency of up to k constraints together
periphery.py        the README: flag and pop, then enumeration over broken-up peripheries

opening.py          the first click, by the rule in force
tank.py             the article's Tank solver on exact counts
deep.py             the strongest: exact endgame, look-ahead before

Every agent is a pure function of the board, its options and its seed.
"""

from solver.agents.base import Action, Agent, Decision, Move, Swift
from solver.agents.registry import Entry, entries, make, names

__all__ = ["Action", "Agent", "Decision", "Entry", "Move", "Swift", "entries", "make", "names"]

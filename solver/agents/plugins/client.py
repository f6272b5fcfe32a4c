"""Play with a plug-in: ask the process it runs in, and turn every trouble into one typed error."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

from solver.agents.base import Action, Decision, Move, avoid_flags
from solver.agents.plugins.channel import PluginProcess
from solver.agents.plugins.check import checked
from solver.agents.plugins.find import Plugin
from solver.agents.plugins.process import START_LIMIT_S
from solver.board import Board, Cell
from solver.errors import AgentFailed, InconsistentBoard, UnknownAgent
from solver.game import Rule


class PluginAgent:
    """An agent from elsewhere that runs in a process of its own.

    Every error of the plug-in is raised as `AgentFailed`: an exception, a time limit passed, a
    decision that makes no sense. It may raise `InconsistentBoard`, as every agent.
    """

    def __init__(self, plugin: Plugin, *, options: str, seed: int, rule: Rule) -> None:
        self.name = f"{plugin.name}:{options}" if options else plugin.name
        self._process = _process_of(plugin)
        settings = {"options": options, "seed": seed, "rule": rule.value}
        self._settings = {"agent": self._process.next_agent(), **settings}
        self._only_flags = 0
        limit_s = self._ask(None).get("limit_s")
        if not isinstance(limit_s, int | float) or not (isfinite(limit_s) and limit_s > 0):
            raise AgentFailed(f"The agent {self.name} has a decision_limit_s that is no time.")
        self._limit_s = float(limit_s)

    def decide(self, board: Board) -> Decision:
        """Ask the plug-in for its decision; raises `AgentFailed` or `InconsistentBoard`."""
        answer = self._decision_of(self._ask(board))
        decision = avoid_flags(board, checked(self.name, board, answer))
        self._check_progress(board, decision)
        return decision

    def _decision_of(self, reply: dict[str, Any]) -> Decision:
        """Read the decision in a reply: the process could not keep the plug-in from writing it."""
        try:
            moves = tuple(Move(Cell(row, col), Action(how)) for row, col, how in reply["moves"])
            return Decision(moves, str(reply["reason"]), reply["survival"], reply["win"])
        except (LookupError, TypeError, ValueError) as error:
            raise AgentFailed(f"The agent {self.name} answered what is no decision.") from error

    def _ask(self, board: Board | None) -> dict[str, Any]:
        position = {
            "board": None if board is None else board.text_rows(),
            "mines": None if board is None else board.mines,
        }
        limit_s = START_LIMIT_S if board is None else self._limit_s
        reply = self._process.ask({**self._settings, **position}, limit_s)
        if "inconsistent" in reply:
            raise InconsistentBoard(str(reply["inconsistent"]))
        if "unknown" in reply:
            raise UnknownAgent(str(reply["unknown"]))
        if sentence := self._trouble(reply, started=board is not None):
            error = AgentFailed(sentence)
            if "traceback" in reply:
                error.add_note(str(reply["traceback"]))
            raise error
        return reply

    def _trouble(self, reply: dict[str, Any], *, started: bool) -> str | None:
        """Say in one sentence what kept the plug-in from answering, None if nothing did."""
        if "timeout" in reply:
            limit_s = self._limit_s if started else START_LIMIT_S
            return f"The agent {self.name} did not answer within {limit_s:g} s."
        if "ended" in reply:
            return f"The process of the agent {self.name} ended with exit code {reply['ended']}."
        if "nonsense" in reply:
            return f"The agent {self.name} wrote among its answers what is none."
        return str(reply["failed"]) if "failed" in reply else None

    def _check_progress(self, board: Board, decision: Decision) -> None:
        """Raise `AgentFailed` if the agent turns flags on and off without end."""
        if any(move.action is not Action.FLAG for move in decision.moves):
            self._only_flags = 0
            return
        self._only_flags += 1
        if self._only_flags > 2 * board.tiles.size:
            raise AgentFailed(f"The agent {self.name} sets and takes away flags without end.")


@lru_cache(maxsize=16)
def _process_of(plugin: Plugin) -> PluginProcess:
    """Return the process that all agents of one plug-in share."""
    return PluginProcess(plugin)

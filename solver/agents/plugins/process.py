"""The process in which one plug-in runs: it loads the plug-in and decides within a time limit.

Python code cannot be stopped from outside, so a plug-in gets a process of its own that may be
ended: if a time limit passes, `faulthandler` ends this process from a thread written in C, on
Linux, Windows and macOS alike, even if the plug-in is inside compiled code. The process that
started it does not rely on that: see `solver.agents.plugins.channel`.

Requests come on standard input, answers go to standard output, one JSON object a line. What a
plug-in prints goes to standard error.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from solver.agents.base import Decision
from solver.agents.construct import construct
from solver.agents.plugins.check import checked
from solver.board import Board
from solver.errors import AgentFailed, InconsistentBoard, UnknownAgent
from solver.game import Rule

START_LIMIT_S = 120.0
"""How long a plug-in may take to be imported, and its class to be called."""

DECISION_LIMIT_S = 60.0
"""How long a plug-in may take for a decision; its ``decision_limit_s`` says otherwise."""

KEPT_AGENTS = 16
"""Agents kept by this process; one that is asked for later is made again."""

Reply = dict[str, Any]


def serve() -> None:
    """Load the plug-in named by the first request and answer the others, until the input ends."""
    # Ctrl-C reaches this process too: end at once, so that the one that waits for it goes on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    requests, answers = _private_streams()
    host = _Host(json.loads(requests.readline()), answers)
    for line in requests:
        request = json.loads(line)
        reply = {"number": request["number"], **host.reply(request)}
        sys.stdout.flush()
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol; give the plug-in others in their place."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


class _Host:
    """Keeps the plug-in's factory and the last agents made by it."""

    def __init__(self, plugin: dict[str, str], answers: BinaryIO) -> None:
        self._name = plugin["name"]
        self._plugin = plugin
        self._answers = answers
        self._factory: Callable[..., Any] | None = None
        self._agents: dict[int, Any] = {}

    def reply(self, request: dict[str, Any]) -> Reply:
        """Make the agent asked for if needed, and decide if there is a board."""
        try:
            agent = self._agent_of(request)
            limit_s = float(getattr(agent, "decision_limit_s", DECISION_LIMIT_S))
            if request["board"] is None:
                return {"limit_s": limit_s}
            board = Board.from_text("\n".join(request["board"]), request["mines"])
            with self._limited(limit_s):
                return _reply_of(checked(self._name, board, agent.decide(board)))
        except InconsistentBoard as error:
            return {"inconsistent": str(error)}
        except UnknownAgent as error:
            return {"unknown": str(error)}
        except AgentFailed as error:
            return {"failed": str(error)}
        except BaseException as error:
            return {"failed": _blame(self._name, error), "traceback": traceback.format_exc()}

    def _agent_of(self, request: dict[str, Any]) -> Any:
        number = request["agent"]
        if number not in self._agents:
            with self._limited(START_LIMIT_S):
                self._agents[number] = self._make(request)
            if len(self._agents) > KEPT_AGENTS:
                del self._agents[next(iter(self._agents))]
        return self._agents[number]

    def _make(self, request: dict[str, Any]) -> Any:
        if self._factory is None:
            self._factory = _load(**self._plugin)
        settings = {"seed": request["seed"], "rule": Rule(request["rule"])}
        agent = construct(self._name, self._factory, request["options"], settings)
        if not callable(getattr(agent, "decide", None)):
            raise AgentFailed(f"The agent {self._name} has no method decide(board).")
        return agent

    @contextmanager
    def _limited(self, limit_s: float) -> Iterator[None]:
        """End this process, with the traceback as its last answer, if the limit passes."""
        faulthandler.dump_traceback_later(limit_s, exit=True, file=self._answers)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _load(name: str, target: str, attribute: str) -> Callable[..., Any]:
    """Import a plug-in's module or file and return what makes the agent."""
    if target.endswith(".py"):
        path = Path(target)
        # Its neighbours can be imported, but take no other module's place.
        sys.path.append(str(path.parent))
        module_name = f"minebot_plugin_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(target)
    try:
        factory = attrgetter(attribute)(module)
    except AttributeError:
        raise UnknownAgent(f"The agent {name} is not there: no {attribute} in {target}.") from None
    if not callable(factory):
        raise AgentFailed(
            f"The agent {name} is neither a class nor a function that returns an agent."
        )
    made: Callable[..., Any] = factory
    return made


def _reply_of(decision: Decision) -> Reply:
    moves = [[*move.cell, move.action.value] for move in decision.moves]
    return {
        "moves": moves,
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def _blame(name: str, error: BaseException) -> str:
    """Say in one sentence what the plug-in raised, and where."""
    text, place = str(error), ""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        text, place = error.msg, f" ({Path(error.filename).name}, line {error.lineno})"
    elif frames:
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    message = " ".join(text.split())[:200].rstrip(".")
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"The agent {name} raised {what}{place}."

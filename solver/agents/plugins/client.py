"""Play with a plug-in: ask the process it runs in, and turn every trouble into one typed error."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import weakref
from functools import lru_cache
from itertools import count
from typing import Any

from solver.agents.base import Action, Decision, Move
from solver.agents.plugins.find import Plugin
from solver.agents.plugins.process import START_LIMIT_S
from solver.board import Board, Cell
from solver.errors import AgentFailed, InconsistentBoard, UnknownAgent
from solver.game import Rule

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from solver.agents.plugins.process import serve; serve()"
)
"""What the process runs. It gets this one's module path, so it imports the same program."""

END_LIMIT_S = 2.0
"""How long a process that is not needed any more may take to end."""


class PluginAgent:
    """An agent from elsewhere that runs in a process of its own.

    Every error of the plug-in is raised as `AgentFailed`: an exception, a time limit passed, a
    decision that makes no sense. It may raise `InconsistentBoard`, as every agent.
    """

    def __init__(self, plugin: Plugin, *, options: str, seed: int, rule: Rule) -> None:
        self.name = f"{plugin.name}:{options}" if options else plugin.name
        self._process = _process_of(plugin)
        settings = {"options": options, "seed": seed, "rule": rule.value}
        self._settings = {"agent": self._process.next_number(), **settings}
        self._only_flags = 0
        self._limit_s = float(self._ask(None)["limit_s"])

    def decide(self, board: Board) -> Decision:
        """Ask the plug-in for its decision; raises `AgentFailed` or `InconsistentBoard`."""
        reply = self._ask(board)
        moves = tuple(Move(Cell(row, col), Action(how)) for row, col, how in reply["moves"])
        decision = Decision(moves, reply["reason"], reply["survival"], reply["win"])
        self._check_progress(board, decision)
        return decision

    def _ask(self, board: Board | None) -> dict[str, Any]:
        position = {
            "board": None if board is None else board.text_rows(),
            "mines": None if board is None else board.mines,
        }
        reply = self._process.ask({**self._settings, **position})
        if "inconsistent" in reply:
            raise InconsistentBoard(reply["inconsistent"])
        if "unknown" in reply:
            raise UnknownAgent(reply["unknown"])
        if sentence := self._trouble(reply, started=board is not None):
            error = AgentFailed(sentence)
            if "traceback" in reply:
                error.add_note(reply["traceback"])
            raise error
        return reply

    def _trouble(self, reply: dict[str, Any], *, started: bool) -> str | None:
        """Say in one sentence what kept the plug-in from answering, None if nothing did."""
        if "timeout" in reply:
            limit_s = self._limit_s if started else START_LIMIT_S
            return f"The agent {self.name} did not answer within {limit_s:g} s."
        if "ended" in reply:
            return f"The process of the agent {self.name} ended with exit code {reply['ended']}."
        sentence: str | None = reply.get("failed")
        return sentence

    def _check_progress(self, board: Board, decision: Decision) -> None:
        """Raise `AgentFailed` if the agent turns flags on and off without end."""
        if any(move.action is not Action.FLAG for move in decision.moves):
            self._only_flags = 0
            return
        self._only_flags += 1
        if self._only_flags > 2 * board.tiles.size:
            raise AgentFailed(f"The agent {self.name} sets and takes away flags without end.")


class _PluginProcess:
    """The process of one plug-in: started when it is asked, and again after it ended."""

    def __init__(self, plugin: Plugin) -> None:
        self._plugin = plugin
        self._numbers = count()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def next_number(self) -> int:
        """Return a number for one more agent."""
        return next(self._numbers)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request and wait for its answer.

        A process that ends instead answers ``timeout`` (it passed its limit) or ``ended``.
        """
        with self._lock:
            process = self._running()
            try:
                return self._exchange(process, request)
            except BaseException:  # also Ctrl-C: a late answer must not meet the next request
                self._end()
                raise

    def _exchange(
        self, process: subprocess.Popen[bytes], request: dict[str, Any]
    ) -> dict[str, Any]:
        assert process.stdout is not None
        try:
            _send(process, request)
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if answer.startswith(b"{"):
            reply: dict[str, Any] = json.loads(answer)
            return reply
        rest = answer + process.stdout.read()
        code = process.wait()
        self._end()
        if rest.startswith(b"Timeout"):  # the first word of `faulthandler`
            return {"timeout": True, "traceback": rest.decode(errors="replace")}
        return {"ended": code}

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        paths = json.dumps([path for path in sys.path if isinstance(path, str)])
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._process, self._ending = process, weakref.finalize(self, _end_process, process)
        plugin = self._plugin
        _send(
            process,
            {"name": plugin.name, "target": plugin.target, "attribute": plugin.attribute},
        )
        return process

    def _end(self) -> None:
        if self._process is not None:
            self._process = None
            self._ending()


@lru_cache(maxsize=16)
def _process_of(plugin: Plugin) -> _PluginProcess:
    """Return the process that all agents of one plug-in share."""
    return _PluginProcess(plugin)


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Close a process's input, so that it ends; end it if it does not."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()

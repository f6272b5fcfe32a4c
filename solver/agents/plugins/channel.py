"""The process of a plug-in as the other side sees it: one line goes there, one comes back in time.

The process has a group of its own, which is ended as a whole: what the plug-in started ends with
it. Nobody waits for the end of the pipe, which a child of the plug-in may keep open.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from itertools import count
from queue import Empty, SimpleQueue
from typing import IO, Any

from solver.agents.plugins.find import Plugin
from solver.agents.plugins.process import START_LIMIT_S
from solver.bounds import ANSWER_BYTES
from solver.files import parse_json

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from solver.agents.plugins.process import serve; serve()"
)
"""What the process runs. It gets this one's module path, so it imports the same program."""

END_LIMIT_S = 2.0
"""How long a process that is not needed any more may take to end."""

PATIENCE_S = 5.0
"""How much longer than its limit an answer is waited for: the process itself tells more."""

LOAD_S = 30.0 + START_LIMIT_S
"""How long a process that was just started may take to load the plug-in, on a busy machine."""

_POLL_S = 0.005


class PluginProcess:
    """The process of one plug-in: started when it is asked, and again after it ended."""

    def __init__(self, plugin: Plugin) -> None:
        self._plugin = plugin
        self._agents, self._requests = count(), count()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[bytes] = SimpleQueue()

    def next_agent(self) -> int:
        """Return a number for one more agent."""
        return next(self._agents)

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Send one request and wait for its answer, ``limit_s`` and a little more.

        A process that does not answer is ended and answers ``timeout`` (it passed its limit),
        ``ended`` (with its exit code) or ``nonsense``.
        """
        with self._lock:
            known, process = self._process, self._running()
            deadline = time.monotonic() + limit_s + PATIENCE_S + (process is not known) * LOAD_S
            try:
                reply = self._exchange(process, request, deadline)
            except BaseException:  # also Ctrl-C: a late answer must not meet the next request
                self._stop()
                raise
            if reply.keys() & {"timeout", "ended", "nonsense"}:
                self._stop()
            return reply

    def _exchange(
        self, process: subprocess.Popen[bytes], request: dict[str, Any], deadline: float
    ) -> dict[str, Any]:
        number = next(self._requests)
        with contextlib.suppress(BrokenPipeError):
            _send(process, {**request, "number": number})
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return {"timeout": True}
            if line.startswith(b"Timeout"):  # the first word of `faulthandler`
                _await_end(process, END_LIMIT_S)
                return {"timeout": True, "traceback": self._rest(line)}
            if not line:
                _await_end(process, END_LIMIT_S)
                return {"ended": _kill(process)}
            try:
                reply = parse_json(line)
            except ValueError:
                return {"nonsense": True}
            if not isinstance(reply, dict):
                return {"nonsense": True}
            if reply.get("number") == number:  # else it is an answer to nothing
                return reply

    def _rest(self, line: bytes) -> str:
        lines = [line]
        with contextlib.suppress(Empty):
            while more := self._lines.get(timeout=_POLL_S):
                lines.append(more)
        return b"".join(lines).decode(errors="replace")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and not _has_ended(self._process):
            return self._process
        self._stop()
        paths = json.dumps([path for path in sys.path if isinstance(path, str)])
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            process_group=0 if os.name == "posix" else None,
        )
        assert process.stdout is not None
        self._lines = SimpleQueue()
        threading.Thread(target=_collect, args=(process.stdout, self._lines), daemon=True).start()
        self._process, self._ending = process, weakref.finalize(self, _end, process)
        plugin = self._plugin
        with contextlib.suppress(BrokenPipeError):
            _send(
                process,
                {"name": plugin.name, "target": plugin.target, "attribute": plugin.attribute},
            )
        return process

    def _stop(self) -> None:
        """End the process and all that it started, at once."""
        if self._process is not None:
            process, self._process = self._process, None
            self._ending.detach()
            _kill(process)
            _close(process)


def _collect(pipe: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Put the lines of a pipe into a queue, and an empty one at its end or if one is too long."""
    waiting = b""
    with contextlib.suppress(OSError, ValueError):  # the pipe was closed
        while part := os.read(pipe.fileno(), 65536):
            *whole, waiting = (waiting + part).split(b"\n")
            for line in whole:
                lines.put(line + b"\n")
            if len(waiting) > ANSWER_BYTES:
                break
    lines.put(b"")


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    left = memoryview(json.dumps(message).encode() + b"\n")
    while left:
        left = left[process.stdin.write(left) :]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close a process's input, so that it ends; end it if it does not."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    _await_end(process, END_LIMIT_S)
    _kill(process)
    _close(process)


def _await_end(process: subprocess.Popen[bytes], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not _has_ended(process) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; its number stays its own, so that its group can be ended."""
    if process.returncode is None and hasattr(os, "waitid"):
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, process.pid, options) is not None
    return process.poll() is not None


def _kill(process: subprocess.Popen[bytes]) -> int:
    """End a process and its group; return its exit code."""
    if process.returncode is None:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    return process.wait()


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()

"""Agents that are not part of this program: a class in a Python file, or in an installed package.

A package offers agents by entry points of the group ``minebot.agents``; in its ``pyproject.toml``::

    [project.entry-points."minebot.agents"]
    lucky = "minebot_lucky:Lucky"

A plug-in is imported into this process and has all rights of the user, so use only code that you
trust. `PluginAgent` checks its decisions, so that its mistakes end in one sentence that names it.
Its code is imported only when the agent is made. What it prints goes to standard error.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from solver.agents.base import Action, Decision, Move, avoid_flags
from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.errors import AgentFailed, InconsistentBoard, Interrupted, UnknownAgent

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "minebot.agents"
"""Entry-point group of installed agents."""

MOST_LETTERS = 1000
"""Longest reason that is kept, in characters."""

GIVES_UP = "gives up: "
"""Start of the reason in a decision of `solver.agents.give_up`."""

_FILE = re.compile(r"(?P<file>.+\.py):(?P<attribute>[^\W\d]\w*)(?::(?P<options>.*))?")


@dataclass(frozen=True)
class Plugin:
    """Where to find an agent that is not part of this program.

    ``name`` is what the user calls it. ``target`` is a file's full path or a module's name,
    ``attribute`` the class, or any callable that returns an agent. ``idea`` and ``source`` are
    shown in the list of agents.
    """

    name: str
    target: str
    attribute: str
    idea: str = ""
    source: str = ""

    def factory(self) -> Callable[..., Any]:
        """Import the code and return what makes the agent.

        Raises `AgentFailed`, or `UnknownAgent` if its code has no class of that name.
        """
        with plugin_errors(self.name):
            is_file = self.target.endswith(".py")
            module = _module_of(self.target) if is_file else importlib.import_module(self.target)
        try:
            factory = attrgetter(self.attribute)(module)
        except AttributeError:
            raise UnknownAgent(
                f"The agent {self.name} does not exist: no {self.attribute} in {self.target}."
            ) from None
        if not callable(factory):
            raise AgentFailed(
                f"The agent {self.name} is neither a class nor a function that returns an agent."
            )
        made: Callable[..., Any] = factory
        return made


def plugin_in_file(name: str) -> tuple[Plugin, str] | None:
    """Parse ``FILE.py:Class`` or ``FILE.py:Class:options``; return the plug-in and its options.

    Returns None for a name of another form. Raises `UnknownAgent` if the file does not exist.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        if name.endswith(".py") or ".py:" in name:
            raise UnknownAgent(f"{name!r} names no class; write it as FILE.py:Class.")
        return None
    file, attribute, options = match.group("file", "attribute", "options")
    path = Path(file).expanduser()
    if not path.is_file():
        raise UnknownAgent(f"There is no file {file} to take the agent {attribute} from.")
    return Plugin(f"{file}:{attribute}", str(path.resolve()), attribute), options or ""


def installed_plugins() -> tuple[Plugin, ...]:
    """List the agents that installed packages offer, by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415  20 ms, for plug-ins only

    found = entry_points(group=GROUP)
    return tuple(sorted(map(_plugin_of, found), key=lambda plugin: plugin.name))


def installed_plugin(name: str) -> Plugin | None:
    """Return the installed agent of that name, or None.

    Raises `UnknownAgent` when several packages offer one of that name.
    """
    found = [plugin for plugin in installed_plugins() if plugin.name == name]
    if len(found) > 1:
        sources = Counter(plugin.source for plugin in found)
        raise UnknownAgent(f"Several packages offer an agent {name!r}: {', '.join(sources)}.")
    return found[0] if found else None


def _plugin_of(point: EntryPoint) -> Plugin:
    package = point.dist
    source = f"{package.name} {package.version}" if package else "an installed package"
    idea = package.metadata["Summary"] if package and "Summary" in package.metadata else ""
    return Plugin(point.name, point.module, point.attr, idea, f"plug-in: {source} ({point.value})")


@cache
def _module_of(path: str) -> ModuleType:
    """Import a file once, under a name of its own; it may import its neighbours."""
    file = Path(path)
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # at the end, so that it replaces no other module
    name = f"minebot_plugin_{file.stem}_{crc32(path.encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class PluginAgent:
    """An agent from a file or another package, with its decisions checked.

    Raises `AgentFailed` for every error of the plug-in and for decisions that cannot be carried
    out. Like every agent, it may raise `InconsistentBoard`.
    """

    def __init__(self, name: str, agent: Any) -> None:
        if not callable(getattr(agent, "decide", None)):
            raise AgentFailed(f"The agent {name} has no method decide(board).")
        self.name = name
        self._agent = agent
        self._only_flags = 0

    def decide(self, board: Board) -> Decision:
        """Return the plug-in's decision; raises `AgentFailed` or `InconsistentBoard`."""
        with plugin_errors(self.name):
            answer = self._agent.decide(board)
        decision = avoid_flags(board, checked(self.name, board, answer))
        self._check_progress(board, decision)
        return decision

    def _check_progress(self, board: Board, decision: Decision) -> None:
        """Raise `AgentFailed` if the agent turns flags on and off without end."""
        if any(move.action is not Action.FLAG for move in decision.moves):
            self._only_flags = 0
            return
        self._only_flags += 1
        if self._only_flags > 2 * board.tiles.size:
            raise AgentFailed(f"The agent {self.name} sets and removes flags without end.")


@contextmanager
def plugin_errors(name: str) -> Iterator[None]:
    """Run code of a plug-in: turn its errors into `AgentFailed`, and keep its output off stdout."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (InconsistentBoard, Interrupted, UnknownAgent):
        raise
    except (Exception, SystemExit) as error:
        raise AgentFailed(_sentence_of(name, error)) from error


def _sentence_of(name: str, error: BaseException) -> str:
    """Describe in one sentence what the plug-in raised, and where."""
    text, place = str(error), ""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        text, place = error.msg, f" ({Path(error.filename).name}, line {error.lineno})"
    elif frames:
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    message = " ".join(text.split())[:200].rstrip(".")
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"The agent {name} raised {what}{place}."


# ---- the checks of a decision --------------------------------------------------------------------


def checked(name: str, board: Board, answer: Any) -> Decision:
    """Return the answer as a decision that can be carried out on ``board``.

    Raises `AgentFailed`, with one sentence that names the agent, for anything that makes no sense.
    """
    if not isinstance(answer, Decision):
        raise AgentFailed(f"The agent {name} returned {_short(answer)} and not a Decision.")
    if not isinstance(answer.moves, tuple | list):
        raise AgentFailed(f"The agent {name} returned {_short(answer.moves)} as its moves.")
    moves = tuple(_checked_move(name, board, move) for move in answer.moves)
    if not moves:
        _check_no_moves(name, board, answer)
    if len({move.cell for move in moves}) < len(moves):
        raise AgentFailed(f"The agent {name} names a cell twice in one decision.")
    survival = _chance(name, "survival", answer.survival)
    win = None if answer.win is None else _chance(name, "win", answer.win)
    reason = " ".join(str(answer.reason).split())[:MOST_LETTERS]
    return Decision(moves, "".join(filter(str.isprintable, reason)), survival, win)


def _checked_move(name: str, board: Board, move: Any) -> Move:
    """Return a move of plain values. Raises `AgentFailed`."""
    try:
        (row, col), action = move
    except (TypeError, ValueError):
        raise AgentFailed(f"The agent {name} returned {_short(move)} as a move.") from None
    if not (isinstance(row, Integral) and isinstance(col, Integral) and isinstance(action, Action)):
        raise AgentFailed(f"The agent {name} returned {_short(move)} as a move.")
    cell = Cell(int(row), int(col))
    place = f"row {cell.row}, column {cell.col} (counted from 0)"
    if not (0 <= cell.row < board.rows and 0 <= cell.col < board.cols):
        raise AgentFailed(
            f"The agent {name} chose {place}, which is not on the {board.rows}x{board.cols} board."
        )
    if action is Action.CHORD and board[cell] <= 0:
        raise AgentFailed(
            f"The agent {name} wants a chord on {place}, which is not an open number."
        )
    if action is not Action.CHORD and not Tile.QUESTION <= board[cell] <= Tile.HIDDEN:
        raise AgentFailed(
            f"The agent {name} wants to {action.value} {place}, which is not covered."
        )
    return Move(cell, action)


def _check_no_moves(name: str, board: Board, answer: Decision) -> None:
    """Let a decision without moves pass where nothing is left to open, or if it gives up."""
    mines = board.mines
    if mines is not None:
        mines -= int(((board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)).sum())
    covered = int(board.covered.sum())
    gives_up = answer.survival == 0.0 and str(answer.reason).startswith(GIVES_UP)
    if covered and covered != mines and not gives_up:
        raise AgentFailed(
            f"The agent {name} makes no move while "
            f"{counted(covered, 'cell is covered', 'cells are covered')}; "
            "an agent that stops returns solver.agents.give_up(why)."
        )


def _chance(name: str, what: str, value: Any) -> float:
    if isinstance(value, Real) and 0.0 <= float(value) <= 1.0:
        return float(value)
    raise AgentFailed(
        f"The agent {name} gives {_short(value)} as its {what}, which is not a chance."
    )


def _short(value: Any) -> str:
    """Write a value on one line, cut where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."

"""Turn options that several commands share into values: agents, cells, workers, folders."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.shared import AgentChoice, NamedAgent, Work
from bot.errors import BadSession, UsageError
from bot.options import first_click_rule
from bot.outputs import new_session_folder, sessions_folder
from bot.streams import note
from calibration.theme import Theme
from solver import Agent, Cell, Rule, make_agent
from solver.agents.registry import has_option
from solver.arena.runs import Workers
from solver.counting import counted

if TYPE_CHECKING:
    from bot.record.session import Recorder


def agent_name_of(args: NamedAgent, name: str | None = None) -> str:
    """Return the name of ``--agent``, or ``name``, with the level of ``--think`` as its option.

    A level from the configuration applies only to an agent that can think and whose name does not
    give a level.
    """
    configured = "think" not in args.typed
    agent = str(args.agent) if name is None else name
    unfit = "think=" in agent or not has_option(agent, "think")
    if args.think is None or (configured and unfit):
        return agent
    return f"{agent}{',' if ':' in agent else ':'}think={args.think}"


def agents_of(text: str) -> tuple[str, ...]:
    """Read names of agents, with their options, separated by commas. Raises `UnknownAgent`.

    Commas also separate the options of one agent: a part with ``=`` and no ``:`` belongs to the
    agent before it.

    >>> agents_of("gac:stuck=guess,basic")
    ('gac:stuck=guess', 'basic')
    """
    agents: list[str] = []
    for part in text.split(","):
        if agents and "=" in part and ":" not in part:
            agents[-1] += f",{part}"
        else:
            agents.append(part.strip())
    for agent in agents:
        make_agent(agent)
    return tuple(dict.fromkeys(agents))


def agent_of(args: AgentChoice, theme: Theme | None = None) -> Agent:
    """Make the agent of ``--agent``.

    The first-click rule is the one of ``--first``, else the one of the theme's program.
    """
    rule = Rule(args.first) if args.first else first_click_rule(theme)
    return make_agent(agent_name_of(args), seed=args.seed, rule=rule)


def check_on_board(cell: Cell, rows: int, cols: int, *, start: int = 1) -> None:
    """Raise `UsageError` for a cell outside a board of this size; places count from ``start``."""
    if not (cell.row < rows and cell.col < cols):
        raise UsageError(
            f"There is no {place_from(cell, start)} on this board of {counted(rows, 'row')} "
            f"and {counted(cols, 'column')}; rows and columns count from {start} at the top left."
        )


def place_from(cell: Cell, start: int) -> str:
    """Name a cell with its row and column counted from ``start``."""
    return f"row {cell.row + start}, column {cell.col + start}"


def workers_of(args: Work) -> Workers:
    """Return the workers that the options ask for."""
    return Workers(jobs=args.jobs, scheduler=args.scheduler)


def record_folder(record: Path | bool | None) -> Path | None:
    """Return the folder to record in, None without ``--record``."""
    if record is None or isinstance(record, Path):
        return record
    return new_session_folder(datetime.now())


def note_recording(recorder: Recorder | None, record: Path | bool | None) -> None:
    """Print where the session is and the command that makes its page, if it was recorded."""
    if recorder is None or record is None or not recorder.begun:
        return
    named = f" {typed(record)}" if isinstance(record, Path) else ""
    note(f"Recorded in {recorder.folder}; 'minebot review{named}' makes a page of it.")


def typed(path: Path) -> str:
    """Quote a path for the shell of any system."""
    return f'"{path}"' if " " in str(path) else str(path)


def last_session() -> Path:
    """Return the last recorded session among the user's data. Raises `BadSession`."""
    from bot.record.session import LINES_FILE, Session

    found = sorted(sessions_folder().glob(f"*/{LINES_FILE}"), key=lambda file: file.stat().st_mtime)
    for file in reversed(found):
        with suppress(BadSession):
            if Session.load(file.parent).has_turns:
                return file.parent
    raise BadSession(
        f"{sessions_folder()} holds no recorded game: record one with 'minebot play --record', or "
        "name the folder of a session."
    )

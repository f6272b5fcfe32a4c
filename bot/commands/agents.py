"""``minebot agents``: list the agents, the strongest first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bot.commands.shared import DEFAULT_AGENT, Json
from bot.streams import emit
from solver.counting import counted

if TYPE_CHECKING:
    from solver.agents.registry import Strength


@dataclass(frozen=True, kw_only=True)
class Agents(Json):
    """List the agents that can play, with their idea and its source."""


SOURCE_FROM = 96
"""Least width of a terminal for a table that includes the sources."""


def run(args: Agents) -> int:
    """Print the table of agents; unmeasured ones come last."""
    from rich.table import Table

    from bot.terminal.console import console
    from solver.agents import agent_entries
    from solver.agents.registry import strengths

    measured = strengths()
    if args.json:
        for entry in agent_entries():
            emit(_json(entry.name, entry.idea, entry.source, measured.get(entry.name)))
        return 0
    terminal = console()
    with_source = terminal.width >= SOURCE_FROM
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("agent", no_wrap=True)
    table.add_column("wins", justify="right", no_wrap=True)
    table.add_column("a game", justify="right", no_wrap=True)
    table.add_column("idea")
    if with_source:
        table.add_column("source")
    for entry in sorted(agent_entries(), key=lambda entry: _order(measured.get(entry.name))):
        mark = " (default)" if entry.name == DEFAULT_AGENT else ""
        cells = (entry.name + mark, *_figures(measured.get(entry.name)), entry.idea)
        table.add_row(*cells, *([entry.source] if with_source else []))
    terminal.print(table)
    terminal.print("", *filter(None, _how(list(measured.values()))), sep="\n")
    return 0


def _json(name: str, idea: str, source: str, strength: Strength | None) -> dict[str, Any]:
    """Describe an agent; the figures of an unmeasured one are null."""
    from solver.agents.registry import SOURCES

    title = SOURCES.get(source)
    keys = ("size", "first", "games", "wins", "ms_per_game", "measured")
    figures = {} if strength is None else asdict(strength)
    return {
        "agent": name,
        "idea": idea,
        "source": f"{title} ({source})" if title else source,
        **{key: figures.get(key) for key in keys},
        "win_rate": None if strength is None else strength.win_rate,
    }


def _order(strength: Strength | None) -> float:
    return 1.0 if strength is None else -strength.win_rate


def _figures(strength: Strength | None) -> tuple[str, str]:
    """Write the share of games won, and the time a game takes."""
    if strength is None:
        return "–", "–"
    ms = strength.ms_per_game
    time = f"{ms / 1000:.1f} s" if ms >= 1000 else f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"
    return f"{100 * strength.win_rate:.1f} %", time


def _how(figures: list[Strength]) -> list[str]:
    """Say how the figures were measured, and which agents were measured on other boards."""
    usual = figures[-1]
    others = [
        f"{one.agent} {_boards(one) if one.size != usual.size else one.games}"
        for one in figures
        if (one.size, one.games) != (usual.size, usual.games)
    ]
    where = f"{_boards(usual)}, first click {usual.first}"
    return [
        f"On {usual.measured}, one shared core: {where}.",
        f"Exceptions: {', '.join(others)}." if others else "",
    ]


def _boards(one: Strength) -> str:
    return f"{counted(one.games, 'game')} of {one.size}"

"""``minebot agents``: list the agents."""

from __future__ import annotations

import argparse

from rich.table import Table

from bot.parsers.options import DEFAULT_AGENT
from bot.terminal.console import console
from bot.terminal.output import emit
from solver.agents import agent_entries


def run(args: argparse.Namespace) -> int:
    """Print the table of agents."""
    if args.json:
        for entry in agent_entries():
            emit({"agent": entry.name, "idea": entry.idea, "source": entry.source})
        return 0
    table = Table("agent", "idea", "source", box=None, header_style="bold")
    for entry in agent_entries():
        mark = " (default)" if entry.name == DEFAULT_AGENT else ""
        table.add_row(entry.name + mark, entry.idea, entry.source)
    console().print(table)
    return 0

"""``minebot agents``: list the agents."""

from __future__ import annotations

import argparse
from typing import Any

from rich.table import Table

from bot.commands.options import DEFAULT_AGENT, add_json
from bot.terminal.output import console, emit
from solver.agents import agent_entries


def add_parser(commands: Any) -> None:
    """Add the command."""
    about = "List the agents that can play, with their idea and its source."
    parser = commands.add_parser("agents", help="list the agents that can play", description=about)
    add_json(parser)
    parser.set_defaults(run=run)


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

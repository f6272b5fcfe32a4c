"""Read what the options ask for that name agents and cells."""

from __future__ import annotations

import argparse

from bot.config import Configured
from bot.errors import UsageError
from bot.play.first_click import first_click_rule
from calibration.theme import Theme
from solver.agents import Agent, make_agent
from solver.agents.registry import has_option
from solver.board import Cell
from solver.counting import counted
from solver.game import Rule


def agent_name_of(args: argparse.Namespace) -> str:
    """Return the name of ``--agent``, with the level of ``--think`` as its option.

    A level that stands in the configuration is meant for the agents that can think, and for those
    whose name has no level of its own.
    """
    configured = isinstance(args.think, Configured)
    unfit = "think=" in args.agent or not has_option(args.agent, "think")
    if args.think is None or (configured and unfit):
        return str(args.agent)
    return f"{args.agent}{',' if ':' in args.agent else ':'}think={args.think}"


def agent_of(args: argparse.Namespace, theme: Theme | None = None) -> Agent:
    """Make the agent of ``--agent``.

    The first-click rule is that of ``--first-click``, else that of the program of ``theme``.
    """
    rule = Rule(args.first_click) if args.first_click else first_click_rule(theme)
    return make_agent(agent_name_of(args), seed=args.seed, rule=rule)


def check_on_board(cell: Cell, rows: int, cols: int, *, start: int = 1) -> None:
    """Raise `UsageError` for a cell that a board of this size lacks, counted from ``start``."""
    if not (cell.row < rows and cell.col < cols):
        raise UsageError(
            f"There is no {place_from(cell, start)} on this board of {counted(rows, 'row')} "
            f"and {counted(cols, 'column')}; rows and columns count from {start} at the top left."
        )


def place_from(cell: Cell, start: int) -> str:
    """Name a cell with its row and column counted from ``start``."""
    return f"row {cell.row + start}, column {cell.col + start}"

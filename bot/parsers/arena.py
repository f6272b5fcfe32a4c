"""``minebot arena``: compare the agents of the papers, in a sweep over densities or a table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.parsers.options import (
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    add_json,
    add_seed,
    add_work_options,
    positive_number,
)

REPORT_AGENTS = "basic,single-improved,double-improved"
SIZES = "beginner,intermediate,expert,thesis-hard"


ABOUT = "Compare the agents of the papers on the same boards."

EXAMPLES = """\
examples:
  minebot arena sweep --dim 10 --games 200 --plot sweep.png
  minebot arena table --boards beginner,expert --agents tank,deep --games 500 --plot table.png
  minebot arena table --csv table.csv --results played/     an interrupted run goes on"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    kinds = parser.add_subparsers(title="what to play", dest="kind", metavar="KIND", required=True)
    _add_sweep(kinds)
    _add_table(kinds)


def _add_sweep(kinds: Any) -> None:
    parser = kinds.add_parser(
        "sweep",
        help="score of each agent at several mine densities",
        description="Play the same boards with every agent at each mine density. A game goes on "
        "after a mine is opened; the score is the share of all mines that are safely identified.",
    )
    parser.add_argument(
        "--dim",
        default="10",
        metavar="N",
        help="side of a square board, or ROWSxCOLS (default: 10)",
    )
    parser.add_argument(
        "--density",
        default="0.05:0.5:0.05",
        metavar="FROM:TO:STEP",
        help="mine densities from FROM to TO in steps, TO included, or a list such as 0.1,0.2 "
        "(default: 0.05:0.5:0.05)",
    )
    parser.add_argument(
        "--games",
        type=positive_number,
        default=100,
        metavar="N",
        help="number of games for each density (default: 100)",
    )
    _add_agents(parser, REPORT_AGENTS)
    parser.add_argument(
        "--first",
        choices=FIRST_CLICK_RULES,
        default="none",
        help=f"{FIRST_CLICK_HELP} (default: none, as in the report)",
    )
    _add_output(parser)


def _add_table(kinds: Any) -> None:
    parser = kinds.add_parser(
        "table",
        help="win rates on the boards of the papers, beside the papers' figures",
        description="Show the win rate, the share of the board opened before a loss, the guesses "
        "and the time of every agent, beside the figures of the papers. --results takes a folder.",
    )
    parser.add_argument(
        "--games",
        type=positive_number,
        default=200,
        metavar="N",
        help="number of games for each size and rule (default: 200)",
    )
    _add_agents(parser, "all")
    parser.add_argument(
        "--boards",
        default=SIZES,
        metavar="S,S,...",
        help=f"sizes of the boards (default: {SIZES})",
    )
    parser.add_argument(
        "--first",
        default="safe,zero",
        metavar="RULE,RULE",
        help=f"{FIRST_CLICK_HELP} (default: safe,zero)",
    )
    _add_output(parser)


def _add_agents(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--agents",
        default=default,
        metavar="A,B,...",
        help=f"who plays: names (see 'minebot agents') or FILE.py:Class (default: {default})",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add_seed(parser)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="save the summary as CSV")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw charts (.png or .svg); a table with several rules makes one file a rule",
    )
    add_json(parser)
    add_work_options(parser)

"""``minebot stats``: all recorded games by program, size and agent."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json

ABOUT = """\
Sum up all recorded games below a folder by program, size and agent: wins with
their 95 % interval, the wins to be expected from the chances survived, what
losses were due to, clicks, 3BV a second and efficiency (3BV a click) of the
games won."""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="where the sessions lie (default: where play --record keeps them)",
    )
    add_json(parser)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table as CSV")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a chart (PNG or SVG)")

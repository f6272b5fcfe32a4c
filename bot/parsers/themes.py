"""``minebot themes``: list, show, forget and export the themes learned in play."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json

ABOUT = """\
The themes that play has learned are kept among your data and tried at the next start. What is
seen decides: a theme that does not fit is not used.

examples:
  minebot themes                                all themes
  minebot themes show look-1                    how its tiles look
  minebot themes export winemine -o my.toml     a file to change and to use with --theme
  minebot themes forget look-1"""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "what", nargs="?", default="list", choices=("list", "show", "forget", "export")
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="name of a theme; only learned ones can be forgotten",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="file of export (default: print it)"
    )
    add_json(parser)

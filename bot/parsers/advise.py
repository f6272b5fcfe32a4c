"""``minebot advise``: give the best move for a screenshot."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_agent, add_explanations, add_json, add_mines, add_picture

ABOUT = """\
Read the board on a screenshot and print the best move with its chances. Nothing is clicked."""


EXAMPLES = """\
examples:
  minebot advise screen.png
  minebot advise screen.png --heatmap risks.png
  minebot advise screen.png --why 3,7          why row 3, column 7 is certain
  minebot advise screen.png --candidates 5     the five best cells to open
  minebot advise screen.png --think high       think for some seconds about a guess"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a screenshot")
    add_mines(parser)
    add_picture(parser)
    add_explanations(parser)
    add_agent(parser)
    parser.add_argument(
        "--heatmap",
        type=Path,
        metavar="OUT.png",
        help="save a picture of the board coloured by risk, or by the values of an agent's network",
    )
    add_json(parser)

"""``minebot solve``: solve boards in text form, from files or line by line in JSON."""

from __future__ import annotations

import argparse

from bot.parsers.options import add_agent, add_explanations, add_json, add_mines

ABOUT = """\
Compute the mine probabilities of boards in text form and print the best move.

A board is written one row a line: # hidden, 0-8 open (. is read as 0), F flag, ? question mark,
* shown mine, X exploded mine, W wrong flag. Without --mines the mine total counts as unknown:
risks are then means over the totals that are likely.

With --lines, other programs can use this command as an engine. Each line of FILE is
{"board": ["##1", ...], "mines": 10 or null}; each gets one JSON line as its answer, in order.
A line may also have "candidates": N and "why": [row, col], counted from 0 as everywhere in JSON.
FILE may be - for standard input."""


EXAMPLES = """\
examples:
  minebot solve board.txt --mines 10
  minebot solve board.txt --mines 10 --why 1,2        why row 1, column 2 is certain
  minebot solve board.txt --mines 10 --candidates 5   the five best cells to open
  echo '{"board": ["##", "11"], "mines": 1}' | minebot solve --lines -"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "boards", nargs="*", metavar="BOARD.txt", help="file with a board; - is standard input"
    )
    parser.add_argument(
        "--lines", metavar="FILE", help="read one board a line and answer each in JSON"
    )
    add_mines(parser, default="unknown")
    add_explanations(parser)
    add_agent(parser)
    add_json(parser)

"""``minebot report``: one file of the last failure, to send with a report."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json

ABOUT = """\
Make one zip file of the last run of play or watch that stopped in trouble, or that lost a game by a
fault of its own: the last pictures of the board (60 at most), what was read, decided and clicked,
the versions, the monitors and the sentence it ended with. Of the screen it shows the place of the
board only. What lies around the board and its counter is painted over, and of a window that covered
the board only the shape is left. Nothing is sent: look at the file, then send it yourself.

examples:
  minebot report                     writes minebot-report.zip
  minebot report -o trouble.zip
  minebot report --whole-window      if the trouble lies beside the board, in the window's header"""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("minebot-report.zip"),
        metavar="FILE",
        help="the file to write (default: minebot-report.zip)",
    )
    parser.add_argument(
        "--whole-window",
        action="store_true",
        help="leave what lies around and over the board as it was, as far as the bot looked at it; "
        "parts of other windows may show",
    )
    add_json(parser)

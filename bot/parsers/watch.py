"""``minebot watch``: look on while a person plays, and review the games."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json, add_mines, add_picture, add_record

ABOUT = """\
Look on while you play Minesweeper yourself, in whatever program you like. The mouse and the
keyboard are never touched. The terminal shows what is certain on the board, all risks and the best
move, and warns of each mistake as you make it. Press Ctrl-C, or close the game's window, to end:
then every move is compared with the best one, and your mistakes are listed.

examples:
  minebot watch                       see hints; list the mistakes at the end
  minebot watch --overlay             see hints on the game's window, too
  minebot watch -o mine.html          and make a page of the games
  minebot watch --record session/     keep the recording, with its page"""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    add_record(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="the page to write")
    parser.add_argument(
        "--overlay",
        action="store_true",
        help="draw the hints over the game's window, too (X11, wlroots)",
    )
    add_mines(parser)
    add_picture(parser)
    add_json(parser)

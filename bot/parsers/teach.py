"""``minebot teach``: name the tiles on a screenshot that the bot doubts."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_mines, add_picture

ABOUT = """\
Show the tiles of a screenshot that cannot be read, one by one, and ask what they are. The answers
become a theme among your data, which read and play try from then on.

Answers: a number 0 to 8, # hidden, F flag, ? question mark, * mine, X exploded mine, W wrong flag;
Enter leaves a tile out."""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a screenshot")
    add_mines(parser)
    add_picture(parser)
    parser.add_argument(
        "--name", metavar="NAME", help="name of the theme (default: look-1, look-2 and so on)"
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR",
        help="save the pictures of the tiles in doubt in this folder, too",
    )

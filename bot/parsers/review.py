"""``minebot review``: a recorded game as one page, with its mistakes."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json, positive_number

ABOUT = """\
Review recorded games: every move is compared with the best one, and each game becomes one HTML
page that needs no network. Several games, or several sessions, make an index page and one page a
game in a folder. Games that other programs saved are reviewed too: .avf (Minesweeper Arbiter), .evf
(Metasweeper), .rmv (Viennasweeper) and .mvf (Minesweeper Clone 0.97).

examples:
  minebot review                            the last session of 'minebot play --record'
  minebot review session/                   writes session/review.html
  minebot review session/ -o game.html
  minebot review monday/ tuesday/ -o pages/
  minebot review --game 2 --gif game.gif    the second game, and a clip of it
  minebot review game.avf                   writes game.html
  minebot review session/ --json            the mistakes, one line a game"""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "sessions",
        nargs="*",
        type=Path,
        metavar="SESSION",
        help="folders recorded into, or game files (default: the last session among your data)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="the page to write, or the folder for several (default: review.html in the session, "
        "or a page beside the game file)",
    )
    parser.add_argument(
        "--game", type=positive_number, metavar="N", help="review only the game of this number"
    )
    for kind in ("gif", "mp4"):
        parser.add_argument(
            f"--{kind}", type=Path, metavar="FILE", help=f"make a clip of the game too (.{kind})"
        )
    add_json(parser)

"""``minebot bench``: measure an agent's win rate, or the difference between two agents."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    SIZE_HELP,
    add_json,
    add_seed,
    add_think,
    add_work_options,
    cell_from_one,
    positive_number,
)

DEFAULT_GAMES = 1000


EXAMPLES = """\
examples:
  minebot bench --size expert --games 1000 --agent tank
  minebot bench --agent deep,tank --games 500 --jobs -1 --plot rates.png
  minebot bench --boards boards.json --agent deep --json
  minebot bench --think low --against deep --games 200"""


ABOUT = """\
Play games without a window and report the win rate with its 95 % interval. Each board follows
from the seed and its number, so all agents play the same boards."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "--size",
        metavar="S",
        help=f"{SIZE_HELP} (default: that of the file of --boards, else expert)",
    )
    parser.add_argument(
        "--first",
        choices=FIRST_CLICK_RULES,
        help=f"{FIRST_CLICK_HELP} (default: the rule in the file of --boards, else safe)",
    )
    parser.add_argument(
        "--games",
        type=positive_number,
        metavar="N",
        help=f"number of games (default: all boards of the file, else {DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"agent that plays (default: {DEFAULT_AGENT}; 'minebot agents' lists them); several "
        "names, with commas between them, play the same boards and are compared with the first",
    )
    add_think(parser)
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="one more agent for the same boards; --think is not for it",
    )
    parser.add_argument(
        "--boards", type=Path, metavar="FILE", help="play the boards of a JSON file"
    )
    parser.add_argument(
        "--opening",
        metavar="CELL",
        type=_cell_or_word,
        help="first cell to open: ROW,COL, counted from 1 at the top left, 'file' for the cell "
        "that the file of --boards gives (default if it does), or 'agent' for the agent's choice "
        "(default otherwise)",
    )
    add_seed(parser)
    parser.add_argument(
        "--no-estimate",
        action="store_true",
        help="count wins only; do not play on after a loss to estimate the rate with less noise",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the win rates (.png or .svg)"
    )
    add_json(parser)
    add_work_options(parser)


def _cell_or_word(text: str) -> tuple[int, int] | str:
    """Read ``ROW,COL``, counted from 1, ``file`` or ``agent``; for `argparse`."""
    if text in ("file", "agent"):
        return text
    try:
        return cell_from_one(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an opening: give a cell as ROW,COL, counted from 1 at the top left, "
            "or the word file or agent"
        ) from None

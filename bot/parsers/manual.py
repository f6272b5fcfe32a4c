"""``minebot manual``: play by hand on the terminal, with an agent's help."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    SIZE_HELP,
    add_think,
    whole_number,
)

ABOUT = """\
Play on the terminal with mouse or keys. Agents can help you or play for you; a mistake is named as
it happens, and every move can be taken back.

left click, space  open the cell; on a number whose flags are complete, open its other neighbours
right click, f     set or remove a flag
middle click, c    chord: open the other neighbours of a number
arrow keys         move the cursor
u                  take the last change back
a, w               ask the agent for a move; say why a cell is safe or a mine
k                  compare the best guesses
v                  show several agents' advice side by side
s, p, e            let the agent play one turn; play on (p stops it); play to the end at once
tab, shift+tab     choose the next or the previous agent
h                  show or hide the risk of every cell
m, r               show or hide mistakes as they happen; review the game
n                  start a new game
q, ctrl+c          quit
ctrl+s, ctrl+o     save or load the position as text
?                  list all keys"""


EXAMPLES = """\
examples:
  minebot manual --size beginner
  minebot manual --agents deep,tank,gac          their advice side by side (v)
  minebot manual --load position.txt --mines 40"""


SIDE_AGENTS = "deep,tank,double-improved,gac"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "--size",
        default="intermediate",
        metavar="S",
        help=f"{SIZE_HELP} (default: intermediate)",
    )
    parser.add_argument(
        "--seed", type=whole_number, metavar="S", help="seed of the board (default: random)"
    )
    parser.add_argument(
        "--first",
        choices=FIRST_CLICK_RULES,
        default="safe",
        help=f"{FIRST_CLICK_HELP} (default: safe)",
    )
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"agent to ask at the start (default: {DEFAULT_AGENT})",
    )
    add_think(parser)
    parser.add_argument(
        "--agents",
        default=SIDE_AGENTS,
        metavar="A,B,...",
        help=f"agents whose advice the side panel shows (default: {SIDE_AGENTS})",
    )
    parser.add_argument(
        "--load", type=Path, metavar="FILE", help="start from a position in text form"
    )
    parser.add_argument(
        "--mines", type=whole_number, metavar="M", help="mine total of the loaded position"
    )
    parser.set_defaults(default_of=parser.get_default)

"""``minebot manual``: play in the terminal, with any agent at your side."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

from bot.commands.options import DEFAULT_AGENT, count
from bot.commands.work import get_ready
from bot.errors import UsageError
from bot.manual import Sitting
from solver.arena.boards import Size
from solver.errors import MissingExtra
from solver.game import Rule

ABOUT = """\
Play in the terminal with mouse and keys, with any agent at your side.

Left click or space opens (on a number: its neighbours, when it has its flags), right click or f
flags, middle click or c chords. a asks the agent, w says why, s lets it make one move, p lets it
play on, e to the end; tab turns to the next agent. h shows the mine probability of every cell.
ctrl+s and ctrl+o save and load the position as text. Nothing is taken back."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "manual",
        help="play in the terminal, with any agent at your side",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--size",
        default="intermediate",
        help="beginner, intermediate, expert, thesis-hard or ROWSxCOLSxMINES "
        "(default: intermediate)",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="of the board (default: by chance)")
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in Rule],
        default=Rule.SAFE.value,
        help="what the first click is spared: nothing, its cell, its neighbours too",
    )
    parser.add_argument("--agent", default=DEFAULT_AGENT, help="who is asked first")
    parser.add_argument("--load", type=Path, metavar="FILE", help="start from a position in text")
    parser.add_argument(
        "--mines", type=count, metavar="M", help="mine total of the position loaded"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the person leaves."""
    sitting = sitting_of(args)
    try:
        from bot.manual_app import ManualApp  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Manual play needs the extra: pip install 'minebot[manual]'.") from error
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Manual play needs a terminal.")
    get_ready()
    app = ManualApp(sitting)
    app.run()
    return app.return_code or 0


def sitting_of(args: argparse.Namespace) -> Sitting:
    """Set the game up as the options say."""
    seed = random.SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    sitting = Sitting(Size.parse(args.size), rule=Rule(args.first), seed=seed, agent=args.agent)
    if args.load:
        sitting.load(args.load, args.mines)
    return sitting

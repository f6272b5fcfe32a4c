"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.commands.options import add_json
from bot.record.replay import replay
from bot.record.session import Session
from bot.terminal.output import console, emit
from solver.counting import counted

ABOUT = """\
Run calibration, reader and solver again on the frames of a session recorded by
'minebot play --record DIR', and report every difference from the recorded results. The exit code
is 1 if there is a difference."""


EXAMPLES = """\
examples:
  minebot play --screen sim --record session/
  minebot replay session/"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        help="run a recorded session again and report every difference",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "session", type=Path, metavar="SESSION", help="the folder of the recorded session"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every difference and a summary."""
    session = Session.load(args.session)
    found = 0
    for difference in replay(session):
        found += 1
        if args.json:
            emit(vars(difference))
        else:
            console().print(str(difference), markup=False)
    turns = sum(step.get("kind") == "turn" for step in session.steps)
    games = [step for step in session.steps if step.get("kind") == "game"]
    if args.json:
        emit({"steps": len(session.steps), "turns": turns, "differences": found})
    else:
        for game in games:
            blame = f", {game['blame']}: {game.get('why', '')}" if "blame" in game else ""
            console().print(f"Game {game['game']}: {game['result']}{blame}", markup=False)
        console().print(
            f"{counted(turns, 'turn')} in {counted(len(session.steps), 'step')} run again, "
            f"{counted(found, 'difference')} found."
        )
    return 1 if found else 0

"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.commands.options import add_json
from bot.replay import replay
from bot.say import emit, out
from bot.session import Session

ABOUT = """\
Run calibration, reader and solver again on the frames of a session recorded by
'minebot play --record DIR', and report every difference to what was recorded. The exit code
is 1 if there is any."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("replay", help="run a recorded session again", description=ABOUT)
    parser.add_argument("session", type=Path, metavar="SESSION", help="the folder recorded into")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every difference, and a summary."""
    session = Session.load(args.session)
    found = 0
    for difference in replay(session):
        found += 1
        if args.json:
            emit(vars(difference))
        else:
            out().print(str(difference), markup=False)
    turns = sum(step.get("kind") == "turn" for step in session.steps)
    games = [step for step in session.steps if step.get("kind") == "game"]
    if args.json:
        emit({"steps": len(session.steps), "turns": turns, "differences": found})
    else:
        for game in games:
            blame = f", {game['blame']}: {game['why']}" if "blame" in game else ""
            out().print(f"Game {game['game']}: {game['result']}{blame}", markup=False)
        out().print(f"{turns} turns in {len(session.steps)} steps run again, {found} differences.")
    return 1 if found else 0

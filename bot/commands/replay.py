"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

import argparse

from bot.record.replay import replay
from bot.record.session import Session
from bot.terminal.console import console
from bot.terminal.output import emit
from solver.counting import counted


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

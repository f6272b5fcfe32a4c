"""``minebot doctor``: what on this machine would keep the bot from playing."""

from __future__ import annotations

import argparse
from typing import Any

from bot.commands.options import add_json
from bot.doctor import Verdict, examine
from bot.say import emit, out

MARKS = {Verdict.OK: "[green]ok  [/]", Verdict.NOTE: "[yellow]note[/]", Verdict.BAD: "[red]bad [/]"}

ABOUT = """\
Check display, screenshots, pointer, libraries and the compiled solver. The exit code is 1 if
anything would keep the bot from playing on the real screen; the simulated window
(play --screen sim) needs no display."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor", help="say what would keep the bot from playing", description=ABOUT
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every check and the verdict."""
    bad = 0
    for check in examine():
        bad += check.verdict is Verdict.BAD
        if args.json:
            emit({"check": check.name, "verdict": check.verdict.value, "message": check.message})
        else:
            out().print(f"{MARKS[check.verdict]} {check.name:<22} ", end="")
            out().print(check.message, markup=False)
    if not args.json:
        out().print(
            f"{bad} problem(s) keep the bot from the real screen; 'minebot play --screen sim' "
            "needs none of it."
            if bad
            else "Ready to play."
        )
    return 1 if bad else 0

"""``minebot doctor``: check whether this machine can run the bot."""

from __future__ import annotations

import argparse
from typing import Any

from bot.commands.options import add_json
from bot.doctor import Verdict, examine
from bot.terminal.output import console, emit

MARKS = {Verdict.OK: "[green]ok  [/]", Verdict.NOTE: "[yellow]note[/]", Verdict.BAD: "[red]bad [/]"}

ABOUT = """\
Check the display, screenshots, the pointer, libraries and the compiled solver. The exit code is 1
if a problem prevents play on the real screen. The simulated window (play --screen sim) needs no
display."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor", help="check whether this machine can run the bot", description=ABOUT
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every check and a summary; return 1 if a check found a problem."""
    problems = 0
    for check in examine(args.config_file):
        problems += check.verdict is Verdict.BAD
        if args.json:
            emit({"check": check.name, "verdict": check.verdict.value, "message": check.message})
        else:
            console().print(f"{MARKS[check.verdict]} {check.name:<22} ", end="")
            console().print(check.message, markup=False)
    if not args.json:
        console().print(
            f"{_count(problems)} play on the real screen; 'minebot play --screen sim' works "
            "without it."
            if problems
            else "Ready to play."
        )
    return 1 if problems else 0


def _count(problems: int) -> str:
    return "1 problem prevents" if problems == 1 else f"{problems} problems prevent"

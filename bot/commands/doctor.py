"""``minebot doctor``: check whether this machine can run the bot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.parsing import COMMANDS, configured, kinds_of, load_config
from bot.commands.play import Play, check_start
from bot.commands.shared import Json
from bot.errors import BotError, UsageError
from bot.streams import emit
from solver.counting import counted
from solver.errors import SolverError

if TYPE_CHECKING:
    from bot.doctor import Check


@dataclass(frozen=True, kw_only=True)
class Doctor(Json):
    """Check the display, screenshots, the pointer, libraries and your configuration, and look for a
    game on the screen: its program, size and mines, and how the next one starts. The exit code is 1
    if a problem prevents play on the real screen. The simulated window (play --screen sim) needs no
    display.
    """


STYLES = {"ok": "green", "note": "yellow", "bad": "red"}
"""The colours of the results of checks."""


def run(args: Doctor) -> int:
    """Print every check and a summary; return 1 if a check found a problem."""
    from rich.table import Table
    from rich.text import Text

    from bot.commands.pictures import themes_of
    from bot.doctor import BOARD, CheckStatus, examine
    from bot.terminal.console import console

    problems, board_seen = 0, False
    for check in examine(check_configuration(args.config_file), themes_of(None)):
        problems += check.verdict is CheckStatus.BAD
        board_seen |= check.name == BOARD and check.verdict is CheckStatus.OK
        if args.json:
            emit({"check": check.name, "verdict": check.verdict.value, "message": check.message})
        else:
            row = Table.grid(padding=(0, 1))
            row.add_column(width=4)
            row.add_column(width=22)
            row.add_row(
                Text(check.verdict.value, STYLES[check.verdict.value]), check.name, check.message
            )
            console().print(row)
    if not args.json:
        console().print(
            f"{counted(problems, 'problem prevents', 'problems prevent')} play on the real screen; "
            "'minebot play --screen sim' works without it."
            if problems
            else "Ready to play."
            if board_seen
            else "Ready to play once a single board is in sight."
        )
    return 1 if problems else 0


def check_configuration(file: Path) -> Check:
    """Check that the options for every command are valid, and that play can start with its own."""
    from bot.doctor import Check, CheckStatus
    from calibration.errors import CalibrationError

    name = "configuration"
    if not file.exists():
        return Check(name, CheckStatus.OK, f"{file} does not exist; it may hold your own defaults.")
    _, tables = load_config(file, COMMANDS)
    try:
        check_start(Play(**configured(Play, "play", file, tables)))
    except (BotError, CalibrationError, SolverError) as error:
        return Check(
            name, CheckStatus.BAD, f"With {file} play cannot start: {_reason(error, file)}"
        )
    for command in COMMANDS:
        try:
            kinds = kinds_of(command).values()
            for kind in kinds:
                configured(kind, command, file, tables, kinds=kinds)
        except UsageError as error:
            reason = _reason(error, file)
            return Check(name, CheckStatus.NOTE, f"With {file} '{command}' cannot start: {reason}")
    return Check(name, CheckStatus.OK, f"{file} is read.")


def _reason(error: Exception, file: Path) -> str:
    """Return the message of an error without the name of the file."""
    return str(error).removeprefix(f"{file}: ")

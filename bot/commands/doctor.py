"""``minebot doctor``: check whether this machine can run the bot."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.commands.pictures import themes_of
from bot.commands.play import check_start
from bot.doctor import BOARD, Check, Verdict, examine
from bot.errors import BotError, UsageError
from bot.terminal.console import console
from bot.terminal.output import emit
from bot.usage.config import configured, load_config
from bot.usage.doctor import Doctor
from bot.usage.parsing import COMMANDS, kinds_of
from bot.usage.play import Play
from calibration.errors import CalibrationError
from solver.counting import counted
from solver.errors import SolverError

CHECK_MARKS = {
    Verdict.OK: ("ok", "green"),
    Verdict.NOTE: ("note", "yellow"),
    Verdict.BAD: ("bad", "red"),
}


def run(args: Doctor) -> int:
    """Print every check and a summary; return 1 if a check found a problem."""
    problems, board_seen = 0, False
    for check in examine(check_configuration(args.config_file), themes_of(None)):
        problems += check.verdict is Verdict.BAD
        board_seen |= check.name == BOARD and check.verdict is Verdict.OK
        if args.json:
            emit({"check": check.name, "verdict": check.verdict.value, "message": check.message})
        else:
            row = Table.grid(padding=(0, 1))
            row.add_column(width=4)
            row.add_column(width=22)
            row.add_row(Text(*CHECK_MARKS[check.verdict]), check.name, check.message)
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
    """Check that every command takes its options, and that play can start with its own."""
    name = "configuration"
    if not file.exists():
        return Check(name, Verdict.OK, f"{file} does not exist; it may hold your own defaults.")
    _, tables = load_config(file, COMMANDS)
    try:
        check_start(Play(**configured(Play, "play", file, tables)))
    except (BotError, CalibrationError, SolverError) as error:
        return Check(name, Verdict.BAD, f"With {file} play cannot start: {_reason(error, file)}")
    for command in COMMANDS:
        try:
            kinds = kinds_of(command).values()
            for kind in kinds:
                configured(kind, command, file, tables, kinds=kinds)
        except UsageError as error:
            reason = _reason(error, file)
            return Check(name, Verdict.NOTE, f"With {file} '{command}' cannot start: {reason}")
    return Check(name, Verdict.OK, f"{file} is read.")


def _reason(error: Exception, file: Path) -> str:
    """Return what an error says, without the file that was named already."""
    return str(error).removeprefix(f"{file}: ")

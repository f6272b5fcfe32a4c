"""``minebot report``: pack the last failure into one file that can be sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.commands.parsing import flag, option
from bot.commands.shared import Files, Json
from bot.outputs import check_writable, trouble_file, write_output
from bot.streams import emit
from solver.counting import counted


@dataclass(frozen=True, kw_only=True)
class Report(Files, Json):
    """Make a zip file of the last run of play or watch that stopped with an error, or that lost a
    game by its own fault: the last pictures of the board (60 at most), what was read, decided and
    clicked, the versions, the monitors and the error message. It shows only the part of the screen
    with the board. Everything around the board and its counter is painted over, and of a window
    that covered the board only the shape is left. Nothing is sent: look at the file, then send it
    yourself.

    examples:
      minebot report                     writes minebot-report.zip
      minebot report -o trouble.zip
      minebot report --whole-window      if the problem is in the header of the window
    """

    output: Path = option(
        "the file to write", "FILE", short="-o", default=Path("minebot-report.zip")
    )
    whole_window: bool = flag(
        "do not paint over the surroundings of the board and what covers it; parts of other "
        "windows may be visible"
    )


def run(args: Report) -> int:
    """Write the report and print a summary."""
    from bot.record.trouble import NO_BOARD_SEEN, make_report
    from bot.terminal.console import console

    check_writable(args.output, replace=args.force)
    report = make_report(trouble_file(), whole_window=args.whole_window)
    write_output(args.output, report.data, replace=args.force)
    if args.json:
        emit(
            {"file": str(args.output), "frames": report.frames}
            | {"cause": report.error, "text": report.message}
        )
        return 0
    console().print(f"{report.error}: {report.message}")
    with_pictures = f"with {counted(report.frames, 'picture')} of the board"
    console().print(
        f"{args.output} describes it, {with_pictures}. "
        + ("Look at it before you send it." if report.frames else NO_BOARD_SEEN)
    )
    return 0

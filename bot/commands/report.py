"""``minebot report``: one file of the last failure, to send with a report."""

from __future__ import annotations

from bot.outputs import check_writable, write_output
from bot.record.storage import trouble_file
from bot.record.trouble.report import NO_BOARD_SEEN, make_report
from bot.terminal.console import console
from bot.terminal.output import emit
from bot.usage.report import Report
from solver.counting import counted


def run(args: Report) -> int:
    """Write the report and say what it holds."""
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
        f"{args.output} tells of it, {with_pictures}. "
        + ("Look at it before you send it." if report.frames else NO_BOARD_SEEN)
    )
    return 0

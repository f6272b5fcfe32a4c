"""``minebot stats``: all recorded games by program, size and agent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from bot.errors import BadSession
from bot.exit_codes import USAGE
from bot.outputs import check_output, write_table, writing
from bot.record.session import files_of
from bot.record.statistics import find_sessions, group, load_all
from bot.record.storage import sessions_folder
from bot.terminal.console import console
from bot.terminal.output import emit, note
from bot.usage.stats import Stats
from solver.counting import counted

LEGEND = """\
luck: games won, minus those expected from the chances of all guesses;
eff.: 3BV a click, ZiNi: ZiNi a click in games won. Games that were stopped do not count."""


def run(args: Stats) -> int:
    """Read the sessions and print the table."""
    places = args.places or [sessions_folder()]
    check_output(args.csv, args.plot, replace=args.force, inputs=recordings(places))
    facts, troubles = load_all(places)
    rows = [one.to_json() for one in group(facts)]
    for trouble in troubles:
        note(f"Left out: {trouble}")
    if not rows:
        raise BadSession(f"None of {counted(len(troubles), 'session')} can be read.")
    if args.json:
        for row in rows:
            emit(row)
    else:
        console().print(_table(rows))
        console().print(LEGEND, style="dim")
    if args.csv:
        _save_csv(rows, args.csv, replace=args.force)
    if args.plot:
        from bot.record.chart import draw_wins  # noqa: PLC0415  an extra: matplotlib

        with writing(args.plot):
            draw_wins(rows, args.plot, replace=args.force)
    return USAGE if troubles else 0


def recordings(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files of all sessions in some places, and the game files."""
    found = [path for place in places for path in find_sessions(place)]
    return tuple(file for one in found for file in ([one] if one.is_file() else files_of(one)))


def _table(rows: list[dict[str, Any]]) -> Table:
    """Draw the table; with names of usual length it fits into 80 columns."""
    table = Table(box=None, pad_edge=False)
    table.add_column("program")
    for name in ("size", "agent"):
        table.add_column(name, no_wrap=True)
    for name in ("won", "95 %", "luck", "3BV/s", "eff.", "ZiNi"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("lost by")
    for row in rows:
        low, high = row["ci95"] or (0.0, 0.0)
        table.add_row(
            row["program"].removesuffix(" program"),
            row["size"],
            row["agent"],
            f"{row['wins']} of {row['wins'] + row['losses']}",
            f"{100 * low:.0f}-{100 * high:.0f}" if row["ci95"] else "-",
            f"{row['luck']:+.1f}",
            _figure(row["bv_per_s"]),
            _figure(row["efficiency"]),
            _figure(row["zini_efficiency"]),
            ", ".join(f"{cause} {count}" for cause, count in row["causes"].items()),
        )
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _save_csv(rows: list[dict[str, Any]], path: Path, *, replace: bool) -> None:
    """Write the rows as CSV. Raises what `write_table` raises."""
    flat = [
        {name: value for name, value in row.items() if name not in ("ci95", "causes")}
        | {"ci95_low": (row["ci95"] or [None])[0], "ci95_high": (row["ci95"] or [None])[-1]}
        | {"causes": "; ".join(f"{cause} {count}" for cause, count in row["causes"].items())}
        for row in rows
    ]
    write_table(path, flat, replace=replace)

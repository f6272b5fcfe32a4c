"""``minebot stats``: sum up all recorded games by program, size and agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Json
from bot.errors import BadSession
from bot.outputs import check_output, sessions_folder, write_table, writing
from bot.streams import emit, note
from solver.counting import counted

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, kw_only=True)
class Stats(Files, Json):
    """Summarise all recorded games in some folders by program, size and agent: wins with their 95 %
    interval, expected wins by the chances survived, causes of losses and clicks; for won games also
    the 3BV per second and the efficiency (3BV and ZiNi per click). Game files of other programs
    count, too, as in 'minebot review'.

    examples:
      minebot stats                       all games that 'minebot play --record' saved
      minebot stats monday/ arbiter/      the sessions and game files in two folders
      minebot stats game.avf --json
    """

    places: Sequence[Path] = argument(
        "folders of sessions or game files, or single files (default: where play --record keeps "
        "them)",
        "DIR|FILE",
        count="*",
    )
    csv: Path | None = option("write the table as CSV", "FILE")
    plot: Path | None = option("draw a chart (PNG or SVG)", "FILE")


LEGEND_OF_TOTALS = (
    "luck: games won, minus those expected from the recorded chances of guesses;",
    "eff.: 3BV a click, ZiNi: ZiNi a click in games won. Games that were stopped do not count.",
)


def run(args: Stats) -> int:
    """Read the sessions and print the table."""
    from bot.failures import USAGE
    from bot.record.statistics import group, load_all
    from bot.terminal.console import console

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
        console().print(*LEGEND_OF_TOTALS, sep="\n", style="dim")
    if args.csv:
        _save_csv(rows, args.csv, replace=args.force)
    if args.plot:
        from bot.record.statistics import draw_wins  # an extra: matplotlib

        with writing(args.plot):
            draw_wins(rows, args.plot, replace=args.force)
    return USAGE if troubles else 0


def recordings(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files of all sessions in some places, and the game files."""
    from bot.record.session import files_of
    from bot.record.statistics import find_sessions

    found = [path for place in places for path in find_sessions(place)]
    return tuple(file for one in found for file in ([one] if one.is_file() else files_of(one)))


def _table(rows: list[dict[str, Any]]) -> Table:
    """Draw the table; with names of usual length it fits into 80 columns."""
    from rich.table import Table

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
            "-" if row["luck"] is None else f"{row['luck']:+.1f}",
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

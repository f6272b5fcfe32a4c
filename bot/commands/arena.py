"""``minebot arena``: compare the agents of the papers, in a sweep over densities or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands import shared
from bot.commands.bench import difference_text, interval_text, rate_text
from bot.commands.parsing import Options, option
from bot.errors import UsageError
from bot.outputs import check_output, write_table, writing
from bot.streams import emit, note
from solver.counting import counted

if TYPE_CHECKING:
    from solver.arena import sweep as sweeps
    from solver.arena.sweep import SweepPoint
    from solver.arena.table import TableRow


REPORT_AGENTS = "basic,single-improved,double-improved"

SIZES = "beginner,intermediate,expert,thesis-hard"

WHO_PLAYS = "who plays: names (see 'minebot agents') or FILE.py:Class"


@dataclass(frozen=True, kw_only=True)
class Arena(Options):
    """Compare the agents of the papers on the same boards.

    examples:
      minebot arena sweep --dim 10 --games 200 --plot sweep.png
      minebot arena table --boards beginner,expert --agents tank,deep --games 500 --plot table.png
      minebot arena table --csv table.csv --results played/     continue an interrupted run
    """


@dataclass(frozen=True, kw_only=True)
class Summary(shared.DrawnBoards, shared.Files, shared.Json, shared.Work):
    """Where the summary goes."""

    csv: Path | None = option("save the summary as CSV", "FILE")
    plot: Path | None = option(
        "draw charts (.png or .svg); a table with several rules makes one file for each", "FILE"
    )


@dataclass(frozen=True, kw_only=True)
class SweepOptions(Summary):
    """Play the same boards with every agent at each mine density. A game continues after a mine is
    opened; the score is the share of all mines that the agent identifies safely.
    """

    dim: str = option("side of a square board, or ROWSxCOLS", "N", default="10")
    density: str = option(
        "mine densities from FROM to TO in steps, TO included, or a list such as 0.1,0.2",
        "FROM:TO:STEP",
        default="0.05:0.5:0.05",
    )
    games: int = option(
        "number of games for each density", "N", default=100, read=shared.positive_number
    )
    agents: str = option(WHO_PLAYS, "A,B,...", default=REPORT_AGENTS)
    first: str = option(
        f"{shared.FIRST_CLICK_HELP} (default: none, as in the report)",
        choices=shared.FIRST_CLICK_RULES,
        default="none",
    )


@dataclass(frozen=True, kw_only=True)
class Table(Summary):
    """Show the win rate, the share of the board opened before a loss, the guesses and the time of
    every agent, next to the figures of the papers. --results takes a folder.
    """

    games: int = option(
        "number of games for each size and rule", "N", default=200, read=shared.positive_number
    )
    agents: str = option(WHO_PLAYS, "A,B,...", default="all")
    boards: str = option("sizes of the boards", "S,S,...", default=SIZES)
    first: str = option(shared.FIRST_CLICK_HELP, "RULE,RULE", default="safe,zero")


SUBCOMMANDS = {
    "sweep": (SweepOptions, "score of each agent at several mine densities"),
    "table": (Table, "win rates on the boards of the papers, next to the papers' figures"),
}
"""What to play: the options of each kind, and its summary."""


def run(args: SweepOptions | Table) -> int:
    """Play a sweep or a table."""
    return run_sweep(args) if isinstance(args, SweepOptions) else run_table(args)


def run_sweep(args: SweepOptions) -> int:
    """Play a sweep; print, save and draw its scores."""
    from bot.commands.resolve import agents_of, workers_of
    from bot.terminal.console import progress_bars
    from solver.arena import sweep as sweeps
    from solver.arena.sweep import as_record as sweep_record
    from solver.arena.sweep import play_sweep
    from solver.game import Rule

    rows, cols = sides(args.dim)
    sweep = sweeps.Sweep(
        rows,
        cols,
        densities(args.density),
        args.games,
        agents_of(args.agents),
        seed=args.seed,
        rule=Rule(args.first),
    )
    check_output(args.csv, args.plot, args.results, replace=args.force)
    with progress_bars() as start_bar:
        on_done = start_bar(f"sweep {rows}x{cols}")
        result = play_sweep(sweep, path=args.results, workers=workers_of(args), on_done=on_done)
    records = [sweep_record(sweep, point) for point in result]
    if args.json:
        for record in records:
            emit(record)
    else:
        _show_sweep(sweep, result)
    _save_csv(args.csv, records, replace=args.force)
    if args.plot:
        from solver.arena.charts import plot_sweep

        with writing(args.plot):
            plot_sweep(sweep, result, args.plot, replace=args.force)
        note(f"Charts saved in {args.plot}.")
    return 0


def run_table(args: Table) -> int:
    """Play every board with every agent; print, save and draw the table."""
    from bot.commands.resolve import agents_of, workers_of
    from bot.terminal.console import progress_bars
    from solver.agents import agents_that_play
    from solver.arena.boards import Size
    from solver.arena.table import as_record as table_record
    from solver.arena.table import play_table, results_files
    from solver.game import Rule

    sizes = [Size.parse(text) for text in args.boards.split(",")]
    try:
        rules = [Rule(text) for text in args.first.split(",")]
    except ValueError:
        raise UsageError(f"--first takes safe, zero or none, not {args.first!r}.") from None
    agents = (
        agents_that_play((size.rows, size.cols) for size in sizes)
        if args.agents == "all"
        else agents_of(args.agents)
    )
    results = results_files(args.results, sizes, rules) if args.results else ()
    check_output(args.csv, args.plot, *results, replace=args.force)
    with progress_bars() as start_bar:
        lines = play_table(
            sizes,
            rules,
            agents,
            args.games,
            seed=args.seed,
            folder=args.results,
            workers=workers_of(args),
            watch=start_bar,
        )
    records = [table_record(line, args.seed) for line in lines]
    if args.json:
        for record in records:
            emit(record)
    else:
        _show_table(lines)
    _save_csv(args.csv, records, replace=args.force)
    if args.plot:
        from solver.arena.charts import plot_table

        with writing(args.plot):
            pages = plot_table(lines, args.plot, replace=args.force)
        note(f"Charts saved in {' and '.join(map(str, pages))}.")
    return 0


def sides(text: str) -> tuple[int, int]:
    """Read ``N`` or ``ROWSxCOLS``. Raises `UsageError` or `BadBoards`."""
    from solver.arena.boards import Size

    try:
        numbers = [int(part) for part in text.lower().split("x")]
        rows, cols = numbers * 2 if len(numbers) == 1 else numbers
    except ValueError:
        raise UsageError(f"--dim takes N or ROWSxCOLS, not {text!r}.") from None
    size = Size(rows, cols, 0)
    if size.cells < 2:
        raise UsageError("A sweep needs a board of at least two cells.")
    return rows, cols


def densities(text: str) -> tuple[float, ...]:
    """Read ``FROM:TO:STEP`` or a list separated by commas. Raises `UsageError`."""
    try:
        if ":" in text:
            start, stop, step = (float(part) for part in text.split(":"))
            count = int((stop - start) / step + 1e-9) + 1
            values = [round(start + step * index, 6) for index in range(count)]
        else:
            values = [float(part) for part in text.split(",")]
    except (ValueError, ArithmeticError):
        raise UsageError(f"--density takes FROM:TO:STEP or a list, not {text!r}.") from None
    if not values:
        raise UsageError(f"--density {text} holds no density: its steps lead away from TO.")
    if not all(0 < value < 1 for value in values):
        raise UsageError("Mine densities must be between 0 and 1.")
    return tuple(dict.fromkeys(values))


def _save_csv(path: Path | None, records: list[dict[str, Any]], *, replace: bool) -> None:
    from solver.arena.table import as_cells

    if path is not None:
        write_table(path, [as_cells(record) for record in records], replace=replace)


def _show_sweep(sweep: sweeps.Sweep, result: Sequence[SweepPoint]) -> None:
    from bot.terminal.console import console, plain_table
    from solver.arena.sweep import compare_sweep

    title = f"{sweep.rows}x{sweep.cols}, {counted(sweep.runs, 'game')} a density"
    table = plain_table(title, "agent", "density", "score", "95 %")
    for agent in sweep.agents:
        for point in (point for point in result if point.agent == agent):
            score = point.score
            table.add_row(agent, f"{point.density:g}", rate_text(score), interval_text(score))
    console().print(table)
    for weaker, stronger in pairwise(sweep.agents):
        paired = compare_sweep(result, stronger, weaker)
        console().print(f"{stronger} over {weaker}, all boards: {difference_text(paired)}.")


def _show_table(lines: Sequence[TableRow]) -> None:
    from bot.terminal.console import console, plain_table
    from solver.arena.table import figures_for, others_on

    for size, rule in dict.fromkeys((line.size, line.rule) for line in lines):
        standings = [line.standing for line in lines if (line.size, line.rule) == (size, rule)]
        title = f"{size}, first click {rule.value}, {counted(standings[0].games, 'game')}"
        table = plain_table(title, "agent", "won", "95 %", "opened", "guesses", "ms", "paper")
        for line in standings:
            table.add_row(
                line.agent,
                rate_text(line.win_rate),
                interval_text(line.win_rate),
                _percent_or_blank(line.opened_before_loss),
                f"{line.guesses_per_game:.2f}",
                f"{line.ms_per_game:.1f}",
                " ".join(
                    _percent_or_blank(figure.win_rate)
                    for figure in figures_for(str(size), line.agent)
                ),
            )
        console().print("", table, sep="\n")
        for figure in others_on(str(size)):
            console().print(
                f"  {figure.player}: {_percent_or_blank(figure.win_rate)} ({figure.source})"
            )
    console().print(
        "",
        "opened: the share of safe cells that were open at the end of lost games; paper: the win "
        "rate that the agent's paper gives for this size.",
        sep="\n",
    )


def _percent_or_blank(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"

"""``minebot arena``: the papers' players side by side, as a sweep over densities or a table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bot.commands.bench import plain_table, points, rate, span
from bot.commands.options import add_json, positive
from bot.commands.work import add_work_options, get_ready, progress_bars, workers_of
from bot.errors import UsageError
from bot.say import emit, note, out
from solver.agents import make, names
from solver.arena.boards import Size
from solver.arena.papers import figures_for, others_on
from solver.arena.sweep import Point, Sweep, compare_sweep, play_sweep
from solver.arena.sweep import as_record as sweep_record
from solver.arena.table import BOARDS, Line, play_table, write_csv
from solver.arena.table import as_record as table_record
from solver.game import Rule

REPORT_AGENTS = "basic,single-improved,double-improved"


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "arena",
        help="the papers' players side by side: sweep, table and charts",
        description="Set the papers' players against each other on the same boards.",
    )
    kinds = parser.add_subparsers(title="what to play", metavar="KIND", required=True)
    _add_sweep(kinds)
    _add_table(kinds)


def _add_sweep(kinds: Any) -> None:
    parser = kinds.add_parser(
        "sweep",
        help="score against mine density, played on after a mine",
        description="All agents on the same boards at each mine density. A mine stepped on does "
        "not end the game; the score is mines safely identified over all mines.",
    )
    parser.add_argument(
        "--dim", default="10", metavar="N", help="side of the board, or ROWSxCOLS (default: 10)"
    )
    parser.add_argument(
        "--density",
        default="0.05:0.5:0.05",
        metavar="FROM:TO:STEP",
        help="mine densities, TO included, or a list 0.1,0.2 (default: 0.05:0.5:0.05)",
    )
    parser.add_argument("--runs", type=positive, default=100, help="boards a density")
    parser.add_argument("--agents", default=REPORT_AGENTS, metavar="A,B,...")
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in Rule],
        default=Rule.NONE.value,
        help="what the first click is spared (default: none, as in the report)",
    )
    _add_output(parser)
    parser.set_defaults(run=run_sweep)


def _add_table(kinds: Any) -> None:
    parser = kinds.add_parser(
        "table",
        help="every agent on the papers' boards, beside the papers' figures",
        description="Win rate, board opened before a loss, guesses and time of every agent, "
        "beside the papers' own figures. --results names a folder.",
    )
    parser.add_argument("--games", type=positive, default=200, help="boards a size and rule")
    parser.add_argument("--agents", default="all", metavar="A,B,...")
    parser.add_argument("--boards", default=",".join(BOARDS), metavar="SIZE,SIZE,...")
    parser.add_argument("--first", default="safe,zero", metavar="RULE,RULE")
    _add_output(parser)
    parser.set_defaults(run=run_table)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="of the boards and of the agents")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="save the summary as CSV")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw charts (.png or .svg)")
    add_json(parser)
    add_work_options(parser)


def run_sweep(args: argparse.Namespace) -> int:
    """Play a sweep and show it."""
    rows, cols = sides(args.dim)
    sweep = Sweep(
        rows,
        cols,
        densities(args.density),
        args.runs,
        agents_of(args.agents),
        seed=args.seed,
        rule=Rule(args.first),
    )
    _check_output(args)
    get_ready()
    with progress_bars() as watch:
        on_done = watch(f"sweep {rows}x{cols}")
        result = play_sweep(sweep, path=args.results, workers=workers_of(args), on_done=on_done)
    records = [sweep_record(sweep, point) for point in result]
    _save_csv(args.csv, records)
    if args.json:
        for record in records:
            emit(record)
    else:
        _show_sweep(sweep, result)
    if args.plot:
        from solver.arena.plots import plot_sweep  # noqa: PLC0415

        plot_sweep(sweep, result, args.plot)
        note(f"Charts in {args.plot}.")
    return 0


def run_table(args: argparse.Namespace) -> int:
    """Play every agent on every board and show the table."""
    sizes = [Size.parse(text) for text in args.boards.split(",")]
    try:
        rules = [Rule(text) for text in args.first.split(",")]
    except ValueError:
        raise UsageError(f"--first takes safe, zero or none, not {args.first!r}.") from None
    agents = names() if args.agents == "all" else agents_of(args.agents)
    _check_output(args)
    get_ready()
    with progress_bars() as watch:
        lines = play_table(
            sizes,
            rules,
            agents,
            args.games,
            seed=args.seed,
            folder=args.results,
            workers=workers_of(args),
            watch=watch,
        )
    records = [table_record(line, args.seed) for line in lines]
    _save_csv(args.csv, records)
    if args.json:
        for record in records:
            emit(record)
    else:
        _show_table(lines)
    if args.plot:
        from solver.arena.plots import plot_table  # noqa: PLC0415

        plot_table(lines, args.plot)
        note(f"Charts in {args.plot}.")
    return 0


def sides(text: str) -> tuple[int, int]:
    """Read ``N`` or ``ROWSxCOLS``. Raises `UsageError` or `BadBoards`."""
    try:
        numbers = [int(part) for part in text.lower().split("x")]
        rows, cols = numbers * 2 if len(numbers) == 1 else numbers
    except ValueError:
        raise UsageError(f"--dim takes N or ROWSxCOLS, not {text!r}.") from None
    size = Size(rows, cols, 0)
    if size.cells < 2:
        raise UsageError("A sweep needs at least two cells.")
    return rows, cols


def densities(text: str) -> tuple[float, ...]:
    """Read ``FROM:TO:STEP`` or a list. Raises `UsageError`."""
    try:
        if ":" in text:
            start, stop, step = (float(part) for part in text.split(":"))
            count = int((stop - start) / step + 1e-9) + 1
            values = [round(start + step * index, 6) for index in range(count)]
        else:
            values = [float(part) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--density takes FROM:TO:STEP or a list, not {text!r}.") from None
    if not values or not all(0 < value < 1 for value in values):
        raise UsageError("Mine densities lie between 0 and 1.")
    return tuple(dict.fromkeys(values))


def agents_of(text: str) -> tuple[str, ...]:
    """Read names of agents, with their options. Raises `UnknownAgent`.

    Options of one agent are parted by commas too, so a part with ``=`` goes on with the one
    before.
    """
    agents: list[str] = []
    for part in text.split(","):
        if agents and "=" in part and ":" not in part:
            agents[-1] += f",{part}"
        else:
            agents.append(part.strip())
    for agent in agents:
        make(agent)
    return tuple(dict.fromkeys(agents))


def _check_output(args: argparse.Namespace) -> None:
    """Find out before the work whether its result can be saved."""
    if args.plot:
        from solver.arena.plots import check_plot_path  # noqa: PLC0415

        check_plot_path(args.plot)
    for path in filter(None, (args.csv, args.plot)):
        if not path.absolute().parent.is_dir():
            raise UsageError(f"There is no folder {path.parent} to write {path.name} into.")


def _save_csv(path: Path | None, records: list[dict[str, Any]]) -> None:
    if path is not None:
        with path.open("w", encoding="utf-8", newline="") as file:
            write_csv(records, file)


def _show_sweep(sweep: Sweep, result: Sequence[Point]) -> None:
    title = f"{sweep.rows}x{sweep.cols}, {sweep.runs} boards a density: score, 95 %"
    table = plain_table(title, "density", *sweep.agents)
    for density in sweep.densities:
        own = [point.score for point in result if point.density == density]
        table.add_row(f"{density:g}", *(f"{rate(score)} ({span(score)})" for score in own))
    out().print(table)
    for weaker, stronger in pairwise(sweep.agents):
        paired = compare_sweep(result, stronger, weaker)
        out().print(f"{stronger} over {weaker}, all boards: {points(paired)}.")


def _show_table(lines: Sequence[Line]) -> None:
    for size, rule in dict.fromkeys((line.size, line.rule) for line in lines):
        own = [line.standing for line in lines if (line.size, line.rule) == (size, rule)]
        title = f"\n{size}, first click {rule.value}, {own[0].games} games"
        table = plain_table(title, "agent", "won", "95 %", "opened", "guesses", "ms", "paper")
        for line in own:
            table.add_row(
                line.agent,
                rate(line.win_rate),
                span(line.win_rate),
                _share(line.opened_before_loss),
                f"{line.guesses_per_game:.2f}",
                f"{line.ms_per_game:.1f}",
                " ".join(_share(figure.win_rate) for figure in figures_for(str(size), line.agent)),
            )
        out().print(table)
        for figure in others_on(str(size)):
            out().print(f"  {figure.player}: {_share(figure.win_rate)} ({figure.source})")
    out().print(
        "\nopened: share of the safe cells open in the games not won; paper: the win rate the "
        "agent's paper gives for this size."
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"

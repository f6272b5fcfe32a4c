"""``minebot bench``: measure an agent's win rate, or the difference between two agents."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.table import Table

from bot.commands.long_runs import (
    add_work_options,
    progress_bars,
    workers_of,
)
from bot.commands.options import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    SIZE_HELP,
    add_json,
    add_seed,
    add_think,
    agent_name_of,
    cell_from_one,
    check_on_board,
    positive_number,
)
from bot.errors import UsageError
from bot.outputs import check_output, writing
from bot.terminal.output import console, emit, note
from solver.arena.boards import BoardSet, Size, read_boards
from solver.arena.games import PlayedGame
from solver.arena.statistics import Estimate, PairedDifference
from solver.arena.tournament import Match, Standing, compare, play_match, standing
from solver.board import Cell
from solver.counting import counted
from solver.game import Rule

DEFAULT_GAMES = 1000

EXAMPLES = """\
examples:
  minebot bench --size expert --games 1000 --agent tank
  minebot bench --agent deep --against tank --games 500 --jobs -1 --plot rates.png
  minebot bench --boards boards.json --agent deep --json
  minebot bench --think low --against deep --games 200"""

ABOUT = """\
Play games without a window and report the win rate with its 95 % interval. Each board follows
from the seed and its number, so all agents play the same boards."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="play games without a window and report the win rate with its interval",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--size",
        metavar="S",
        help=f"{SIZE_HELP} (default: that of the file of --boards, else expert)",
    )
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in Rule],
        help=f"{FIRST_CLICK_HELP} (default: the rule in the file of --boards, else safe)",
    )
    parser.add_argument(
        "--games",
        type=positive_number,
        metavar="N",
        help=f"number of games (default: all boards of the file, else {DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"agent that plays (default: {DEFAULT_AGENT}; 'minebot agents' lists them)",
    )
    add_think(parser)
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="second agent for the same boards, without --think; the difference is reported too",
    )
    parser.add_argument(
        "--boards", type=Path, metavar="FILE", help="play the boards of a JSON file"
    )
    parser.add_argument(
        "--opening",
        metavar="CELL",
        type=_cell_or_word,
        help="first cell to open: ROW,COL, counted from 1 at the top left, 'file' for the cell "
        "that the file of --boards gives (default if it does), or 'agent' for the agent's choice "
        "(default otherwise)",
    )
    add_seed(parser)
    parser.add_argument(
        "--no-estimate",
        action="store_true",
        help="count wins only; do not play on after a loss to estimate the rate with less noise",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the win rates (.png or .svg)"
    )
    add_json(parser)
    add_work_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play the boards and print the results."""
    match = match_of(args)
    inputs = (args.boards,) if args.boards else ()
    check_output(None, args.plot, args.results, inputs=inputs)
    with progress_bars() as start_bar:
        on_done = start_bar(" against ".join(match.agents))
        games = play_match(match, path=args.results, workers=workers_of(args), on_done=on_done)
    standings = [standing(agent, played) for agent, played in games.items()]
    if args.json:
        print_json_lines(match, standings, games)
    else:
        print_table(match, standings, games)
    if args.plot:
        from solver.arena.bar_charts import plot_match  # noqa: PLC0415

        with writing(args.plot):
            plot_match(match, standings, args.plot)
        note(f"Chart saved in {args.plot}.")
    return 0


def match_of(args: argparse.Namespace) -> Match:
    """Return the match that the options describe. Raises `UsageError` if they do not fit."""
    rule = Rule(args.first) if args.first else None
    size = None if args.size is None else Size.parse(args.size)
    if args.boards:
        boards = read_boards(args.boards, rule)
        if size not in (None, boards.size):
            note(f"--size {size} is not used: {args.boards} holds boards of {boards.size}.")
    else:
        boards = BoardSet(size or Size.parse("expert"), rule or Rule.SAFE, seed=args.seed)
    available = len(boards) if boards.orders is not None else None
    games = args.games if args.games is not None else available or DEFAULT_GAMES
    if available is not None and games > available:
        raise UsageError(
            f"{args.boards} holds {counted(available, 'board')}; --games cannot be more."
        )
    agent = agent_name_of(args)
    if args.against == agent:
        raise UsageError("--agent and --against are the same agent; name two different ones.")
    agents = (agent, args.against) if args.against else (agent,)
    return Match(
        boards,
        agents,
        games,
        seed=args.seed,
        first=_opening(args.opening, boards),
        with_chance=not args.no_estimate,
    )


def _cell_or_word(text: str) -> Cell | str:
    """Read ``ROW,COL``, counted from 1, ``file`` or ``agent``; for `argparse`."""
    if text in ("file", "agent"):
        return text
    try:
        return cell_from_one(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an opening: give a cell as ROW,COL, counted from 1 at the top left, "
            "or the word file or agent"
        ) from None


def _opening(wanted: Cell | str | None, boards: BoardSet) -> Cell | None:
    if isinstance(wanted, Cell):
        check_on_board(wanted, boards.size.rows, boards.size.cols)
        return wanted
    if wanted in (None, "file"):
        if wanted and boards.first is None:
            raise UsageError("--opening file needs a file of --boards that gives the first cell.")
        return boards.first
    return None


def print_json_lines(
    match: Match, standings: list[Standing], games: dict[str, list[PlayedGame]]
) -> None:
    """Print one JSON line an agent and, with two agents, one for their difference."""
    for line in standings:
        emit(_standing_json(match, line))
    if len(match.agents) == 2:
        wins, chances = compare(*games.values())
        first, second = match.agents
        emit(
            {"agent": first, "against": second, "games": match.games}
            | _paired_json(wins)
            | {"only_agent_won": wins.only_first, "only_against_won": wins.only_second}
            | ({"estimate": _paired_json(chances)} if chances else {})
        )


def _standing_json(match: Match, line: Standing) -> dict[str, Any]:
    size = match.boards.size
    return {
        "agent": line.agent,
        "rows": size.rows,
        "cols": size.cols,
        "mines": size.mines,
        "first": match.boards.rule.value,
        "games": line.games,
        "wins": line.wins,
        "win_rate": line.win_rate.value,
        "ci95": list(line.win_rate.ci95),
        "guesses_per_game": line.guesses_per_game,
        "ms_per_game": line.ms_per_game,
        "seed": match.seed,
    }


def _paired_json(paired: PairedDifference) -> dict[str, Any]:
    return {
        "difference": paired.difference.value,
        "ci95": list(paired.difference.ci95),
        "p_value": paired.p_value,
    }


def print_table(
    match: Match, standings: list[Standing], games: dict[str, list[PlayedGame]]
) -> None:
    """Print a table and, with two agents, a sentence on their difference."""
    size, rule = match.boards.size, match.boards.rule.value
    title = f"{size}, first click {rule}, {counted(match.games, 'game')}, seed {match.seed}"
    table = plain_table(
        title, "agent", "won", "win rate", "95 %", "estimate", "95 %", "guesses", "ms"
    )
    for line in standings:
        estimate = (
            ("", "")
            if line.chance is None
            else (rate_text(line.chance), interval_text(line.chance))
        )
        table.add_row(
            line.agent,
            str(line.wins),
            rate_text(line.win_rate),
            interval_text(line.win_rate),
            *estimate,
            f"{line.guesses_per_game:.2f}",
            f"{line.ms_per_game:.2f}",
        )
    terminal = console()
    terminal.print(table)
    if len(match.agents) == 2:
        wins, chances = compare(*games.values())
        first, second = match.agents
        terminal.print(
            f"{first} won {counted(wins.only_first, 'board')} that {second} lost; {second} won "
            f"{counted(wins.only_second, 'board')} that {first} lost: {difference_text(wins)}."
        )
        if chances:
            terminal.print(
                f"Estimated from multiplied survival chances: {difference_text(chances)}."
            )


def plain_table(title: str, first: str, *others: str) -> Table:
    """Return a table without lines: the first column aligned left, the others right.

    Where the terminal is too narrow, the first column is folded, so that no figure is cut.
    """
    table = Table(title=title, box=None, title_justify="left", padding=(0, 1), pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def rate_text(estimate: Estimate) -> str:
    """Write a rate in percent."""
    return f"{100 * estimate.value:.2f} %"


def interval_text(estimate: Estimate) -> str:
    """Write the 95 % interval of a rate in percent."""
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def difference_text(paired: PairedDifference) -> str:
    """Write a difference in percentage points, with its 95 % interval and p-value."""
    value, low, high = (100 * x for x in (paired.difference.value, *paired.difference.ci95))
    return f"{value:+.2f} points ({low:+.2f} to {high:+.2f}), p = {paired.p_value:.2g}"

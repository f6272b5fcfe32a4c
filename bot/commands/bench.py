"""``minebot bench``: one agent's win rate on numbered boards, or two agents' difference."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.table import Table

from bot.commands.options import DEFAULT_AGENT, add_json, positive
from bot.commands.work import add_work_options, get_ready, progress_bars, workers_of
from bot.errors import UsageError
from bot.say import emit, out
from solver.arena.boards import BoardSet, Size, read_boards
from solver.arena.play import Played
from solver.arena.statistics import Estimate, Paired
from solver.arena.tournament import Match, Standing, compare, play_match, standing
from solver.board import Cell
from solver.game import Rule

DEFAULT_GAMES = 1000


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="play games headless and report the win rate with its interval",
        description="Play numbered boards headless and report the win rate with its interval.",
    )
    parser.add_argument(
        "--size",
        default="expert",
        help="beginner, intermediate, expert, thesis-hard or ROWSxCOLSxMINES (default: expert)",
    )
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in Rule],
        help="what the first click is spared (default: the file's rule, else safe)",
    )
    parser.add_argument(
        "--games",
        type=positive,
        metavar="N",
        help=f"default: all of the file, else {DEFAULT_GAMES}",
    )
    parser.add_argument("--agent", default=DEFAULT_AGENT, help="who plays (see `minebot agents`)")
    parser.add_argument("--against", metavar="AGENT", help="play the same boards with AGENT too")
    parser.add_argument("--boards", type=Path, metavar="FILE", help="JSON file of boards")
    parser.add_argument(
        "--opening",
        metavar="CELL",
        help="first cell: ROW,COL, 'file' (default with --boards) or 'agent' (default without)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the boards and of the agents")
    parser.add_argument(
        "--no-estimate",
        action="store_true",
        help="count wins only; do not play on after a loss for the estimate with less noise",
    )
    add_json(parser)
    add_work_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play the boards and print what came of them."""
    match = match_of(args)
    get_ready()
    with progress_bars() as watch:
        on_done = watch(" against ".join(match.agents))
        games = play_match(match, path=args.results, workers=workers_of(args), on_done=on_done)
    standings = [standing(agent, played) for agent, played in games.items()]
    if args.json:
        print_json(match, standings, games)
    else:
        print_table(match, standings, games)
    return 0


def match_of(args: argparse.Namespace) -> Match:
    """Turn the options into a match. Raises `UsageError` where they do not fit together."""
    rule = Rule(args.first) if args.first else None
    if args.boards:
        boards = read_boards(args.boards, rule)
    else:
        boards = BoardSet(Size.parse(args.size), rule or Rule.SAFE, seed=args.seed)
    most = len(boards) if boards.orders is not None else None
    games = args.games if args.games is not None else most or DEFAULT_GAMES
    if most is not None and games > most:
        raise UsageError(f"{args.boards} holds {most} boards; --games may be at most that.")
    if args.against == args.agent:
        raise UsageError("An agent against itself plays the same games; name another.")
    agents = (args.agent, args.against) if args.against else (args.agent,)
    return Match(
        boards,
        agents,
        games,
        seed=args.seed,
        first=_opening(args.opening, boards),
        weigh=not args.no_estimate,
    )


def _opening(text: str | None, boards: BoardSet) -> Cell | None:
    if text in (None, "file"):
        if text and boards.first is None:
            raise UsageError("There is no file to take the first cell from; use --boards.")
        return boards.first
    if text == "agent":
        return None
    try:
        row, col = (int(part) for part in str(text).split(","))
    except ValueError:
        raise UsageError(f"--opening takes ROW,COL, file or agent, not {text!r}.") from None
    if not (0 <= row < boards.size.rows and 0 <= col < boards.size.cols):
        raise UsageError(f"Cell {row},{col} is not on a {boards.size} board.")
    return Cell(row, col)


def print_json(match: Match, standings: list[Standing], games: dict[str, list[Played]]) -> None:
    """Print one line an agent, and one for the comparison where there are two."""
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


def _paired_json(paired: Paired) -> dict[str, Any]:
    return {
        "difference": paired.difference.value,
        "ci95": list(paired.difference.ci95),
        "p_value": paired.p_value,
    }


def print_table(match: Match, standings: list[Standing], games: dict[str, list[Played]]) -> None:
    """Print a table for people, and a sentence on the difference where there are two."""
    size, rule = match.boards.size, match.boards.rule.value
    title = f"{size}, first click {rule}, {match.games} games, seed {match.seed}"
    table = plain_table(
        title, "agent", "won", "win rate", "95 %", "estimate", "95 %", "guesses", "ms a game"
    )
    for line in standings:
        estimate = ("", "") if line.chance is None else (rate(line.chance), span(line.chance))
        table.add_row(
            line.agent,
            str(line.wins),
            rate(line.win_rate),
            span(line.win_rate),
            *estimate,
            f"{line.guesses_per_game:.2f}",
            f"{line.ms_per_game:.2f}",
        )
    console = out()
    console.print(table)
    if len(match.agents) == 2:
        wins, chances = compare(*games.values())
        first, second = match.agents
        console.print(
            f"{first} won {wins.only_first} boards that {second} lost, and lost "
            f"{wins.only_second} that it won: {points(wins)}."
        )
        if chances:
            console.print(f"By multiplied survival chances: {points(chances)}.")


def plain_table(title: str, first: str, *others: str) -> Table:
    """Start a table without lines: the first column to the left, the others to the right."""
    table = Table(title=title, box=None, title_justify="left", padding=(0, 1))
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def rate(estimate: Estimate) -> str:
    """Write a rate in percent."""
    return f"{100 * estimate.value:.2f} %"


def span(estimate: Estimate) -> str:
    """Write a rate's interval in percent."""
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def points(paired: Paired) -> str:
    """Write a paired difference in points, with its interval and p-value."""
    value, low, high = (100 * x for x in (paired.difference.value, *paired.difference.ci95))
    return f"{value:+.2f} points ({low:+.2f} to {high:+.2f}), p = {paired.p_value:.2g}"

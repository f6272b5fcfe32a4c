"""``minebot bench``: measure the win rate of an agent, or the difference between agents."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands import shared
from bot.commands.parsing import flag, option
from bot.errors import UsageError
from bot.outputs import check_output, writing
from bot.streams import emit, note
from solver.arena.statistics import Estimate, PairedDifference
from solver.counting import counted

if TYPE_CHECKING:
    from solver.arena.boards import BoardSet
    from solver.arena.matches import Match, PlayedGame, Standing
    from solver.board import Cell


DEFAULT_GAMES = 1000

LEGEND_OF_TABLE = "guesses, ms: guesses and milliseconds a game."

LEGEND_OF_ESTIMATE = (
    f"estimate: win rate by the chances of all guesses, with less noise. {LEGEND_OF_TABLE}"
)


def cell_or_word(text: str) -> tuple[int, int] | str:
    """Read ``ROW,COL``, counted from 1, ``file`` or ``agent``; for `argparse`."""
    if text in ("file", "agent"):
        return text
    try:
        return shared.cell_from_one(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an opening: give a cell as ROW,COL, counted from 1 at the top left, "
            "or the word file or agent"
        ) from None


@dataclass(frozen=True, kw_only=True)
class Bench(shared.NamedAgent, shared.DrawnBoards, shared.Files, shared.Json, shared.Work):
    """Play games without a window and report the win rate with its 95 % interval. The seed and a
    number determine each board, so all agents play the same boards.

    examples:
      minebot bench --size expert --games 1000 --agent tank
      minebot bench --agent deep,tank --games 500 --jobs -1 --plot rates.png
      minebot bench --boards boards.json --agent deep --json
      minebot bench --think low --against deep --games 200
    """

    size: str | None = option(
        f"{shared.SIZE_HELP} (default: that of the file of --boards, else expert)", "S"
    )
    first: str | None = option(
        f"{shared.FIRST_CLICK_HELP} (default: the rule in the file of --boards, else safe)",
        choices=shared.FIRST_CLICK_RULES,
    )
    games: int | None = option(
        f"number of games (default: all boards of the file, else {DEFAULT_GAMES})",
        "N",
        read=shared.positive_number,
    )
    agent: str = option(
        f"agent that plays (default: {shared.DEFAULT_AGENT}; 'minebot agents' lists them); several "
        "names, with commas between them, play the same boards and are compared with the first",
        "NAME",
        default=shared.DEFAULT_AGENT,
    )
    against: str | None = option(
        "one more agent for the same boards; --think does not apply to it", "NAME"
    )
    boards: Path | None = option("play the boards of a JSON file", "FILE")
    opening: tuple[int, int] | str | None = option(
        "first cell to open: ROW,COL, counted from 1 at the top left, 'file' for the cell that the "
        "file of --boards gives (default if it does), or 'agent' for the agent's choice (default "
        "otherwise)",
        "CELL",
        read=cell_or_word,
    )
    no_estimate: bool = flag(
        "count wins only; do not play on after a loss to estimate the rate with less noise"
    )
    plot: Path | None = option("draw the win rates (.png or .svg)", "FILE")


def run(args: Bench) -> int:
    """Play the boards and print the results."""
    from bot.commands.resolve import workers_of
    from bot.terminal.console import progress_bars
    from solver.arena.matches import play_match, standing

    match = match_of(args)
    inputs = (args.boards,) if args.boards else ()
    check_output(None, args.plot, args.results, replace=args.force, inputs=inputs)
    with progress_bars() as start_bar:
        on_done = start_bar(" against ".join(match.agents))
        games = play_match(match, path=args.results, workers=workers_of(args), on_done=on_done)
    standings = [standing(agent, played) for agent, played in games.items()]
    if args.json:
        print_json_lines(match, standings, games)
    else:
        print_table(match, standings, games)
    if args.plot:
        from solver.arena.charts import plot_match

        with writing(args.plot):
            plot_match(match, standings, args.plot, replace=args.force)
        note(f"Chart saved in {args.plot}.")
    return 0


def match_of(args: Bench) -> Match:
    """Return the match that the options describe. Raises `UsageError` if they do not fit."""
    from bot.commands.resolve import agent_name_of, agents_of
    from solver.arena.boards import BoardSet, Size, read_boards
    from solver.arena.matches import Match
    from solver.game import Rule

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
    first, *others = agents_of(args.agent)
    agents = (agent_name_of(args, first), *others, *filter(None, [args.against]))
    if len(set(agents)) < len(agents):
        raise UsageError("--agent and --against are the same agent; name two different ones.")
    return Match(
        boards,
        agents,
        games,
        seed=args.seed,
        first=_opening(args.opening, boards),
        with_chance=not args.no_estimate,
    )


def _opening(wanted: tuple[int, int] | str | None, boards: BoardSet) -> Cell | None:
    from bot.commands.resolve import check_on_board
    from solver.board import Cell

    if isinstance(wanted, tuple):
        cell = Cell(*wanted)
        check_on_board(cell, boards.size.rows, boards.size.cols)
        return cell
    if wanted in (None, "file"):
        if wanted and boards.first is None:
            raise UsageError("--opening file needs a file of --boards that gives the first cell.")
        return boards.first
    return None


def print_json_lines(
    match: Match, standings: list[Standing], games: dict[str, list[PlayedGame]]
) -> None:
    """Print one JSON line for each agent and for each difference to the first one."""
    from solver.arena.matches import compare

    for line in standings:
        emit(_standing_json(match, line))
    first, *others = match.agents
    for second in others:
        wins, chances = compare(games[first], games[second])
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
    """Print a table and a sentence for each agent's difference to the first one."""
    from bot.terminal.console import console, plain_table
    from solver.arena.matches import compare

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
    terminal.print(LEGEND_OF_ESTIMATE if match.with_chance else LEGEND_OF_TABLE)
    first, *others = match.agents
    for second in others:
        wins, chances = compare(games[first], games[second])
        terminal.print(
            f"{first} won {counted(wins.only_first, 'board')} that {second} lost; {second} won "
            f"{counted(wins.only_second, 'board')} that {first} lost: {difference_text(wins)}."
        )
        if chances:
            terminal.print(
                f"Estimated from multiplied survival chances: {difference_text(chances)}."
            )


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

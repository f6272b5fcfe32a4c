"""``minebot bench``: measure an agent's win rate, or the difference between two agents."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import flag, option
from bot.usage.shared import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    SIZE_HELP,
    DrawnBoards,
    Files,
    Json,
    NamedAgent,
    Work,
    cell_from_one,
    positive_number,
)

DEFAULT_GAMES = 1000


def cell_or_word(text: str) -> tuple[int, int] | str:
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


@dataclass(frozen=True, kw_only=True)
class Bench(NamedAgent, DrawnBoards, Files, Json, Work):
    """Play games without a window and report the win rate with its 95 % interval. Each board
    follows from the seed and its number, so all agents play the same boards.

    examples:
      minebot bench --size expert --games 1000 --agent tank
      minebot bench --agent deep,tank --games 500 --jobs -1 --plot rates.png
      minebot bench --boards boards.json --agent deep --json
      minebot bench --think low --against deep --games 200
    """

    size: str | None = option(
        f"{SIZE_HELP} (default: that of the file of --boards, else expert)", "S"
    )
    first: str | None = option(
        f"{FIRST_CLICK_HELP} (default: the rule in the file of --boards, else safe)",
        choices=FIRST_CLICK_RULES,
    )
    games: int | None = option(
        f"number of games (default: all boards of the file, else {DEFAULT_GAMES})",
        "N",
        read=positive_number,
    )
    agent: str = option(
        f"agent that plays (default: {DEFAULT_AGENT}; 'minebot agents' lists them); several "
        "names, with commas between them, play the same boards and are compared with the first",
        "NAME",
        default=DEFAULT_AGENT,
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

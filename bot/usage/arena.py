"""``minebot arena``: compare the agents of the papers, in a sweep over densities or a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import Options, option
from bot.usage.shared import (
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    DrawnBoards,
    Files,
    Json,
    Work,
    positive_number,
)

REPORT_AGENTS = "basic,single-improved,double-improved"
SIZES = "beginner,intermediate,expert,thesis-hard"
WHO_PLAYS = "who plays: names (see 'minebot agents') or FILE.py:Class"


@dataclass(frozen=True, kw_only=True)
class Arena(Options):
    """Compare the agents of the papers on the same boards.

    examples:
      minebot arena sweep --dim 10 --games 200 --plot sweep.png
      minebot arena table --boards beginner,expert --agents tank,deep --games 500 --plot table.png
      minebot arena table --csv table.csv --results played/     an interrupted run goes on
    """


@dataclass(frozen=True, kw_only=True)
class Summary(DrawnBoards, Files, Json, Work):
    """Where the summary goes."""

    csv: Path | None = option("save the summary as CSV", "FILE")
    plot: Path | None = option(
        "draw charts (.png or .svg); a table with several rules makes one file a rule", "FILE"
    )


@dataclass(frozen=True, kw_only=True)
class SweepOptions(Summary):
    """Play the same boards with every agent at each mine density. A game goes on after a mine is
    opened; the score is the share of all mines that are safely identified.
    """

    dim: str = option("side of a square board, or ROWSxCOLS", "N", default="10")
    density: str = option(
        "mine densities from FROM to TO in steps, TO included, or a list such as 0.1,0.2",
        "FROM:TO:STEP",
        default="0.05:0.5:0.05",
    )
    games: int = option("number of games for each density", "N", default=100, read=positive_number)
    agents: str = option(WHO_PLAYS, "A,B,...", default=REPORT_AGENTS)
    first: str = option(
        f"{FIRST_CLICK_HELP} (default: none, as in the report)",
        choices=FIRST_CLICK_RULES,
        default="none",
    )


@dataclass(frozen=True, kw_only=True)
class Table(Summary):
    """Show the win rate, the share of the board opened before a loss, the guesses and the time of
    every agent, beside the figures of the papers. --results takes a folder.
    """

    games: int = option(
        "number of games for each size and rule", "N", default=200, read=positive_number
    )
    agents: str = option(WHO_PLAYS, "A,B,...", default="all")
    boards: str = option("sizes of the boards", "S,S,...", default=SIZES)
    first: str = option(FIRST_CLICK_HELP, "RULE,RULE", default="safe,zero")


SUBCOMMANDS = {
    "sweep": (SweepOptions, "score of each agent at several mine densities"),
    "table": (Table, "win rates on the boards of the papers, beside the papers' figures"),
}
"""What to play: the options of each kind, and its summary."""

"""The options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.commands.parsing import Options, flag, option, whole_number
from bot.outputs import sessions_folder
from solver.levels import COSTS, DEFAULT, LEVELS

DEFAULT_AGENT = "deep"

SIZE_HELP = "beginner, intermediate, expert, thesis-hard or ROWSxCOLSxMINES"

FIRST_CLICK_RULES = ("none", "safe", "zero")

FIRST_CLICK_HELP = (
    "first-click guarantee; none: no guarantee, safe: the cell is not a mine, zero: the cell opens "
    "an area"
)

positive_number = partial(whole_number, least=1)
"""Read a whole number of 1 or more; for `argparse`."""


def cell_from_one(text: str) -> tuple[int, int]:
    """Read ``ROW,COL``, counted from 1, and return a cell counted from 0; for `argparse`."""
    try:
        row, col = (int(part) for part in text.split(","))
    except ValueError:
        row = col = 0
    if row < 1 or col < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a cell: give ROW,COL, counted from 1 at the top left, such as 1,1"
        )
    return row - 1, col - 1


def jobs_number(text: str) -> int:
    """Read a number of processes: 1 or more, or -1 for one per core; for `argparse`."""
    if text.strip() == "-1":
        return -1
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}: give 1 or more, or -1 for one a core") from None


@dataclass(frozen=True, kw_only=True)
class Json(Options):
    """Whether to print for other programs."""

    json: bool = flag("print JSON on standard output, one object a line")


@dataclass(frozen=True, kw_only=True)
class Shown(Json):
    """How boards are printed."""

    colours: str = option(
        "colours of boards on a terminal: for a dark background, a light one, or none (default: "
        "auto, which asks the terminal for its background)",
        choices=("auto", "dark", "light", "none"),
        default="auto",
    )


@dataclass(frozen=True, kw_only=True)
class Files(Options):
    """Whether output files may replace others."""

    force: bool = flag("replace files that exist already")


@dataclass(frozen=True, kw_only=True)
class NamedAgent(Options):
    """The name of an agent, and how long it thinks."""

    agent: str = option("agent that plays", "NAME", default=DEFAULT_AGENT)
    think: str | None = option(
        "how long the agent deep thinks about its guesses, measured in simulated games and not in "
        "seconds, so that the move is the same on every machine; an expert game takes "
        f"{', '.join(f'{cost} with {name}' for name, cost in COSTS.items())} (default: {DEFAULT})",
        choices=LEVELS,
    )


@dataclass(frozen=True, kw_only=True)
class AgentChoice(NamedAgent):
    """The agent, and its first-click rule."""

    agent: str = option(
        f"agent that decides (default: {DEFAULT_AGENT}; 'minebot agents' lists them), or an agent "
        "of your own as FILE.py:Class",
        "NAME",
        default=DEFAULT_AGENT,
    )
    seed: int = option("seed of all random choices", "S", default=0)
    first: str | None = option(
        f"{FIRST_CLICK_HELP} (default: the rule of the program if it is known, else safe)",
        choices=FIRST_CLICK_RULES,
    )


@dataclass(frozen=True, kw_only=True)
class DrawnBoards(Options):
    """The seed of commands that draw random boards."""

    seed: int = option("seed of the boards and of the agents", "S", default=0)


@dataclass(frozen=True, kw_only=True)
class Mines(Options):
    """The mine total."""

    mines: int | None = option("mines on the whole board (default: from the counter)", "M")


@dataclass(frozen=True, kw_only=True)
class Picture(Options):
    """Options that help to find and read the board."""

    near: str | None = option(
        "if there are several boards, take the one nearest to this point: in pixels of a picture, "
        "in units of the mouse on the screen",
        "X,Y",
    )
    theme: str | None = option(
        "program or theme on the screen, such as winemine, or a theme file of your own (default: "
        "recognised)",
        "NAME|FILE.toml",
    )


@dataclass(frozen=True, kw_only=True)
class Saved(Picture):
    """The same options, or a saved calibration."""

    calibration: Path | None = option("calibration saved by play or read (TOML)", "FILE")


@dataclass(frozen=True, kw_only=True)
class Screenshot(Mines, Saved):
    """Options that help to read a screenshot, or the screen itself."""

    screen: bool = flag("read what the screen shows now, without a screenshot")


@dataclass(frozen=True, kw_only=True)
class Explanations(Options):
    """What to explain."""

    candidates: int | None = option(
        "compare the N best cells to open: the chances to survive, to win, to open an area, and "
        "the numbers that each may show",
        "N",
        read=positive_number,
    )
    why: tuple[int, int] | None = option(
        "say why this cell is certain, with the smallest set of numbers that proves it; rows and "
        "columns count from 1 at the top left",
        "ROW,COL",
        read=cell_from_one,
    )


@dataclass(frozen=True, kw_only=True)
class Recording(Options):
    """Where to record: None for nowhere, a folder, or True for the user's data folder."""

    record: Path | bool | None = option(
        "record the session in the folder DIR (without DIR: in a new folder among your data, "
        f"{sessions_folder()})",
        "DIR",
        alone=True,
    )


@dataclass(frozen=True, kw_only=True)
class Work(Options):
    """Where games run, and where their results are kept."""

    jobs: int = option(
        "number of local processes; -1 is one for each core", "J", default=1, read=jobs_number
    )
    scheduler: str | None = option(
        "run on the Dask cluster at ADDRESS (tcp://host:port); needs the extra 'dask'", "ADDRESS"
    )
    results: Path | None = option(
        "keep every result in FILE (JSON lines); an interrupted run continues from it", "FILE"
    )

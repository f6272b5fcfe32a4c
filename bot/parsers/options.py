"""The options that several commands share, and how the words of all are read."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.record.storage import sessions_folder
from solver.levels import COSTS, DEFAULT, LEVELS

DEFAULT_AGENT = "deep"
SIZE_HELP = "beginner, intermediate, expert, thesis-hard or ROWSxCOLSxMINES"
FIRST_CLICK_RULES = ("none", "safe", "zero")
FIRST_CLICK_HELP = (
    "what is free of mines at the first click; none: nothing, safe: its cell, zero: its neighbours "
    "too"
)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print JSON on standard output, one object a line"
    )


def add_agent(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose an agent and tell it the first-click rule."""
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"agent that decides (default: {DEFAULT_AGENT}; 'minebot agents' lists them), or an "
        "agent of your own as FILE.py:Class",
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="S",
        help="seed of all random choices (default: 0)",
    )
    parser.add_argument(
        "--first",
        dest="first_click",
        choices=FIRST_CLICK_RULES,
        help=f"{FIRST_CLICK_HELP} (default: the rule of the program if it is known, else safe)",
    )
    add_think(parser)


def add_think(parser: argparse.ArgumentParser) -> None:
    """Add ``--think``."""
    parser.add_argument(
        "--think",
        choices=tuple(LEVELS),
        help="how long deep thinks about a guess, counted in worlds, so that the move is the same "
        "on every machine; for a game of expert on one core about "
        f"{', '.join(f'{name}: {cost}' for name, cost in COSTS.items())} (default: {DEFAULT})",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed`` of commands that draw their boards from it."""
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="S",
        help="seed of the boards and of the agents (default: 0)",
    )


def add_mines(parser: argparse.ArgumentParser, default: str = "from the counter") -> None:
    """Add ``--mines``."""
    parser.add_argument(
        "--mines",
        type=whole_number,
        metavar="M",
        help=f"mines on the whole board (default: {default})",
    )


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Add the options that help to find and read the board."""
    parser.add_argument(
        "--near",
        metavar="X,Y",
        help="if there are several boards, take the one nearest to this pixel",
    )
    parser.add_argument(
        "--theme",
        metavar="NAME|FILE.toml",
        help="program or theme on the screen, such as winemine, or a theme file of your own "
        "(default: recognised)",
    )
    parser.add_argument(
        "--calibration", metavar="FILE", help="calibration saved by play or read (TOML)"
    )


def add_explanations(parser: argparse.ArgumentParser) -> None:
    """Add the options that ask for explanations."""
    parser.add_argument(
        "--candidates",
        type=positive_number,
        metavar="N",
        help="compare the N best cells to open: the chances to survive, to win, to open an area, "
        "and the numbers that each may show",
    )
    parser.add_argument(
        "--why",
        type=cell_from_one,
        metavar="ROW,COL",
        help="say why this cell is certain, with the smallest set of numbers that proves it; rows "
        "and columns count from 1 at the top left",
    )


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add ``--record``; its value is None, a folder, or True for the user's data folder."""
    parser.add_argument(
        "--record",
        metavar="DIR",
        type=Path,
        nargs="?",
        const=True,
        help="record the session in the folder DIR (without DIR: in a new folder among your data, "
        f"{sessions_folder()})".replace("%", "%%"),
    )


def add_work_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where games run and where their results are kept."""
    parser.add_argument(
        "--jobs",
        type=jobs_number,
        default=1,
        metavar="J",
        help="number of local processes; -1 is one for each core (default: 1)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the Dask cluster at ADDRESS (tcp://host:port); needs the extra 'dask'",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="keep every result in FILE (JSON lines); an interrupted run continues from it",
    )


def jobs_number(text: str) -> int:
    """Read a number of processes: 1 or more, or -1 for one for each core; for `argparse`."""
    if text.strip() == "-1":
        return -1
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}: give 1 or more, or -1 for one a core") from None


def cell_from_one(text: str) -> tuple[int, int]:
    """Read ``ROW,COL``, counted from 1 as people do, as a cell counted from 0; for `argparse`."""
    try:
        row, col = (int(part) for part in text.split(","))
    except ValueError:
        row = col = 0
    if row < 1 or col < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a cell: give ROW,COL, counted from 1 at the top left, such as 1,1"
        )
    return row - 1, col - 1


def whole_number(text: str, least: int = 0) -> int:
    """Read a whole number of ``least`` or more; for `argparse`."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is below {least}")
    return number


def positive_number(text: str) -> int:
    """Read a whole number of 1 or more; for `argparse`."""
    return whole_number(text, least=1)

"""Define the options that several commands share, and read their values."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path

from bot.config import Configured
from bot.errors import UsageError
from bot.play.first_click import first_click_rule
from bot.record.themes import kept_themes
from bot.terminal.output import note
from calibration.calibrate import Calibration
from calibration.frame import Frame
from calibration.points import PixelPoint
from calibration.theme import LEARNED, Theme, builtin_themes, themes_named
from solver.agents import Agent, make_agent
from solver.agents.registry import has_option
from solver.board import Cell
from solver.counting import counted
from solver.game import Rule
from solver.thinking.levels import COSTS, DEFAULT, WORLDS

DEFAULT_AGENT = "deep"
SIZE_HELP = "beginner, intermediate, expert, thesis-hard or ROWSxCOLSxMINES"
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
        choices=[rule.value for rule in Rule],
        help=f"{FIRST_CLICK_HELP} (default: the rule of the program if it is known, else safe)",
    )
    add_think(parser)


def add_think(parser: argparse.ArgumentParser) -> None:
    """Add ``--think``."""
    parser.add_argument(
        "--think",
        choices=tuple(WORLDS),
        help="how long deep thinks about a guess, counted in worlds, so that the move is the same "
        "on every machine; for a game of expert on one core about "
        f"{', '.join(f'{name}: {cost}' for name, cost in COSTS.items())} (default: {DEFAULT})",
    )


def agent_name_of(args: argparse.Namespace) -> str:
    """Return the name of ``--agent``, with the level of ``--think`` as its option.

    A level that stands in the configuration is meant for the agents that can think, and for those
    whose name has no level of its own.
    """
    configured = isinstance(args.think, Configured)
    unfit = "think=" in args.agent or not has_option(args.agent, "think")
    if args.think is None or (configured and unfit):
        return str(args.agent)
    return f"{args.agent}{',' if ':' in args.agent else ':'}think={args.think}"


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


def agent_of(args: argparse.Namespace, theme: Theme | None = None) -> Agent:
    """Make the agent of ``--agent``.

    The first-click rule is that of ``--first-click``, else that of the program of ``theme``.
    """
    rule = Rule(args.first_click) if args.first_click else first_click_rule(theme)
    return make_agent(agent_name_of(args), seed=args.seed, rule=rule)


def themes_of(args: argparse.Namespace) -> tuple[Theme, ...] | None:
    """Return the themes of ``--theme``, a theme or a program; without it all that are known.

    These are the built-in ones, for which None stands if play has learned no other. A name that
    ends in ``.toml`` is a file. Raises `UsageError` for an unknown name, `BadCalibration` for a
    file that is no theme file.
    """
    learned = kept_themes(note)
    if args.theme is None:
        return (*builtin_themes(), *learned) if learned else None
    chosen = themes_named(args.theme) or tuple(
        theme for theme in learned if args.theme in (theme.name, theme.name.partition("/")[2])
    )
    if not chosen:
        names = ", ".join(theme.name for theme in (*builtin_themes(), *learned))
        raise UsageError(
            f"There is no theme {args.theme!r}. Known: {names}, or FILE.toml for your own."
        )
    return chosen


def theme_files_of(args: argparse.Namespace) -> tuple[Path, ...]:
    """Return the file that ``--theme`` names, if it names one."""
    return (Path(args.theme),) if args.theme and args.theme.endswith(".toml") else ()


def calibration_of(args: argparse.Namespace) -> Calibration | None:
    """Load the calibration of ``--calibration``; return None without it."""
    return None if args.calibration is None else Calibration.load(Path(args.calibration))


def near_of(args: argparse.Namespace) -> PixelPoint | None:
    """Return the pixel of ``--near``, None without it. Raises `UsageError`."""
    if args.near is None:
        return None
    try:
        x, y = (float(part) for part in args.near.split(","))
    except ValueError as error:
        raise UsageError(
            f"--near takes X,Y in pixels, such as 640,400, not {args.near!r}."
        ) from error
    if not (0 <= x < inf and 0 <= y < inf):
        raise UsageError(f"--near takes a pixel of the picture, not {args.near!r}.")
    return PixelPoint(x, y)


def check_near(near: PixelPoint | None, frame: Frame) -> None:
    """Raise `UsageError` if the pixel of ``--near`` is not in the picture."""
    if near is not None and not (near.x < frame.width and near.y < frame.height):
        raise UsageError(
            f"--near {near.x:g},{near.y:g} is not in the picture, which has {frame.width} x "
            f"{frame.height} pixels."
        )


def note_other_theme(args: argparse.Namespace, theme: Theme) -> None:
    """Tell that the program or theme of ``--theme`` is not what the picture shows."""
    if args.theme is not None and theme.name == LEARNED:
        note(
            f"The theme {args.theme} does not fit the tiles or the smiley; their appearances are "
            "learned from the picture."
        )


def cell_from_one(text: str) -> Cell:
    """Read ``ROW,COL``, counted from 1 as people do; for `argparse`."""
    try:
        row, col = (int(part) for part in text.split(","))
    except ValueError:
        row = col = 0
    if row < 1 or col < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a cell: give ROW,COL, counted from 1 at the top left, such as 1,1"
        )
    return Cell(row - 1, col - 1)


def check_on_board(cell: Cell, rows: int, cols: int, *, start: int = 1) -> None:
    """Raise `UsageError` for a cell that a board of this size lacks, counted from ``start``."""
    if not (cell.row < rows and cell.col < cols):
        raise UsageError(
            f"There is no {place_from(cell, start)} on this board of {counted(rows, 'row')} "
            f"and {counted(cols, 'column')}; rows and columns count from {start} at the top left."
        )


def place_from(cell: Cell, start: int) -> str:
    """Name a cell with its row and column counted from ``start``."""
    return f"row {cell.row + start}, column {cell.col + start}"


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

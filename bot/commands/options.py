"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.errors import UsageError
from bot.rules import rule_of
from calibration.calibrate import Calibration
from calibration.frame import PixelPoint
from calibration.theme import Theme, builtin_themes, themes_named
from solver.agents import Agent, make
from solver.game import Rule

DEFAULT_AGENT = "deep"


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print JSON on standard output, one object a line"
    )


def add_agent(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose an agent."""
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"who decides (default: {DEFAULT_AGENT}; 'minebot agents' lists them)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of all chance (default: 0)"
    )
    parser.add_argument(
        "--first-click",
        choices=[rule.value for rule in Rule],
        help="what the program spares the first click: nothing, its cell, or its neighbours "
        "too (default: as the program is known to do, else safe)",
    )


def add_mines(parser: argparse.ArgumentParser) -> None:
    """Add ``--mines``."""
    parser.add_argument(
        "--mines",
        type=count,
        metavar="M",
        help="mines on the whole board (default: from the counter or a well-known size)",
    )


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Add the options that help to find and read the board."""
    parser.add_argument(
        "--near", metavar="X,Y", help="take the board nearest to this pixel, if there are several"
    )
    parser.add_argument(
        "--theme",
        metavar="NAME",
        help="the program on the screen, such as winemine (default: found out)",
    )
    parser.add_argument(
        "--calibration", metavar="FILE", help="use a calibration that play or read saved (TOML)"
    )


def agent_of(args: argparse.Namespace, theme: Theme | None = None) -> Agent:
    """Make the agent asked for, for the first-click rule asked for or known of the program."""
    rule = Rule(args.first_click) if args.first_click else rule_of(theme)
    return make(args.agent, seed=args.seed, rule=rule)


def themes_of(args: argparse.Namespace) -> tuple[Theme, ...] | None:
    """Read ``--theme``, the name of a theme or of a program; None for all built-in ones."""
    if args.theme is None:
        return None
    chosen = themes_named(args.theme)
    if not chosen:
        names = ", ".join(theme.name for theme in builtin_themes())
        raise UsageError(f"There is no theme {args.theme!r}. Known: {names}.")
    return chosen


def calibration_of(args: argparse.Namespace) -> Calibration | None:
    """Load the calibration of ``--calibration``, if given."""
    return None if args.calibration is None else Calibration.load(Path(args.calibration))


def near_of(args: argparse.Namespace) -> PixelPoint | None:
    """Read ``--near``."""
    if args.near is None:
        return None
    try:
        x, y = (float(part) for part in args.near.split(","))
    except ValueError as error:
        raise UsageError(
            f"--near takes X,Y in pixels, such as 640,400, not {args.near!r}."
        ) from error
    return PixelPoint(x, y)


def count(text: str) -> int:
    """Read a whole number of 0 or more."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


def positive(text: str) -> int:
    """Read a whole number of 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number

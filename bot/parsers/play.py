"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.parsers.options import (
    SIZE_HELP,
    add_agent,
    add_json,
    add_mines,
    add_picture,
    add_record,
    positive_number,
)

ABOUT = """\
Play Minesweeper in a window on the screen, or in a simulated one that needs no display.

The bot finds the board on the screen, wherever it is and even if a game is under way. It opens all
certainly safe cells at once. If there is none, it opens the cell with the least risk or the best
chance to win. With --think, the candidates for a guess are first tried in many drawn worlds.

To stop the bot, push the mouse into a corner of the screen or press Ctrl-C. If you only move the
mouse, the bot waits until you stop. On a terminal, keys steer play: p pause, s one turn, + and -
speed, q stop after this game, ? keys."""


EXAMPLES = """\
examples:
  minebot play                             play the window on the screen, once
  minebot play --screen sim                watch a game in a simulated window
  minebot play --games 10 --record         record ten games, to review them later
  minebot play --pace human --flags        play like a person
  minebot play --style few                 play with as few clicks as a good player
  minebot play --think high                think for seconds about each guess
  minebot play --dry-run                   find the board and say the first move
  minebot play --games 3 --json --events   one JSON line for everything that happens"""


SCREENS = ("auto", "real", "sim", "native", "x11", "wlroots", "portal")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    _add_where(parser.add_argument_group("where to play"))
    _add_how(parser.add_argument_group("how to play"))
    _add_window(parser.add_argument_group("the window"))
    _add_output(parser)


def _add_where(group: Any) -> None:
    group.add_argument(
        "--screen",
        choices=SCREENS,
        default="auto",
        help="real: the real screen; sim: a simulated window; auto: the real screen if there is "
        "one, else the simulated window (default: auto); native (Windows, macOS), x11, wlroots "
        "and portal (Wayland) are the routes to the real screen; 'minebot doctor' says which is "
        "taken",
    )
    group.add_argument(
        "--size",
        default="intermediate",
        metavar="S",
        help=f"board of the simulated window: {SIZE_HELP} (default: intermediate); the first click "
        "opens an area, unless --first says otherwise",
    )
    group.add_argument(
        "--skin",
        default="classic",
        metavar="NAME",
        help="how the simulated window is drawn (default: classic)",
    )
    group.add_argument(
        "--games",
        type=positive_number,
        default=1,
        metavar="N",
        help="number of games to play (default: 1)",
    )
    add_mines(group)


def _add_how(group: Any) -> None:
    add_agent(group)
    group.add_argument(
        "--style",
        choices=("win", "fast", "few"),
        default="win",
        help="win: most wins (default); fast: fewest seconds, all safe cells clicked at once; few: "
        "fewest clicks, one step a turn, with flags and chords where they save some",
    )
    group.add_argument("--flags", action="store_true", help="set flags on certain mines")
    group.add_argument(
        "--chords",
        action="store_true",
        help="set flags, and open the other neighbours of a number with one middle click",
    )
    group.add_argument(
        "--pace",
        metavar="SECONDS",
        help="pause before each click in seconds, or 'human' for pauses like a person's (default: "
        "no pause; in a simulated window shown on the terminal, one that a person can follow)",
    )
    group.add_argument(
        "--step", action="store_true", help="wait for the key s or Enter before each turn"
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="find the board and print the first move, but do not click",
    )


def _add_window(group: Any) -> None:
    add_picture(group)
    group.add_argument(
        "--save-calibration",
        type=Path,
        metavar="FILE",
        help="save the calibration (TOML): where the board is and how it is read",
    )
    group.add_argument(
        "--learn",
        metavar="NAME|FILE.toml",
        help="keep the look of this program as a theme of this name, or in a file (default: the "
        "look of a program without a theme is kept after a finished game; see 'minebot themes')",
    )
    group.add_argument(
        "--new-game",
        metavar="KEY|X,Y|smiley",
        help="how to start a new game: a key such as f2 or ctrl+n, a point on the screen to click, "
        "or 'smiley' for the smiley above the board (default: the way of the program if it is "
        "known, else the smiley)",
    )
    group.add_argument(
        "--close",
        metavar="KEY",
        help="key that closes the dialog the program opens at the end of a game (default: the key "
        "of the program if it is known, else no key is sent)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add_record(parser)
    parser.add_argument(
        "--events",
        action="store_true",
        help="with --json: print every decision, turn and note too, as it happens",
    )
    parser.add_argument("--quiet", action="store_true", help="print only the results")
    parser.add_argument(
        "--why-over",
        action="store_true",
        help="say of each game what told that it was over, and how it ended; --json always does",
    )
    add_json(parser)

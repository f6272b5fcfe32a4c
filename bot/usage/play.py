"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bot.usage.declaring import Options, flag, option
from bot.usage.shared import (
    SIZE_HELP,
    AgentChoice,
    Files,
    Mines,
    Recording,
    Saved,
    Shown,
    positive_number,
)

SKIN_NAMES = ("checkerboard", "classic", "dark", "flat", "glass", "pastel")
SCREENS = ("auto", "real", "sim", "native", "x11", "wlroots", "portal")


@dataclass(frozen=True, kw_only=True)
class Where(Mines):
    """Which window is played, and how often."""

    TITLE: ClassVar[str] = "where to play"

    screen: str = option(
        "real: the real screen; sim: a simulated window; auto: the real screen if there is one, "
        "else the simulated window (default: auto); native (Windows, macOS), x11, wlroots and "
        "portal (Wayland) are the routes to the real screen; 'minebot doctor' says which is taken",
        choices=SCREENS,
        default="auto",
    )
    size: str = option(
        f"board of the simulated window: {SIZE_HELP} (default: intermediate); the first click "
        "opens an area, unless --first is given",
        "S",
        default="intermediate",
    )
    skin: str = option(
        f"how the simulated window is drawn: {', '.join(SKIN_NAMES)}", "NAME", default="classic"
    )
    games: int = option("number of games to play", "N", default=1, read=positive_number)


@dataclass(frozen=True, kw_only=True)
class How(AgentChoice):
    """Who decides, and how the moves are made."""

    TITLE: ClassVar[str] = "how to play"

    style: str = option(
        "win: most wins; fast: fewest seconds, all safe cells clicked at once; few: "
        "fewest clicks, one step a turn, with flags and chords where they save some",
        choices=("win", "fast", "few"),
        default="win",
    )
    flags: bool = flag("set flags on certain mines")
    chords: bool = flag(
        "set flags, and open the other neighbours of a number with one middle click"
    )
    pace: str | None = option(
        "pause before each click in seconds, or 'human' for pauses like a person's (default: no "
        "pause; in a simulated window shown on the terminal, one that a person can follow)",
        "SECONDS",
    )
    step: bool = flag("wait for the key s or Enter before each turn")
    dry_run: bool = flag("find the board and print the first move, but do not click")


@dataclass(frozen=True, kw_only=True)
class Window(Saved):
    """What is known of the window, and what to keep of it."""

    TITLE: ClassVar[str] = "the window"

    save_calibration: Path | None = option(
        "save the calibration (TOML): where the board is and how it is read", "FILE"
    )
    learn: str | None = option(
        "keep the look of this program as a theme of this name, or in a file (default: the look of "
        "a program without a theme is kept after a finished game; see 'minebot themes')",
        "NAME|FILE.toml",
    )
    new_game: str | None = option(
        "how to start a new game: a key such as f2 or ctrl+n, a point on the screen to click, or "
        "'smiley' for the smiley above the board (default: the way of the program if it is known, "
        "else the smiley)",
        "KEY|X,Y|smiley",
    )
    close: str | None = option(
        "key that closes the dialog the program opens at the end of a game (default: the key of "
        "the program if it is known, else no key is sent)",
        "KEY",
    )


@dataclass(frozen=True, kw_only=True)
class Output(Options):
    """What is printed."""

    events: bool = flag("with --json: print every decision, turn and note too, as it happens")
    quiet: bool = flag("print only the results")
    why_over: bool = flag(
        "print how the end of each game was recognised (always included in --json)"
    )


@dataclass(frozen=True, kw_only=True)
class Play(Where, How, Window, Recording, Output, Files, Shown):
    """Play Minesweeper in a window on the screen, or in a simulated one that needs no display.

    The bot finds the board on the screen, wherever it is and even if a game is under way. It opens
    all certainly safe cells at once. If there is none, it opens the cell with the least risk or the
    best chance to win: the best candidates are tried in simulated games, and --think says in how
    many.

    To stop the bot, push the mouse into a corner of the screen or press Ctrl-C. If you only move
    the mouse, the bot waits until you stop. On a terminal, keys steer play: p pause, s one turn,
    + and - speed, q stop after this game, ? keys.

    examples:
      minebot play                             play the window on the screen, once
      minebot play --screen sim                watch a game in a simulated window
      minebot play --games 10 --record         record ten games, to review them later
      minebot play --pace human --flags        play like a person
      minebot play --style few                 play with as few clicks as a good player
      minebot play --think high                think longer about each guess
      minebot play --dry-run                   find the board and say the first move
      minebot play --games 3 --json --events   one JSON line for everything that happens
    """

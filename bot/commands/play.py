"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from bot.commands.observers import (
    DecisionPrinter,
    EnterPrompt,
    EventsPrinter,
    ResultsPrinter,
)
from bot.commands.options import (
    SIZE_HELP,
    add_agent,
    add_json,
    add_mines,
    add_picture,
    agent_name_of,
    agent_of,
    calibration_of,
    near_of,
    note_other_theme,
    positive_number,
    theme_files_of,
    themes_of,
)
from bot.commands.play_setup import check_learn, desktop_of, file_observers
from bot.commands.recording import add_record
from bot.desktop.keys import check_keys
from bot.desktop.routes import Route
from bot.errors import BotError, UsageError
from bot.events import Observer, Observers
from bot.exit_codes import exit_code_of
from bot.mouse.guard import StopSignal
from bot.mouse.pace import Pace
from bot.options import PlayOptions
from bot.play.player import Player
from bot.play.restart import check_control
from bot.terminal.keys import open_keys
from bot.terminal.live_view import shown_live, terminal_observer
from bot.terminal.output import emit, error_json, note
from bot.terminal.play_keys import KeyControl
from calibration.calibrate import Calibration
from calibration.errors import CalibrationError
from solver.agents.base import Agent
from solver.errors import SolverError

ABOUT = """\
Play Minesweeper in a window on the screen, or in a simulated one that needs no display.

The bot finds the board on the screen, wherever it is and even if a game is under way. It opens all
certainly safe cells at once. If there is none, it opens the cell with the least risk or the best
chance to win. With --think, the candidates for a guess are first tried in many drawn worlds.

To stop the bot, push the mouse into a corner of the screen or press Ctrl-C. If you only move the
mouse, the bot waits until you stop. On a terminal, keys steer play: p pause, s one turn, + and -
speed, q stop after this game, ? help."""

EXAMPLES = """\
examples:
  minebot play                             play the window on the screen, once
  minebot play --screen sim                watch a game in a simulated window
  minebot play --games 10 --record         record ten games, to review them later
  minebot play --pace human --flags        play like a person
  minebot play --think high                think for seconds about each guess
  minebot play --dry-run                   find the board and say the first move
  minebot play --games 3 --json --events   one JSON line for everything that happens"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "play",
        help="play the Minesweeper window on the screen, or a simulated one",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_where(parser.add_argument_group("where to play"))
    _add_how(parser.add_argument_group("how to play"))
    _add_window(parser.add_argument_group("the window"))
    _add_output(parser)
    parser.set_defaults(run=run)


def _add_where(group: Any) -> None:
    group.add_argument(
        "--screen",
        choices=("auto", "real", "sim", *(route.value for route in Route)),
        default="auto",
        help="real: the real screen; sim: a simulated window; auto: the real screen if there is "
        "one, else the simulated window (default: auto); native (Windows, macOS), x11, wlroots "
        "and portal (Wayland) are the routes to the real screen; 'minebot doctor' says which is "
        "taken",
    )
    group.add_argument(
        "--size",
        default="expert",
        metavar="S",
        help=f"board of the simulated window: {SIZE_HELP} (default: expert)",
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
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play, show it as asked for, and print a summary."""
    if args.events and not args.json:
        raise UsageError("--events prints JSON lines: use it with --json.")
    options, calibration = options_of(args), calibration_of(args)
    agent = agent_of(args)
    stop = StopSignal()
    results = ResultsPrinter(as_json=args.json)
    with stop.listening(), ExitStack() as stack:
        desktop, options = desktop_of(args, options)
        observers: list[Observer] = [results, *file_observers(args, desktop, stack)]
        control = control_of(args, stack)
        player = Player(
            desktop,
            agent,
            options=options,
            observer=Observers(*observers, *terminal_observers(args, stack, control)),
            stop=stop,
            calibration=calibration,
            choose_agent=partial(_agent_for, args),
            control=control,
        )
        code = 0
        try:
            player.play()
        except (BotError, CalibrationError, SolverError) as error:
            if not args.json:
                raise
            # The summary stays the last line.
            emit(error_json(error))
            note(str(error))
            code = exit_code_of(error) or 1
        finally:
            stack.close()
            results.print_summary()
    return code


def check_start(args: argparse.Namespace) -> None:
    """Raise the error with which play would not start; what needs a terminal is left out."""
    args.step, args.learn = False, None
    options_of(args)
    calibration_of(args)
    agent_of(args)


def _agent_for(args: argparse.Namespace, found: Calibration) -> Agent:
    """Return the agent for the program that was found."""
    note_other_theme(args, found.theme)
    return agent_of(args, found.theme)


def control_of(args: argparse.Namespace, stack: ExitStack) -> KeyControl | None:
    """Read keys where play is shown live; ``stack`` restores the terminal."""
    if args.json or args.quiet or not shown_live():
        return None
    read_key = stack.enter_context(open_keys())
    return None if read_key is None else KeyControl(read_key, step=args.step)


def terminal_observers(
    args: argparse.Namespace, stack: ExitStack, control: KeyControl | None
) -> list[Observer]:
    """Return the observers that print, as the options say; ``stack`` closes them."""
    observers: list[Observer] = []
    if not (args.json or args.quiet):
        linger_s = 1.5 if args.screen == "sim" else 0.0
        observer = terminal_observer(
            games=args.games, agent=agent_name_of(args), linger_s=linger_s, control=control
        )
        observers.append(stack.enter_context(observer))
    if args.dry_run:
        observers.append(DecisionPrinter(as_json=args.json))
    if args.step and control is None:
        observers.append(EnterPrompt())
    if args.events:
        observers.append(EventsPrinter())
    return observers


def options_of(args: argparse.Namespace) -> PlayOptions:
    """Return the options of play. Raises `UsageError` for values that cannot be used."""
    check_control(args.new_game)
    if args.learn is not None:
        check_learn(args.learn, theme_files_of(args))
    if args.close is not None:
        check_keys(args.close)
    if args.step and not sys.stdin.isatty():
        raise UsageError("--step waits for the Enter key, so standard input must be a terminal.")
    return PlayOptions(
        games=args.games,
        mines=args.mines,
        near=near_of(args),
        themes=themes_of(args),
        flags=args.flags,
        chords=args.chords,
        pace=Pace.from_text(args.pace or "0"),
        new_game=args.new_game,
        close=args.close,
        dry_run=args.dry_run,
    )

"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.commands.observers import (
    CalibrationSaver,
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
    positive_number,
    themes_of,
)
from bot.commands.recording import add_record, record_folder
from bot.desktop.native import RealClock
from bot.desktop.ports import Desktop
from bot.desktop.routes import Route, open_desktop
from bot.errors import BotError, NoDesktop, UsageError
from bot.events import Observer, Observers
from bot.exit_codes import exit_code_of
from bot.mouse.guard import StopSignal
from bot.mouse.pace import Pace
from bot.options import PlayOptions
from bot.play.player import Player
from bot.play.restart import parse_screen_point
from bot.record.session import Recorder
from bot.simulated import NEW_GAME_KEYS, FakeClock, SimulatedDesktop
from bot.terminal.keys import open_keys
from bot.terminal.live_view import demo_pace, shown_live, terminal_observer
from bot.terminal.output import emit, error_json, note
from bot.terminal.play_keys import KeyControl
from bot.version import program_version
from bot.warm_up import warm_up_for_play
from calibration.errors import CalibrationError
from calibration.locate.extent import MIN_SIDE
from solver.arena.boards import Size
from solver.errors import SolverError
from solver.game import Rule

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
        stack.enter_context(warm_up_for_play(note, agent))
        control = control_of(args, stack)
        player = Player(
            desktop,
            agent,
            options=options,
            observer=Observers(*observers, *terminal_observers(args, stack, control)),
            stop=stop,
            calibration=calibration,
            choose_agent=lambda found: agent_of(args, found.theme),
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


def file_observers(args: argparse.Namespace, desktop: Desktop, stack: ExitStack) -> list[Observer]:
    """Return the observers that write files, as the options say; ``stack`` closes them."""
    observers: list[Observer] = []
    folder = record_folder(args.record)
    if folder is not None:
        header = header_of(args, simulated=isinstance(desktop.screen, SimulatedDesktop))
        observers.append(stack.enter_context(closing(Recorder(folder, header))))
    if args.save_calibration is not None:
        observers.append(CalibrationSaver(args.save_calibration))
    return observers


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
    if args.new_game and "," in args.new_game:
        parse_screen_point(args.new_game)
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


def header_of(args: argparse.Namespace, *, simulated: bool) -> dict[str, Any]:
    """Return the header of a recording: what a replay needs to know."""
    return {
        "minebot": program_version(),
        "simulated": simulated,
        "agent": {"name": agent_name_of(args), "seed": args.seed, "rule": args.first_click},
        "options": {
            "mines": args.mines,
            "theme": args.theme,
            "flags": args.flags,
            "chords": args.chords,
        },
    }


def desktop_of(args: argparse.Namespace, options: PlayOptions) -> tuple[Desktop, PlayOptions]:
    """Open the desktop; return it with the options of play, adapted to a simulated window.

    Raises `NoDesktop` if ``--screen real`` finds no desktop.
    """
    if args.screen != "sim":
        try:
            named = args.screen not in ("auto", "real")
            return open_desktop(Route(args.screen) if named else None, note), options
        except NoDesktop as error:
            if args.screen != "auto":
                raise
            note(f"{error} Playing in the simulated window instead.")
    size = _readable_size(args.size)
    watched = sys.stdout.isatty() and not (args.json or args.quiet)
    desktop = SimulatedDesktop(
        rows=size.rows,
        cols=size.cols,
        mines=size.mines,
        # Most programs of today open an area at the first click.
        rule=Rule(args.first_click or "zero"),
        seed=args.seed,
        skin=args.skin,
        clock=RealClock() if watched else FakeClock(),
    )
    options = replace(options, new_game=options.new_game or NEW_GAME_KEYS[0])
    if watched and args.pace is None:
        options = replace(options, pace=demo_pace(size.rows * size.cols, size.mines))
    return desktop.ports, options


def _readable_size(text: str) -> Size:
    """Read a size whose board can be found in a picture. Raises `BadBoards` and `UsageError`."""
    size = Size.parse(text)
    if min(size.rows, size.cols) < MIN_SIDE or size.mines == 0:
        raise UsageError(
            f"A board of {size} cannot be found in a picture: --size needs at least {MIN_SIDE} "
            f"rows, {MIN_SIDE} columns and one mine."
        )
    return size

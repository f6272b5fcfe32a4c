"""``minebot play``: the window on the screen, or a simulated one."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.cli import program_version
from bot.commands.options import (
    add_agent,
    add_json,
    add_mines,
    add_picture,
    agent_of,
    calibration_of,
    near_of,
    positive,
    themes_of,
)
from bot.commands.watchers import Adviser, Keeper, Results, Stepper
from bot.desktop import RealClock, open_desktop
from bot.errors import NoDesktop, UsageError
from bot.hand import StopSignal
from bot.loop import Player
from bot.manners import screen_point
from bot.options import PlayOptions
from bot.pace import Pace
from bot.ports import Desktop
from bot.say import note
from bot.session import Recorder
from bot.simulated import NEW_GAME_KEYS, FakeClock, SimulatedDesktop
from bot.turn import Several, Watcher
from bot.view import demo_pace, open_view
from bot.warm import warm_up
from solver.arena.boards import Size
from solver.game import Rule

ABOUT = """\
Play Minesweeper in a window on the screen, or in a simulated one that needs no display.

The board is found in a screenshot, wherever it is and however far it is played. All that is
certain is clicked at once; where nothing is, the least risk or the best chance is.

To stop: push the pointer into a corner of the screen, or press Ctrl-C. If you move the mouse
the bot waits until it rests."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "play",
        help="play the Minesweeper window on the screen, or a simulated one",
        description=ABOUT,
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
        choices=("auto", "real", "sim"),
        default="auto",
        help="the real screen, a simulated window, or the real one if there is one (default)",
    )
    group.add_argument(
        "--size",
        default="expert",
        metavar="S",
        help="board of the simulated window: beginner, intermediate, expert or "
        "ROWSxCOLSxMINES (default: expert)",
    )
    group.add_argument("--look", default="classic", help="look of the simulated window")
    group.add_argument(
        "--games", type=positive, default=1, metavar="N", help="games to play (default: 1)"
    )
    add_mines(group)


def _add_how(group: Any) -> None:
    add_agent(group)
    group.add_argument("--flags", action="store_true", help="flag certain mines")
    group.add_argument(
        "--chords", action="store_true", help="open around numbers on a middle click, with flags"
    )
    group.add_argument(
        "--pace",
        metavar="SECONDS",
        help="pause before each click, or 'human' "
        "(default: none; a simulated window in a terminal is played at a pleasant pace)",
    )
    group.add_argument("--step", action="store_true", help="wait for Enter before each turn")
    group.add_argument(
        "--dry-run", action="store_true", help="find the board and say the first move; no clicks"
    )


def _add_window(group: Any) -> None:
    add_picture(group)
    group.add_argument(
        "--save-calibration",
        type=Path,
        metavar="FILE",
        help="save what was found on the screen (TOML)",
    )
    group.add_argument(
        "--new-game",
        metavar="KEY|X,Y|face",
        help="how to start a new game: a key such as f2 or ctrl+n, a place to click, or the face "
        "above the board (default: as the program is known to do, else the face)",
    )
    group.add_argument(
        "--close",
        metavar="KEY",
        help="key that closes what the program opens over the board at the end of a game "
        "(default: as it is known to do; no key is sent to a program that is not known)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--record", metavar="DIR", type=Path, help="record the session into DIR")
    parser.add_argument("--quiet", action="store_true", help="print the results only")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play, and print a line a game and a summary."""
    options, calibration = options_of(args), calibration_of(args)
    agent = agent_of(args)
    stop = StopSignal()
    results = Results(as_json=args.json)
    with stop.listening(), ExitStack() as stack:
        desktop, options = desktop_of(args, options)
        watchers: list[Watcher] = [results, *recorders_of(args, stack)]
        warm_up(note)
        player = Player(
            desktop,
            agent,
            options=options,
            watcher=Several(*watchers, *views_of(args, stack)),
            stop=stop,
            calibration=calibration,
            choose=lambda found: agent_of(args, found.theme),
        )
        try:
            player.play()
        finally:
            stack.close()
            results.print_summary()
    return 0


def recorders_of(args: argparse.Namespace, stack: ExitStack) -> list[Watcher]:
    """Return who writes to files, as asked for; ``stack`` closes them."""
    watchers: list[Watcher] = []
    if args.record is not None:
        watchers.append(stack.enter_context(closing(Recorder(args.record, header_of(args)))))
    if args.save_calibration is not None:
        watchers.append(Keeper(args.save_calibration))
    return watchers


def views_of(args: argparse.Namespace, stack: ExitStack) -> list[Watcher]:
    """Return who shows play on the terminal, as asked for; ``stack`` closes them."""
    watchers: list[Watcher] = []
    if not (args.json or args.quiet):
        linger_s = 1.5 if args.screen == "sim" else 0.0
        view = open_view(games=args.games, agent=args.agent, linger_s=linger_s)
        watchers.append(stack.enter_context(view))
    if args.dry_run:
        watchers.append(Adviser(as_json=args.json))
    if args.step:
        watchers.append(Stepper())
    return watchers


def options_of(args: argparse.Namespace) -> PlayOptions:
    """Read the options. Raises `UsageError`."""
    if args.new_game and "," in args.new_game:
        screen_point(args.new_game)
    if args.step and not sys.stdin.isatty():
        raise UsageError("--step waits for Enter, so it needs a terminal to read from.")
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


def header_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return what a replay needs to know."""
    return {
        "minebot": program_version(),
        "agent": {"name": args.agent, "seed": args.seed, "rule": args.first_click},
        "options": {
            "mines": args.mines,
            "theme": args.theme,
            "flags": args.flags,
            "chords": args.chords,
        },
    }


def desktop_of(args: argparse.Namespace, options: PlayOptions) -> tuple[Desktop, PlayOptions]:
    """Open the desktop asked for; a simulated one to be watched is played at a pleasant pace."""
    if args.screen != "sim":
        try:
            return open_desktop(), options
        except NoDesktop as error:
            if args.screen == "real":
                raise
            note(f"{error} Playing the simulated window instead.")
    size = Size.parse(args.size)
    watched = sys.stdout.isatty() and not (args.json or args.quiet)
    desktop = SimulatedDesktop(
        rows=size.rows,
        cols=size.cols,
        mines=size.mines,
        # As most programs of today: an expert game is then worth watching more often.
        rule=Rule(args.first_click or "zero"),
        seed=args.seed,
        look=args.look,
        clock=RealClock() if watched else FakeClock(),
    )
    options = replace(options, new_game=options.new_game or NEW_GAME_KEYS[0])
    if watched and args.pace is None:
        options = replace(options, pace=demo_pace(size.rows * size.cols, size.mines))
    return desktop.ports, options

"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bot.commands import shared
from bot.commands.parsing import Options, flag, option
from bot.errors import BotError, NoDesktop, UsageError
from bot.outputs import check_not_an_input, check_writable
from bot.streams import emit, is_terminal, note
from bot.terminal.keys import KeyControl, open_keys
from bot.version import __version__
from solver.errors import SolverError

if TYPE_CHECKING:
    from bot.desktop.ports import Desktop
    from bot.events import Observer
    from bot.options import PlayOptions
    from bot.record.session import Recorder
    from bot.simulated import SimulatedDesktop
    from calibration.calibration import Calibration
    from solver.agents.base import Agent
    from solver.arena.boards import Size


SKIN_NAMES = ("checkerboard", "classic", "dark", "flat", "glass", "pastel")

SCREENS = ("auto", "real", "sim", "native", "x11", "wlroots", "portal")


@dataclass(frozen=True, kw_only=True)
class Where(shared.Mines):
    """Which window is played, and how often."""

    TITLE: ClassVar[str] = "where to play"

    screen: str = option(
        "real: the real screen; sim: a simulated window; auto: the real screen if there is one, "
        "else the simulated window (default: auto); native (Windows, macOS), x11, wlroots and "
        "portal (Wayland) are the routes to the real screen; 'minebot doctor' says which is used",
        choices=SCREENS,
        default="auto",
    )
    size: str = option(
        f"board of the simulated window: {shared.SIZE_HELP} (default: intermediate); the first "
        "click opens an area, unless --first is given",
        "S",
        default="intermediate",
    )
    skin: str = option(
        f"how the simulated window is drawn: {', '.join(SKIN_NAMES)}", "NAME", default="classic"
    )
    games: int = option("number of games to play", "N", default=1, read=shared.positive_number)


@dataclass(frozen=True, kw_only=True)
class How(shared.AgentChoice):
    """Who decides, and how the moves are made."""

    TITLE: ClassVar[str] = "how to play"

    style: str = option(
        "win: most wins; fast: fewest seconds, all safe cells clicked at once; few: "
        "fewest clicks, one step a turn, with flags and chords if they save clicks",
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
class GameWindow(shared.Saved):
    """What is known about the window, and what to save about it."""

    TITLE: ClassVar[str] = "the window"

    save_calibration: Path | None = option(
        "save the calibration (TOML): where the board is and how it is read", "FILE"
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
class Printing(Options):
    """What is printed."""

    events: bool = flag("with --json: print every decision, turn and note too, as it happens")
    quiet: bool = flag("print only the results")
    why_over: bool = flag(
        "print how the end of each game was recognised (always included in --json)"
    )


@dataclass(frozen=True, kw_only=True)
class Play(Where, How, GameWindow, shared.Recording, Printing, shared.Files, shared.Shown):
    """Play Minesweeper in a window on the screen, or in a simulated one that needs no display.

    The bot finds the board anywhere on the screen, even if a game is in progress. It opens all
    certainly safe cells at once. If there is none, it opens the cell with the least risk or the
    best chance to win: it tries the best candidates in simulated games, and --think says in how
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
      minebot play --dry-run                   find the board and print the first move
      minebot play --games 3 --json --events   one JSON line for everything that happens
    """


def run(args: Play) -> int:
    """Play, show it as asked for, and print a summary."""
    from bot.commands.pictures import calibration_of
    from bot.commands.resolve import agent_of, note_recording
    from bot.events import each_of
    from bot.failures import exit_code_of, sentence_for
    from bot.mouse.guard import StopSignal
    from bot.play.player import Player
    from bot.record.trouble import TroubleWatcher
    from bot.terminal.printers import CalibrationSaver, ResultsPrinter
    from bot.terminal.words import error_json
    from calibration.errors import CalibrationError

    options, calibration = options_of(args), calibration_of(args, args.mines)
    agent = agent_of(args)
    stop = StopSignal()
    with stop.listening(), ExitStack() as stack:
        recorder = recorder_of(args, stack)
        desktop, options = desktop_of(args, options)
        results = ResultsPrinter(as_json=args.json, screen=desktop.route, why_over=args.why_over)
        trouble = TroubleWatcher(desktop.screen, desktop.clock, header_of(args), note)
        observers: list[Observer] = [results, trouble, *([recorder] if recorder else [])]
        if args.save_calibration is not None:
            observers.append(CalibrationSaver(args.save_calibration, replace=args.force))
        control = control_of(args, stack)
        shown = terminal_observers(args, stack, control)
        player = Player(
            replace(desktop, screen=trouble.screen),
            agent,
            options=options,
            observer=each_of(*observers, *shown),
            stop=stop,
            calibration=calibration,
            choose_agent=partial(_agent_for, args),
            control=control,
        )
        code = 0
        try:
            with trouble.watching():
                player.play()
        except (BotError, CalibrationError, SolverError) as error:
            if not args.json:
                raise
            # The summary stays the last line.
            emit(error_json(error, live=True))
            for sentence in (sentence_for(error, live=True), *getattr(error, "__notes__", ())):
                note(sentence)
            code = exit_code_of(error) or 1
        finally:
            stack.close()
            results.print_summary()
            note_recording(recorder, args.record)
    return code


def check_start(args: Play) -> None:
    """Raise the error that would prevent play; options that need a terminal are not checked."""
    from bot.commands.pictures import calibration_of
    from bot.commands.resolve import agent_of
    from bot.record.session import check_folder

    args = replace(args, step=False)
    options_of(args)
    calibration_of(args, args.mines)
    agent_of(args)
    if isinstance(args.record, Path):
        check_folder(args.record)


def _agent_for(args: Play, found: Calibration) -> Agent:
    """Return the agent for the program that was found."""
    from bot.commands.pictures import note_other_theme
    from bot.commands.resolve import agent_of

    note_other_theme(args.theme, found.theme)
    return agent_of(args, found.theme)


def control_of(args: Play, stack: ExitStack) -> KeyControl | None:
    """Read keys if play is shown live; ``stack`` restores the terminal."""
    from bot.terminal.live import shown_live

    if args.json or args.quiet or not shown_live():
        return None
    read_key = stack.enter_context(open_keys())
    return None if read_key is None else KeyControl(read_key, step=args.step)


def terminal_observers(args: Play, stack: ExitStack, control: KeyControl | None) -> list[Observer]:
    """Return the observers that print what the options ask for; ``stack`` closes them."""
    from bot.commands.resolve import agent_name_of
    from bot.terminal.live import terminal_observer
    from bot.terminal.printers import decision_printer, print_event, wait_for_enter

    observers: list[Observer] = []
    if not (args.json or args.quiet):
        linger_s = 1.5 if is_simulated(args) else 0.0
        view = terminal_observer(
            games=args.games,
            agent=agent_name_of(args),
            linger_s=linger_s,
            colours=args.colours,
            control=control,
        )
        stack.enter_context(view)
        observers.append(view)
    if args.dry_run:
        observers.append(decision_printer(as_json=args.json))
    if args.step and control is None:
        observers.append(wait_for_enter)
    if args.events:
        observers.append(print_event)
    return observers


def options_of(args: Play) -> PlayOptions:
    """Return the options of play; raise an error for any value that cannot be used."""
    from bot.commands.pictures import theme_files_of, themes_of
    from bot.desktop.keys import check_keys
    from bot.options import Pace, PlayOptions, Style, parse_new_game, parse_screen_point
    from bot.simulated.render import skin_named

    if args.events and not args.json:
        raise UsageError("--events prints JSON lines: use it with --json.")
    new_game = None if args.new_game is None else parse_new_game(args.new_game)
    if args.close is not None:
        check_keys(args.close)
    if args.step and not is_terminal(sys.stdin):
        raise UsageError("--step waits for the Enter key, so standard input must be a terminal.")
    if args.save_calibration is not None:
        check_not_an_input(args.save_calibration, theme_files_of(args))
        check_writable(args.save_calibration, replace=args.force)
    _readable_size(args.size)
    skin_named(args.skin)
    return PlayOptions(
        games=args.games,
        mines=args.mines,
        near=None if args.near is None else parse_screen_point(args.near),
        themes=themes_of(args.theme),
        flags=args.flags,
        chords=args.chords,
        style=Style(args.style),
        pace=Pace.from_text(args.pace or "0"),
        new_game=new_game,
        close=args.close,
        dry_run=args.dry_run,
    )


def recorder_of(args: Play, stack: ExitStack) -> Recorder | None:
    """Return the recorder of the session, None without ``--record``; ``stack`` closes it.

    Raises `UsageError` if its folder cannot be used.
    """
    from bot.commands.resolve import record_folder
    from bot.record.session import Recorder

    folder = record_folder(args.record)
    if folder is None:
        return None
    return stack.enter_context(closing(Recorder(folder, header_of(args))))


def is_simulated(args: Play) -> bool:
    """Whether to play in a simulated window: on request, or because there is no screen at all.

    If there is a screen, only a game on it is played.
    """
    from bot.desktop.native import has_display

    return args.screen == "sim" or (
        args.screen == "auto" and not has_display(sys.platform, os.environ)
    )


def header_of(args: Play) -> dict[str, Any]:
    """Return the header of a recording, with the options that a replay needs."""
    from bot.commands.resolve import agent_name_of

    return {
        "minebot": __version__,
        "simulated": is_simulated(args),
        "agent": {"name": agent_name_of(args), "seed": args.seed, "rule": args.first},
        "options": {
            "mines": args.mines,
            "theme": args.theme,
            "flags": args.flags,
            "chords": args.chords,
            "style": args.style,
        },
    }


def desktop_of(args: Play, options: PlayOptions) -> tuple[Desktop, PlayOptions]:
    """Open the desktop; return it with the options of play, adapted to a simulated window.

    Raises `NoDesktop` if there is no desktop that can be used.
    """
    from bot.desktop.native import why_no_desktop
    from bot.desktop.routes import Route, open_desktop
    from bot.simulated import NEW_GAME_KEYS
    from bot.terminal.live import demo_pace
    from solver.arena.boards import Size

    if not is_simulated(args):
        try:
            named = args.screen not in ("auto", "real")
            return open_desktop(Route(args.screen) if named else None, note), options
        except NoDesktop as error:
            why = str(error).removesuffix(".")
            raise NoDesktop(f"{why}, or use --screen sim.") from error
    if args.screen != "sim":
        why_not = why_no_desktop(sys.platform, os.environ)
        note(f"{why_not} Playing in the simulated window instead.")
    desktop = simulated_desktop(args)
    options = replace(options, new_game=options.new_game or NEW_GAME_KEYS[0])
    if is_watched(args) and args.pace is None:
        size = Size.parse(args.size)
        options = replace(options, pace=demo_pace(size.cells, size.mines))
    return desktop.ports, options


def is_watched(args: Play) -> bool:
    """Whether a person watches the game on a terminal."""
    return is_terminal(sys.stdout) and not (args.json or args.quiet)


def simulated_desktop(args: Play) -> SimulatedDesktop:
    """Return the simulated window for the options. Raises an error if they cannot be used."""
    from bot.desktop.native import RealClock
    from bot.simulated import FakeClock, SimulatedDesktop
    from solver.game import Rule

    size = _readable_size(args.size)
    desktop = SimulatedDesktop(
        rows=size.rows,
        cols=size.cols,
        mines=size.mines,
        # Most programs today open an area at the first click.
        rule=Rule(args.first or "zero"),
        seed=args.seed,
        skin=args.skin,
        clock=RealClock() if is_watched(args) else FakeClock(),
    )
    if min(size.rows, size.cols) < SURELY_FOUND:
        _check_found(desktop, size)
    return desktop


SURELY_FOUND = 8
"""A simulated board with at least this many rows and columns is always found."""


def _check_found(desktop: SimulatedDesktop, size: Size) -> None:
    """Raise `UsageError` if the board is not found in a picture of its own window."""
    from calibration import CalibrationError, calibrate

    with suppress(CalibrationError):
        grid = calibrate(desktop.grab()).grid
        if (grid.rows, grid.cols) == (size.rows, size.cols):
            return
    raise UsageError(
        f"A board of {size} is not found in a picture of its window: give --size more rows or "
        "columns."
    )


def _readable_size(text: str) -> Size:
    """Read a size whose board can be found in a picture. Raises `BadBoards` and `UsageError`."""
    from calibration.locate.extent import MIN_SIDE
    from solver.arena.boards import Size

    size = Size.parse(text)
    if min(size.rows, size.cols) < MIN_SIDE or size.mines == 0:
        raise UsageError(
            f"A board of {size} cannot be found in a picture: --size needs at least {MIN_SIDE} "
            f"rows, {MIN_SIDE} columns and one mine."
        )
    return size

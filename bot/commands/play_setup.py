"""What ``play`` sets up before the first game: the desktop, and the observers that write files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.commands.observers import CalibrationSaver
from bot.commands.options import agent_name_of
from bot.commands.pictures import theme_files_of
from bot.commands.recording import record_folder
from bot.desktop.native import RealClock
from bot.desktop.ports import Desktop
from bot.desktop.routes import Route, open_desktop
from bot.errors import NoDesktop, NoDisplay, UsageError
from bot.events import Observer
from bot.options import PlayOptions
from bot.outputs import check_not_an_input, check_writable
from bot.record.session import Recorder
from bot.record.theme_keeper import ThemeKeeper
from bot.record.themes import theme_file
from bot.record.trouble.watcher import TroubleWatcher
from bot.simulated import NEW_GAME_KEYS, FakeClock, SimulatedDesktop
from bot.streams import is_terminal
from bot.terminal.live_view import demo_pace
from bot.terminal.output import note
from bot.usage.play import Play
from bot.version import __version__
from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.locate.lines.extent import MIN_SIDE
from solver.arena.boards import Size
from solver.game import Rule


def recorder_of(args: Play, desktop: Desktop, stack: ExitStack) -> Recorder | None:
    """Return what records the session, None where nobody asked for it; ``stack`` closes it."""
    folder = record_folder(args.record)
    if folder is None:
        return None
    header = header_of(args, simulated=is_simulated(desktop))
    return stack.enter_context(closing(Recorder(folder, header)))


def trouble_watcher(args: Play, desktop: Desktop) -> TroubleWatcher:
    """Return what keeps the last frames and decisions, and saves them if play fails."""
    header = header_of(args, simulated=is_simulated(desktop))
    return TroubleWatcher(desktop.screen, desktop.clock, header, note)


def is_simulated(desktop: Desktop) -> bool:
    """Whether the window is a simulated one."""
    return isinstance(desktop.screen, SimulatedDesktop)


def file_observers(args: Play, desktop: Desktop) -> list[Observer]:
    """Return the observers that write files, but for the recorder, as the options say."""
    observers: list[Observer] = []
    if args.learn is not None or not is_simulated(desktop):
        observers.append(theme_keeper(args))
    if args.save_calibration is not None:
        check_not_an_input(args.save_calibration, theme_files_of(args))
        check_writable(args.save_calibration, replace=args.force)
        observers.append(CalibrationSaver(args.save_calibration, replace=args.force))
    return observers


def theme_keeper(args: Play) -> ThemeKeeper:
    """Return what keeps the look of the program: under the name, or in the file, of --learn."""
    learn = args.learn
    if learn is not None and learn.endswith(".toml"):
        path = Path(learn)
        return ThemeKeeper(note, path=path, replace=args.force, new_game=args.new_game)
    return ThemeKeeper(note, name=learn, new_game=args.new_game)


def check_learn(learn: str, inputs: Iterable[Path], *, replace: bool) -> None:
    """Raise `UsageError` if no theme can be kept under this name, or in this file, no input."""
    if learn.endswith(".toml"):
        check_not_an_input(Path(learn), inputs)
        check_writable(Path(learn), replace=replace)
    else:
        theme_file(learn)


def header_of(args: Play, *, simulated: bool) -> dict[str, Any]:
    """Return the header of a recording: what a replay needs to know."""
    return {
        "minebot": __version__,
        "simulated": simulated,
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

    Raises `NoDesktop` if ``--screen real`` finds no desktop.
    """
    if args.screen != "sim":
        try:
            named = args.screen not in ("auto", "real")
            return open_desktop(Route(args.screen) if named else None, note), options
        except NoDesktop as error:
            # Where there is a screen, another game than the one on it is never played.
            if args.screen != "auto" or not isinstance(error, NoDisplay):
                why = str(error).removesuffix(".")
                raise type(error)(f"{why}, or use --screen sim.") from error
            note(f"{error} Playing in the simulated window instead.")
    size = _readable_size(args.size)
    watched = is_terminal(sys.stdout) and not (args.json or args.quiet)
    desktop = SimulatedDesktop(
        rows=size.rows,
        cols=size.cols,
        mines=size.mines,
        # Most programs of today open an area at the first click.
        rule=Rule(args.first or "zero"),
        seed=args.seed,
        skin=args.skin,
        clock=RealClock() if watched else FakeClock(),
    )
    if min(size.rows, size.cols) < SURELY_FOUND:
        _check_found(desktop, size)
    options = replace(options, new_game=options.new_game or NEW_GAME_KEYS[0])
    if watched and args.pace is None:
        options = replace(options, pace=demo_pace(size.rows * size.cols, size.mines))
    return desktop.ports, options


SURELY_FOUND = 8
"""Rows and columns from which every simulated board is found."""


def _check_found(desktop: SimulatedDesktop, size: Size) -> None:
    """Raise `UsageError` if the board is not found in a picture of its own window."""
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
    size = Size.parse(text)
    if min(size.rows, size.cols) < MIN_SIDE or size.mines == 0:
        raise UsageError(
            f"A board of {size} cannot be found in a picture: --size needs at least {MIN_SIDE} "
            f"rows, {MIN_SIDE} columns and one mine."
        )
    return size

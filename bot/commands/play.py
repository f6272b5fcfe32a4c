"""``minebot play``: play the window on the screen, or a simulated one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from bot.commands.observers import (
    DecisionPrinter,
    EnterPrompt,
    EventsPrinter,
    ResultsPrinter,
)
from bot.commands.options import agent_name_of, agent_of
from bot.commands.pictures import (
    calibration_of,
    note_other_theme,
    theme_files_of,
    themes_of,
)
from bot.commands.play_setup import (
    check_learn,
    desktop_of,
    file_observers,
    is_simulated,
    recorder_of,
    trouble_watcher,
)
from bot.commands.recording import note_recording
from bot.desktop.keys import check_keys
from bot.errors import BotError, UsageError
from bot.events import Observer, Observers
from bot.exit_codes import exit_code_of
from bot.mouse.guard import StopSignal
from bot.mouse.pace import Pace
from bot.options import PlayOptions, Style, parse_screen_point
from bot.play.player import Player
from bot.play.restart import check_control
from bot.remedies import told
from bot.streams import is_terminal
from bot.terminal.descriptions import error_json
from bot.terminal.keys import open_keys
from bot.terminal.live_view import shown_live, terminal_observer
from bot.terminal.output import emit, note
from bot.terminal.play_keys import KeyControl
from bot.usage.play import Play
from calibration.calibration import Calibration
from calibration.errors import CalibrationError
from solver.agents.base import Agent
from solver.errors import SolverError


def run(args: Play) -> int:
    """Play, show it as asked for, and print a summary."""
    if args.events and not args.json:
        raise UsageError("--events prints JSON lines: use it with --json.")
    options, calibration = options_of(args), calibration_of(args)
    agent = agent_of(args)
    stop = StopSignal()
    with stop.listening(), ExitStack() as stack:
        desktop, options = desktop_of(args, options)
        results = ResultsPrinter(as_json=args.json, screen=desktop.route, why_over=args.why_over)
        recorder = recorder_of(args, desktop, stack)
        trouble = trouble_watcher(args, desktop)
        observers: list[Observer] = [results, trouble, *([recorder] if recorder else [])]
        observers += file_observers(args, desktop)
        control = control_of(args, stack)
        shown = terminal_observers(args, stack, control, simulated=is_simulated(desktop))
        player = Player(
            replace(desktop, screen=trouble.screen),
            agent,
            options=options,
            observer=Observers(*observers, *shown),
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
            for sentence in (told(error, live=True), *getattr(error, "__notes__", ())):
                note(sentence)
            code = exit_code_of(error) or 1
        finally:
            stack.close()
            results.print_summary()
            note_recording(recorder, args.record)
    return code


def check_start(args: Play) -> None:
    """Raise the error with which play would not start; what needs a terminal is left out."""
    args = replace(args, step=False, learn=None)
    options_of(args)
    calibration_of(args)
    agent_of(args)


def _agent_for(args: Play, found: Calibration) -> Agent:
    """Return the agent for the program that was found."""
    note_other_theme(args, found.theme)
    return agent_of(args, found.theme)


def control_of(args: Play, stack: ExitStack) -> KeyControl | None:
    """Read keys where play is shown live; ``stack`` restores the terminal."""
    if args.json or args.quiet or not shown_live():
        return None
    read_key = stack.enter_context(open_keys())
    return None if read_key is None else KeyControl(read_key, step=args.step)


def terminal_observers(
    args: Play, stack: ExitStack, control: KeyControl | None, *, simulated: bool
) -> list[Observer]:
    """Return the observers that print, as the options say; ``stack`` closes them."""
    observers: list[Observer] = []
    if not (args.json or args.quiet):
        linger_s = 1.5 if simulated else 0.0
        observer = terminal_observer(
            games=args.games,
            agent=agent_name_of(args),
            linger_s=linger_s,
            colours=args.colours,
            control=control,
        )
        observers.append(stack.enter_context(observer))
    if args.dry_run:
        observers.append(DecisionPrinter(as_json=args.json))
    if args.step and control is None:
        observers.append(EnterPrompt())
    if args.events:
        observers.append(EventsPrinter())
    return observers


def options_of(args: Play) -> PlayOptions:
    """Return the options of play. Raises `UsageError` for values that cannot be used."""
    check_control(args.new_game)
    if args.learn is not None:
        check_learn(args.learn, theme_files_of(args), replace=args.force)
    if args.close is not None:
        check_keys(args.close)
    if args.step and not is_terminal(sys.stdin):
        raise UsageError("--step waits for the Enter key, so standard input must be a terminal.")
    return PlayOptions(
        games=args.games,
        mines=args.mines,
        near=None if args.near is None else parse_screen_point(args.near),
        themes=themes_of(args.theme),
        flags=args.flags,
        chords=args.chords,
        style=Style(args.style),
        pace=Pace.from_text(args.pace or "0"),
        new_game=args.new_game,
        close=args.close,
        dry_run=args.dry_run,
    )

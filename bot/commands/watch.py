"""``minebot watch``: look on while a person plays, and review the games."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.commands.pictures import near_of, themes_of
from bot.commands.recording import note_recording, record_folder
from bot.commands.review import review_sessions
from bot.desktop.ports import Desktop
from bot.desktop.routes import open_desktop
from bot.errors import CannotWrite, StoppedByUser
from bot.events import GameResult, Observer, Observers, Outcome, SilentObserver, Turn
from bot.exit_codes import FAILED
from bot.mouse.guard import StopSignal
from bot.record.session import Recorder, result_json
from bot.record.trouble.watcher import TroubleWatcher
from bot.terminal.console import console
from bot.terminal.output import emit, note
from bot.terminal.sentences import decision_line
from bot.version import program_version
from bot.watch.spectator import Spectator
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents import make_agent
from solver.agents.tank import decide
from solver.board import Board
from solver.counting import counted
from solver.errors import CannotAnalyse


def run(args: argparse.Namespace) -> int:
    """Watch until Ctrl-C or the window is gone, then review."""
    stop = StopSignal()
    with ExitStack() as stack:
        stack.enter_context(stop.listening())
        desktop = open_desktop()
        kept = record_folder(args.record)
        folder = kept or Path(stack.enter_context(TemporaryDirectory())) / "session"
        recorder = stack.enter_context(closing(Recorder(folder, header_of(args))))
        notes = WatchNotes(as_json=args.json)
        trouble = TroubleWatcher(desktop.screen, desktop.clock, header_of(args), note)
        observers: list[Observer] = [recorder, notes, trouble]
        filmed = replace(desktop, screen=trouble.screen)
        spectator = spectator_of(args, filmed, Observers(*observers), stop)
        if args.advise:
            spectator.on_board = advise
        note("Watching; press Ctrl-C to end with the review.")
        code = 0
        try:
            with trouble.watching():
                spectator.watch()
        except StoppedByUser:
            spectator.finish()
        except CannotWrite as error:  # the disk is full: what was recorded by then is reviewed
            note(str(error))
            code = FAILED
        if not notes.turns:
            note("No move was seen, so there is nothing to review.")
            return code
        output = args.output or (kept and kept / "review.html")
        code = review_sessions([folder], output=output, as_json=args.json) or code
        note_recording(recorder, args.record)
        return code


def spectator_of(
    args: argparse.Namespace, desktop: Desktop, observer: Observer, stop: StopSignal
) -> Spectator:
    """Make the spectator that the options ask for."""
    return Spectator(
        desktop.screen,
        desktop.pointer,
        desktop.clock,
        observer=observer,
        check_stop=stop.check,
        near=near_of(args),
        mines=args.mines,
        themes=themes_of(args),
    )


def header_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the header of the recording: nobody's agent played."""
    options = {"mines": args.mines, "theme": args.theme}
    return {"minebot": program_version(), "agent": {"name": "a person"}, "options": options}


class WatchNotes(SilentObserver):
    """Tells of games and notes as they happen."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._found = False
        self.turns = 0

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Tell once that the board is found, and its size."""
        if not self._found:
            grid = calibration.grid
            size = f"{counted(grid.rows, 'row')} and {counted(grid.cols, 'column')}"
            note(f"The board of {size} is found.")
        self._found = True

    def played(self, turn: Turn) -> None:
        """Count a turn."""
        self.turns += 1

    def noticed(self, sentence: str) -> None:
        """Print a note."""
        note(sentence)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Print how a game ended; of one that was not finished the review tells."""
        if self._as_json:
            emit(result_json(result))
        elif result.outcome is not Outcome.STOPPED:
            console().print(f"Game {result.game}: {result.outcome.value}.")


def advise(board: Board) -> None:
    """Print the best move of a board."""
    try:
        note(decision_line(decide(make_agent("deep"), board), board))
    except CannotAnalyse as error:
        note(str(error))

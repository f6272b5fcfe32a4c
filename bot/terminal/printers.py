"""Observers that print a game: line by line, as JSON, its result only, or before each turn."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType

from rich.console import Console

from bot.events import GameResult, SilentObserver, Turn
from bot.outputs import write_output
from bot.record.session import click_json, result_json, timings_json
from bot.record.statistics import summary_json, summary_line
from bot.terminal.console import console
from bot.terminal.output import emit, note
from bot.terminal.words import decision_line, grid_json, moves_json, result_line
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.points import PixelPoint
from calibration.reading import Reading


class ResultsPrinter(SilentObserver):
    """An observer that collects the results; with ``as_json`` it prints each as a JSON line.

    With ``why_over`` the summary says how the end of each game was recognised. ``screen`` is the
    route to the screen, as ``--screen`` names it.
    """

    def __init__(self, *, as_json: bool, screen: str, why_over: bool = False) -> None:
        self._as_json, self._why_over = as_json, why_over
        self._screen = {"screen": screen}
        self._results: list[GameResult] = []

    def noticed(self, sentence: str) -> None:
        """With ``as_json``, print the note on standard error; else the terminal shows it."""
        if self._as_json:
            note(sentence)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Add the result; with ``as_json``, print it."""
        self._add(result)

    def stopped(
        self, error: Exception, frame: Frame | None, result: GameResult | None = None
    ) -> None:
        """Add the game that was broken off; with ``as_json``, print it."""
        if result is not None:
            self._add(result)

    def _add(self, result: GameResult) -> None:
        self._results.append(result)
        if self._as_json:
            emit(result_json(result) | self._screen)

    def print_summary(self) -> None:
        """Print the number of games and wins, and the win rate with its interval."""
        if self._as_json:
            emit({"summary": summary_json(self._results) | self._screen})
            return
        for result in self._results if self._why_over else ():
            if result.why_over:
                console().print(f"Game {result.game}, {result.outcome.value}: {result.why_over}")
        if self._results:
            console().print(summary_line(self._results))


class CalibrationSaver(SilentObserver):
    """An observer that saves the calibration; ``replace`` a file that is there."""

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self._path, self._replace = path, replace

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Save the calibration, in place of an earlier one of this run."""
        write_output(self._path, calibration.to_toml(), replace=self._replace)
        self._replace = True


class EnterPrompt(SilentObserver):
    """An observer that waits for the Enter key before the clicks of each turn."""

    def decided(self, turn: Turn) -> None:
        """Print the decision and wait for Enter."""
        line = decision_line(turn.decision, turn.reading.board)
        note(f"{line}. Press Enter to go on, Ctrl-C to stop.")
        sys.stdin.readline()


class DecisionPrinter(SilentObserver):
    """An observer that prints each decision; a dry run uses it."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def decided(self, turn: Turn) -> None:
        """Print the decision."""
        if self._as_json:
            emit(moves_json(turn.decision))
        else:
            console().print(f"{decision_line(turn.decision, turn.reading.board)}.")


class EventsPrinter(SilentObserver):
    """An observer that prints a JSON line for everything but results, which have their own."""

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Print where the board is; ``grid`` is in pixels of the whole screen."""
        grid = calibration.grid
        emit(
            {"event": "calibrated", "rows": grid.rows, "cols": grid.cols}
            | {"grid": grid_json(grid), "mines": calibration.mines}
            | {"theme": calibration.theme.name}
        )

    def decided(self, turn: Turn) -> None:
        """Print the board and the moves to come."""
        board = turn.reading.board
        emit(
            {"event": "decision", "game": turn.game, "turn": turn.number}
            | {"board": board.text_rows(), "mines": board.mines}
            | moves_json(turn.decision)
            | {"retry": turn.retry, "chance": turn.chance}
        )

    def played(self, turn: Turn) -> None:
        """Print the clicks of a turn and its times."""
        emit(
            {"event": "turn", "game": turn.game, "turn": turn.number}
            | {"clicks": [click_json(click) for click in turn.clicks]}
            | {"ms": timings_json(turn.timings)}
        )

    def noticed(self, sentence: str) -> None:
        """Print a note."""
        emit({"event": "note", "message": sentence})


class PlainLog(SilentObserver):
    """An observer that prints one line for each guess, note and game."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> PlainLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Print where the board is, in the units of the mouse."""
        grid = calibration.grid
        corner = frame.to_screen(PixelPoint(grid.x0, grid.y0))
        self._print(f"Board of {grid.rows} rows and {grid.cols} columns at {corner.x},{corner.y}.")

    def decided(self, turn: Turn) -> None:
        """Print a guess; certain moves and repeated decisions are left out."""
        if not turn.decision.certain and not turn.retry:
            line = decision_line(turn.decision, turn.reading.board)
            self._print(f"Game {turn.game}, turn {turn.number}: {line}")

    def noticed(self, note: str) -> None:
        """Print the note."""
        self._print(note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Print how the game ended."""
        self._print(result_line(result))

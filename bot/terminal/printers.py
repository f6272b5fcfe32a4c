"""Observers that print a game: line by line, as JSON, its result only, or before each turn."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from bot import events
from bot.outputs import write_output
from bot.record.lines import event_json, result_json
from bot.record.statistics import summary_json, summary_line
from bot.streams import emit, note
from bot.terminal.console import console
from bot.terminal.words import decision_line, grid_json, moves_json, result_line
from calibration.grid import PixelPoint


class ResultsPrinter:
    """An observer that collects the results; with ``as_json`` it prints each as a JSON line.

    With ``why_over`` the summary says how the end of each game was recognised. ``screen`` is the
    route to the screen, as ``--screen`` names it.
    """

    def __init__(self, *, as_json: bool, screen: str, why_over: bool = False) -> None:
        self._as_json, self._why_over = as_json, why_over
        self._screen = {"screen": screen}
        self._results: list[events.GameResult] = []

    def __call__(self, event: events.Event) -> None:
        """Add the result of a game, even an interrupted one; with ``as_json``, print it.

        With ``as_json`` notes go to standard error; else the terminal shows them.
        """
        match event:
            case events.Noticed(sentence) if self._as_json:
                note(sentence)
            case events.GameOver(result) | events.Stopped(result=events.GameResult() as result):
                self._add(result)

    def _add(self, result: events.GameResult) -> None:
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


class CalibrationSaver:
    """An observer that saves the calibration; ``replace`` an existing file."""

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self._path, self._replace = path, replace

    def __call__(self, event: events.Event) -> None:
        """Save the calibration of a board; it replaces an earlier one of this run."""
        if isinstance(event, events.BoardFound):
            write_output(self._path, event.calibration.to_toml(), replace=self._replace)
            self._replace = True


def wait_for_enter(event: events.Event) -> None:
    """Print each decision, and wait for the Enter key before it is clicked."""
    if isinstance(event, events.Decided):
        line = decision_line(event.turn.decision, event.turn.reading.board)
        note(f"{line}. Press Enter to go on, Ctrl-C to stop.")
        sys.stdin.readline()


def decision_printer(*, as_json: bool) -> events.Observer:
    """Return an observer that prints each decision; a dry run uses it."""

    def print_decision(event: events.Event) -> None:
        if not isinstance(event, events.Decided):
            return
        decision = event.turn.decision
        if as_json:
            emit(moves_json(decision))
        else:
            console().print(f"{decision_line(decision, event.turn.reading.board)}.")

    return print_decision


def print_event(event: events.Event) -> None:
    """Print a JSON line for every event except results, which have their own.

    It is the line of a recording, with the board's position as in `read` and the moves as in
    `advise`.
    """
    match event:
        case events.BoardFound(_, calibration):
            grid = calibration.grid
            emit(
                {"event": "calibrated", "rows": grid.rows, "cols": grid.cols}
                | {"grid": grid_json(grid), "mines": calibration.mines}
                | {"theme": calibration.theme.name}
            )
        case events.Decided(turn):
            line = event_json(event)
            del line["decision"]
            emit({"event": line.pop("kind")} | line | moves_json(turn.decision))
        case events.Played():
            line = event_json(event)
            emit({"event": line.pop("kind")} | line)
        case events.Noticed(sentence):
            emit({"event": "note", "message": sentence})


class PlainLog:
    """An observer that prints one line for each guess, note and game."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> PlainLog:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def __call__(self, event: events.Event) -> None:
        """Print where the board is, guesses, notes and how games end.

        Certain moves and repeated decisions are left out; positions are in units of the mouse.
        """
        match event:
            case events.BoardFound(frame, calibration):
                grid = calibration.grid
                corner = frame.to_screen(PixelPoint(grid.x0, grid.y0))
                self._print(
                    f"Board of {grid.rows} rows and {grid.cols} columns at {corner.x},{corner.y}."
                )
            case events.Decided(turn) if not turn.decision.certain and not turn.retry:
                line = decision_line(turn.decision, turn.reading.board)
                self._print(f"Game {turn.game}, turn {turn.number}: {line}")
            case events.Noticed(sentence):
                self._print(sentence)
            case events.GameOver(result):
                self._print(result_line(result))

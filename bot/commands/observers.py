"""Who listens while `play` plays: the results, the saved calibration, the Enter key, advice."""

from __future__ import annotations

import sys
from pathlib import Path

from bot.say import decision_line, emit, note
from bot.session import decision_json, result_json
from bot.summary import summary_json, summary_line
from bot.turn import GameResult, Quiet, Turn
from calibration.calibrate import Calibration
from calibration.frame import Frame
from calibration.reader import Reading


class Results(Quiet):
    """Keeps the results, prints a JSON line a game if asked to, and a summary at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._results: list[GameResult] = []

    def noticed(self, sentence: str) -> None:
        """Keep notes off standard output."""
        if self._as_json:
            note(sentence)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Keep the result; print it as JSON."""
        self._results.append(result)
        if self._as_json:
            emit(result_json(result))

    def print_summary(self) -> None:
        """Print games, wins and the interval of the win rate."""
        if self._as_json:
            emit({"summary": summary_json(self._results)})
        elif self._results:
            print(summary_line(self._results))


class Keeper(Quiet):
    """Saves the calibration."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Save it; a later one takes its place."""
        calibration.save(self._path)


class Stepper(Quiet):
    """Waits for Enter before each turn is clicked."""

    def decided(self, turn: Turn) -> None:
        """Wait."""
        note(f"{decision_line(turn.decision)} - Enter to go on, Ctrl-C to stop.")
        sys.stdin.readline()


class Adviser(Quiet):
    """Prints what would be clicked, in a dry run."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def decided(self, turn: Turn) -> None:
        """Print the decision."""
        if self._as_json:
            emit({"decision": decision_json(turn.decision)})
        else:
            print(f"{decision_line(turn.decision)}.")

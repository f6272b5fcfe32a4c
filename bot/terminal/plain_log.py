"""Tell play in plain lines, for pipes and logs."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console

from bot.events import GameResult, SilentObserver, Turn
from bot.terminal.sentences import decision_line, result_line
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.points import PixelPoint
from calibration.reading import Reading


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

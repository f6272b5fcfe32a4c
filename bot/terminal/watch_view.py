"""Show a game that a person plays: hints and warnings, on the panel of play or in plain lines."""

from __future__ import annotations

import time

from rich.console import Console

from bot.events import GameResult, Outcome, SilentObserver, Turn
from bot.record.entries import result_json
from bot.record.mistakes import Mistake
from bot.terminal.console import PipeConsole, console
from bot.terminal.live_view import LiveView, shown_live
from bot.terminal.output import emit, note
from bot.terminal.sentences import decision_line
from bot.watch.advice import Advice
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.reading import Reading
from solver.analysis import Analysis
from solver.counting import counted

WARNING_S = 5.0
"""Seconds for which a warning stays at least; then the next move lets it go."""


def mistake_line(mistake: Mistake) -> str:
    """Say what was wrong with a move, as a sentence of its own."""
    return f"{mistake.text[:1].upper()}{mistake.text[1:]}."


class WatchView(LiveView):
    """The live view of a game that a person plays: the decision is what an agent would do."""

    def __init__(self, terminal: Console) -> None:
        # Four pictures a second while nothing happens, as in play, take 4 % of a core.
        super().__init__(terminal, clock_hz=1)
        self._state.mistakes = 0
        self._analysis: Analysis | None = None
        self._warned_at = 0.0

    def decided(self, turn: Turn) -> None:
        """Note a guess; the move has been made already."""
        self._begin(turn.game)
        if not turn.decision.certain:
            cell = turn.decision.moves[0].cell
            self._state.guesses.append((cell, 1.0 - turn.decision.survival))

    def played(self, turn: Turn) -> None:
        """Count the clicks, and let the warning about an earlier move go."""
        state = self._state
        state.clicks += len(turn.decision.moves)
        state.last = turn.decision.moves[-1].cell
        if time.monotonic() - self._warned_at > WARNING_S:
            state.warning = ""

    def advised(self, game: int, advice: Advice) -> None:
        """Show the board under way with what is known of it."""
        self._begin(game)
        state = self._state
        state.board, self._analysis = advice.board, advice.analysis
        state.decision, state.thought = advice.decision, advice.thought
        if advice.decision is not None:
            state.win = advice.win
        self._draw(now=advice.thought is None)

    def warned(self, turn: Turn, mistake: Mistake) -> None:
        """Show what was wrong with a move."""
        if turn.game == self._state.game:
            self._state.warning = mistake_line(mistake)
            self._warned_at = time.monotonic()
        assert self._state.mistakes is not None
        self._state.mistakes += 1
        self._draw(now=True)

    def _begin(self, game: int) -> None:
        """Begin a new game, if it is one; a game that ended goes on if a move was taken back."""
        self._state.result = None
        self._begin_game(game)

    def _analyse(self) -> Analysis | None:
        return None if self._state.result is not None else self._analysis


class WatchLog(SilentObserver):
    """The same in plain lines, for pipes and logs."""

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._found = False

    def __enter__(self) -> WatchLog:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Tell once that the board is found, and its size."""
        if not self._found:
            grid = calibration.grid
            size = f"{counted(grid.rows, 'row')} and {counted(grid.cols, 'column')}"
            note(f"The board of {size} is found.")
        self._found = True

    def noticed(self, sentence: str) -> None:
        """Print a note."""
        note(sentence)

    def advised(self, game: int, advice: Advice) -> None:
        """Print what an agent would do."""
        if advice.decision is not None:
            note(decision_line(advice.decision, advice.board))

    def warned(self, turn: Turn, mistake: Mistake) -> None:
        """Print what was wrong with a move."""
        note(f"Game {turn.game}, turn {turn.number}: {mistake_line(mistake)}")

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Print how a game ended; of one that was not finished the review tells."""
        if self._as_json:
            emit(result_json(result))
        elif result.outcome is not Outcome.STOPPED:
            console().print(f"Game {result.game}: {result.outcome.value}.")


def watch_view(*, as_json: bool, colours: str = "auto") -> WatchView | WatchLog:
    """Return the live view on a terminal, plain lines elsewhere and beside JSON lines."""
    if shown_live() and not as_json:
        return WatchView(PipeConsole(colours=colours))
    return WatchLog(as_json=as_json)

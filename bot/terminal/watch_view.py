"""Show a game that a person plays, with hints and warnings: on the live view or in plain lines."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor

from rich.console import Console

from bot.events import BoardFound, Event, GameOver, Noticed, Outcome, Played, Turn
from bot.record.games import JudgedTurn, Mistake, RecordedTurn, judge_turn
from bot.record.lines import result_json
from bot.streams import emit, note
from bot.terminal.console import PipeConsole, console
from bot.terminal.live import LiveView, shown_live
from bot.terminal.words import decision_line
from bot.watch.hints import Advice, Adviser, Sight, WindowHints
from calibration.grid import Grid
from solver import Agent, Analysis, Cell
from solver.counting import counted

WARNING_S = 5.0
"""Least seconds for which a warning stays; after that the next move removes it."""


def mistake_line(mistake: Mistake) -> str:
    """Describe what was wrong with a move in a separate sentence."""
    return f"{mistake.text[:1].upper()}{mistake.text[1:]}."


class WatchView(LiveView):
    """The live view of a game that a person plays: the decision is what an agent would do."""

    def __init__(self, terminal: Console) -> None:
        # Four pictures a second while nothing happens, as in play, take 4 % of a core.
        super().__init__(terminal, clock_hz=1)
        self._state.mistakes = 0
        self._analysis: Analysis | None = None
        self._warned_at = 0.0

    def _decided(self, turn: Turn) -> None:
        """Note a guess after its move was made."""
        self._begin(turn.game)
        if not turn.decision.certain:
            cell = turn.decision.moves[0].cell
            self._state.guesses.append((cell, 1.0 - turn.decision.survival))

    def _played(self, turn: Turn) -> None:
        """Count the clicks, and remove the warning about an earlier move."""
        state = self._state
        state.clicks += len(turn.decision.moves)
        state.last = turn.decision.moves[-1].cell
        if time.monotonic() - self._warned_at > WARNING_S:
            state.warning = ""

    def advised(self, game: int, advice: Advice) -> None:
        """Show the current board with what is known about it."""
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
        """Begin a new game if it is one; a finished game continues if a move was taken back."""
        self._state.result = None
        self._begin_game(game)

    def _analyse(self) -> Analysis | None:
        return None if self._state.result is not None else self._analysis


class WatchLog:
    """The same information in plain lines, for pipes and logs."""

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._found = False

    def __enter__(self) -> WatchLog:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, event: Event) -> None:
        """Print that the board is found, notes, and how games end.

        An unfinished game is described by the review.
        """
        match event:
            case BoardFound(_, calibration):
                self._note_size(calibration.grid)
            case Noticed(sentence):
                note(sentence)
            case GameOver(result) if self._as_json:
                emit(result_json(result))
            case GameOver(result) if result.outcome is not Outcome.STOPPED:
                console().print(f"Game {result.game}: {result.outcome.value}.")

    def _note_size(self, grid: Grid) -> None:
        """Note once that the board is found, and its size."""
        if not self._found:
            size = f"{counted(grid.rows, 'row')} and {counted(grid.cols, 'column')}"
            note(f"The board of {size} is found.")
        self._found = True

    def advised(self, game: int, advice: Advice) -> None:
        """Print what an agent would do."""
        if advice.decision is not None:
            note(decision_line(advice.decision, advice.board))

    def warned(self, turn: Turn, mistake: Mistake) -> None:
        """Print what was wrong with a move."""
        note(f"Game {turn.game}, turn {turn.number}: {mistake_line(mistake)}")


def watch_view(*, as_json: bool, colours: str = "auto") -> WatchView | WatchLog:
    """Return the live view on a terminal; plain lines elsewhere, or if JSON is printed, too."""
    if shown_live() and not as_json:
        return WatchView(PipeConsole(colours=colours))
    return WatchLog(as_json=as_json)


class LiveHints:
    """Shows the best move on a view and on the window, and each mistake on the view.

    Threads compute both, so that no change of the board is missed meanwhile; `poll` shows the
    results. It must be closed.
    """

    def __init__(
        self, agent: Agent, view: WatchView | WatchLog, window: WindowHints | None = None
    ) -> None:
        self._adviser, self._view, self._window = Adviser(agent), view, window
        self._advice: Advice | None = None
        self._at_rest = False
        self._judges = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")
        self._judged = deque[tuple[Turn, Future[JudgedTurn]]]()
        self._sight: Sight | None = None

    def close(self) -> None:
        """End both threads."""
        self._adviser.close()
        self._judges.shutdown(cancel_futures=True)

    def board_changed(self, cells: Collection[Cell] | None) -> None:
        """Remove the marks from changed cells of the window, and wait for the board to rest."""
        self._at_rest = False
        if self._window is not None:
            self._window.clear(cells)

    def board_at_rest(self, sight: Sight) -> None:
        """Ask about a new board; draw known advice at the board's new place."""
        before, self._sight = self._sight, sight
        self._at_rest = True
        if before is None or (before.game, before.board) != (sight.game, sight.board):
            self._advice = None
            self._adviser.ask(sight.board)
        self._draw()

    def _draw(self) -> None:
        """Draw the advice on the window, as long as the board is as it was read."""
        if self._window is None or not self._at_rest or self._sight is None:
            return
        if self._advice is None:
            self._window.clear()
        else:
            self._window.show(self._advice, self._sight.grid)

    def __call__(self, event: Event) -> None:
        """Compare each move with the best one; give no more advice after the end of a game."""
        match event:
            case Played(turn):
                self._judged.append((turn, self._judges.submit(_judge, turn)))
            case GameOver():
                self._adviser.ask(None)
                self._sight = self._advice = None
                if self._window is not None:
                    self._window.clear()

    def poll(self) -> None:
        """Show what was found since the last time."""
        advice = self._adviser.poll()
        if advice is not None and self._sight is not None:
            self._view.advised(self._sight.game, advice)
            self._advice = advice
            self._draw()
        while self._judged and self._judged[0][1].done():
            turn, judged = self._judged.popleft()
            for mistake in judged.result().mistakes[:1]:
                self._view.warned(turn, mistake)


def _judge(turn: Turn) -> JudgedTurn:
    board = turn.reading.board
    return judge_turn(RecordedTurn(turn.game, turn.number, board, turn.decision))

"""Hints while a person plays: what an agent would do, and what was wrong with the last move."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor

from bot.events import GameResult, SilentObserver, Turn
from bot.record.games import RecordedTurn
from bot.record.mistakes import JudgedTurn, judge_turn
from bot.terminal.watch_view import WatchLog, WatchView
from bot.watch.advice import Advice, Adviser
from bot.watch.hints import Sight
from bot.watch.window_hints import WindowHints
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Agent
from solver.board import Cell


class LiveHints(SilentObserver):
    """Tells a view, and the window, of the best move on every board; the view of every mistake.

    Both are thought about in threads, so that no change of the board is missed meanwhile; `poll`
    tells what was found. It must be closed.
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
        """Take the marks off the window where it changed, and wait for the board to rest."""
        self._at_rest = False
        if self._window is not None:
            self._window.clear(cells)

    def board_at_rest(self, sight: Sight) -> None:
        """Ask about a new board, or draw what is known of it where it lies now."""
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

    def played(self, turn: Turn) -> None:
        """Compare a move with the best one."""
        self._judged.append((turn, self._judges.submit(_judge, turn)))

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Give no more advice on a game that ended."""
        self._adviser.ask(None)
        self._sight = self._advice = None
        if self._window is not None:
            self._window.clear()

    def poll(self) -> None:
        """Tell the view what was found since the last time."""
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
    return judge_turn(RecordedTurn(turn.number, board, turn.decision, (), {}, None))

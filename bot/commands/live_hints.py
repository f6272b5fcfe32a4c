"""Hints while a person plays: what an agent would do, and what was wrong with the last move."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from bot.events import GameResult, SilentObserver, Turn
from bot.record.games import RecordedTurn
from bot.record.mistakes import JudgedTurn, judge_turn
from bot.terminal.watch_view import WatchLog, WatchView
from bot.watch.advice import Adviser
from bot.watch.hints import Sight
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Agent


class LiveHints(SilentObserver):
    """Tells a view of the best move on every board, and of every mistake.

    Both are thought about in threads, so that no change of the board is missed meanwhile; `poll`
    tells what was found. It must be closed.
    """

    def __init__(self, agent: Agent, view: WatchView | WatchLog) -> None:
        self._adviser, self._view = Adviser(agent), view
        self._judges = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")
        self._judged = deque[tuple[Turn, Future[JudgedTurn]]]()
        self._sight: Sight | None = None

    def close(self) -> None:
        """End both threads."""
        self._adviser.close()
        self._judges.shutdown(cancel_futures=True)

    def board_changed(self) -> None:
        """Wait for the board to come to rest."""

    def board_at_rest(self, sight: Sight) -> None:
        """Ask about a new board."""
        before, self._sight = self._sight, sight
        if before is None or (before.game, before.board) != (sight.game, sight.board):
            self._adviser.ask(sight.board)

    def played(self, turn: Turn) -> None:
        """Compare a move with the best one."""
        self._judged.append((turn, self._judges.submit(_judge, turn)))

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Give no more advice on a game that ended."""
        self._adviser.ask(None)
        self._sight = None

    def poll(self) -> None:
        """Tell the view what was found since the last time."""
        advice = self._adviser.poll()
        if advice is not None and self._sight is not None:
            self._view.advised(self._sight.game, advice)
        while self._judged and self._judged[0][1].done():
            turn, judged = self._judged.popleft()
            for mistake in judged.result().mistakes[:1]:
                self._view.warned(turn, mistake)


def _judge(turn: Turn) -> JudgedTurn:
    board = turn.reading.board
    return judge_turn(RecordedTurn(turn.number, board, turn.decision, (), {}, None))

"""What would be the best move now? An agent thinks about the newest board, in a thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue

from solver.agents.base import Agent, Decision, Thinker
from solver.agents.tank import decide
from solver.analysis import Analysis
from solver.board import Board
from solver.errors import SolverError
from solver.guesses import win_chance
from solver.mine_total import analyse_likely


@dataclass(frozen=True)
class Advice:
    """What is known of a board and what an agent would do on it.

    While the agent thinks, ``decision`` is None, and ``thought`` is the number of worlds tried and
    the largest possible number. A decision without moves says why there is none. ``win`` is the
    estimated win chance, None if it is not known.
    """

    board: Board
    analysis: Analysis | None = None
    decision: Decision | None = None
    win: float | None = None
    thought: tuple[int, int] | None = None


class _Outdated(Exception):
    """There is a newer board: the result for this one is not needed any more."""


class Adviser:
    """Thinks about one board at a time; `ask` cancels the search on the previous board.

    It must be closed, so that its thread ends.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._asked: Board | None = None
        self._told = SimpleQueue[Advice]()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="adviser")

    def ask(self, board: Board | None) -> None:
        """Think about a board from now on, or about none."""
        self._asked = board
        if board is not None:
            self._thread.submit(self._think, board)

    def poll(self) -> Advice | None:
        """Return the newest advice on the board that was asked about, None without a new one."""
        newest = None
        while True:
            try:
                advice = self._told.get_nowait()
            except Empty:
                return newest
            if advice.board is self._asked:
                newest = advice

    def close(self) -> None:
        """Cancel the search and end the thread."""
        self.ask(None)
        self._thread.shutdown(cancel_futures=True)

    def _think(self, board: Board) -> None:
        """Report the certain cells immediately, and the decision when it is found."""
        if board is not self._asked:
            return
        try:
            advice = Advice(board, analyse_likely(board))
            self._told.put(advice)
            if isinstance(self._agent, Thinker):
                self._agent.on_progress = lambda *thought: self._report(advice, thought)
            decision = decide(self._agent, board)
            win = decision.win
            if win is None and decision.moves and decision.certain:
                win = win_chance(board)
            self._told.put(replace(advice, decision=decision, win=win))
        except _Outdated:
            return
        except SolverError as error:
            self._told.put(Advice(board, decision=Decision((), str(error), 1.0)))

    def _report(self, advice: Advice, thought: tuple[int, int]) -> None:
        if advice.board is not self._asked:
            raise _Outdated
        self._told.put(replace(advice, thought=thought))

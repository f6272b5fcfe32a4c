"""What to do on a board that was read: the agent is asked, and the mine total doubted."""

from __future__ import annotations

from collections.abc import Iterator

from bot.ending import Ending
from bot.eye import Eye
from bot.plan import flag_the_mines
from bot.signs import View
from bot.turn import Watcher
from calibration.errors import ImpossibleBoard
from solver.agents.base import Agent, Decision
from solver.board import Board
from solver.errors import InconsistentBoard


class Decider:
    """Asks ``agent``, who may be replaced once the program is known."""

    def __init__(self, agent: Agent, eye: Eye, ending: Ending, *, watcher: Watcher) -> None:
        self.agent = agent
        self._eye = eye
        self._ending = ending
        self._watcher = watcher

    def decide(self, view: View) -> tuple[Board, Decision]:
        """Ask the agent; doubt the mine total before the board.

        Raises `ImpossibleBoard` when no total makes sense of the numbers.
        """
        if self._ending.all_open(view):
            board = view.board.with_mines(self._ending.mines)
            return board, flag_the_mines(board)
        for total in self._totals(view):
            board = view.board.with_mines(total)
            try:
                decision = self.agent.decide(board)
            except InconsistentBoard:
                continue
            if total != self._ending.mines:
                self._doubt_total(total)
            return board, decision
        raise ImpossibleBoard(
            "The numbers read contradict each other, whatever the number of mines: run "
            "'minebot read --overlay DIR' on a screenshot to see what was read."
        )

    def _totals(self, view: View) -> Iterator[int | None]:
        """Yield mine totals to believe in, best first: the one so far, the counter's, none."""
        yield self._ending.mines
        left = view.reading.mines_left
        counted = (
            self._eye.count_mines(view.frame, view.board)
            if left is None
            else left + view.board.flags
        )
        if counted not in (None, self._ending.mines) and 0 <= counted <= view.board.tiles.size:
            yield counted
        if self._ending.mines is not None:
            yield None

    def _doubt_total(self, total: int | None) -> None:
        instead = "going on without a total" if total is None else f"the counter says {total}"
        self._watcher.noticed(f"{self._ending.mines} mines do not fit the numbers; {instead}.")
        self._ending.mines = total

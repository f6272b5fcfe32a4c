"""What to do on a board that was read: ask the agent, and correct a wrong mine total."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.events import Observer
from bot.play.ending.detector import EndDetector
from bot.tracking.tracker import BoardTracker, Observation
from calibration.errors import ImpossibleBoard
from solver.agents.base import Agent, Decision, Thinker
from solver.board import Board
from solver.errors import InconsistentBoard


class Decider:
    """Asks ``agent``, which may be replaced once the program is known.

    While an agent thinks long over a guess, ``observer`` is told how far it is, and ``check_stop``
    is called: what it raises ends the thought.
    """

    def __init__(
        self,
        agent: Agent,
        tracker: BoardTracker,
        ending: EndDetector,
        *,
        observer: Observer,
        check_stop: Callable[[], object],
    ) -> None:
        self.agent = agent
        self._check_stop = check_stop
        self._tracker = tracker
        self._end_detector = ending
        self._observer = observer

    def decide(self, observation: Observation) -> tuple[Board, Decision]:
        """Ask the agent; if the numbers fit no solution, try other mine totals.

        Returns the board with the total that fits, and the decision. A mine that took a life stays
        known, though the program hides it again. Raises `ImpossibleBoard` if no total fits.
        """
        if self._end_detector.all_safe_open(observation):
            board = observation.board.with_mines(self._end_detector.mines)
            return board, self._end_detector.flags.decide(board)
        if isinstance(self.agent, Thinker):
            self.agent.on_progress = self._thinking
        known = observation.board.with_known_mines(self._tracker.memory.reader.survived)
        for total in self._candidate_totals(observation):
            board = known.with_mines(total)
            try:
                decision = self.agent.decide(board)
            except InconsistentBoard:
                continue
            if total != self._end_detector.mines:
                self._replace_total(total)
            return board, decision
        self._tracker.forget_labels()
        raise ImpossibleBoard(
            "The numbers on the board contradict each other, whatever the mine total."
        )

    def _thinking(self, done: int, most: int) -> None:
        self._check_stop()
        self._observer.thinking(done, most)

    def _candidate_totals(self, observation: Observation) -> Iterator[int | None]:
        """Yield the mine totals to try: the one used so far, the counter's, an unknown one."""
        yield self._end_detector.mines
        left = observation.reading.mines_left
        counted = (
            self._tracker.find_mine_total(observation.frame, observation.board)
            if left is None
            else left + observation.board.flags
        )
        if (
            counted not in (None, self._end_detector.mines)
            and 0 <= counted <= observation.board.tiles.size
        ):
            yield counted
        if self._end_detector.mines is not None:
            yield None

    def _replace_total(self, total: int | None) -> None:
        instead = "going on without a total" if total is None else f"the counter says {total}"
        self._observer.noticed(
            f"The mine total {self._end_detector.mines} does not fit the numbers; {instead}."
        )
        self._end_detector.mines = total

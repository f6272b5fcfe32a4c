"""What the loop remembers of the game under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.blame import attribute
from bot.errors import WindowStuck
from bot.plan import Stroke
from bot.signs import View
from bot.turn import Click, GameResult, Outcome, Timings, Turn
from solver.agents.base import Decision
from solver.board import Board, Cell


@dataclass
class Progress:
    """The game under way: the only state of the loop.

    ``last`` is the last turn; ``misses`` counts how often in a row a cell did not answer its
    click, ``in_vain`` how many turns in a row changed nothing on the board.
    """

    game: int
    started: float
    last: Turn | None = None
    turns: int = 0
    clicks: int = 0
    guesses: int = 0
    chance: float = 1.0
    misses: dict[Cell, int] = field(default_factory=dict)
    in_vain: int = 0

    def begin_turn(self, view: View, board: Board, decision: Decision, decide_ms: float) -> Turn:
        """Make a turn and count its risk, once however often it must be sent."""
        retry = self.last is not None and self.last.decision.moves == decision.moves
        self.turns += 1
        if not decision.certain and not retry:
            self.guesses += 1
            self.chance *= decision.survival
        return Turn(
            game=self.game,
            number=self.turns,
            frame=view.frame,
            reading=replace(view.reading, board=board),
            decision=decision,
            timings=Timings(grab_ms=view.grab_ms, read_ms=view.read_ms, decide_ms=decide_ms),
            retry=retry,
            chance=self.chance,
        )

    def end_turn(
        self, turn: Turn, clicks: Sequence[Click], *, send_ms: float, wait_ms: float
    ) -> Turn:
        """Add what was clicked and how long it took."""
        timings = replace(turn.timings, send_ms=send_ms, wait_ms=wait_ms)
        self.last = replace(turn, clicks=tuple(clicks), timings=timings)
        self.clicks += len(clicks)
        return self.last

    def missed_first(self, strokes: Sequence[Stroke]) -> list[Stroke]:
        """Put the cells that did not answer last time first.

        A program that loses every other click would else lose the same ones for ever.
        """
        return sorted(strokes, key=lambda stroke: -max(map(self._misses_of, stroke.cells)))

    def _misses_of(self, cell: Cell) -> int:
        return self.misses.get(cell, 0)

    def count_misses(self, missing: Sequence[Cell], board: Board) -> None:
        """Remember what did not answer the last turn, and whether anything happened at all."""
        assert self.last is not None
        self.misses = {cell: self._misses_of(cell) + 1 for cell in missing}
        same = board == self.last.reading.board.with_mines(board.mines)
        self.in_vain = self.in_vain + 1 if same else 0

    def check_stuck(self, retries: int) -> None:
        """Raise `WindowStuck` when repeating does not help.

        That is: ``retries`` turns in a row after the first changed nothing at all, or one cell
        alone stays closed for several times as long.
        """
        stuck = max(self.misses, key=self._misses_of, default=None)
        if stuck is not None and (self.in_vain > retries or self.misses[stuck] > 4 * retries):
            raise WindowStuck(
                f"Row {stuck.row + 1}, column {stuck.col + 1} does not answer "
                f"{self.misses[stuck]} clicks: see whether the window is frozen, paused or waits "
                "for an answer."
            )
        if self.in_vain > 4 * retries:
            raise WindowStuck(
                "The tiles never look twice the same, so none was clicked: stop what is "
                "animated over the board."
            )

    def result(self, outcome: Outcome, now: float, final: Board, why: str = "") -> GameResult:
        """Sum the game up, a lost one with its blame."""
        blame = None
        if outcome is Outcome.LOST:
            if self.last is None:
                why = "The game was lost before the bot's first click."
            else:
                board = self.last.reading.board
                blame, why = attribute(board, self.last.decision, self.last.clicks, final)
        return GameResult(
            game=self.game,
            outcome=outcome,
            turns=self.turns,
            clicks=self.clicks,
            guesses=self.guesses,
            seconds=now - self.started,
            chance=self.chance,
            blame=blame,
            why=why,
        )

"""The state of the game under way: its turns, its risks and its unanswered clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.errors import NotPressed, WindowCovered, WindowStuck
from bot.events import Click, GameResult, Outcome, Timings, Turn
from bot.play.blame import explain_loss
from bot.tracking.tracker import Observation
from calibration.rules import only_mines_left
from calibration.verdict import Verdict
from solver.agents.base import Decision
from solver.board import Board, Cell
from solver.counting import counted
from solver.difficulty import three_bv

SEVERAL_TURNS = 2
"""Turns answered only when their clicks were repeated gently, from which all are made so."""


@dataclass
class Progress:
    """One game under way.

    ``started`` is the time of its start on the desktop's clock, ``last`` its last turn.
    ``misses`` counts, for each cell, how many clicks in a row it did not answer;
    ``unchanged_turns`` counts the turns in a row that changed nothing on the board, and
    ``repeated_turns`` those that changed something after such a one. ``ended`` tells whether it
    has its result.
    """

    game: int
    started: float
    last: Turn | None = None
    turns: int = 0
    clicks: int = 0
    guesses: int = 0
    chance: float = 1.0
    misses: dict[Cell, int] = field(default_factory=dict)
    unchanged_turns: int = 0
    repeated_turns: int = 0
    ended: bool = False

    @property
    def gently(self) -> bool:
        """Whether to click gently: quick clicks were lost in the last turn, or in several."""
        return self.unchanged_turns > 0 or self.repeated_turns >= SEVERAL_TURNS

    @property
    def last_board(self) -> Board | None:
        """The board of the last turn, None before the first."""
        return self.last.reading.board if self.last else None

    def begin_turn(
        self, observation: Observation, board: Board, decision: Decision, decide_ms: float
    ) -> Turn:
        """Make a turn, and count its risk unless it repeats the decision of the last turn.

        A first click is a guess only if its agent gave it a risk.
        """
        retry = self.last is not None and self.last.decision.moves == decision.moves
        self.turns += 1
        if not decision.certain and not retry:
            self.guesses += 1
            self.chance *= decision.survival
        return Turn(
            game=self.game,
            number=self.turns,
            frame=observation.frame,
            reading=replace(observation.reading, board=board),
            decision=decision,
            timings=Timings(
                grab_ms=observation.grab_ms, read_ms=observation.read_ms, decide_ms=decide_ms
            ),
            retry=retry,
            chance=self.chance,
        )

    def end_turn(
        self, turn: Turn, clicks: Sequence[Click], *, send_ms: float, wait_ms: float
    ) -> Turn:
        """Add the clicks that were made and how long they took."""
        timings = replace(turn.timings, send_ms=send_ms, wait_ms=wait_ms)
        self.last = replace(turn, clicks=tuple(clicks), timings=timings)
        self.clicks += len(clicks)
        return self.last

    def _misses_of(self, cell: Cell) -> int:
        return self.misses.get(cell, 0)

    def count_misses(self, unanswered: Sequence[Cell], board: Board) -> None:
        """Count the cells that did not answer the last turn, and the turns that changed nothing."""
        assert self.last is not None
        self.misses = {cell: self._misses_of(cell) + 1 for cell in unanswered}
        same = board == self.last.reading.board.with_mines(board.mines)
        self.repeated_turns += int(self.unchanged_turns > 0 and not same)
        self.unchanged_turns = self.unchanged_turns + 1 if same else 0

    def check_stuck(
        self,
        retries: int,
        strange: Sequence[Cell] = (),
        *,
        below_window: Cell | None = None,
        changed: NotPressed | None = None,
        maybe_no_game: bool = False,
    ) -> None:
        """Raise `WindowStuck` if repeating the clicks does not help.

        `WindowCovered` if it is because the cells in ``strange`` do not look like hidden tiles, or
        another window lies over the cell ``below_window``. ``changed`` says that no cell was
        clicked because it changed as the pointer came, which may last.

        That is: more than ``retries`` turns in a row changed nothing, or one cell did not answer
        for more than four times as many turns. On what is ``maybe_no_game`` one turn is enough.
        """
        if maybe_no_game and self.unchanged_turns and self.last and self.last.clicks:
            raise WindowStuck(
                "The board did not answer the first click, so it may be no Minesweeper but "
                "something that looks like it: bring the game to the front, or name its board with "
                "--near X,Y. If it is the game, open a cell yourself and start again."
            )
        if below_window is not None and self.unchanged_turns >= retries:
            raise WindowCovered(
                f"{below_window.place.capitalize()} was not clicked: another window lies over it, "
                "perhaps one that cannot be seen. Close that window or move it away, and start "
                "again."
            )
        if strange and self.unchanged_turns >= retries:
            raise WindowCovered(
                f"{strange[0].place.capitalize()} was not clicked: it does not look like a "
                "hidden tile any more. Move away what lies over the board and start again."
            )
        stuck = max(self.misses, key=self._misses_of, default=None)
        if stuck is not None and (
            self.unchanged_turns > retries or self.misses[stuck] > 4 * retries
        ):
            raise WindowStuck(
                f"{stuck.place.capitalize()} does not answer "
                f"{counted(self.misses[stuck], 'click')}: check whether the window is frozen, "
                "paused or waiting for an answer."
            )
        if self.unchanged_turns > 4 * retries:
            raise changed or WindowStuck(
                "The tiles change all the time, so none was clicked: stop the animation over the "
                "board."
            )

    def result(
        self,
        told: Verdict | None,
        now: float,
        final: Board,
        why: str = "",
        *,
        sure: Board | None = None,
    ) -> GameResult:
        """Sum the game up; explain why if it was lost on the board ``final``.

        ``why`` says why it was stopped, if no verdict was ``told``. ``sure`` is ``final`` without
        its tiles in doubt, where that is known.
        """
        blame, self.ended = None, True
        outcome = Outcome(told.status.value) if told and told.status else Outcome.STOPPED
        won, why = outcome is Outcome.WON, why if outcome is Outcome.STOPPED else ""
        if outcome is Outcome.LOST:
            if self.last is None:
                why = "The game was lost before the bot's first click."
            else:
                board = self.last.reading.board
                clicks = self.last.clicks
                blame, why = explain_loss(board, self.last.decision, clicks, sure or final)
        return GameResult(
            game=self.game,
            outcome=outcome,
            turns=self.turns,
            clicks=self.clicks,
            guesses=self.guesses,
            seconds=now - self.started,
            chance=self.chance,
            blame=blame,
            why=_sentence(why),
            bv=three_bv(~final.open) if won and only_mines_left(final.tiles, final.mines) else None,
            why_over=told.reason if told else "",
        )

    def broken_off(self, now: float) -> GameResult | None:
        """Sum up a game that an error stops; None if it has no turn yet, or has ended."""
        if self.ended or self.last_board is None:
            return None
        return self.result(None, now, self.last_board)


def _sentence(reason: str) -> str:
    """Write a reason as a sentence; an empty one stays empty."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}." if reason else ""

"""The style of play, flags and chords: as asked for, until they do not work in this program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.events import Observer
from bot.mouse.few import plan_step
from bot.mouse.plan import ClickEffect, Clicks, PlannedClick, plan_clicks
from bot.options import Style
from bot.play.progress import Progress
from solver.agents.base import Action, Decision
from solver.board import Board, Cell, Tile


class Marks:
    """Whether play sets ``flags`` and clicks ``chords``; games can be won without them.

    In the style `FEW` both are used where they save clicks. ``retries`` is how often a flag may
    fail to stay before flags are given up.
    """

    def __init__(
        self,
        *,
        flags: bool,
        chords: bool,
        retries: int,
        observer: Observer,
        style: Style = Style.WIN,
    ) -> None:
        self._style = style
        self.flags = flags
        self.chords = chords or style is Style.FEW
        self._retries = retries
        self._observer = observer

    def plan(
        self,
        decision: Decision,
        board: Board,
        mines: Iterable[Cell],
        misses: Mapping[Cell, int],
    ) -> Clicks:
        """Return the clicks that carry out a decision, with the flags and chords that are used.

        ``mines`` are the certain ones, ``misses`` the cells that did not answer before.
        """
        safe = [move.cell for move in decision.moves if board[move.cell] == Tile.HIDDEN]
        opens = all(move.action is Action.OPEN for move in decision.moves)
        if self._style is Style.FEW and decision.certain and opens and safe and not misses:
            return plan_step(board, safe, mines, chords=self.chords)
        return plan_clicks(
            decision,
            board,
            mines=mines,
            flags=self.flags,
            chords=self.chords and self._style is not Style.FEW,
            at_once=self._style is Style.FAST,
            misses=misses,
        )

    def give_up_failing(self, progress: Progress, planned_clicks: Iterable[PlannedClick]) -> None:
        """Stop using flags or chords that did not work in the last turn."""
        for planned_click in planned_clicks:
            misses = max(progress.misses.get(cell, 0) for cell in planned_click.cells)
            if planned_click.effect is ClickEffect.CHORD and misses:
                self.chords = False
                self._observer.noticed(
                    "This program opens nothing on a chord; playing on without chords."
                )
            elif planned_click.effect is ClickEffect.FLAG and misses > self._retries:
                self.flags = self.chords = False
                self._observer.noticed("Flags do not stay on the board; playing on without flags.")
            else:
                continue
            progress.misses.clear()
            return

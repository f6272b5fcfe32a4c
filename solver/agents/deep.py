"""The strongest agent: endgame search near the end, look-ahead before it, then roll-outs.

The best candidates of the look-ahead are played out in random worlds: by default only for the later
guesses of a game, at higher levels of thought (``deep:think=high``, ``--think high``) for all of
them. See `solver.engine` and `solver.levels`.
"""

from __future__ import annotations

from contextlib import suppress
from math import comb

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import (
    Decision,
    Move,
    avoid_flags,
    first_click,
    first_survival,
    untouched,
)
from solver.agents.tank import certain_moves, least_risk
from solver.analysis import analyse, analyse_likely, mean_total, mine_total_chances
from solver.board import Board, Cell
from solver.counting import counted
from solver.engine import calls
from solver.engine.calls import Method
from solver.game import Rule
from solver.guesses import SAMPLE, describe_cell, guess_words
from solver.levels import DEFAULT, SearchLimits, limits_of, limits_on

HOW = {
    Method.ENDGAME: "of all ways to play on, this wins most",
    Method.LOOK_AHEAD: "the best by what it may show",
    Method.INDEPENDENT: "no other cell can ever show what is here, so it is guessed now",
    Method.ROLL_OUTS: "it won most of the games simulated from here",
}

MENTIONED = 3
"""Candidates that a reason may mention: the chosen one and its rivals."""


class Deep:
    """Opens all certain cells; otherwise makes the guess with the best win chance.

    ``limit`` replaces the limits of the level of thought.
    """

    name = "deep"

    def __init__(
        self, *, rule: Rule = Rule.SAFE, limit: SearchLimits | None = None, think: str = DEFAULT
    ) -> None:
        self._rule = rule
        self._limits = limit or limits_of(think)
        self.on_progress = calls.ignore_progress

    def play(self, mined: NDArray[np.bool_], first: Cell, seed: int | None) -> calls.EngineGame:
        """Play a whole game inside the engine (see `EnginePlayer`)."""
        rows, cols = mined.shape
        limits = limits_on(self._limits, rows, cols, int(mined.sum()))
        return calls.play(mined, first, calls.PolicyKind.DEEP, limits, seed)

    def decide(self, board: Board) -> Decision:
        """Choose the moves of the next turn; raises `InconsistentBoard`."""
        return avoid_flags(board, self._choose(board))

    def _choose(self, board: Board) -> Decision:
        known = analyse(board)
        if settled := certain_moves(board, known):
            return settled
        if untouched(board):
            return self._open_first(board)
        if board.mines is None:
            return self._choose_without_total(board)
        cell, win, how = self._guess(board)
        survival = 1.0 - float(known.probabilities[cell])
        return Decision((Move(cell),), how, survival, win)

    def _choose_without_total(self, board: Board) -> Decision:
        """Guess as if the likely mine total were known; what follows from it alone is a guess.

        Survival is the mean over all totals, weighted by their chances; the win chance is unknown.

        On boards of 10x10 this wins 86 % without the total, and 85 % with it. The least risk, with
        all layouts of all totals equally likely, wins 71 %.
        """
        known = analyse_likely(board)
        total = mean_total(mine_total_chances(board))
        assumed = board.with_mines(total)
        at_total = analyse(assumed)
        settled = certain_moves(assumed, at_total)
        if settled is None:
            cell, _, how = self._guess(assumed)
        elif settled.moves:
            cell, how = settled.moves[0].cell, "this cell is safe then"
        else:
            cell, how = least_risk(board, known), "all cells left would be mines"
        survival = 1.0 - float(known.probabilities[cell])
        likely = counted(total, "is likely", "are likely")
        reason = f"the mine total is unknown, {likely}; {how}"
        return Decision((Move(cell),), reason, survival)

    def _guess(self, board: Board) -> tuple[Cell, float | None, str]:
        """Return the cell to guess, the win chance with it, and the reason."""
        assert board.mines is not None
        try:
            found = calls.decide(
                board.tiles,
                board.mines,
                calls.PolicyKind.DEEP,
                limits_on(self._limits, board.rows, board.cols, board.mines),
                compared=MENTIONED,
                estimated=1,
                sample=SAMPLE,
                on_progress=self.on_progress,
            )
        except calls.TooLarge:
            return least_risk(board, analyse(board)), None, "the least risk on so large a board"
        chosen, *rivals = (
            describe_cell(board, Cell(*divmod(one.cell, board.cols)), one.safe, one.win)
            for one in found.candidates
        )
        words = guess_words(board, chosen, [] if found.method is Method.INDEPENDENT else rivals)
        return chosen.cell, found.win, f"{HOW[found.method]}; {words}"

    def _open_first(self, board: Board) -> Decision:
        survival = first_survival(board, self._rule)
        if found := self._search_first(board):
            cell = Cell(*divmod(found.cell, board.cols))
            return Decision((Move(cell),), "the best of all first clicks", survival, found.win)
        return Decision((Move(first_click(board, self._rule)),), "first click", survival)

    def _search_first(self, board: Board) -> calls.Guess | None:
        """Search all games of a board if it is small enough."""
        rows, cols, mines = board.rows, board.cols, board.mines
        if mines is None or comb(rows * cols, mines) > self._limits.whole:
            return None
        spared = (Rule.NONE, Rule.SAFE, Rule.ZERO).index(self._rule)
        with suppress(calls.TooLarge):
            limits = limits_on(self._limits, rows, cols, mines)
            return calls.first_click(rows, cols, mines, spared, limits)
        return None

"""The strongest agent: endgame search near the end, look-ahead before it, then roll-outs.

The best candidates of the look-ahead are tried in drawn worlds: at the default level of thought for
the later guesses of a game, at higher ones (``deep:think=high``, ``--think high``) for all. See
`solver.engine` and `solver.levels`.
"""

from __future__ import annotations

from contextlib import suppress
from math import comb

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Move, avoid_flags, ignore_progress
from solver.agents.opening import first_click, first_survival, untouched
from solver.agents.tank import certain_moves, least_risk
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.candidates import SAMPLE, describe_cell
from solver.counting import counted
from solver.engine import calls
from solver.engine.calls import Method
from solver.game import Rule
from solver.guess_words import guess_words
from solver.levels import DEFAULT, Limits, limits_of, limits_on
from solver.mine_total import analyse_likely, mean_total, mine_total_chances

HOW = {
    Method.ENDGAME: "of all ways to play on, this wins most",
    Method.LOOK_AHEAD: "the best by what it may show",
    Method.INDEPENDENT: "no other cell will ever tell what is here, so it is guessed now",
    Method.ROLL_OUTS: "it won most of the games that were tried from here",
}

TOLD = 3
"""Candidates that a reason speaks of: the chosen one and its rivals."""


class Deep:
    """Opens what is certain; else guesses where the chance to win is best.

    ``limit`` stands in place of that of the level of thought.
    """

    name = "deep"

    def __init__(
        self, *, rule: Rule = Rule.SAFE, limit: Limits | None = None, think: str = DEFAULT
    ) -> None:
        self._rule = rule
        self._limits = limit or limits_of(think)
        self.on_progress = ignore_progress

    def play(self, mined: NDArray[np.bool_], first: Cell, seed: int | None) -> calls.Played:
        """Play a whole game inside the engine (see `EnginePlayer`)."""
        rows, cols = mined.shape
        limits = limits_on(self._limits, rows, cols, int(mined.sum()))
        return calls.play(mined, first, calls.Player.DEEP, limits, seed)

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
        """Guess as with the mine total that is likely; what only that total tells is no certainty.

        The chance to survive is that over all totals, by their chances; that to win is not known.

        On boards of 10x10 it wins 86 % without the total, 85 % with it; the least risk where all
        layouts of all totals are equally likely, wins 71 % (`tests.bench.bench_mine_total`).
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
        """Return the cell to guess, the chance to win with it, and why."""
        assert board.mines is not None
        try:
            found = calls.decide(
                board.tiles,
                board.mines,
                calls.Player.DEEP,
                limits_on(self._limits, board.rows, board.cols, board.mines),
                compared=TOLD,
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
        told = guess_words(board, chosen, [] if found.method is Method.INDEPENDENT else rivals)
        return chosen.cell, found.win, f"{HOW[found.method]}; {told}"

    def _open_first(self, board: Board) -> Decision:
        survival = first_survival(board, self._rule)
        if found := self._search_first(board):
            cell = Cell(*divmod(found.cell, board.cols))
            return Decision((Move(cell),), "the best of all first clicks", survival, found.win)
        return Decision((Move(first_click(board, self._rule)),), "first click", survival)

    def _search_first(self, board: Board) -> calls.Guess | None:
        """Search all games on a board that is small enough for it."""
        rows, cols, mines = board.rows, board.cols, board.mines
        if mines is None or comb(rows * cols, mines) > self._limits.whole:
            return None
        spared = (Rule.NONE, Rule.SAFE, Rule.ZERO).index(self._rule)
        with suppress(calls.TooLarge):
            limits = limits_on(self._limits, rows, cols, mines)
            return calls.first_click(rows, cols, mines, spared, limits)
        return None

"""The article's Tank solver on exact risks, and ``glance``, which guesses by a small network.

Source of ``tank``: "How to Write your own Minesweeper AI", sections "The Tank Solver Algorithm" and
"Probability: Making the Best Guess". Its two endgame tactics need no code here: the exact count
includes the mine total, and the unconstrained cells, on boards of any size. If the mine total is
unknown, risks are means over the likely totals.

``glance`` opens certain cells by exact risks, else the cell that the cell net rates best. The net
is small (see ``solver/engine/glance.c``): a game takes hardly longer than with `tank`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import (
    Agent,
    Decision,
    Move,
    avoid_flags,
    first_click,
    first_survival,
    untouched,
)
from solver.analysis import Analysis, analyse, analyse_likely, likely_mine_total
from solver.board import Board, Cell, count_neighbours
from solver.counting import counted
from solver.engine import calls
from solver.game import Rule
from solver.levels import limits_of


class Tank:
    """Opens all certain cells at once; else the cell of least risk."""

    name = "tank"
    policy = calls.PolicyKind.TANK
    why = "the least risk of all cells"

    def __init__(self, *, rule: Rule = Rule.SAFE) -> None:
        self._rule = rule

    def decide(self, board: Board) -> Decision:
        """Choose the moves of the next turn; raises `InconsistentBoard`."""
        return avoid_flags(board, self._choose(board))

    def play(self, mined: NDArray[np.bool_], first: Cell, seed: int | None) -> calls.EngineGame:
        """Play a whole game inside the engine (see `EnginePlayer`)."""
        return calls.play(mined, first, self.policy, limits_of("none"), seed)

    def _choose(self, board: Board) -> Decision:
        known = analyse(board)
        if settled := certain_moves(board, known):
            return settled
        if untouched(board):
            cell = first_click(board, self._rule)
            return Decision((Move(cell),), "first click", first_survival(board, self._rule))
        known = analyse_likely(board)
        cell = self.guess(board, known)
        return Decision((Move(cell),), self.why, 1.0 - float(known.probabilities[cell]))

    def guess(self, board: Board, known: Analysis) -> Cell:
        """Choose a cell when nothing is certain."""
        return least_risk(board, known)


def decide(agent: Agent, board: Board) -> Decision:
    """Ask an agent for its moves; if some cells are unknown, decide by exact risks instead.

    Unknown cells are not opened. Raises `InconsistentBoard` when no layout fits the board.
    """
    if not board.unknown.any():
        return agent.decide(board)
    return Tank().decide(board)


def certain_moves(board: Board, known: Analysis) -> Decision | None:
    """Return a decision that opens all certain cells; None if only a guess is possible.

    The decision has no moves if no cell is left to open.
    """
    if known.safe:
        reason = counted(len(known.safe), "cell is certainly safe", "cells are certainly safe")
        return Decision(tuple(map(Move, known.safe)), reason, 1.0)
    if board.covered.sum() == len(known.mines):
        left = "no known cell" if board.unknown.any() else "no cell"
        return Decision((), f"{left} is left to open", 1.0)
    return None


def least_risk(board: Board, known: Analysis) -> Cell:
    """Return the cell of least risk.

    Of cells with equal risk, prefer one beside a number, because a number there may prove more;
    then the one with the fewest covered neighbours.
    """
    risk = np.where(np.isnan(known.probabilities), 2.0, known.probabilities)
    open_or_known = ~board.covered | (known.probabilities == 1.0)
    hidden = count_neighbours(~open_or_known)
    hidden[count_neighbours(board.open) == 0] += 9
    equals = risk <= risk.min() + 1e-9
    row, col = np.unravel_index(int(np.where(equals, hidden, 99).argmin()), risk.shape)
    return Cell(int(row), int(col))


class Glance(Tank):
    """Opens all certain cells at once; else the cell with the highest rating.

    If the mine total is unknown, cells are rated with the likely total.
    """

    name = "glance"
    policy = calls.PolicyKind.GLANCE
    why = "a small network rates this cell best"

    def guess(self, board: Board, known: Analysis) -> Cell:
        """Choose a cell when nothing is certain."""
        total = likely_mine_total(board) if board.mines is None else board.mines
        try:
            found = calls.decide(board.tiles, total, self.policy, limits_of("none"))
        except calls.TooLarge:
            return super().guess(board, known)
        return Cell(*divmod(found.cell, board.cols))

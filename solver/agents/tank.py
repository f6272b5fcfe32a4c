"""The article's Tank solver, exact: certain cells, else the least risk over all hidden cells.

Its two endgame tactics need no code of their own: the mine counter weighs every configuration,
and the cells off the frontier are counted with the others at any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver.agents.base import Decision, Move, heed_flags
from solver.agents.opening import first_click, first_survival, untouched
from solver.analysis import Analysis, analyse
from solver.board import Board, Cell, count_neighbours
from solver.game import Rule

if TYPE_CHECKING:
    from solver.play import End, Play


class Tank:
    """Opens what is certain, all at once; else the cell least likely a mine."""

    name = "tank"

    def __init__(self, *, rule: Rule = Rule.SAFE) -> None:
        self._rule = rule

    def decide(self, board: Board) -> Decision:
        """Choose the moves of the next turn; raises `InconsistentBoard`."""
        return heed_flags(board, self._choose(board))

    def finish(self, play: Play) -> End:
        """Play on inside the kernels (see `Swift`)."""
        from solver.play import finish_tank  # noqa: PLC0415  numba loads when needed

        return finish_tank(play)

    def _choose(self, board: Board) -> Decision:
        known = analyse(board)
        if settled := certain_moves(board, known):
            return settled
        if untouched(board):
            cell = first_click(board, self._rule)
            return Decision((Move(cell),), "first click", first_survival(board, self._rule))
        cell = least_risk(board, known)
        survival = 1.0 - float(known.probabilities[cell])
        return Decision((Move(cell),), "nothing is certain; the least risk of all cells", survival)


def certain_moves(board: Board, known: Analysis) -> Decision | None:
    """Return the turn that needs no guess: all certain cells, or none if none is left to open."""
    if known.safe:
        count = len(known.safe)
        reason = f"{count} cells are certainly free" if count > 1 else "one cell is certainly free"
        return Decision(tuple(map(Move, known.safe)), reason, 1.0)
    if board.covered.sum() == len(known.mines):
        return Decision((), "no cell is left to open", 1.0)
    return None


def least_risk(board: Board, known: Analysis) -> Cell:
    """Return the cell least likely a mine.

    Of equals, one beside a number, which may settle it; then the one with the fewest hidden
    neighbours.
    """
    risk = np.where(np.isnan(known.probabilities), 2.0, known.probabilities)
    open_or_known = ~board.covered | (known.probabilities == 1.0)
    hidden = count_neighbours(~open_or_known)
    hidden[count_neighbours(board.open) == 0] += 9
    equals = risk <= risk.min() + 1e-9
    row, col = np.unravel_index(int(np.where(equals, hidden, 99).argmin()), risk.shape)
    return Cell(int(row), int(col))

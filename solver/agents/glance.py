"""Fast guesses: certain cells by exact risks, else the cell that the cell net rates best.

The net is small (see ``solver/engine/glance.c``): a game takes hardly longer than with `tank`.
"""

from __future__ import annotations

from solver.agents.tank import Tank
from solver.analysis import Analysis
from solver.board import Board, Cell
from solver.engine import calls
from solver.levels import limits_of
from solver.mine_total import likely_mine_total


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

"""Guesses at a glance: certain cells on exact risks, else the cell that the cell net rates best.

The net is small (see ``solver/engine/glance.c``), so a game takes hardly longer than one of `tank`.
"""

from __future__ import annotations

from solver.agents.tank import Tank
from solver.analysis import Analysis
from solver.board import Board, Cell
from solver.engine import calls
from solver.levels import limits_of
from solver.mine_total import likely_mine_total


class Glance(Tank):
    """Opens all certain cells at once; else the cell of the highest rating.

    Where the mine total is unknown, the rating is that with the total that is likely.
    """

    name = "glance"
    player = calls.Player.GLANCE
    why = "a small network rates this cell best"

    def guess(self, board: Board, known: Analysis) -> Cell:
        """Choose a cell where nothing is certain."""
        total = likely_mine_total(board) if board.mines is None else board.mines
        try:
            found = calls.decide(board.tiles, total, self.player, limits_of("none"))
        except calls.TooLarge:
            return super().guess(board, known)
        return Cell(*divmod(found.cell, board.cols))

"""Guesses at a glance: certain cells on exact risks, else the cell that the cell net rates best.

The net is small (see `solver.search.cell_net`), so a game takes hardly longer than one of `tank`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from solver.agents.tank import Tank
from solver.analysis import Analysis, cell_at, field_of
from solver.board import Board, Cell
from solver.exact.cache import Part, wait_for
from solver.mine_total import likely_mine_total

if TYPE_CHECKING:
    from solver.search.cell_net import CellNet
    from solver.search.game_state import GameState
    from solver.search.whole_games import End


class Glance(Tank):
    """Opens all certain cells at once; else the cell of the highest rating.

    Where the mine total is unknown, the rating is that with the total that is likely.
    """

    name = "glance"
    parts = (Part.ANALYSIS, Part.GUESSES)
    why = "nothing is certain; the best at a glance"

    def finish(self, play: GameState) -> End:
        """Play on inside the kernels (see `KernelPlayer`)."""
        from solver.search.whole_games import finish_at_sight  # noqa: PLC0415  numba loads when needed

        return finish_at_sight(play, self._net)

    def guess(self, board: Board, known: Analysis) -> Cell:
        """Choose a cell where nothing is certain."""
        from solver.search.cell_net import best_at_sight  # noqa: PLC0415  numba loads when needed
        from solver.search.game_state import begin_state, study_state  # noqa: PLC0415

        wait_for(Part.GUESSES)
        total = likely_mine_total(board) if board.mines is None else board.mines
        state = begin_state(field_of(board), board.cols, total)
        cell = best_at_sight(self._net, state, study_state(state))
        return cell_at(cell, board.cols)

    @cached_property
    def _net(self) -> CellNet:
        from solver.search.cell_net import load_cell_net  # noqa: PLC0415  numba loads when needed

        return load_cell_net()

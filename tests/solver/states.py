"""Boards as the kernels see them."""

from __future__ import annotations

from solver.analysis import field_of
from solver.board import Board
from solver.search.game_state import GameState, begin_state


def state_of(board: Board) -> GameState:
    """Return the state of a game that shows this board."""
    assert board.mines is not None
    return begin_state(field_of(board), board.cols, board.mines)

"""The article's straightforward algorithm: one number and its 3x3 at a time.

Source: "How to Write your own Minesweeper AI", section "Straightforward Algorithm": when a
number has as many covered neighbours as it counts mines, they are mines; when all its mines are
known, its other neighbours are safe.

Where the article leaves a choice:

- It starts "in the middle"; so does this agent.
- It does not say what to do when stuck; this agent opens a random covered cell.
"""

from __future__ import annotations

from solver.agents.base import Decision
from solver.agents.constraint_store import ConstraintStore
from solver.agents.reasoner import Inference, Reasoner, blind_survival, guess_one
from solver.board import Board, Cell, Tile


class Straightforward(Reasoner):
    """Applies the single-number rules only, and opens a random cell when stuck."""

    name = "straightforward"
    method = "proven by single numbers"

    def prove(self, board: Board) -> Inference:
        """Apply the single-number rules until nothing changes."""
        store = ConstraintStore(board)
        store.propagate()
        return Inference(store.cells_at(store.safe), store.cells_at(store.mines))

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the middle first, later a random cell."""
        if (board.tiles == Tile.HIDDEN).all():
            middle = Cell(board.rows // 2, board.cols // 2)
            return guess_one(middle, "the middle first", blind_survival(board, inference))
        return self.random_guess(board, inference)

"""The article's straightforward algorithm: one number and its 3x3 at a time.

Source: "How to Write your own Minesweeper AI", section "Straightforward Algorithm": when a
number has as many covered cells around it as it counts, they are mines; when its mines are all
known, its other cells are safe.

Choices where the article leaves one:

- It starts "in the middle"; so does this agent.
- It says nothing of what to do when stuck; a random covered cell is opened.
"""

from __future__ import annotations

from solver.agents.base import Decision
from solver.agents.knowledge import Knowledge
from solver.agents.reasoner import Inference, Reasoner, background, one_guess
from solver.board import Board, Cell, Tile


class Straightforward(Reasoner):
    """Single-number rules only, random when stuck."""

    name = "straightforward"
    how = "follow from single numbers"

    def prove(self, board: Board) -> Inference:
        """Mark and clear around single numbers until nothing changes."""
        known = Knowledge(board)
        known.settle()
        return Inference(known.places(known.safe), known.places(known.mines))

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Start in the middle, later open any cell at random."""
        if (board.tiles == Tile.HIDDEN).all():
            middle = Cell(board.rows // 2, board.cols // 2)
            return one_guess(middle, "the middle first", background(board, inference))
        return self.random_guess(board, inference)

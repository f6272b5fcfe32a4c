"""The article's two algorithms without exact risks: ``straightforward`` and ``tank-no-endgame``.

Source: "How to Write your own Minesweeper AI". It starts in the middle; so do these agents.

``straightforward``, section "Straightforward Algorithm": one number and its 3x3 at a time. When a
number has as many covered neighbours as it counts mines, they are mines; when all its mines are
known, its other neighbours are safe. The article does not say what to do when stuck; this agent
opens a random covered cell.

``tank-no-endgame``, sections "The Tank Solver Algorithm" and "Probability: Making the Best Guess":
all configurations of the frontier (the article's border tiles) are counted, each equally likely,
and the frontier cell that is a mine in the fewest is opened. The article's two endgame tactics are
left out, to show what they bring: the mine counter is not used, and cells off the frontier are
never counted. Where the article leaves a choice:

- Cells off the frontier have no probability, so a random one is opened only if there is no
  frontier. Of frontier cells with equal risk the first in reading order is opened.
- Configurations are counted by `solver.analysis.analyse` without a mine total, which counts each
  of them once; the article enumerates them one by one, with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.agents.base import Decision, Inference, Reasoner, blind_survival, guess_one, guessable
from solver.agents.constraints import ConstraintStore
from solver.analysis import Analysis, analyse
from solver.board import Board, Cell, Tile, count_neighbours


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


@dataclass(frozen=True)
class AnalysedInference(Inference):
    """What is certain without the mine counter, and the risk of every tile."""

    analysis: Analysis | None = None


class TankNoEndgame(Reasoner):
    """Opens the frontier cell of least risk; does not use the mine counter."""

    name = "tank-no-endgame"
    method = "proven by all configurations"

    def prove(self, board: Board) -> Inference:
        """Count the configurations of the frontier."""
        analysis = analyse(board.with_mines(None))
        return AnalysedInference(analysis.safe, analysis.mines, analysis)

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the middle first, later the frontier cell of least risk, or a random cell."""
        if (board.tiles == Tile.HIDDEN).all():
            middle = Cell(board.rows // 2, board.cols // 2)
            return guess_one(middle, "the middle first", blind_survival(board, inference))
        analysis = inference.analysis if isinstance(inference, AnalysedInference) else None
        frontier = guessable(board, inference) & (count_neighbours(board.open) > 0)
        if analysis is None or not frontier.any():
            return self.random_guess(board, inference, "no frontier")
        risks = np.where(frontier, analysis.probabilities, np.inf)
        best = Cell(*divmod(int(risks.argmin()), board.cols))
        return guess_one(
            best, f"least risk on the frontier, {100 * risks[best]:.0f} %", 1 - risks[best]
        )

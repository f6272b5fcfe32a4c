"""The article's Tank solver without its two endgame tactics, to show what they bring.

Source: "How to Write your own Minesweeper AI", sections "The Tank Solver Algorithm" and
"Probability: Making the Best Guess": all configurations of the border tiles are counted, each
equally likely, and the border tile mined in the fewest is opened. The mine counter plays no part
(that is the first endgame tactic), and tiles away from the border are never part of the count
(the second).

Choices where the article leaves one:

- The article starts in the middle; so does this agent.
- Tiles away from the border have no probability, so one is opened, at random, only when there is
  no border. Of equal border tiles the first in reading order is opened.
- Configurations are counted by the exact engine told no mine total, which counts each alike; the
  article enumerates them one by one, with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.agents.base import Decision
from solver.agents.reasoner import Inference, Reasoner, background, guessable, one_guess
from solver.analysis import Analysis, analyse
from solver.board import Board, Cell, Tile, count_neighbours


@dataclass(frozen=True)
class Analysed(Inference):
    """What is certain without the mine counter, and every tile's chance."""

    analysis: Analysis | None = None


class TankNoEndgame(Reasoner):
    """Least risk among the border tiles, blind to the mine counter."""

    name = "tank-no-endgame"
    how = "are the same in every configuration"

    def prove(self, board: Board) -> Inference:
        """Count the configurations of the border."""
        analysis = analyse(board.with_mines(None))
        return Analysed(analysis.safe, analysis.mines, analysis)

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the border tile of least risk; the middle first, a random tile without a border."""
        if (board.tiles == Tile.HIDDEN).all():
            middle = Cell(board.rows // 2, board.cols // 2)
            return one_guess(middle, "the middle first", background(board, inference))
        analysis = inference.analysis if isinstance(inference, Analysed) else None
        border = guessable(board, inference) & (count_neighbours(board.open) > 0)
        if analysis is None or not border.any():
            return self.random_guess(board, inference, "no border")
        risks = np.where(border, analysis.probabilities, np.inf)
        best = Cell(*divmod(int(risks.argmin()), board.cols))
        return one_guess(best, f"least risk on the border, {risks[best]:.0%}", 1 - risks[best])

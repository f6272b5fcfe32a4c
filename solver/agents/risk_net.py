"""A network that plays without a solver: it opens the cell with the least estimated risk.

A fully convolutional network, trained on the exact risks of the engine (see
`solver.learning.training.risk`). It plays boards of any size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.agents.dqn import LearnedAgent
from solver.board import Board
from solver.learning.convolutions import risk_log_odds, risk_planes


class RiskNet(LearnedAgent):
    """Opens the cell with the least risk by the network's estimate."""

    name = "risk-net"
    network = "risk"

    def rate(self, board: Board) -> NDArray[np.float64]:
        """Return the chance of each covered cell to be safe, NaN elsewhere. Raises `BadWeights`."""
        recipe, arrays = self._loaded
        total = -1 if board.mines is None else board.mines
        planes = risk_planes(board.tiles[None], total)
        odds = risk_log_odds(arrays, planes, recipe.layers)[0, 1:-1, 1:-1]
        return np.where(board.covered, 1.0 / (1.0 + np.exp(odds.astype(float))), np.nan)

    def survival_of(self, value: float) -> float:
        """Return the value, which already is the chance."""
        return value

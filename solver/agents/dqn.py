"""Agents that play by a network alone: the DQN report's two networks, and ``risk-net``.

Source: "Minesweeper AI Using Neural Networks", A. Knutsson and J. Unnebaeck, 2022, sections 3.2
and 3.3; the switches of its section 5.3 that the shipped ``dqn-window`` was trained with are in its
recipe, ``solver/learning/weights/dqn-window.toml``. They open the covered cell with the largest
Q-value:

- ``dqn-board`` (version 1) sees the whole board at once and plays boards of that size only.
- ``dqn-window`` (version 2) looks at the window around each covered cell and plays any size.

``risk-net`` opens the cell with the least estimated risk. It is our own fully convolutional
network, trained on the exact risks of the engine (see `solver.learning.supervised`); it
plays any size.

Only covered cells are opened, and flagged ones only if no other is left. The first cell is that of
the first-click rule, since all windows of a covered board look the same.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import (
    Decision,
    Move,
    avoid_flags,
    below_certain,
    first_click,
    first_survival,
    untouched,
)
from solver.board import Board, Cell, Tile
from solver.errors import BadWeights, WrongSize
from solver.game import Rule
from solver.learning.nets import (
    OUTSIDE,
    DenseWeights,
    WindowView,
    board_values,
    codes_of,
    risk_log_odds,
    risk_planes,
)
from solver.learning.weights import Arrays, Recipe, agent_weights, dense_weights, weights_file


class LearnedAgent:
    """An agent that rates every covered cell with a network and opens the best one.

    ``weights`` is a file to use in place of the weights that ship with the program.
    """

    name: str
    network: str

    def __init__(self, *, rule: Rule = Rule.SAFE, weights: str = "") -> None:
        self._rule = rule
        self._path = weights_file(self.name, weights)

    def rate(self, board: Board) -> NDArray[np.float64]:
        """Return a value for every covered cell, larger where it is safer; NaN on open cells.

        Raises `BadWeights`, and `WrongSize` if the network cannot see this board.
        """
        raise NotImplementedError

    def survival_of(self, value: float) -> float:
        """Turn a value into the chance that the cell is safe."""
        raise NotImplementedError

    def decide(self, board: Board) -> Decision:
        """Open the first cell of a game by the rule, then the cell of the largest value."""
        if untouched(board):
            self.check_size(board)
            cell = first_click(board, self._rule)
            return Decision((Move(cell),), "first click", first_survival(board, self._rule))
        if not board.covered.any() or int(board.covered.sum()) == board.mines:
            return Decision((), "no cell is left to open", 1.0)
        values = self.rate(board)
        openable = board.covered & (board.tiles != Tile.FLAG)
        allowed = openable if openable.any() else board.covered
        best = np.where(allowed, values, -np.inf).argmax()
        cell = Cell(*divmod(int(best), board.cols))
        survival = below_certain(self.survival_of(float(values[cell])))
        reason = f"the network's best value, {values[cell]:.2f}"
        return avoid_flags(board, Decision((Move(cell),), reason, survival))

    def check_size(self, board: Board) -> None:
        """Raise `WrongSize` if the network cannot see this board. By default it can."""

    @cached_property
    def _loaded(self) -> tuple[Recipe, Arrays]:
        return agent_weights(self._path, self.network)


class _Dqn(LearnedAgent):
    """The base of both networks: Q-values in hundreds, 1 for a safe move and -0.5 for a mine."""

    def survival_of(self, value: float) -> float:
        """Turn a Q-value into a chance, ignoring later rewards; values above 1 are clipped."""
        return (value + 0.5) / 1.5

    @cached_property
    def _net(self) -> DenseWeights:
        recipe, arrays = self._loaded
        slots, outputs = self._shape(recipe)
        net = dense_weights(arrays, slots, OUTSIDE + recipe.edge)
        if len(net.out) != outputs:
            raise BadWeights(f"{self._path} holds weights that do not fit {self.name}.")
        return net

    def _shape(self, recipe: Recipe) -> tuple[int, int]:
        """Return how many tiles the network sees and how many values it returns."""
        return (2 * recipe.radius + 1) ** 2, 1


class DqnWindow(_Dqn):
    """Slides a window over all covered cells."""

    name = "dqn-window"
    network = "window"

    def rate(self, board: Board) -> NDArray[np.float64]:
        """Return the Q-value of every covered cell, NaN elsewhere. Raises `BadWeights`."""
        recipe = self._loaded[0]
        view = WindowView(self._net, board.tiles[None], recipe.radius)
        view.run(recipe.passes, recipe.flag_above, symmetries=recipe.symmetries)
        values = np.full(board.tiles.size, np.nan)
        values[view.cells] = view.values
        return values.reshape(board.tiles.shape)


class DqnBoard(_Dqn):
    """Sees the whole board at once."""

    name = "dqn-board"
    network = "board"

    def rate(self, board: Board) -> NDArray[np.float64]:
        """Return the Q-value of every covered cell, NaN elsewhere.

        Raises `BadWeights`, and `WrongSize` for a board of another size.
        """
        self.check_size(board)
        codes = codes_of(board.tiles).reshape(1, -1)
        turned = self._loaded[0].symmetries
        values = board_values(self._net, codes, board.rows, symmetries=turned)
        return np.where(board.covered, values.reshape(board.tiles.shape).astype(float), np.nan)

    def check_size(self, board: Board) -> None:
        """Raise `WrongSize` for a board of another size than the network was trained on."""
        recipe = self._loaded[0]
        if (board.rows, board.cols) != (recipe.rows, recipe.cols):
            raise WrongSize(
                f"{self.name} plays boards of {recipe.rows}x{recipe.cols} cells only, and this "
                f"one has {board.rows}x{board.cols}; dqn-window plays any size."
            )

    def _shape(self, recipe: Recipe) -> tuple[int, int]:
        """Return how many tiles the network sees and how many values it returns."""
        cells = recipe.rows * recipe.cols
        return cells, cells


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

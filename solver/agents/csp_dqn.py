"""The thesis's whole player: its three methods, and a network where they are stuck.

Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on Minesweeper",
A. Leblebjian and J. Alakach, 2023, sections 4.2 and 5. The network sees the 5x5 tiles around a
covered cell with at least three known neighbours, and gives two values: of opening it and of
flagging it. The shipped network has what chapters 5 and 6 propose as improvements (see
`solver.learning.supervised`).

Where the thesis leaves a choice: all these cells are rated, and the one with the largest
difference between opening and flagging is opened. A flag is never set: an agent keeps no state
between turns, and a wrong flag would make the methods open a mine. If no cell has three known
neighbours, cells with fewer are rated. A rating is the mean over the window rotated and mirrored
in all eight ways.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Inference, give_up, guess_one, guessable
from solver.agents.thesis import Contradiction
from solver.board import Board, Cell, Tile, count_neighbours
from solver.learning.boards import COVERED_CODE, MINE_CODE
from solver.learning.nets import middle_values, stuck_values
from solver.learning.weights import Arrays, Recipe, agent_weights, weights_file

KNOWN_NEIGHBOURS = 3


class CspDqn(Contradiction):
    """Applies all three methods; where they are stuck, asks the network.

    ``weights`` is a file to use in place of the weights that ship with the program.
    """

    name = "csp-dqn"

    def __init__(self, *, seed: int = 0, weights: str = "") -> None:
        super().__init__(seed=seed, stuck="guess")
        self._path = weights_file(self.name, weights)

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the upper left cell first; later the cell that the network rates best."""
        if (board.tiles == Tile.HIDDEN).all():
            return super().guess(board, inference)
        cells = stuck_cells(board, inference)
        if not len(cells):
            allowed = guessable(board, inference).any()
            return self.random_guess(board, inference) if allowed else give_up("nothing to open")
        values = self._values(stuck_windows(board, inference, cells, self._less_mines))
        lead = values[:, 0] - values[:, 1]
        best = int(lead.argmax())
        survival = float(values[best, 0] + 1) / 2
        reason = f"stuck; opening leads flagging by {lead[best]:.2f} in the network's view"
        return guess_one(Cell(*cells[best].tolist()), reason, survival)

    def _values(self, windows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values of opening and of flagging ``(cells, 2)``.

        They are means over the window turned and mirrored in all eight ways.
        """
        turned = [
            np.rot90(flat, turns, (1, 2))
            for flat in (windows, windows.transpose(0, 2, 1))
            for turns in range(4)
        ]
        values = middle_values(stuck_values(self._loaded[1], np.concatenate(turned)))
        mean: NDArray[np.float32] = values.reshape(8, -1, 2).mean(0)
        return mean

    @property
    def _less_mines(self) -> bool:
        return self._loaded[0].less_mines

    @cached_property
    def _loaded(self) -> tuple[Recipe, Arrays]:
        return agent_weights(self._path, "stuck")


def stuck_cells(board: Board, inference: Inference) -> NDArray[np.int64]:
    """List the cells ``(count, 2)`` to rate: those with three known neighbours, if there are any.

    A known neighbour is open or a proven mine. If no cell has three, two are enough, then one.
    """
    known = board.open.copy()
    for cell in inference.mines:
        known[cell] = True
    count = count_neighbours(known)
    allowed = guessable(board, inference)
    for least in range(KNOWN_NEIGHBOURS, 0, -1):
        chosen = allowed & (count >= least)
        if chosen.any():
            return np.argwhere(chosen)
    return np.empty((0, 2), np.int64)


def stuck_windows(
    board: Board, inference: Inference, cells: NDArray[np.int64], less_mines: bool
) -> NDArray[np.float32]:
    """Return the codes around each cell ``(count, 5, 5)``: 0 outside the board.

    With ``less_mines`` the known mines around each number are subtracted from it.
    """
    known = np.zeros(board.tiles.shape, np.bool_)
    for cell in inference.mines:
        known[cell] = True
    codes = np.zeros((board.rows + 4, board.cols + 4), np.float32)
    inside = codes[2:-2, 2:-2]
    numbers = board.tiles - count_neighbours(known) if less_mines else board.tiles
    inside[:] = np.where(board.open, numbers, np.where(known, MINE_CODE, COVERED_CODE))
    return windows_around(codes, cells)


def windows_around(padded: NDArray[Any], cells: NDArray[np.int64]) -> NDArray[Any]:
    """Return the 5x5 entries around each cell of an array that is padded by two at each side."""
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 5))
    return windows[cells[:, 0], cells[:, 1]].copy()

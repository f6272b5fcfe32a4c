"""The values that a dense network gives every covered cell, for play and for training.

A value is in hundreds of the reward: 1 for a certainly safe move, -0.5 for a certain mine.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.board import Tile
from solver.learning.windows import (
    COVERED,
    OUTSIDE,
    DenseWeights,
    codes_of,
    cut_windows,
    dense_values,
)

SAFE_REWARD, MINE_REWARD = 1.0, -0.5
"""The report's second reward, in hundreds: for a safe move and for a mine."""


def risks_of(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn values that include no later rewards into risks, 0 to 1."""
    risks: NDArray[np.float32] = np.clip(
        (SAFE_REWARD - values) / (SAFE_REWARD - MINE_REWARD), 0.0, 1.0
    )
    return risks.astype(np.float32)


class WindowView:
    """The output of a window network for all covered cells of some boards of one size.

    ``tiles`` is ``(boards, rows, cols)``. ``boards`` and ``cells`` are the covered cells; after
    `run`, ``codes``, ``planes`` and ``values`` are the network's inputs and outputs for them.
    With ``passes`` above 1, the risks of one pass are a plane of the next: 0 unknown, 0.5 safe, 1 a
    mine. With ``flag_above`` the plane has flags instead: 1 where the risk is above it. With
    ``symmetries`` a value is the mean over the window rotated and mirrored in all eight ways.
    """

    def __init__(self, net: DenseWeights, tiles: NDArray[np.int8], radius: int) -> None:
        self._net, self._radius, self._shape = net, radius, tiles.shape
        covered = (tiles < 0) & (tiles >= Tile.QUESTION)
        self.boards, self.cells = np.nonzero(covered.reshape(len(tiles), -1))
        self.codes = self._cut(codes_of(tiles), OUTSIDE if net.edge else COVERED)

    def run(self, passes: int, flag_above: float = 0.0, *, symmetries: bool = False) -> None:
        """Run the network ``passes`` times."""
        turns = square_symmetries(2 * self._radius + 1)[: 8 if symmetries else 1]
        self.planes = np.zeros((self.cells.size, len(self._net.plane)), np.float32)
        self.values = self._ask(turns)
        for _ in range(passes - 1):
            risks = risks_of(self.values)
            plane = np.zeros(self._shape, np.float32)
            plane.reshape(len(plane), -1)[self.boards, self.cells] = (
                risks > flag_above if flag_above else (1.0 + risks) / 2
            )
            self.planes = self._cut(plane, 0)
            self.values = self._ask(turns)

    def _ask(self, turns: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the mean output of the network over the windows in these orientations."""
        values = np.zeros(self.cells.size, np.float32)
        for turn in turns:
            planes = self.planes[:, turn] if self.planes.size else self.planes
            values += dense_values(self._net, self.codes[:, turn], planes)[:, 0] / len(turns)
        return values

    def _cut(self, maps: NDArray[Any], outside: int) -> NDArray[Any]:
        return cut_windows(maps, outside, self.boards, self.cells, self._radius)


def board_values(
    net: DenseWeights, codes: NDArray[np.int8], side: int, *, symmetries: bool
) -> NDArray[np.float32]:
    """Return the outputs of a network for whole boards ``(boards, cells)``.

    With ``symmetries``, for square boards of ``side`` rows, each is the mean over the board rotated
    and mirrored in all eight ways.
    """
    nothing = np.zeros((len(codes), 0), np.float32)
    if not symmetries:
        return dense_values(net, codes, nothing)
    values = np.zeros((len(codes), len(net.out)), np.float32)
    for turn in square_symmetries(side):
        values[:, turn] += dense_values(net, codes[:, turn], nothing) / 8
    return values


@cache
def square_symmetries(side: int) -> NDArray[np.int64]:
    """Return the eight index orders of a square rotated and mirrored, the identity first."""
    square = np.arange(side * side).reshape(side, side)
    turned = [np.rot90(flat, turns) for flat in (square, square.T) for turns in range(4)]
    return np.array([one.ravel() for one in turned])

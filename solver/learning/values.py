"""Values of every covered cell by a dense network, for play and for training.

A value is in hundreds of the reward: 1 for a move that is surely safe, -0.5 for a sure mine.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import HIDDEN
from solver.learning.windows import (
    COVERED,
    DenseWeights,
    cut_planes,
    cut_windows,
    dense_values,
)

SAFE, MINE = 1.0, -0.5
"""The report's second reward, in hundreds: of a safe move and of a mine."""


def risks_of(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn values without a future into risks, 0 to 1."""
    risks: NDArray[np.float32] = np.clip((SAFE - values) / (SAFE - MINE), 0.0, 1.0)
    return risks.astype(np.float32)


class WindowView:
    """What a window network answers for all covered cells of some fields of one size.

    ``boards`` and ``places`` name the covered cells; after `run`, ``codes``, ``planes`` and
    ``values`` hold what the network saw of each and answered. With ``passes`` above 1, the risks
    of one pass are a plane of the next: 0 is no risk known, 0.5 safe, 1 a mine. With ``flag_above``
    the plane has flags instead: 1 where the risk is above it. With ``symmetries`` a value is the
    mean over the window turned and mirrored in all eight ways.
    """

    def __init__(
        self, net: DenseWeights, fields: NDArray[np.int8], shape: NDArray[np.int64], radius: int
    ) -> None:
        self._net, self._shape, self._radius = net, shape, radius
        self.boards, self.places = np.nonzero(fields == HIDDEN)
        count, slots = self.places.size, (2 * radius + 1) ** 2
        self.codes = np.empty((count, slots), np.int8)
        cut_windows(fields, self.boards, self.places, shape, radius, net.edge, self.codes)
        self.planes = np.zeros((count, net.plane.shape[0]), np.float32)
        self.values = np.zeros(count, np.float32)
        self._map = np.zeros(fields.shape, np.float32)

    def run(self, passes: int, flag_above: float = 0.0, *, symmetries: bool = False) -> None:
        """Ask the network ``passes`` times."""
        turns = square_symmetries(2 * self._radius + 1)[: 8 if symmetries else 1]
        answer = np.empty((self.places.size, 1), np.float32)
        for number in range(passes):
            if number:
                risks = risks_of(self.values)
                plane = risks > flag_above if flag_above else (1.0 + risks) / 2
                self._map[self.boards, self.places] = plane
                cut_planes(
                    self._map, self.boards, self.places, self._shape, self._radius, self.planes
                )
            self.values = np.zeros(self.places.size, np.float32)
            for turn in turns:
                planes = self.planes[:, turn] if self.planes.size else self.planes
                dense_values(self._net, self.codes[:, turn], planes, answer)
                self.values += answer[:, 0] / len(turns)


def board_codes(fields: NDArray[np.int8], rows: int, cols: int) -> NDArray[np.int8]:
    """Return the codes of whole boards ``(boards, rows * cols)``."""
    inside = fields.reshape(-1, rows + 2, cols + 2)[:, 1:-1, 1:-1].reshape(-1, rows * cols)
    return np.where(inside < 0, COVERED, inside).astype(np.int8)


def board_values(
    net: DenseWeights, codes: NDArray[np.int8], side: int, *, symmetries: bool
) -> NDArray[np.float32]:
    """Return the outputs of a network that sees whole boards ``(boards, cells)``.

    With ``symmetries``, for square boards of ``side`` rows, each is the mean over the board turned
    and mirrored in all eight ways.
    """
    nothing = np.zeros((len(codes), 0), np.float32)
    answer = np.empty((len(codes), net.out.shape[0]), np.float32)
    if not symmetries:
        dense_values(net, codes, nothing, answer)
        return answer
    values = np.zeros_like(answer)
    for turn in square_symmetries(side):
        dense_values(net, codes[:, turn], nothing, answer)
        values[:, turn] += answer / 8
    return values


@cache
def square_symmetries(side: int) -> NDArray[np.int64]:
    """Return the eight orders of a square's places when it is turned and mirrored, itself first."""
    square = np.arange(side * side).reshape(side, side)
    turned = [np.rot90(flat, turns) for flat in (square, square.T) for turns in range(4)]
    return np.array([one.ravel() for one in turned])

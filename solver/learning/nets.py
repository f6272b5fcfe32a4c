"""The networks as play needs them: a dense one in compiled code, two convolutional ones in numpy.

The dense network sees a square window around a cell, or the whole board. Each tile is a *code*: 0-8
for a number, COVERED, and OUTSIDE for places off the board. Without an edge plane these look
covered, as in the report. Its values are in hundreds of the reward: 1 for a certainly safe move,
-0.5 for a certain mine.

The convolutional networks give the same numbers as those of `solver.learning.networks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import Structure, byref, c_int32, c_void_p
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.board import Tile
from solver.engine.calls import address
from solver.engine.library import library
from solver.errors import BadWeights

COVERED: Final = 9
OUTSIDE: Final = 10
WEIGHTS_A_CALL: Final = 200_000_000
"""Weights that one engine call adds up, which cannot be interrupted: about 0.1 ns each."""


class _CDenseNet(Structure):
    """The `DenseNet` of ``engine.h``."""

    _fields_ = (
        *((name, c_int32) for name in ("slots", "codes", "units", "outputs", "planes")),
        *((name, c_void_p) for name in ("table", "plane", "bias", "out", "out_bias")),
    )


class DenseWeights(NamedTuple):
    """A network of one hidden layer in the format of the engine; float32.

    ``table[k, code]`` is the row that a tile ``code`` at place ``k`` of the window adds to the
    hidden layer. ``plane[k]`` is the row that is multiplied by the extra plane's value there; it
    is empty without that plane. ``out[o]`` are the weights of output ``o``.
    """

    table: NDArray[np.float32]
    plane: NDArray[np.float32]
    bias: NDArray[np.float32]
    out: NDArray[np.float32]
    out_bias: NDArray[np.float32]

    @property
    def edge(self) -> bool:
        """Whether the network has an edge plane."""
        return bool(self.table.shape[1] > OUTSIDE)


def codes_of(tiles: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the codes of tiles as in `solver.board`."""
    return np.where(tiles < 0, np.int8(COVERED), tiles)


def cut_windows(
    maps: NDArray[Any],
    outside: float,
    boards: NDArray[np.int64],
    cells: NDArray[np.int64],
    radius: int,
) -> NDArray[Any]:
    """Return the values around each cell ``(len(cells), slots)``, ``outside`` off the board.

    ``maps`` is ``(boards, rows, cols)``; window i is cut around ``cells[i]`` of the map
    ``boards[i]``.
    """
    side, cols = 2 * radius + 1, maps.shape[2]
    around = ((0, 0), (radius, radius), (radius, radius))
    padded = np.pad(maps, around, constant_values=outside)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), (1, 2))
    found: NDArray[Any] = windows[boards, cells // cols, cells % cols]
    return found.reshape(-1, side * side)


def dense_values(
    net: DenseWeights, codes: NDArray[np.int8], planes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the outputs of a network ``(windows, outputs)``.

    ``codes`` is ``(windows, slots)``; so is ``planes``, or ``(windows, 0)`` for a network without
    a plane. Raises `ValueError` for a code that the network does not have.
    """
    count = len(codes)
    (slots, kinds, units), outputs = net.table.shape, len(net.out)
    if not ((codes >= 0) & (codes < kinds)).all():
        raise ValueError(f"The network has only the codes 0 to {kinds - 1}.")
    room, values = np.empty(units, np.float32), np.empty((count, outputs), np.float32)
    codes, planes = np.ascontiguousarray(codes), np.ascontiguousarray(planes)
    arrays = (
        address(codes, np.int8, (count, slots)),
        address(planes, np.float32, (count, len(net.plane))),
        address(room, np.float32, (units,)),
        address(values, np.float32, (count, outputs)),
    )
    struct = _struct_of(net)
    step = max(1, WEIGHTS_A_CALL // (units * (slots + len(net.plane) + outputs)))
    for first in range(0, count, step):
        end = min(first + step, count)
        library().engine_dense_values(byref(struct), first, end, *map(c_void_p, arrays))
    return values


def _struct_of(net: DenseWeights) -> _CDenseNet:
    (slots, kinds, units), planes, outputs = net.table.shape, len(net.plane), len(net.out)
    return _CDenseNet(
        slots,
        kinds,
        units,
        outputs,
        planes,
        address(net.table, np.float32, (slots, kinds, units)),
        address(net.plane, np.float32, (planes, units)),
        address(net.bias, np.float32, (units,)),
        address(net.out, np.float32, (outputs, units)),
        address(net.out_bias, np.float32, (outputs,)),
    )


# ---- the values of all covered cells -------------------------------------------------------------


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


# ---- the convolutional networks ------------------------------------------------------------------


Weights = Mapping[str, NDArray[Any]]

PLANES: Final = 12
"""Planes of `risk_planes`: the numbers 0 to 8, covered, outside, and the share of mines."""

STUCK_CODES: Final = 11
"""The codes of a `StuckPosition`: -2 to 8."""

UNKNOWN_SHARE: Final = 0.2
"""Share of mines that is assumed if the mine total is unknown: that of expert boards."""


def risk_planes(tiles: NDArray[np.int8], mines: Any) -> NDArray[np.float32]:
    """Return the input of the risk network ``(boards, rows + 2, cols + 2, PLANES)``.

    ``tiles`` is ``(boards, rows, cols)``. Cells outside the board are like wrong flags: no mine, no
    number. ``mines`` is the total of each board, or one for all; below 0 it is unknown.
    """
    seen = np.pad(tiles, ((0, 0), (1, 1), (1, 1)), constant_values=Tile.WRONG_FLAG)
    planes = np.zeros((*seen.shape, PLANES), np.float32)
    for number in range(9):
        planes[..., number] = seen == number
    planes[..., 9] = (seen < 0) & (seen >= Tile.QUESTION)
    planes[..., 10] = seen == Tile.WRONG_FLAG
    covered = np.maximum(planes[..., 9].sum((1, 2), np.int64), 1)
    total = np.broadcast_to(np.asarray(mines, np.float64), covered.shape)
    share = np.where(total < 0, UNKNOWN_SHARE, total / covered)
    planes[..., 11] = share[:, None, None].astype(np.float32) * (1.0 - planes[..., 10])
    return planes


def risk_log_odds(
    weights: Weights, planes: NDArray[np.float32], layers: int
) -> NDArray[np.float32]:
    """Return the log odds of a mine ``(boards, rows + 2, cols + 2)``. Raises `BadWeights`."""
    try:
        inside = 1.0 - planes[..., 10:11]
        given = _convolve(weights, "first", planes)
        seen = np.maximum(given, 0) * inside
        for _ in range(layers):
            inner = np.maximum(_convolve(weights, "again", seen) + given, 0) * inside
            seen = np.maximum(seen + _convolve(weights, "spread", inner), 0) * inside
        odds = _apply(weights, "out", np.maximum(_apply(weights, "inner", seen), 0))
        return odds.reshape(planes.shape[:3])
    except (KeyError, ValueError, IndexError) as error:
        raise BadWeights("The weights do not fit the risk network.") from error


def stuck_values(weights: Weights, codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of opening and of flagging ``(windows, cells, 2)``.

    ``codes`` is ``(windows, 5, 5)``. ``cells`` is 25 or, for a network of the middle cell only, 1.
    Raises `BadWeights`.
    """
    try:
        seen = codes[..., None]
        if weights["first.kernel"].shape[2] == STUCK_CODES:
            seen = (seen + 2 == np.arange(STUCK_CODES)).astype(np.float32)
        for name in ("first", "second", "third"):
            seen = np.maximum(_convolve(weights, name, seen), 0)
        inner = np.maximum(_apply(weights, "inner", seen.reshape(len(codes), -1)), 0)
        return _apply(weights, "out", inner).reshape(len(codes), -1, 2)
    except (KeyError, ValueError, IndexError) as error:
        raise BadWeights("The weights do not fit the network for stuck cells.") from error


def middle_values(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of the middle cell of each window ``(windows, 2)``."""
    return values[:, values.shape[1] // 2]


def _convolve(weights: Weights, name: str, seen: NDArray[np.float32]) -> NDArray[np.float32]:
    """Apply a 3x3 convolution with zero padding that keeps the size."""
    boards, rows, cols, channels = seen.shape
    padded = np.zeros((boards, rows + 2, cols + 2, channels), np.float32)
    padded[:, 1:-1, 1:-1] = seen
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    columns = np.moveaxis(around, 3, 5).reshape(boards * rows * cols, 9 * channels)
    kernel = weights[f"{name}.kernel"]
    product = columns @ kernel.reshape(9 * channels, -1) + weights[f"{name}.bias"]
    return product.reshape(boards, rows, cols, -1)


def _apply(weights: Weights, name: str, seen: NDArray[np.float32]) -> NDArray[np.float32]:
    return seen @ weights[f"{name}.kernel"] + weights[f"{name}.bias"]

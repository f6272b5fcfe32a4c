"""The inputs and outputs of a dense network, in compiled code.

The network sees a square window around a cell, or the whole board. Each tile is a *code*: 0-8 for a
number, COVERED, and OUTSIDE for places off the board. Without an edge plane these look covered, as
in the report.
"""

from __future__ import annotations

from ctypes import Structure, byref, c_int32, c_void_p
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.engine.arrays import address
from solver.engine.library import library

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

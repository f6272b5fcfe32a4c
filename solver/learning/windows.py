"""What a dense network sees of a board, and its values, in compiled code.

The network looks at a square window around a cell, or at the whole board. Each tile it sees is a
*code*: 0-8 for a number, COVERED, and OUTSIDE for what lies off the board. Without an edge plane
what lies outside looks covered, as in the report.

The first layer is never multiplied out: all its inputs but one a tile are zero, so it is a sum of
rows of its table, a tenth of the work of the product.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel

COVERED: Final = 9
OUTSIDE: Final = 10
LANES: Final = 16
"""Partial sums of the last layer, so that the processor adds them side by side."""


class DenseWeights(NamedTuple):
    """A network of one hidden layer, as the kernels read it.

    ``table[k, code]`` is the row that a tile ``code`` at place ``k`` of the window adds to the
    hidden layer, ``plane[k]`` the row that is added times the value of the extra plane there
    (no rows without one). ``out[o]`` are the weights of output ``o``.
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


@kernel
def cut_windows(
    fields: NDArray[np.int8],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
    shape: NDArray[np.int64],
    radius: int,
    edge: bool,
    into: NDArray[np.int8],
) -> None:
    """Fill ``into[i]`` with the codes around ``places[i]`` of board ``boards[i]``.

    ``shape`` begins with the rows and columns of the boards.
    """
    rows, cols = shape[0], shape[1]
    for at in range(places.size):
        field = fields[boards[at]]
        row, col = places[at] // (cols + 2), places[at] % (cols + 2)
        slot = 0
        for near_row in range(row - radius, row + radius + 1):
            for near_col in range(col - radius, col + radius + 1):
                code = OUTSIDE if edge else COVERED
                if 0 < near_row <= rows and 0 < near_col <= cols:
                    tile = field[near_row * (cols + 2) + near_col]
                    code = tile if tile >= 0 else COVERED
                into[at, slot] = code
                slot += 1


@kernel
def cut_planes(
    planes: NDArray[np.float32],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
    shape: NDArray[np.int64],
    radius: int,
    into: NDArray[np.float32],
) -> None:
    """Fill ``into[i]`` with the values of a plane around ``places[i]``, 0 outside the board."""
    rows, cols = shape[0], shape[1]
    for at in range(places.size):
        plane = planes[boards[at]]
        row, col = places[at] // (cols + 2), places[at] % (cols + 2)
        slot = 0
        for near_row in range(row - radius, row + radius + 1):
            for near_col in range(col - radius, col + radius + 1):
                inside = 0 < near_row <= rows and 0 < near_col <= cols
                into[at, slot] = plane[near_row * (cols + 2) + near_col] if inside else 0.0
                slot += 1


@kernel
def dense_values(
    net: DenseWeights,
    codes: NDArray[np.int8],
    planes: NDArray[np.float32],
    into: NDArray[np.float32],
) -> None:
    """Fill ``into[i]`` with the outputs of the network for the codes and the plane of window i."""
    units = net.bias.size
    hidden = np.empty(units, np.float32)
    sums = np.empty(LANES, np.float32)
    for at in range(codes.shape[0]):
        hidden[:] = net.bias
        for slot in range(codes.shape[1]):
            row = net.table[slot, codes[at, slot]]
            for unit in range(units):
                hidden[unit] += row[unit]
        for slot in range(net.plane.shape[0]):
            value = planes[at, slot]
            if value != 0.0:
                row = net.plane[slot]
                for unit in range(units):
                    hidden[unit] += value * row[unit]
        for unit in range(units):
            hidden[unit] = max(hidden[unit], np.float32(0.0))
        for output in range(net.out.shape[0]):
            weights = net.out[output]
            sums[:] = 0.0
            whole = units - units % LANES
            for start in range(0, whole, LANES):
                for lane in range(LANES):
                    sums[lane] += hidden[start + lane] * weights[start + lane]
            total = net.out_bias[output]
            for lane in range(LANES):
                total += sums[lane]
            for unit in range(whole, units):
                total += hidden[unit] * weights[unit]
            into[at, output] = total

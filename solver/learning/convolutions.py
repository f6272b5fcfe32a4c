"""The two convolutional networks in numpy, for play: the same numbers as `networks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solver.board import Tile
from solver.errors import BadWeights

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

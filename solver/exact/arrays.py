"""Copying and growing arrays inside the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.exact.kernels import kernel


@kernel
def copy(source: NDArray[Any], target: NDArray[Any], count: int) -> None:
    """Copy the first ``count`` entries.

    A loop, because a slice assignment takes seconds to compile.
    """
    for at in range(count):
        target[at] = source[at]


@kernel
def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return ``array`` if it has room for ``size`` entries, else a larger copy."""
    if size <= array.size:
        return array
    larger = np.empty(2 * size, array.dtype)
    copy(array, larger, array.size)
    return larger


@kernel
def grown_rows(table: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return ``table`` if it has room for ``rows`` rows, else a larger copy."""
    if rows <= table.shape[0]:
        return table
    larger = np.empty((2 * rows, table.shape[1]), table.dtype)
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            larger[row, column] = table[row, column]
    return larger

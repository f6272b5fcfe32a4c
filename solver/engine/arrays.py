"""Check the arrays that are passed to the engine, and return their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def address(array: NDArray[Any], kind: type[np.generic], shape: tuple[int, ...]) -> int:
    """Return the address of an array. The caller keeps the array alive while the engine uses it.

    Raises `ValueError` for an array of another type or shape, or one that is not contiguous: the
    engine would access memory outside it.
    """
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"The engine needs a contiguous array of {np.dtype(kind)} {shape}, not {array.dtype} "
            f"{array.shape}."
        )
    return array.ctypes.data

"""Arrays as the engine's entries take them: checked, then by address."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def address(array: NDArray[Any], kind: type[np.generic], shape: tuple[int, ...]) -> int:
    """Return where an array lies. The caller holds the array while the engine uses the address.

    Raises `ValueError` for an array of another type or shape, or with gaps: the engine would read
    what is not its own.
    """
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"The engine takes a whole array of {np.dtype(kind)} {shape}, not of {array.dtype} "
            f"{array.shape}."
        )
    return array.ctypes.data

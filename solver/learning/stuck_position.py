"""A position in which the thesis's methods are stuck, as its network sees it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COVERED_CODE, MINE_CODE = -2, -1
"""Codes of the thesis's state; a number stands for itself."""


class StuckPosition(NamedTuple):
    """The 5x5 cells around a covered cell: codes, and which of them are mines.

    Codes: `COVERED_CODE`, `MINE_CODE` for a known mine, 0-8; outside the board 0.
    ``less`` are the codes with the known mines around each number subtracted from it.
    """

    codes: NDArray[np.float32]
    less: NDArray[np.float32]
    mines: NDArray[np.bool_]

    @property
    def mine(self) -> bool:
        """Whether the cell in the middle is a mine."""
        return bool(self.mines[2, 2])

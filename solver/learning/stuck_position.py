"""A position on which the thesis's methods are stuck, as its network sees it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class StuckPosition(NamedTuple):
    """A 5x5 window of codes around a covered cell, and whether that cell is a mine.

    Codes: -2 covered, -1 a mine that is known, 0-8 a number; outside the board 0.
    """

    codes: NDArray[np.float32]
    mine: bool

"""What a reader tells of one frame: the board, and how sure it is of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.classify.changes import LEAST_SURE
from calibration.theme import LEARNED
from solver.board import Board
from solver.game import Status


@dataclass(frozen=True, eq=False)
class Reading:
    """A board read from a frame, every tile above the margin.

    ``confidence`` (0..1) is that of the least certain tile, ``tile_confidence`` that of each,
    float64 ``(rows, cols)``. ``mines_left`` is what the mine counter shows, None if there is
    none or it cannot be read. ``theme`` is the name of the theme used.
    """

    board: Board
    status: Status
    confidence: float
    mines_left: int | None = None
    tile_confidence: NDArray[np.float64] = field(default_factory=lambda: np.ones((1, 1)))
    theme: str = LEARNED

    @property
    def is_sure(self) -> bool:
        """Whether no tile is so uncertain that it may still be appearing."""
        return self.confidence >= LEAST_SURE

"""The board of one frame, and how sure each tile is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.classify.changes import LEAST_SURE
from calibration.theme import LEARNED
from solver.board import Board, Cell, Tile
from solver.game import Status


@dataclass(frozen=True, eq=False)
class Reading:
    """A board read from a frame; every known tile is above the margin.

    ``confidence`` (0..1) is that of the least certain known tile, ``tile_confidence`` that of each,
    float64 ``(rows, cols)``. ``mines_left`` is the number on the mine counter, None if there is
    none or it cannot be read. ``theme`` is the name of the theme used. ``rivals``, int8 ``(2, rows,
    cols)``, are the two likeliest tiles if some are unknown, else None.
    """

    board: Board
    status: Status
    confidence: float
    mines_left: int | None = None
    tile_confidence: NDArray[np.float64] = field(default_factory=lambda: np.ones((1, 1)))
    theme: str = LEARNED
    rivals: NDArray[np.int8] | None = None

    @property
    def unknown(self) -> tuple[Cell, ...]:
        """The cells that may be anything, row by row."""
        return tuple(Cell(*map(int, cell)) for cell in np.argwhere(self.board.unknown))

    @property
    def sure_board(self) -> Board:
        """The board with every uncertain tile unknown."""
        unsure = self.tile_confidence < LEAST_SURE
        if not unsure.any():
            return self.board
        return Board(np.where(unsure, np.int8(Tile.UNKNOWN), self.board.tiles), self.board.mines)

    def likeliest(self, cell: Cell) -> tuple[int, int]:
        """Return the two likeliest tiles of an unknown cell; raises `ValueError` for another."""
        if self.rivals is None or not self.board.unknown[cell]:
            raise ValueError(f"{cell.place} is known")
        one, other = (int(tiles[cell]) for tiles in self.rivals)
        return one, other

    @property
    def is_sure(self) -> bool:
        """Whether every tile is certain enough not to be still appearing."""
        return self.confidence >= LEAST_SURE

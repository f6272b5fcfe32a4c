"""What a tile can show, in the order of the tables that name tiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.rules import UNREAD
from solver.board import Tile

LABELS = np.array(
    [
        Tile.HIDDEN,
        *range(9),
        Tile.FLAG,
        Tile.QUESTION,
        Tile.MINE,
        Tile.EXPLODED,
        Tile.WRONG_FLAG,
        UNREAD,
    ],
    dtype=np.int8,
)
"""What a tile can mean; the last one, `UNREAD`, is anything else."""

HIDDEN, ZERO, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG, OTHER = 0, 1, 10, 11, 12, 13, 14, 15
"""The columns of the tables. Those of the digits are `DIGITS`."""

DIGITS = slice(2, 10)
"""The columns of 1 to 8."""


def are_digits(columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mark the columns that are those of digits."""
    return np.asarray((columns >= DIGITS.start) & (columns < DIGITS.stop))


COLUMN_OF = {int(tile): column for column, tile in enumerate(LABELS)}
"""The column of each tile."""

_COLUMNS = np.zeros(32, np.int8)
_COLUMNS[LABELS.astype(int)] = np.arange(len(LABELS))  # negative tiles index from the end


def columns_of(tiles: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the columns of an array of tiles."""
    return np.asarray(_COLUMNS[tiles])

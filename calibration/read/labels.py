"""What a tile can show, in the order of the network's outputs."""

from __future__ import annotations

import numpy as np

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
"""The last one, `UNREAD`, is anything that is no tile of the game."""

HIDDEN, ZERO, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG, OTHER = 0, 1, 10, 11, 12, 13, 14, 15
"""Columns of the network's table; the number ``n`` has column ``ZERO + n``."""

COLUMN_OF = np.zeros(32, np.int8)
COLUMN_OF[LABELS.astype(int)] = np.arange(len(LABELS))
"""Column of each tile; negative tiles index from the end."""

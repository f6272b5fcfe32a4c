"""Two readings of an unknown look, by witnesses and by the network: which of them counts.

They fail on different boards. Where one cannot read a tile and the other is sure of all of them,
that one counts; where both are sure and differ, the tile is in doubt. Of 444 boards in looks that
neither was made for the witnesses alone read 247 of 296 in play and 11 wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.decoding.decoding import MARGIN
from calibration.read.board import NetworkReading
from calibration.rules import UNREAD, Mask, Tiles, impossible_numbers, shows_mines
from solver.board import Tile

SURE = 0.9
"""Confidence of the least certain tile from which the network's reading of a board counts."""


MARKS = Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG
"""What finished boards show on mines; which of them it is changes no result."""


class Agreed(NamedTuple):
    """The labels of a board; all are ``(rows, cols)``, as in `NetworkReading`."""

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    by_network: bool = False


def agreed(one: Agreed, other: NetworkReading, settled: Mask | None = None) -> Agreed:
    """Return what a reading by witnesses and the network's reading say together.

    ``settled`` marks tiles that clicks have shown to be what the witnesses say.
    """
    if not other.is_possible:
        return one
    read = (one.confidence >= MARGIN) & (one.tiles != UNREAD)
    if not read.all() or impossible_numbers(one.tiles, one.open_ground).any():
        if float(other.confidence.min()) < SURE:
            return one
        return Agreed(other.tiles, other.confidence, other.rivals, other.open_ground, True)
    differs = (one.tiles != other.tiles) & (other.confidence >= MARGIN)
    if settled is not None:
        differs &= ~settled
    if shows_mines(one.tiles):
        differs &= ~(np.isin(one.tiles, MARKS) & np.isin(other.tiles, MARKS))
    if not differs.any():
        return one
    return one._replace(
        confidence=np.where(differs, 0.0, one.confidence),
        rivals=np.where(differs, other.tiles, one.rivals).astype(np.int8),
    )

"""Two readings of an unknown look, by witnesses and by the network: which of them counts.

They fail on different boards. Where the witnesses cannot read a tile and the network reads all of
them, the network counts; where both are sure and differ, the tile is in doubt. Of 444 boards in
looks that neither was made for the witnesses alone read 247 of 296 in play and 11 wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.labels import columns_of
from calibration.likeness import MOST_COLOURS, SAME_COLOUR, colours_in, steps_between
from calibration.read.board import NetworkReading
from calibration.rules import UNREAD, Mask, Tiles, impossible_numbers, shows_mines
from solver.board import Tile, count_neighbours

SURELY_ALONE = 0.9
"""Confidence below which a tile is in doubt that the network alone has read."""

HARDLY_LIKELY, NOT_LIKELY, UNCERTAIN = 0.02, 0.5, 0.4
"""Probability of a label by the network below which it is in doubt; and the same for covered tiles
to which the network gives no label more than the last one: a pointer may lie on them."""


MARKS = Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG
"""What finished boards show on mines; which of them it is changes no result."""


LEAST_NUMBERS = 4
"""Numbers that confirm the network's reading: squares without any may be anything."""


class Agreed(NamedTuple):
    """The labels of a board; all are ``(rows, cols)``, as in `NetworkReading`.

    ``even`` marks tiles on which nothing is drawn, ``ground`` ``(rows, cols, 3)`` are the colours
    of their backgrounds.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    even: Mask
    ground: NDArray[np.floating]
    by_network: bool = False

    @classmethod
    def of(cls, clusters: Clusters, decoding: Decoding) -> Agreed:
        """Return the labels that the witnesses give."""
        of_tile = clusters.of_tile
        return cls(
            decoding.labels[of_tile],
            decoding.certainty[of_tile],
            decoding.rivals[of_tile],
            decoding.open_ground[of_tile],
            clusters.empty[of_tile],
            clusters.features.background_colour[of_tile],
        )


def agreed(one: Agreed, other: NetworkReading, settled: Mask | None = None) -> Agreed:
    """Return what a reading by witnesses and the network's reading say together.

    ``settled`` marks tiles that clicks have shown to be what the witnesses say.
    """
    if not other.is_possible:
        return one
    read = (one.confidence >= MARGIN) & (one.tiles != UNREAD)
    if not read.all() or impossible_numbers(one.tiles, one.open_ground).any():
        contradicts = settled is not None and (read & settled & (one.tiles != other.tiles)).any()
        if contradicts or not _is_sure(one, other):
            return one
        return one._replace(
            tiles=other.tiles,
            confidence=np.where(other.confidence < SURELY_ALONE, 0.0, other.confidence),
            rivals=other.rivals,
            open_ground=other.open_ground,
            by_network=True,
        )
    columns = columns_of(one.tiles)[..., None].astype(np.intp)
    chance = np.take_along_axis(other.chances, columns, 2)[..., 0]
    differs = (one.tiles != other.tiles) & (chance < HARDLY_LIKELY)
    differs |= (one.tiles < 0) & (chance < NOT_LIKELY) & (other.confidence < UNCERTAIN)
    if settled is not None:
        differs &= ~settled
    if one.even.all() and (one.tiles == Tile.HIDDEN).all():
        differs &= other.confidence >= SURELY_ALONE  # a fresh board may have many colours
    covered = one.tiles < 0
    if shows_mines(one.tiles):
        differs &= ~(np.isin(one.tiles, MARKS) & np.isin(other.tiles, MARKS))
    elif (covered == (other.tiles < 0)).all() and not _leaves_choice(one.tiles):
        differs &= ~covered  # the game is over, and each of them is a mine
    if not differs.any():
        return one
    return one._replace(
        confidence=np.where(differs, 0.0, one.confidence),
        rivals=np.where(differs, other.tiles, one.rivals).astype(np.int8),
    )


def _is_sure(one: Agreed, other: NetworkReading) -> bool:
    """Whether the network's reading counts alone.

    Numbers must confirm it. A colour alone shows neither a mark, since a window may lie there, nor
    that a tile is hidden, if others surely are and look different, if hidden tiles have many
    colours, or if digits stand on the same ground and zeros were not seen.
    """
    tiles, numbers = other.tiles, other.tiles > 0
    plain = one.even & (tiles == Tile.HIDDEN)
    if (other.confidence < MARGIN).any() or numbers.sum() < LEAST_NUMBERS:
        return False
    if (one.even & (tiles < 0) & (tiles != Tile.HIDDEN)).any():
        return False
    if (plain & _differ_from_sure(one)).any() or colours_in(one.ground[plain]) > MOST_COLOURS:
        return False
    if (tiles == 0).any():
        return True
    return not bool((steps_between(one.ground[plain], one.ground[numbers]) <= SAME_COLOUR).any())


def _differ_from_sure(one: Agreed) -> Mask:
    """Mark the tiles in doubt if others are surely hidden: something may lie over them."""
    sure = one.confidence >= MARGIN
    return ~sure & bool((sure & (one.tiles == Tile.HIDDEN)).any())


def _leaves_choice(tiles: Tiles) -> bool:
    """Whether some covered cell may be free: a number has more of them around than mines."""
    near = count_neighbours(tiles < 0)
    return bool(((tiles >= 0) & (near != tiles)).any())

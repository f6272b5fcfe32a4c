"""What a reader remembers of one window from the frames before. Values: nothing in them changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unreadable
from calibration.indicators.smiley import Smiley
from calibration.read.changes import LEAST_SURE, PreviousBoard
from calibration.read.clicks import ClickedCells, LastClicks
from calibration.read.tile_cache import TileCache
from calibration.rules import Mask, Tiles
from calibration.tiles import TilePictures
from solver.board import Cell


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labels of a board; all are ``(rows, cols)``.

    ``tiles`` are the labels, and ``confidence`` says how sure each is. ``likeliest`` and ``rivals``
    are the two likeliest ones where the board was last labelled as a whole, like the rest.
    ``open_ground`` marks zeros that are open whatever is around them, ``plain`` tiles without a
    drawing, and ``tiny`` those whose drawings are too small to be found again by a coarse picture.
    ``unflooded`` says that zeros were seen around which not all is open; ``whole`` that all tiles
    were labelled anew.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    likeliest: Tiles
    rivals: Tiles
    open_ground: Mask
    plain: Mask
    tiny: Mask
    unflooded: bool = False
    whole: bool = True


@dataclass(frozen=True, eq=False)
class Trouble:
    """A board that could not be read, after which other one, and why; ``labelled`` as far as."""

    pixels: NDArray[np.uint8]
    previous: PreviousBoard | None
    labelled: Labelled
    error: Unreadable

    def is_of(self, pixels: NDArray[np.uint8], previous: PreviousBoard | None) -> bool:
        """Tell whether a board is the same again."""
        return previous is self.previous and np.array_equal(pixels, self.pixels)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels given so far, of coarse pictures of tiles."""

    cache: TileCache = field(default_factory=TileCache)

    def adding(self, board: TilePictures, labelled: Labelled) -> Labels:
        """Return them with those of a board that can be trusted.

        What is not sure may still change. A window grabbed while it repaints may show an open area
        without its numbers, which looks like hidden tiles: nothing is kept from a board without
        numbers.
        """
        tiles, confidence = labelled.tiles, labelled.confidence
        if not (labelled.whole and (tiles > 0).any()):
            return self
        kept = ((confidence >= LEAST_SURE) & ~labelled.tiny).ravel()
        coarse = board.coarse[kept]
        return Labels(self.cache.adding(coarse, tiles.ravel()[kept], confidence.ravel()[kept]))


@dataclass(frozen=True, eq=False)
class Memory:
    """What a `Reader` remembers from one frame to the next.

    ``fresh`` are the `Cut.views` of the board before the first click, if it was seen. The mines on
    ``survived`` cells took lives. ``clicked`` are the cells clicked in this game, ``last_clicks``
    those of the last turn while a board at rest may show an opening without numbers. ``in_play`` is
    the last board without mines. ``previous`` is the last board that was read, ``labelled`` its
    labels, and ``trouble`` the last one that was not.
    """

    smiley: Smiley
    clicked: ClickedCells
    fresh: NDArray[np.uint8] | None = None
    survived: frozenset[Cell] = frozenset()
    last_clicks: LastClicks | None = None
    in_play: Tiles | None = None
    previous: PreviousBoard | None = None
    labelled: Labelled | None = None
    labels: Labels = field(default_factory=Labels)
    trouble: Trouble | None = None
    unflooded: bool = False

    def between_games(self) -> Memory:
        """Return what is left of it when another game may have begun."""
        none = np.zeros_like(self.clicked.opened)
        return replace(
            self,
            clicked=ClickedCells(none, none),
            last_clicks=None,
            in_play=None,
            previous=None,
        )

    def without_labels(self) -> Memory:
        """Return it so that all tiles are labelled anew: a board that was read is impossible."""
        return replace(self, labels=Labels(), previous=None, in_play=None, trouble=None)

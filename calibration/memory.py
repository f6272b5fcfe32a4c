"""What a reader remembers of one window from the frames before. Values: nothing in them changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.changes import LEAST_SURE, PreviousBoard
from calibration.classify.checks.openings import ClickedCells, LastClicks
from calibration.classify.features import Floats
from calibration.classify.tile_cache import TileCache
from calibration.errors import Unreadable
from calibration.indicators.smiley import Smiley
from calibration.read.views import cut_views
from calibration.rules import Mask, Tiles
from calibration.tiles import SAME_APPEARANCE, TilePictures, coarse, gather
from solver.board import Cell, Tile

MOST_HIDDEN = 4
"""Kinds of hidden tiles that are kept: two of a chessboard, and those under a pointer."""


class FreshBoard(NamedTuple):
    """How a board looked before the first click.

    As ``pictures`` ``(rows, cols, SIDE, SIDE, 3)`` and as ``views`` for the network
    ``(rows * cols, VIEW_SIDE, VIEW_SIDE, 3)``, both uint8.
    """

    pictures: NDArray[np.uint8]
    views: NDArray[np.uint8]

    @classmethod
    def of(cls, board: TilePictures) -> FreshBoard:
        """Return what is kept of a board that shows hidden tiles only."""
        return cls(board.pictures, cut_views(board.frame.pixels, board.grid).views)


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labels of a board; all are ``(rows, cols)``.

    ``tiles`` are the labels, and ``confidence`` says how sure each is. ``likeliest`` and ``rivals``
    are the two likeliest ones where the board was last labelled as a whole, like the rest.
    ``open_ground`` marks zeros that are open whatever is around them, ``even`` tiles without a
    drawing, and ``tiny`` those whose drawings are too small to be found again by a coarse picture.
    ``like_fresh`` tells how far each tile looks as before the first click, if that was seen.
    ``unflooded`` says that zeros were seen around which not all is open; ``whole`` that all tiles
    were labelled anew.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    likeliest: Tiles
    rivals: Tiles
    open_ground: Mask
    even: Mask
    tiny: Mask
    like_fresh: Floats | None = None
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
    """The labels given so far: of coarse pictures, and pictures of ``hidden`` tiles."""

    cache: TileCache = field(default_factory=TileCache)
    hidden: NDArray[np.uint8] | None = None

    def adding(self, board: TilePictures, labelled: Labelled) -> Labels:
        """Return them with those of a board that can be trusted.

        What is not sure may still change. Of hidden tiles a picture of each kind is kept. A window
        grabbed while it repaints may show an open area without its numbers, which looks like hidden
        tiles: nothing is kept from a board without numbers.
        """
        tiles, confidence = labelled.tiles, labelled.confidence
        if not (labelled.whole and (tiles > 0).any()):
            return self
        kept = ((confidence >= LEAST_SURE) & ~labelled.tiny).ravel()
        cache = self.cache.adding(board.coarse[kept], tiles.ravel()[kept], confidence.ravel()[kept])
        pictures = board.pictures[tiles == Tile.HIDDEN]
        if not len(pictures):
            return replace(self, cache=cache)
        _, leaders = gather(coarse(pictures), SAME_APPEARANCE)
        return Labels(cache, pictures[leaders[:MOST_HIDDEN]])


@dataclass(frozen=True, eq=False)
class Memory:
    """What a `Reader` remembers from one frame to the next.

    ``fresh`` is the board before the first click, if it was seen. The mines on ``survived`` cells
    took lives. ``clicked`` are the cells clicked in
    this game, ``last_clicks`` those of the last turn while a board at rest may show an opening
    without numbers. ``in_play`` is the last board without mines. ``previous`` is the last board
    that was read, ``labelled`` its labels, and ``trouble`` the last one that was not.
    """

    smiley: Smiley
    clicked: ClickedCells
    fresh: FreshBoard | None = None
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

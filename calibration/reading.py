"""What a reader returns for one frame, and what it remembers for the next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.checks import ClickedCells, LastClicks
from calibration.classify.clusters import TileCache
from calibration.classify.features import Floats
from calibration.classify.refusals import LEAST_SURE, PreviousBoard
from calibration.errors import Unreadable
from calibration.indicators.smiley import Smiley
from calibration.read.network import cut_views
from calibration.rules import Mask, Tiles
from calibration.theme import LEARNED
from calibration.tiles import SAME_APPEARANCE, TilePictures, coarse, gather
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


MOST_HIDDEN = 4
"""Kinds of hidden tiles that are kept: the two of a chessboard pattern, and those under a pointer.
"""


class FreshBoard(NamedTuple):
    """How a board looked before the first click.

    As ``pictures`` ``(rows, cols, SIDE, SIDE, 3)`` and as ``views`` for the network
    ``(rows * cols, VIEW_SIDE, VIEW_SIDE, 3)``, both uint8.
    """

    pictures: NDArray[np.uint8]
    views: NDArray[np.uint8]

    @classmethod
    def of(cls, board: TilePictures) -> FreshBoard:
        """Return the pictures and views of a board with hidden tiles only."""
        return cls(board.pictures, cut_views(board.frame.pixels, board.grid).views)


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labels of a board; all arrays are ``(rows, cols)``.

    ``tiles`` are the labels, and ``confidence`` says how sure each is. ``likeliest`` and ``rivals``
    are the two likeliest ones when the board was last labelled as a whole. ``open_ground`` marks
    zeros that are certainly open, ``even`` tiles without a drawing, and ``tiny`` those with
    drawings too small to be found again by a coarse picture. ``like_fresh`` says how similar each
    tile is to the one before the first click, if that was seen. ``unflooded``: zeros with hidden
    neighbours were seen. ``whole``: all tiles were labelled anew. ``disputed`` marks covered
    tiles and marks that the network reads differently: another cut does not settle them.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    likeliest: Tiles
    rivals: Tiles
    open_ground: Mask
    even: Mask
    tiny: Mask
    disputed: Mask
    like_fresh: Floats | None = None
    unflooded: bool = False
    whole: bool = True


@dataclass(frozen=True, eq=False)
class Trouble:
    """A board that could not be read, the ``previous`` one, the labels so far, and the error."""

    pixels: NDArray[np.uint8]
    previous: PreviousBoard | None
    labelled: Labelled
    error: Unreadable

    def is_of(self, pixels: NDArray[np.uint8], previous: PreviousBoard | None) -> bool:
        """Whether this is the same board, after the same previous one."""
        return previous is self.previous and np.array_equal(pixels, self.pixels)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels so far: of coarse pictures, and pictures of ``hidden`` tiles."""

    cache: TileCache = field(default_factory=TileCache)
    hidden: NDArray[np.uint8] | None = None

    def adding(self, board: TilePictures, labelled: Labelled) -> Labels:
        """Return the labels with the reliable ones of another board added.

        Uncertain labels may still change. One picture of each kind of hidden tile is kept. A window
        that repaints may show an open area without its numbers, which looks hidden: nothing is kept
        from a board without numbers.
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
    cost lives. ``clicked`` are the cells clicked in this game, ``last_clicks`` those of the last
    turn while a board at rest may show an opening without numbers. ``in_play`` is the last board
    without mines. ``previous`` is the last board that was read, ``labelled`` its labels, and
    ``trouble`` the last one that was not.
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
        """Return what remains valid when another game may have begun."""
        none = np.zeros_like(self.clicked.opened)
        return replace(
            self,
            clicked=ClickedCells(none, none),
            last_clicks=None,
            in_play=None,
            previous=None,
        )

    def without_labels(self) -> Memory:
        """Return the memory without labels after an impossible board, to label all tiles anew."""
        return replace(self, labels=Labels(), previous=None, in_play=None, trouble=None)

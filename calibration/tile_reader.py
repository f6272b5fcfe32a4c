"""Label the tiles of one window, frame after frame, and keep what was learned.

An appearance is labelled once. In later frames the same tile is found by its coarse picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.calibration import Calibration
from calibration.classify.changes import LEAST_SURE, PreviousBoard
from calibration.classify.checks.openings import ClickedCells, LastClicks, as_before
from calibration.classify.clusters import cluster_tiles
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.classify.recognise import label_clusters
from calibration.classify.tile_cache import TileCache
from calibration.frame import Frame
from calibration.rules import Mask, Tiles
from calibration.theme import LEARNED
from calibration.tiles import SAME_APPEARANCE
from solver.board import Cell, Tile, count_neighbours, marked

MOST_HIDDEN = 4
"""Kinds of hidden tiles that are kept: two of a chessboard, and those under a pointer."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labels of a board; all are ``(rows, cols)``.

    ``tiles`` are the labels, and ``confidence`` says how sure each is. ``likeliest`` and ``rivals``
    are the two likeliest ones where the board was last labelled as a whole, like the rest.
    ``open_ground`` marks zeros that are open whatever is around them, ``even`` tiles without a
    drawing, and ``tiny`` those whose drawings are too small to be found again by a coarse picture.
    ``coarse`` are these pictures ``(rows * cols, m)``; None if nothing was labelled anew.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    likeliest: Tiles
    rivals: Tiles
    open_ground: Mask
    even: Mask
    tiny: Mask
    coarse: NDArray[np.float32] | None


class TileReader:
    """Labels the tiles of one window.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click,
    if it was seen. The mines on ``survived`` cells took lives. ``clicked`` are the cells clicked in
    this game. ``unflooded`` says that zeros were seen around which not all is open.
    """

    def __init__(self, calibration: Calibration, fresh: NDArray[np.uint8] | None) -> None:
        self._grid, self._theme = calibration.grid, calibration.theme
        self._cache = TileCache()
        self._hidden: NDArray[np.uint8] | None = None
        self._clicks: LastClicks | None = None
        self._last: Labelled | None = None
        self._like_fresh: NDArray[np.float32] | None = None
        self.fresh, self.unflooded = fresh, False
        self.survived: frozenset[Cell] = frozenset()
        self.clicked = self._no_clicks()

    @property
    def open_ground(self) -> Mask:
        """Which zeros of the last board are open whatever is around them, ``(rows, cols)``."""
        assert self._last is not None
        return self._last.open_ground

    @property
    def expects(self) -> bool:
        """Whether a board at rest may show an opening without numbers."""
        return self._clicks is not None

    def label(self, frame: Frame, changed: Mask, previous: PreviousBoard | None) -> Labelled:
        """Label the tiles that ``changed`` since the ``previous`` board.

        From the cache; if one is not in it, the whole board is labelled.
        """
        if previous is not None and self._last is not None and not (self.expects or changed.any()):
            self._last = replace(
                self._last, tiles=previous.tiles, confidence=previous.confidence, coarse=None
            )
        else:
            self._last = self._label_changed(frame, changed | self.expects, previous)
        return self._last

    def label_without_cache(
        self,
        frame: Frame,
        changed: Mask,
        previous: PreviousBoard | None,
        shift: tuple[int, int] = (0, 0),
    ) -> Labelled:
        """Label the whole board without the cache: one wrong label would spoil every board.

        With the tiles cut out a few pixels to the side if so wanted, ``shift`` is ``(dx, dy)``.
        """
        kept = self._cache, self._hidden
        self.forget()
        anew = self._label_all(frame, changed, previous, shift)
        # Unless the board can be read now, the cache was not at fault, and tells more: eight tiles
        # under a dialog, not just two.
        self._cache, self._hidden = kept
        return anew

    def keep(self, frame: Frame, labelled: Labelled, *, anew: bool) -> None:
        """Keep the labels of a board that can be trusted; ``anew`` says to forget others.

        What is not sure may still change. Of hidden tiles a picture of each kind is kept.
        """
        self._last = labelled
        if anew:
            self.forget()
        # A window grabbed while it repaints may show an open area without its numbers, which
        # looks like hidden tiles: keep nothing from a board without numbers.
        if labelled.coarse is None or not (labelled.tiles > 0).any():
            return
        sure = labelled.confidence >= LEAST_SURE
        kept = np.flatnonzero(sure & ~labelled.tiny)
        labels, confidence = labelled.tiles.ravel()[kept], labelled.confidence.ravel()[kept]
        self._cache.add(labelled.coarse[kept], labels, confidence)
        pictures = tile_pictures.cut(frame, self._grid)[labelled.tiles == Tile.HIDDEN]
        if len(pictures):
            _, leaders = tile_pictures.gather(tile_pictures.coarse(pictures), SAME_APPEARANCE)
            self._hidden = pictures[leaders[:MOST_HIDDEN]]

    def begin_game(self) -> None:
        """Take note that another game begins."""
        self._clicks, self.clicked = None, self._no_clicks()

    def expect_opening(self, clicked: Sequence[Cell], in_play: Tiles | None) -> None:
        """Take note that a board at rest may show an opening without numbers around these cells."""
        shape = self._grid.rows, self._grid.cols
        self._clicks = LastClicks(marked(shape, clicked), in_play)

    def expect_nothing(self) -> None:
        """Take note that the board was read after the last clicks."""
        self._clicks = None

    def forget(self) -> None:
        """Label all tiles anew next time."""
        self._cache, self._hidden = TileCache(), None

    def _no_clicks(self) -> ClickedCells:
        none = np.zeros((self._grid.rows, self._grid.cols), np.bool_)
        return ClickedCells(none, none)

    def _label_changed(
        self, frame: Frame, changed: Mask, previous: PreviousBoard | None
    ) -> Labelled:
        rows, cols = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        first, last = Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1]))
        here = changed[first.row : last.row + 1, first.col : last.col + 1]
        pictures = tile_pictures.cut(frame, self._grid.part(first, last))
        entries = self._cache.find(tile_pictures.coarse(pictures[here]))
        if self._last is None or not (entries >= 0).all():
            return self._label_all(frame, changed, previous)
        tiles = previous.tiles.copy() if previous else np.zeros(changed.shape, np.int8)
        confidence = previous.confidence.copy() if previous else np.zeros(changed.shape)
        tiles[changed] = self._cache.labels(entries)
        confidence[changed] = self._cache.certainty(entries)
        return replace(self._last, tiles=tiles, confidence=confidence, coarse=None)

    def _label_all(
        self,
        frame: Frame,
        changed: Mask,
        previous: PreviousBoard | None,
        shift: tuple[int, int] = (0, 0),
    ) -> Labelled:
        """Label all tiles of a frame: by theme and cache, the others as if there were no theme.

        What is cut out with a ``shift`` is not compared with the fresh board again.
        """
        clusters = cluster_tiles(frame, self._grid.moved(*shift), self._hidden)
        entries = self._cache.find(tile_pictures.coarse(clusters.pictures))
        clusters = clusters.giving(self._cache.labels(entries))
        if self.fresh is not None and shift == (0, 0):
            self._like_fresh = likeness_to_fresh(clusters, self.fresh)
        if previous is not None and self._theme.program == LEARNED:
            before = previous.tiles
            self.unflooded |= bool(count_neighbours(before == Tile.HIDDEN)[before == 0].any())
            clusters = replace(clusters, unflooded=self.unflooded)
            clusters = clusters.giving(as_before(clusters, before, changed, self.survived))
        decoding = label_clusters(
            clusters, self._theme, self._like_fresh, self._clicks, self.clicked
        )
        of_tile, tiles = clusters.of_tile, decoding.labels[clusters.of_tile]
        return Labelled(
            tiles,
            decoding.certainty[of_tile],
            tiles,
            decoding.rivals[of_tile],
            decoding.open_ground[of_tile],
            clusters.empty[of_tile],
            clusters.tiny[of_tile],
            tile_pictures.coarse(tile_pictures.cut(frame, self._grid)),
        )

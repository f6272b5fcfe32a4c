"""Label the tiles of one window, frame after frame.

An appearance is labelled once. In later frames the same tile is found by its coarse picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.calibration import Calibration
from calibration.classify.checks.openings import as_before
from calibration.classify.clusters import clusters_of
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.classify.recognise import label_clusters
from calibration.memory import Labelled, Labels, Memory
from calibration.rules import Mask
from calibration.theme import LEARNED
from calibration.tiles import TilePictures, coarse
from solver.board import Tile, count_neighbours


@dataclass(frozen=True)
class TileReader:
    """Labels the tiles of the window that a ``calibration`` describes."""

    calibration: Calibration

    def label(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
        """Label the tiles that ``changed`` since the previous board.

        From the cache; if one is not in it, the whole board is labelled.
        """
        previous, last, cache = memory.previous, memory.labelled, memory.labels.cache
        if previous is not None and last is not None and not (memory.last_clicks or changed.any()):
            return replace(last, tiles=previous.tiles, confidence=previous.confidence, whole=False)
        changed = changed | (memory.last_clicks is not None)
        entries = cache.find(board.coarse_of(changed))
        if last is None or not (entries >= 0).all():
            return self._label_all(board, changed, memory)
        tiles = previous.tiles.copy() if previous else np.zeros(changed.shape, np.int8)
        confidence = previous.confidence.copy() if previous else np.zeros(changed.shape)
        tiles[changed] = cache.labels(entries)
        confidence[changed] = cache.certainty(entries)
        return replace(last, tiles=tiles, confidence=confidence, whole=False)

    def label_anew(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
        """Label the whole board without the cache: one wrong label would spoil every board."""
        return self._label_all(board, changed, replace(memory, labels=Labels()))

    def label_shifted(
        self,
        board: TilePictures,
        changed: Mask,
        memory: Memory,
        shift: tuple[int, int],
        anew: Labelled,
    ) -> Labelled:
        """Label the whole board cut some pixels to the side, ``(dx, dy)``, without the cache.

        It is not compared with the fresh board: that was done when it was labelled ``anew``.
        """
        memory = replace(memory, labels=Labels())
        return self._label_all(board.shifted(*shift), changed, memory, anew)

    def _label_all(
        self, board: TilePictures, changed: Mask, memory: Memory, anew: Labelled | None = None
    ) -> Labelled:
        """Label all tiles: by theme and cache, the others as if there were no theme."""
        labels, theme, previous = memory.labels, self.calibration.theme, memory.previous
        clusters = clusters_of(board, labels.hidden)
        entries = labels.cache.find(coarse(clusters.pictures))
        clusters = clusters.giving(labels.cache.labels(entries))
        like_fresh = anew.like_fresh if anew else None
        if anew is None and memory.fresh is not None:
            like_fresh = likeness_to_fresh(clusters, memory.fresh)
        unflooded = anew.unflooded if anew else memory.unflooded
        if previous is not None and theme.program == LEARNED:
            before = previous.tiles
            unflooded |= bool(count_neighbours(before == Tile.HIDDEN)[before == 0].any())
            clusters = replace(clusters, unflooded=unflooded)
            clusters = clusters.giving(as_before(clusters, before, changed, memory.survived))
        decoding = label_clusters(clusters, theme, like_fresh, memory.last_clicks, memory.clicked)
        of_tile, tiles = clusters.of_tile, decoding.labels[clusters.of_tile]
        return Labelled(
            tiles,
            decoding.certainty[of_tile],
            tiles,
            decoding.rivals[of_tile],
            decoding.open_ground[of_tile],
            clusters.empty[of_tile],
            clusters.tiny[of_tile],
            like_fresh,
            unflooded,
        )

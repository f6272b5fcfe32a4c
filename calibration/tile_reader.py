"""Label the tiles of one window, frame after frame, and detect labels that cannot be trusted.

An appearance is labelled once. In later frames the same tile is found by its coarse picture.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from calibration.calibration import Calibration
from calibration.classify.checks import as_before
from calibration.classify.clusters import clusters_of
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Agreed, agreed, label_clusters
from calibration.classify.refusals import check_followed, check_possible, unreadable_error
from calibration.classify.witnesses import likeness_to_fresh
from calibration.errors import Unreadable
from calibration.memory import Labelled, Labels, Memory, Trouble
from calibration.read.board import read_board
from calibration.rules import UNREAD, Mask, doubtful_zeros, impossible_numbers
from calibration.theme import LEARNED
from calibration.tiles import TilePictures, coarse
from solver.board import Tile, count_neighbours

SIMILAR_MARKS = (Tile.FLAG, Tile.MINE, Tile.EXPLODED)
"""Marks that another cut does not distinguish."""

MOST_READ_AGAIN = 0.15
"""Share of uncertain tiles up to which all are cut again. More mean that the board is covered or
the grid wrong."""


@dataclass(frozen=True)
class TileReader:
    """Reads the tiles of the window that a ``calibration`` describes."""

    calibration: Calibration

    def read(
        self, board: TilePictures, changed: Mask, memory: Memory
    ) -> tuple[Labelled, Labels] | Trouble:
        """Read the tiles, of which some ``changed`` since the previous board.

        Returns their labels and the earlier labels that are still reliable, or why the tiles cannot
        be read.
        """
        labelled = self._label(board, changed, memory)
        try:
            self._check(board, changed, labelled, memory)
        except Unreadable as error:
            if again := self._read_again(board, changed, memory):
                return again, Labels()
            return Trouble(board.board.copy(), memory.previous, labelled, error)
        return labelled, memory.labels

    def _label(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
        """Label the tiles that ``changed`` since the previous board.

        Labels come from the cache; if a tile is not in it, the whole board is labelled.
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

    def _label_anew(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
        """Label the whole board without the cache: one wrong label would spoil every board."""
        return self._label_all(board, changed, replace(memory, labels=Labels()))

    def _label_shifted(
        self,
        board: TilePictures,
        changed: Mask,
        memory: Memory,
        shift: tuple[int, int],
        anew: Labelled,
    ) -> Labelled:
        """Label the whole board cut some pixels to the side, ``(dx, dy)``, without the cache.

        It is not compared with the fresh board again: ``anew`` holds that result.
        """
        memory = replace(memory, labels=Labels())
        return self._label_all(board.shifted(*shift), changed, memory, anew)

    def _label_all(
        self, board: TilePictures, changed: Mask, memory: Memory, anew: Labelled | None = None
    ) -> Labelled:
        """Label all tiles: by theme and cache, the rest as if there were no theme."""
        labels, theme, previous = memory.labels, self.calibration.theme, memory.previous
        clusters = clusters_of(board, labels.hidden)
        entries = labels.cache.find(coarse(clusters.pictures))
        clusters = clusters.giving(labels.cache.labels(entries))
        like_fresh = anew.like_fresh if anew else None
        if anew is None and memory.fresh is not None:
            like_fresh = likeness_to_fresh(clusters, memory.fresh.pictures)
        unflooded = anew.unflooded if anew else memory.unflooded
        if previous is not None and theme.program == LEARNED:
            before = previous.tiles
            unflooded |= bool(count_neighbours(before == Tile.HIDDEN)[before == 0].any())
            clusters = replace(clusters, unflooded=unflooded)
            clusters = clusters.giving(as_before(clusters, before, changed, memory.survived))
        decoding = label_clusters(clusters, theme, like_fresh, memory.last_clicks, memory.clicked)
        of_tile = clusters.of_tile
        found = by_witnesses = Agreed.of(clusters, decoding)
        if theme.program == LEARNED and anew is None:
            found = self._heeding_network(board, found, memory)
        doubted = found.confidence < np.minimum(by_witnesses.confidence, MARGIN)
        disputed = (found.tiles < 0) & doubted
        return Labelled(
            found.tiles,
            found.confidence,
            found.tiles,
            found.rivals,
            found.open_ground,
            clusters.empty[of_tile],
            clusters.tiny[of_tile],
            disputed,
            like_fresh,
            unflooded,
        )

    def _heeding_network(self, board: TilePictures, found: Agreed, memory: Memory) -> Agreed:
        """Return what witnesses and the network say together of a board in an unknown look."""
        fresh, clicked = memory.fresh, memory.clicked
        other = read_board(
            board.frame.pixels,
            board.grid,
            fresh.views if fresh else None,
            clicked.opened if clicked.opened.any() else None,
        )
        settled = clicked.flagged | clicked.opened
        if memory.last_clicks is not None:
            settled = settled | found.open_ground
        return agreed(found, other, settled)

    def _read_again(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled | None:
        """Read an uncertain board without the cache; None if that does not help."""
        anew = self._label_anew(board, changed, memory)
        settled = self._with_doubts_settled(board, changed, anew, memory)
        with suppress(Unreadable):
            self._check(board, changed, settled, memory)
            return settled
        return None

    def _with_doubts_settled(
        self, board: TilePictures, changed: Mask, labelled: Labelled, memory: Memory
    ) -> Labelled:
        """Return the labels of another cut in which uncertain drawings are clear, if there is one.

        A coarse digit may become clear if tiles are cut a pixel to the side; every other tile must
        be read as before. Whether a mark is a flag or a mine, or a tile hidden or a 0, is decided
        by the board, not by another cut.
        """
        tiles, rivals, doubtful = labelled.tiles, labelled.rivals, labelled.confidence < MARGIN
        likely = np.stack([labelled.likeliest, rivals])
        by_board = labelled.even | labelled.disputed | np.isin(likely, SIMILAR_MARKS).all(axis=0)
        if (doubtful & by_board).any() or not 0 < doubtful.mean() <= MOST_READ_AGAIN:
            return labelled
        for shift in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            again = self._label_shifted(board, changed, memory, shift, labelled)
            hidden = (again.tiles == Tile.HIDDEN) & np.isin(tiles, (0, UNREAD))
            agrees = (again.tiles == tiles) | (doubtful & ~hidden & (again.tiles == rivals))
            if agrees.all() and (again.confidence >= MARGIN).all():
                return again
        return labelled

    def _check(
        self, board: TilePictures, changed: Mask, labelled: Labelled, memory: Memory
    ) -> None:
        """Raise if a tile is in doubt or the board is impossible."""
        frame, grid, tiles = board.frame, board.grid, labelled.tiles
        doubtful = (labelled.confidence < MARGIN) | (tiles == UNREAD)
        if not (doubtful.any() or labelled.unflooded):
            doubtful = doubtful_zeros(tiles) & ~memory.clicked.opened
        if doubtful.any():
            readings = labelled.likeliest, labelled.rivals
            raise unreadable_error(frame, grid, doubtful, labelled.confidence, readings)
        wrong = impossible_numbers(tiles, labelled.open_ground)
        check_possible(frame, grid, tiles, wrong)
        if memory.previous is not None:
            check_followed(frame, grid, memory.previous, tiles, changed)

"""Label the tiles of one window, frame after frame, and report labels that cannot be trusted.

A look is labelled once. In later frames the same tile is found by its coarse picture.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from calibration.calibration import Calibration
from calibration.errors import Unreadable
from calibration.memory import Labelled, Labels, Memory, Trouble
from calibration.read.clicks import likeness_to_fresh
from calibration.read.recognise import MARGIN, label_tiles, see_tiles
from calibration.read.refusals import check_followed, check_possible, unreadable_error
from calibration.rules import UNREAD, Mask, Tiles, doubtful_zeros, impossible_numbers, shows_mines
from calibration.theme import LEARNED
from calibration.tiles import TilePictures
from solver.board import Tile, count_neighbours


@dataclass(frozen=True)
class TileReader:
    """Reads the tiles of the window that a ``calibration`` describes."""

    calibration: Calibration

    def read(
        self, board: TilePictures, changed: Mask, memory: Memory
    ) -> tuple[Labelled, Labels] | Trouble:
        """Read the tiles, of which some ``changed`` since the previous board.

        Returns their labels, and those given before that can still be trusted, or why they cannot
        be read.
        """
        labelled = self._label(board, changed, memory)
        try:
            self._check(board, changed, labelled, memory)
        except Unreadable as error:
            if not labelled.whole and (again := self._read_again(board, changed, memory)):
                return again, Labels()
            return Trouble(board.board.copy(), memory.previous, labelled, error)
        return labelled, memory.labels

    def _label(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
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

    def _label_all(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled:
        """Label all tiles without the cache: one wrong label would spoil every board."""
        previous, views, shape = memory.previous, board.cut.views, changed.shape
        unknown = self.calibration.theme.program == LEARNED
        clicked = memory.clicked if unknown and memory.fresh is not None else None
        seen = see_tiles(board.cut, memory.fresh, clicked.opened if clicked else None)
        like_fresh, given, unflooded = None, None, memory.unflooded
        if memory.fresh is not None:
            like_fresh = likeness_to_fresh(views, memory.fresh, shape)
        if previous is not None and unknown:
            before = previous.tiles
            unflooded |= bool(count_neighbours(before == Tile.HIDDEN)[before == 0].any())
            given = _as_before(before, changed, memory)
        found = label_tiles(seen, given, like_fresh, memory.last_clicks, clicked)
        return Labelled(
            found.tiles, found.confidence, found.tiles, found.rivals, found.open_ground,
            found.plain, found.tiny, unflooded,
        )  # fmt: skip

    def _read_again(self, board: TilePictures, changed: Mask, memory: Memory) -> Labelled | None:
        """Read a board in doubt without the cache; None if that does not help."""
        anew = self._label_all(board, changed, memory)
        with suppress(Unreadable):
            self._check(board, changed, anew, memory)
            return anew
        return None

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


def _as_before(before: Tiles, changed: Mask, memory: Memory) -> Tiles:
    """Return what is known of tiles from the last board of the game, `UNREAD` elsewhere.

    Zeros that did not change, and mines that took lives.
    """
    given = np.where(~changed & (before == 0), before, np.int8(UNREAD))
    for cell in memory.survived:
        if shows_mines(before[cell]) and not changed[cell]:
            given[cell] = before[cell]
    return given.astype(np.int8)

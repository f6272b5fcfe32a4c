"""Read frame after frame of a calibrated window: each time a board that can be trusted.

The reader labels an appearance once and keeps the label. In later frames it finds the same tile
by its coarse picture, and it does not read tiles again whose pixels did not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.calibration import Calibration
from calibration.classify.changes import (
    LEAST_SURE,
    PreviousBoard,
    Trouble,
    changed_tiles,
)
from calibration.classify.checks.openings import (
    ClickedCells,
    LastClicks,
    as_before,
)
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.evidence import (
    check_followed,
    check_possible,
    few_unknown,
    unreadable_error,
)
from calibration.classify.fresh_likeness import likeness_to_fresh
from calibration.classify.recognise import label_clusters, shown_mines
from calibration.classify.tile_cache import TileCache
from calibration.errors import StatusUnclear, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.counter import CounterReader
from calibration.indicators.smiley import Smiley
from calibration.indicators.words import counts_lives, read_words
from calibration.reading import Reading
from calibration.rules import (
    UNREAD,
    Tiles,
    impossible_numbers,
    lacks_zeros,
    may_be_won,
    pressed_tiles,
    settled_after_win,
    shows_mines,
)
from calibration.theme import LEARNED
from calibration.tiles import SAME_APPEARANCE, board_pixels
from calibration.verdict import PICTURE, Evidence, verdict
from solver.board import Board, Cell, Tile, count_neighbours, marked
from solver.game import Status

Labels = tuple[NDArray[np.int8], NDArray[np.float64]]
"""The tiles of a board and how sure each is, both ``(rows, cols)``."""

MOST_HIDDEN = 4
"""Kinds of hidden tiles that are kept: two of a chessboard, and those under a pointer."""

PLAIN, MARKS = (Tile.HIDDEN, 0), (Tile.FLAG, Tile.MINE, Tile.EXPLODED)
"""Tiles without a drawing, and marks: another cut makes none of the other, nor a flag of a mine."""

MOST_READ_AGAIN = 0.15
"""Share of tiles in doubt up to which all are cut out again, shifted by a pixel: that of the flags
on a won board. If more are, something lies over the board or the grid is wrong."""


class Reader:
    """Reads frame after frame of one window and keeps the labels it has given.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click,
    if another reader saw it. The mines on ``survived`` cells end no game: they took lives.
    ``clicked`` are the cells clicked in this game.
    """

    def __init__(self, calibration: Calibration, fresh: NDArray[np.uint8] | None = None) -> None:
        self._calibration = calibration
        self._cache = TileCache()
        self._hidden: NDArray[np.uint8] | None = None
        self.fresh = fresh
        self.survived: frozenset[Cell] = frozenset()
        self._like_fresh: NDArray[np.float32] | None = None
        self._readings: tuple[NDArray[np.int8], NDArray[np.int8]] | None = None
        self._tiny = np.zeros((calibration.grid.rows, calibration.grid.cols), np.bool_)
        self._even = self._open_ground = self._tiny
        self.clicked = ClickedCells(self._tiny, self._tiny)
        self._previous: PreviousBoard | None = None
        self._in_play: Tiles | None = None
        self._clicks: LastClicks | None = None
        place = calibration.counter
        self._counter = CounterReader(calibration.grid, place) if place else None
        self.smiley = Smiley(calibration.theme.smileys)
        self._sought_smiley = self._unflooded = False
        self._trouble: Trouble | None = None

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board; ``same_game`` says that it belongs to the game of the last reading.

        Raises `UnreadableTiles` or `BoardCovered` if a tile is in doubt, `ImpossibleBoard` if
        the tiles contradict each other or an open number of the same game has changed, and
        `StatusUnclear` if the board and an indicator disagree on the status of the game.
        """
        grid = self._calibration.grid
        pixels = board_pixels(frame, grid)
        if not same_game:
            self._previous = self._in_play = self._clicks = None
            self.clicked = ClickedCells(*map(np.zeros_like, self.clicked))
        previous = self._previous
        if self._trouble is not None and self._trouble.is_of(pixels, previous):
            # A window may stay covered for long, and reading it again takes up to a second.
            raise self._trouble.error
        changed = changed_tiles(pixels, previous.pixels if previous else None, grid)
        fresh = None
        expecting = self._clicks is not None
        if previous is not None and not (expecting or changed.any()):
            tiles, confidence = previous.tiles, previous.confidence
        else:
            tiles, confidence, fresh = self._label_changed(frame, changed | expecting)
        try:
            self._check(frame, changed, tiles, confidence)
        except Unreadable as first:
            anew = fresh is not None and not self._cache and self._hidden is None
            known = (tiles, confidence) if anew else None
            try:
                tiles, confidence, fresh = self._read_again(frame, changed, first, known)
            except Unreadable as trouble:
                if (won := self._won(frame, tiles, confidence)) is None:
                    self._trouble = Trouble(pixels.copy(), previous, trouble)
                    raise
                (tiles, confidence), fresh = won, None
        # A window grabbed while it repaints may show an open area without its numbers, which
        # looks like hidden tiles: keep nothing from a board without numbers.
        if fresh is not None and (tiles > 0).any():
            # Tiny digits look too much alike to be found again by their coarse pictures, and what
            # is not sure may still change.
            kept = np.flatnonzero(~self._tiny.ravel() & (confidence.ravel() >= LEAST_SURE))
            self._cache.add(fresh[kept], tiles.ravel()[kept], confidence.ravel()[kept])
            self._keep_hidden(frame, tiles)
        unseen = self.fresh is None or not same_game
        if unseen and previous is None and (tiles == Tile.HIDDEN).all():
            self.fresh = tile_pictures.cut(frame, grid)
        self._previous, self._clicks = PreviousBoard(pixels.copy(), tiles, confidence), None
        played = tiles.copy()
        for cell in self.survived:
            played[cell] = Tile.FLAG if shows_mines(tiles[cell]) else tiles[cell]
        if not shows_mines(played):
            self._in_play = played
        board = Board(tiles, self._calibration.mines)
        counter = self._counter.read(frame, board) if self._counter else None
        return Reading(
            board,
            self._status(frame, Board(played, board.mines), counted=counter is not None),
            float(confidence.min()),
            counter.mines_left if counter else None,
            confidence,
            self._calibration.theme.name,
        )

    def read_in_part(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board as `read` does, but tell a few scattered tiles in doubt as unknown.

        A pointer, a bubble or a tile that is pressed hides no more than a tile or two. Nothing is
        kept of such a reading. Raises what `read` raises, also where the unknown tiles leave open
        whether the game is won.
        """
        try:
            return self.read(frame, same_game=same_game)
        except UnreadableTiles as trouble:
            tiles, confidence = trouble.labels, trouble.confidence
            if tiles is None or confidence is None or not few_unknown(tiles):
                raise
            wrong = impossible_numbers(tiles, self._open_ground)
            if wrong.any() or lacks_zeros(tiles) or may_be_won(tiles):
                raise
            if self._previous is not None:
                changed = np.ones(tiles.shape, np.bool_)
                check_followed(frame, self._calibration.grid, self._previous, tiles, changed)
            board = Board(tiles, self._calibration.mines)
            counter = self._counter.read(frame, board) if self._counter else None
            status = self._status(frame, board, counted=counter is not None)
            mines_left = counter.mines_left if counter else None
            theme, known = self._calibration.theme.name, confidence[tiles != UNREAD]
            return Reading(
                board, status, float(known.min()), mines_left, confidence, theme, trouble.rivals
            )

    def shown_mines(self, frame: Frame) -> NDArray[np.int8]:
        """Find the mines of a lost board, whatever lies over other tiles.

        Returns int8 ``(rows, cols)``: a mine, an exploded one, or `UNREAD`. With a theme it is what
        looks like its mines; with a learned one, the mines that the numbers around them confirm.
        """
        clusters = cluster_tiles(frame, self._calibration.grid)
        return shown_mines(clusters, self._calibration.theme)

    def unchanged(self, frame: Frame) -> float:
        """Return the share of tiles with the same pixels as in the last reading; 0 without one."""
        grid, previous = self._calibration.grid, self._previous
        before = previous.pixels if previous else None
        return 1.0 - float(changed_tiles(board_pixels(frame, grid), before, grid).mean())

    def expect_opening(self, clicked: Sequence[Cell]) -> None:
        """Take note that a board at rest may show an opening without numbers around these cells.

        Of a known program the theme tells what is open.
        """
        if self._calibration.theme.program == LEARNED:
            self._clicks = LastClicks(marked(self._tiny.shape, clicked), self._in_play)
            self._trouble = None

    def expect_clicks(self, opened: Sequence[Cell], flagged: Sequence[Cell]) -> None:
        """Take note that these cells of an unknown program were clicked to open, or to flag, them.

        Flags may look like anything; and what a click opened is no flag, whatever it looks like.
        """
        if self._calibration.theme.program == LEARNED and (opened or flagged):
            self.clicked, self._trouble = self.clicked.adding(opened, flagged), None

    def forget(self) -> None:
        """Label all tiles anew next time: a board that was read turned out to be impossible."""
        self._cache, self._hidden = TileCache(), None
        self._previous = self._in_play = None

    def _status(self, frame: Frame, board: Board, *, counted: bool) -> Status:
        """Tell the status of the game from the board and what stands beside it."""
        self._find_smiley(frame)
        theme, grid, smiley = self._calibration.theme, self._calibration.grid, self.smiley
        in_play = theme.profile.counter_only_in_play and counted
        told = verdict(
            Evidence(
                board.tiles,
                board.mines,
                before=self._in_play,
                words=partial(read_words, frame, grid),
                flags=theme.profile.flags_to_win,
                program="" if theme.program == LEARNED else theme.program,
                face=Status.PLAYING if in_play else smiley.status(frame),
                has_face=smiley.box is not None,
                other_face=lambda: bool(theme.smileys) and not smiley.is_known(frame),
                new_face=smiley.learns,
                sunglasses=partial(smiley.wears_sunglasses, frame),
                lives=partial(counts_lives, frame, grid),
            ),
            PICTURE,
        )
        if told.status is None:
            shown = None if told.row.may_change is None else board
            raise StatusUnclear(told.reason, shown, may_change=bool(told.row.may_change))
        return told.status

    def _find_smiley(self, frame: Frame) -> None:
        """Look for the smiley, once."""
        if not self._sought_smiley:
            self._sought_smiley = True
            self.smiley.find(frame, self._calibration.grid)

    def _won(self, frame: Frame, tiles: Tiles, confidence: NDArray[np.float64]) -> Labels | None:
        """Return a won board of which something hides tiles, if words or a smiley say so.

        None in play, where the board will be seen. What several of them show is drawn on them:
        mines or, beside mines that stay hidden, flags. Plain tiles that may be either leave it in
        doubt.
        """
        sure = confidence >= MARGIN
        won = settled_after_win(np.where(sure, tiles, np.int8(UNREAD)))
        if won is None or self._previous is not None:
            return None
        grid, likely = self._calibration.grid, np.stack(self._readings or (tiles,))
        mine, flag = ((likely == kind).any(axis=0) for kind in (Tile.MINE, Tile.FLAG))
        marks = (won < 0) & ~sure
        if (marks & self._even & (mine | flag)).any():
            return None
        marks &= ~self._even
        marks[marks] = tile_pictures.repeated(tile_pictures.cut(frame, grid)[marks])
        won[marks] = np.where(mine & ~flag, Tile.MINE, Tile.FLAG)[marks]
        self._find_smiley(frame)
        if not self.smiley.wears_sunglasses(frame):
            said = read_words(frame, grid)
            if said is None or said.status is not Status.WON:
                return None
        return won, np.maximum(confidence, ~sure)

    def _read_again(
        self, frame: Frame, changed: NDArray[np.bool_], trouble: Unreadable, known: Labels | None
    ) -> tuple[*Labels, NDArray[np.float32]]:
        """Read a board in doubt again; raise ``trouble``, that of the first reading, if none helps.

        First without the cache (``known`` is a reading that used none): one wrong label would spoil
        every board with that look. Then, if few tiles are in doubt, with the tiles cut out a pixel
        to the side: a coarse digit or flag may be clear in one cut and not in another. The first
        cut counts that has no tile in doubt and only gives tiles in doubt their next likely
        reading; "hidden or a 0" stays so.
        """
        kept = self._cache, self._hidden
        self._cache, self._hidden = TileCache(), None
        try:
            return self._read_without_cache(frame, changed, trouble, known)
        except Unreadable:
            # The cache was not at fault, and tells more: eight tiles under a dialog, not just two.
            self._cache, self._hidden = kept
            raise trouble from None

    def _read_without_cache(
        self, frame: Frame, changed: NDArray[np.bool_], trouble: Unreadable, known: Labels | None
    ) -> tuple[*Labels, NDArray[np.float32]]:
        """Read a board with nothing but the theme. Raises what `read` raises, or ``trouble``."""
        grid = self._calibration.grid
        tiles, confidence = known or self._label_all(frame, grid, changed)
        doubtful, likely = confidence < MARGIN, self._readings
        kinds = np.stack(likely or (tiles,))
        flag_or_mine = np.isin(kinds, MARKS).all(axis=0) & (kinds == Tile.FLAG).any(axis=0)
        by_board = self._even | flag_or_mine
        if likely and not (doubtful & by_board).any() and 0 < doubtful.mean() <= MOST_READ_AGAIN:
            for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
                again, certainty = self._label_all(frame, grid.moved(dx, dy), changed)
                plain = np.isin(again, PLAIN) & np.isin(tiles, PLAIN)
                plain |= (again == Tile.HIDDEN) & (tiles == UNREAD)
                agree = (again == tiles) | (doubtful & ~plain & (again == likely[1]))
                if (certainty >= MARGIN).all() and agree.all():
                    tiles, confidence = again, certainty
                    break
            else:
                raise trouble
        self._check(frame, changed, tiles, confidence)
        return tiles, confidence, tile_pictures.coarse(tile_pictures.cut(frame, grid))

    def _label_changed(
        self, frame: Frame, changed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float32] | None]:
        """Label the changed tiles from the cache; if one is not in it, label the whole board.

        Returns tiles, confidence and, if the whole board was labelled, its coarse pictures: they
        go into the cache if the board can be trusted.
        """
        grid = self._calibration.grid
        rows, cols = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        first, last = Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1]))
        here = changed[first.row : last.row + 1, first.col : last.col + 1]
        pictures = tile_pictures.cut(frame, grid.part(first, last))
        coarse = tile_pictures.coarse(pictures[here])
        entries = self._cache.find(coarse)
        if (entries >= 0).all():
            before = self._previous
            tiles = before.tiles.copy() if before else np.zeros(changed.shape, np.int8)
            confidence = before.confidence.copy() if before else np.zeros(changed.shape)
            tiles[changed] = self._cache.labels(entries)
            confidence[changed] = self._cache.certainty(entries)
            return tiles, confidence, None
        if not changed.all():
            pictures = tile_pictures.cut(frame, grid)
            coarse = tile_pictures.coarse(pictures)
        return *self._label_all(frame, grid, changed), coarse

    def _label_all(self, frame: Frame, grid: Grid, changed: NDArray[np.bool_]) -> Labels:
        """Label all tiles of a frame: by theme and cache, the others as if there were no theme.

        A grid that was moved follows a call with the unmoved one, whose tiles are compared with the
        fresh board.
        """
        clusters = cluster_tiles(frame, grid, self._hidden)
        entries = self._cache.find(tile_pictures.coarse(clusters.pictures))
        clusters = clusters.giving(self._cache.labels(entries))
        if self.fresh is not None and grid == self._calibration.grid:
            self._like_fresh = likeness_to_fresh(clusters, self.fresh)
        theme = self._calibration.theme
        if self._previous is not None and theme.program == LEARNED:
            before = self._previous.tiles
            self._unflooded |= bool(count_neighbours(before == Tile.HIDDEN)[before == 0].any())
            clusters = replace(clusters, unflooded=self._unflooded)
            clusters = clusters.giving(as_before(clusters, before, changed, self.survived))
        decoding = label_clusters(clusters, theme, self._like_fresh, self._clicks, self.clicked)
        self._readings = decoding.labels[clusters.of_tile], decoding.rivals[clusters.of_tile]
        self._open_ground = decoding.open_ground[clusters.of_tile]
        self._tiny = clusters.tiny[clusters.of_tile]
        self._even = clusters.empty[clusters.of_tile]
        return self._readings[0], decoding.certainty[clusters.of_tile]

    def _keep_hidden(self, frame: Frame, tiles: NDArray[np.int8]) -> None:
        """Keep a picture of each kind of hidden tile; those of a chessboard are of two kinds."""
        pictures = tile_pictures.cut(frame, self._calibration.grid)[tiles == Tile.HIDDEN]
        if len(pictures):
            _, leaders = tile_pictures.gather(tile_pictures.coarse(pictures), SAME_APPEARANCE)
            self._hidden = pictures[leaders[:MOST_HIDDEN]]

    def _check(
        self,
        frame: Frame,
        changed: NDArray[np.bool_],
        tiles: NDArray[np.int8],
        confidence: NDArray[np.float64],
    ) -> None:
        """Raise if a tile is in doubt or the board is impossible."""
        grid = self._calibration.grid
        doubtful = (confidence < MARGIN) | (tiles == UNREAD)
        if not (doubtful.any() or self._unflooded):
            doubtful = pressed_tiles(tiles) & ~self.clicked.opened
        if doubtful.any():
            raise unreadable_error(frame, grid, doubtful, confidence, self._readings)
        wrong = impossible_numbers(tiles, self._open_ground)
        check_possible(frame, grid, tiles, wrong)
        if self._previous is not None:
            check_followed(frame, grid, self._previous, tiles, changed)


def read(frame: Frame, calibration: Calibration) -> Reading:
    """Read the board of one frame. Raises what `Reader.read` raises."""
    return Reader(calibration).read(frame)

"""Read frame after frame of a calibrated window: each time a board that can be trusted.

Tiles whose pixels did not change are not read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.calibration import Calibration
from calibration.classify.changes import PreviousBoard, Trouble, changed_tiles
from calibration.classify.checks.openings import ClickedCells
from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.evidence import (
    check_followed,
    check_possible,
    few_unknown,
    unreadable_error,
)
from calibration.classify.recognise import shown_mines
from calibration.errors import StatusUnclear, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.counter import CounterReader
from calibration.indicators.smiley import Smiley
from calibration.indicators.words import counts_lives, read_words
from calibration.reading import Reading
from calibration.rules import (
    UNREAD,
    Mask,
    Tiles,
    doubtful_zeros,
    impossible_numbers,
    lacks_zeros,
    may_be_won,
    settled_after_win,
    shows_mines,
)
from calibration.theme import LEARNED
from calibration.tile_reader import Labelled, TileReader
from calibration.tiles import board_pixels
from calibration.verdict import PICTURE, Evidence, verdict
from solver.board import Board, Cell, Tile
from solver.game import Status

MARKS = (Tile.FLAG, Tile.MINE, Tile.EXPLODED)
"""Marks that no other cut tells apart."""

MOST_READ_AGAIN = 0.15
"""Share of tiles in doubt up to which all are cut out again. If more are, something lies over the
board or the grid is wrong."""


class Reader:
    """Reads frame after frame of one window and keeps the labels it has given.

    ``fresh`` are the pictures ``(rows, cols, SIDE, SIDE, 3)`` of the board before the first click,
    if another reader saw it.
    """

    def __init__(self, calibration: Calibration, fresh: NDArray[np.uint8] | None = None) -> None:
        self._calibration = calibration
        self._tiles = TileReader(calibration, fresh)
        self._previous: PreviousBoard | None = None
        self._in_play: Tiles | None = None
        place = calibration.counter
        self._counter = CounterReader(calibration.grid, place) if place else None
        self.smiley = Smiley(calibration.theme.smileys)
        self._sought_smiley = False
        self._trouble: Trouble | None = None

    @property
    def fresh(self) -> NDArray[np.uint8] | None:
        """The pictures of the board before the first click, as the reader was given or saw it."""
        return self._tiles.fresh

    @property
    def survived(self) -> frozenset[Cell]:
        """The cells whose mines end no game: they took lives."""
        return self._tiles.survived

    @survived.setter
    def survived(self, cells: frozenset[Cell]) -> None:
        self._tiles.survived = cells

    @property
    def clicked(self) -> ClickedCells:
        """The cells clicked in this game."""
        return self._tiles.clicked

    @clicked.setter
    def clicked(self, cells: ClickedCells) -> None:
        self._tiles.clicked = cells

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board; ``same_game`` says that it belongs to the game of the last reading.

        Raises `UnreadableTiles` or `BoardCovered` if a tile is in doubt, `ImpossibleBoard` if
        the tiles contradict each other or an open number of the same game has changed, and
        `StatusUnclear` if the board and an indicator disagree on the status of the game.
        """
        grid = self._calibration.grid
        pixels = board_pixels(frame, grid)
        if not same_game:
            self._previous = self._in_play = None
            self._tiles.begin_game()
        previous = self._previous
        if self._trouble is not None and self._trouble.is_of(pixels, previous):
            # A window may stay covered for long, and reading it again takes up to a second.
            raise self._trouble.error
        changed = changed_tiles(pixels, previous.pixels if previous else None, grid)
        labelled = self._tiles.label(frame, changed, previous)
        try:
            self._check(frame, changed, labelled)
            self._tiles.keep(frame, labelled, anew=False)
        except Unreadable as first:
            try:
                labelled = self._read_again(frame, changed, first)
            except Unreadable as trouble:
                if (won := self._won(frame, labelled)) is None:
                    self._trouble = Trouble(pixels.copy(), previous, trouble)
                    raise
                labelled = won
        tiles, confidence = labelled.tiles, labelled.confidence
        unseen = self.fresh is None or not same_game
        if unseen and previous is None and (tiles == Tile.HIDDEN).all():
            self._tiles.fresh = tile_pictures.cut(frame, grid)
        self._previous = PreviousBoard(pixels.copy(), tiles, confidence)
        self._tiles.expect_nothing()
        played = tiles.copy()
        for cell in self.survived:
            played[cell] = Tile.FLAG if shows_mines(tiles[cell]) else tiles[cell]
        if not shows_mines(played):
            self._in_play = played
        return self._reading(frame, tiles, played, confidence)

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
            wrong = impossible_numbers(tiles, self._tiles.open_ground)
            if wrong.any() or lacks_zeros(tiles) or may_be_won(tiles):
                raise
            if self._previous is not None:
                changed = np.ones(tiles.shape, np.bool_)
                check_followed(frame, self._calibration.grid, self._previous, tiles, changed)
            reading = self._reading(frame, tiles, tiles, confidence)
            known = float(confidence[tiles != UNREAD].min())
            return replace(reading, confidence=known, rivals=trouble.rivals)

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
            self._tiles.expect_opening(clicked, self._in_play)
            self._trouble = None

    def expect_clicks(self, opened: Sequence[Cell], flagged: Sequence[Cell]) -> None:
        """Take note that these cells of an unknown program were clicked to open, or to flag, them.

        Flags may look like anything; and what a click opened is no flag, whatever it looks like.
        """
        if self._calibration.theme.program == LEARNED and (opened or flagged):
            self.clicked, self._trouble = self.clicked.adding(opened, flagged), None

    def forget(self) -> None:
        """Label all tiles anew next time: a board that was read turned out to be impossible."""
        self._tiles.forget()
        self._previous = self._in_play = None

    def _reading(
        self, frame: Frame, tiles: Tiles, played: Tiles, confidence: NDArray[np.float64]
    ) -> Reading:
        """Return the reading; ``played`` are the tiles without mines that took lives."""
        self._find_smiley(frame)
        board = Board(tiles, self._calibration.mines)
        counter = self._counter.read(frame, board) if self._counter else None
        status = self._status(frame, Board(played, board.mines), counted=counter is not None)
        left = counter.mines_left if counter else None
        theme = self._calibration.theme.name
        return Reading(board, status, float(confidence.min()), left, confidence, theme)

    def _status(self, frame: Frame, board: Board, *, counted: bool) -> Status:
        """Tell the status of the game; ``counted`` says that the mine counter was read."""
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

    def _won(self, frame: Frame, labelled: Labelled) -> Labelled | None:
        """Return a won board of which something hides tiles, if words or a smiley say so.

        None in play, where the board will be seen. What several of them show is drawn on them:
        mines or, beside mines that stay hidden, flags. Plain tiles that may be either leave it in
        doubt.
        """
        sure = labelled.confidence >= MARGIN
        won = settled_after_win(np.where(sure, labelled.tiles, np.int8(UNREAD)))
        if won is None or self._previous is not None:
            return None
        likely = np.stack([labelled.likeliest, labelled.rivals])
        mine, flag = ((likely == kind).any(axis=0) for kind in (Tile.MINE, Tile.FLAG))
        marks = (won < 0) & ~sure
        if (marks & labelled.even & (mine | flag)).any():
            return None
        marks &= ~labelled.even
        pictures = tile_pictures.cut(frame, self._calibration.grid)[marks]
        marks[marks] = tile_pictures.repeated(pictures)
        won[marks] = np.where(mine & ~flag, Tile.MINE, Tile.FLAG)[marks]
        self._find_smiley(frame)
        if not self.smiley.wears_sunglasses(frame):
            said = read_words(frame, self._calibration.grid)
            if said is None or said.status is not Status.WON:
                return None
        return replace(labelled, tiles=won, confidence=np.maximum(labelled.confidence, ~sure))

    def _read_again(self, frame: Frame, changed: Mask, trouble: Unreadable) -> Labelled:
        """Read a board in doubt without the cache; raise ``trouble`` if that does not help."""
        anew = self._tiles.label_without_cache(frame, changed, self._previous)
        try:
            anew = self._with_doubts_settled(frame, changed, anew)
            self._check(frame, changed, anew)
        except Unreadable:
            raise trouble from None
        self._tiles.keep(frame, anew, anew=True)
        return anew

    def _with_doubts_settled(self, frame: Frame, changed: Mask, labelled: Labelled) -> Labelled:
        """Return the labels of another cut in which drawings in doubt are clear, if there is one.

        A coarse digit may be so if tiles are cut out a pixel to the side. Everything else must be
        read as before. Whether a mark is a flag or a mine the board tells, and "hidden or a 0".
        """
        tiles, rivals, doubtful = labelled.tiles, labelled.rivals, labelled.confidence < MARGIN
        likely = np.stack([labelled.likeliest, rivals])
        by_board = labelled.even | (np.isin(likely, MARKS).all(axis=0))
        if (doubtful & by_board).any() or not 0 < doubtful.mean() <= MOST_READ_AGAIN:
            return labelled
        for shift in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            again = self._tiles.label_without_cache(frame, changed, self._previous, shift)
            hidden = (again.tiles == Tile.HIDDEN) & np.isin(tiles, (0, UNREAD))
            agrees = (again.tiles == tiles) | (doubtful & ~hidden & (again.tiles == rivals))
            if agrees.all() and (again.confidence >= MARGIN).all():
                return again
        return labelled

    def _check(self, frame: Frame, changed: Mask, labelled: Labelled) -> None:
        """Raise if a tile is in doubt or the board is impossible."""
        grid, tiles = self._calibration.grid, labelled.tiles
        doubtful = (labelled.confidence < MARGIN) | (tiles == UNREAD)
        if not (doubtful.any() or self._tiles.unflooded):
            doubtful = doubtful_zeros(tiles) & ~self.clicked.opened
        if doubtful.any():
            readings = labelled.likeliest, labelled.rivals
            raise unreadable_error(frame, grid, doubtful, labelled.confidence, readings)
        wrong = impossible_numbers(tiles, labelled.open_ground)
        check_possible(frame, grid, tiles, wrong)
        if self._previous is not None:
            check_followed(frame, grid, self._previous, tiles, changed)


def read(frame: Frame, calibration: Calibration) -> Reading:
    """Read the board of one frame. Raises what `Reader.read` raises."""
    return Reader(calibration).read(frame)

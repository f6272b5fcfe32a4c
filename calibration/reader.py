"""Read frame after frame of a calibrated window; each reading is a board that can be trusted.

A reader has no state: it takes a `Memory` of the frames before and returns the next one. An
appearance is labelled once; in later frames the same tile is found by its coarse picture. Tiles
whose pixels did not change are not read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.classify.checks import ClickedCells, LastClicks, as_before
from calibration.classify.clusters import cluster_tiles, clusters_of
from calibration.classify.cues import likeness_to_fresh
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Agreed, agreed, label_clusters, shown_mines
from calibration.classify.refusals import (
    PreviousBoard,
    changed_tiles,
    check_possible,
    check_successor,
    few_unknown,
    unreadable_error,
)
from calibration.errors import StatusUnclear, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.counter import CounterReader
from calibration.indicators.smiley import Smiley
from calibration.indicators.words import counts_lives, read_words
from calibration.read.board import read_board
from calibration.reading import FreshBoard, Labelled, Labels, Memory, Reading, Trouble
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
from calibration.tiles import TilePictures, board_pixels, coarse, repeated
from calibration.verdict import Evidence, verdict
from solver.board import Board, Cell, Tile, count_neighbours, marked
from solver.game import Status

SIMILAR_SYMBOLS = (Tile.FLAG, Tile.MINE, Tile.EXPLODED)
"""Symbols that another cut does not distinguish."""

MOST_READ_AGAIN = 0.15
"""All tiles are cut again if at most this share is uncertain. With more, the board is covered or
the grid wrong."""


@dataclass(frozen=True)
class TileReader:
    """Reads the tiles of the window that a ``calibration`` describes."""

    calibration: Calibration

    def read(
        self, board: TilePictures, changed: Mask, memory: Memory
    ) -> tuple[Labelled, Labels] | Trouble:
        """Read the tiles; some ``changed`` since the previous board.

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
        found = by_cues = Agreed.of(clusters, decoding)
        if theme.program == LEARNED and anew is None:
            found = self._heeding_network(board, found, memory)
        doubted = found.confidence < np.minimum(by_cues.confidence, MARGIN)
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
        """Combine cues and network for a board in an unknown theme."""
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
        be read as before. Whether a symbol is a flag or a mine, or a tile hidden or a 0, is decided
        by the board, not by another cut.
        """
        tiles, rivals, doubtful = labelled.tiles, labelled.rivals, labelled.confidence < MARGIN
        likely = np.stack([labelled.likeliest, rivals])
        by_board = labelled.even | labelled.disputed | np.isin(likely, SIMILAR_SYMBOLS).all(axis=0)
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
            check_successor(frame, grid, memory.previous, tiles, changed)


class Readout(NamedTuple):
    """The reading of a frame, or why there is none, and the memory for the next frame."""

    result: Reading | Unreadable
    memory: Memory

    @property
    def reading(self) -> Reading:
        """The reading. Raises the `Unreadable` error if there is none."""
        if isinstance(self.result, Unreadable):
            raise self.result
        return self.result


class Reader:
    """Reads the frames of one window. It takes and returns a `Memory`, and has no state."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._tiles = TileReader(calibration)
        place = calibration.counter
        self._counter = CounterReader(calibration.grid, place) if place else None

    def begin(self, fresh: FreshBoard | None = None) -> Memory:
        """Return the memory before the first frame.

        ``fresh`` is the board before the first click, if another reader saw it.
        """
        grid, smiley = self._calibration.grid, Smiley.of(self._calibration.theme.smileys)
        none = np.zeros((grid.rows, grid.cols), np.bool_)
        return Memory(smiley, ClickedCells(none, none), fresh)

    def read(
        self, frame: Frame, memory: Memory | None = None, *, same_game: bool = True
    ) -> Readout:
        """Read the board; ``same_game``: it belongs to the game of the last reading.

        Instead of a reading, the result may be an error: `UnreadableTiles` or `BoardCovered` if a
        tile is in doubt, `ImpossibleBoard` if the tiles contradict each other or an open number of
        the same game has changed, and `StatusUnclear` if the board and an indicator disagree on the
        status of the game. Without a ``memory`` this is the first frame.
        """
        memory = memory or self.begin()
        memory = memory if same_game else memory.between_games()
        board, previous = TilePictures(frame, self._calibration.grid), memory.previous
        if memory.trouble is not None and memory.trouble.is_of(board.board, previous):
            # A window may stay covered for long, and reading it again takes up to a second.
            return Readout(memory.trouble.error, memory)
        changed = changed_tiles(board.board, previous.pixels if previous else None, board.grid)
        try:
            read = self._tiles.read(board, changed, memory)
        except UnreadableTiles as error:
            return Readout(error, memory)
        if isinstance(read, Trouble):
            won = self._won(board, read.labelled, memory)
            if won is None:
                unflooded = read.labelled.unflooded
                return Readout(read.error, replace(memory, trouble=read, unflooded=unflooded))
            read = won, Labels()
        labelled, labels = read
        return self._result(board, labelled, replace(memory, labels=labels), same_game=same_game)

    def _result(
        self, board: TilePictures, labelled: Labelled, memory: Memory, *, same_game: bool
    ) -> Readout:
        """Return the reading of a board whose tiles are read, and remember it."""
        tiles, confidence, fresh = labelled.tiles, labelled.confidence, memory.fresh
        unseen = fresh is None or not same_game
        if unseen and memory.previous is None and (tiles == Tile.HIDDEN).all():
            fresh = FreshBoard.of(board)
        played = tiles.copy()
        for cell in memory.survived:
            played[cell] = Tile.FLAG if shows_mines(tiles[cell]) else tiles[cell]
        memory = replace(
            memory,
            fresh=fresh,
            previous=PreviousBoard(board.board.copy(), tiles, confidence),
            labelled=labelled,
            labels=memory.labels.adding(board, labelled),
            unflooded=labelled.unflooded,
            last_clicks=None,
            in_play=memory.in_play if shows_mines(played) else played,
            trouble=None,
            smiley=memory.smiley.found(board.frame, board.grid),
        )
        try:
            return Readout(self._reading(board.frame, tiles, played, confidence, memory), memory)
        except StatusUnclear as unclear:
            return Readout(unclear, memory)

    def read_in_part(self, frame: Frame, memory: Memory | None = None) -> Reading:
        """Read the board as `read` does, but report a few scattered tiles in doubt as unknown.

        A pointer, a tooltip or a pressed tile hides only a tile or two. The reading must not be
        remembered. Raises the errors that `read` returns, also if the unknown tiles leave open
        whether the game is won.
        """
        result, memory = self.read(frame, memory)
        if isinstance(result, Reading):
            return result
        tiles, confidence = result.labels, result.confidence
        if not isinstance(result, UnreadableTiles) or tiles is None or confidence is None:
            raise result
        assert memory.trouble is not None
        wrong = impossible_numbers(tiles, memory.trouble.labelled.open_ground)
        if not few_unknown(tiles) or wrong.any() or lacks_zeros(tiles) or may_be_won(tiles):
            raise result
        grid = self._calibration.grid
        if memory.previous is not None:
            changed = np.ones(tiles.shape, np.bool_)
            check_successor(frame, grid, memory.previous, tiles, changed)
        memory = replace(memory, smiley=memory.smiley.found(frame, grid))
        reading = self._reading(frame, tiles, tiles, confidence, memory)
        known = float(confidence[tiles != UNREAD].min())
        return replace(reading, confidence=known, rivals=result.rivals)

    def shown_mines(self, frame: Frame) -> NDArray[np.int8]:
        """Find the mines of a lost board, even if other tiles are covered.

        Returns int8 ``(rows, cols)``: a mine, an exploded one, or `UNREAD`. With a theme these are
        the tiles that match its mines; with a learned one, the mines that the numbers around them
        confirm. Too many kinds of tiles show none.
        """
        grid = self._calibration.grid
        try:
            clusters = cluster_tiles(frame, grid)
        except UnreadableTiles:
            return np.full((grid.rows, grid.cols), UNREAD, np.int8)
        return shown_mines(clusters, self._calibration.theme)

    def unchanged(self, frame: Frame, memory: Memory) -> float:
        """Return the share of tiles with the same pixels as in the last reading; 0 without one."""
        grid, previous = self._calibration.grid, memory.previous
        before = previous.pixels if previous else None
        return 1.0 - float(changed_tiles(board_pixels(frame, grid), before, grid).mean())

    def expecting_opening(self, memory: Memory, clicked: Sequence[Cell]) -> Memory:
        """Remember that a board at rest may show an opening without numbers around these cells.

        For a known program the theme shows which tiles are open.
        """
        if self._calibration.theme.program != LEARNED:
            return memory
        clicks = LastClicks(marked(memory.clicked.opened.shape, clicked), memory.in_play)
        return replace(memory, last_clicks=clicks, trouble=None)

    def expecting_clicks(
        self, memory: Memory, opened: Sequence[Cell], flagged: Sequence[Cell]
    ) -> Memory:
        """Remember which cells of an unknown program were clicked to open, or to flag, them.

        Flags may look like anything, and a tile that a click opened is not a flag.
        """
        if self._calibration.theme.program != LEARNED or not (opened or flagged):
            return memory
        return replace(memory, clicked=memory.clicked.adding(opened, flagged), trouble=None)

    def _reading(
        self,
        frame: Frame,
        tiles: Tiles,
        played: Tiles,
        confidence: NDArray[np.float64],
        memory: Memory,
    ) -> Reading:
        """Return the reading; ``played`` are the tiles without mines that cost lives."""
        board = Board(tiles, self._calibration.mines)
        counter = self._counter.read(frame, board) if self._counter else None
        shown = Board(played, board.mines)
        status = self._status(frame, shown, memory, counted=counter is not None)
        left = counter.mines_left if counter else None
        theme = self._calibration.theme.name
        return Reading(board, status, float(confidence.min()), left, confidence, theme)

    def _status(self, frame: Frame, board: Board, memory: Memory, *, counted: bool) -> Status:
        """Return the status of the game; ``counted``: the mine counter was read."""
        theme, grid, smiley = self._calibration.theme, self._calibration.grid, memory.smiley
        in_play = theme.profile.counter_only_in_play and counted
        found = verdict(
            Evidence(
                board.tiles,
                board.tiles if memory.in_play is None else memory.in_play,
                board.mines,
                words=partial(read_words, frame, grid),
                flags=theme.profile.flags_to_win,
                first=memory.in_play is None,
                program="" if theme.program == LEARNED else theme.program,
                face=Status.PLAYING if in_play else smiley.status(frame),
                has_face=smiley.box is not None,
                other_face=lambda: bool(theme.smileys) and not smiley.is_known(frame),
                new_face=smiley.learns,
                sunglasses=partial(smiley.wears_sunglasses, frame),
                lives=partial(counts_lives, frame, grid),
            )
        )
        if found.status is None:
            shown = None if found.may_change is None else board
            raise StatusUnclear(found.reason, shown, may_change=bool(found.may_change))
        return found.status

    def _won(self, board: TilePictures, labelled: Labelled, memory: Memory) -> Labelled | None:
        """Return a won board that is partly covered, if words or a smiley announce a win.

        None in play, where the board will be seen. An appearance shared by several unreadable tiles
        is the drawing of mines or, if other mines stay hidden, of flags. Plain tiles leave it in
        doubt.
        """
        sure = labelled.confidence >= MARGIN
        won = settled_after_win(np.where(sure, labelled.tiles, np.int8(UNREAD)))
        if won is None or memory.previous is not None:
            return None
        likely = np.stack([labelled.likeliest, labelled.rivals])
        mine, flag = ((likely == kind).any(axis=0) for kind in (Tile.MINE, Tile.FLAG))
        symbols = (won < 0) & ~sure
        if (symbols & labelled.even & (mine | flag)).any():
            return None
        symbols &= ~labelled.even
        symbols[symbols] = repeated(board.pictures[symbols])
        won[symbols] = np.where(mine & ~flag, Tile.MINE, Tile.FLAG)[symbols]
        smiley = memory.smiley.found(board.frame, board.grid)
        if not smiley.wears_sunglasses(board.frame):
            said = read_words(board.frame, board.grid)
            if said is None or said.status is not Status.WON:
                return None
        confidence = np.maximum(labelled.confidence, ~sure)
        return replace(labelled, tiles=won, confidence=confidence, whole=False)


def read(frame: Frame, calibration: Calibration) -> Reading:
    """Read the board of one frame. Raises the errors that `Reader.read` returns."""
    return Reader(calibration).read(frame).reading

"""From a frame and a calibration to a board that can be trusted.

A look is named once and known from then on: what the next frame shows again is recognised by
its coarse picture alone, and tiles whose pixels did not change are not looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.calibrate import Calibration
from calibration.changes import Last, altered_numbers, changed_tiles, veiled_tiles
from calibration.counter import CounterReader
from calibration.errors import (
    BoardCovered,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
)
from calibration.evidence import crops_of, doubt, name_cells
from calibration.face import Face
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.learn import MARGIN, draft_of, name_by
from calibration.memory import SAME_LOOK, Memory
from calibration.rules import UNREAD, broken, status_of
from calibration.theme import LEARNED
from solver.board import Board, Cell, Tile
from solver.game import Status


@dataclass(frozen=True, eq=False)
class Reading:
    """A board read from a frame, every tile above its margin.

    ``confidence`` (0..1) is that of the least certain tile, ``tile_confidence`` that of each,
    float64 ``(rows, cols)``; ``mines_left`` is what the program's counter shows, None where
    there is none or it cannot be read; ``theme`` the name of the theme it was read with.
    """

    board: Board
    status: Status
    confidence: float
    mines_left: int | None = None
    tile_confidence: NDArray[np.float64] = field(default_factory=lambda: np.ones((1, 1)))
    theme: str = LEARNED


MOST_HIDDEN = 4
"""Kinds of hidden tiles remembered: two of a chessboard, and those under a pointer."""

MOST_LOOKED_AT_AGAIN = 0.15
"""Share of tiles in doubt that is worth a second cut: all the flags of a board that was won.
With more, something lies over it or the grid is wrong."""


class Reader:
    """Reads frame after frame of one window and keeps the looks it has learned."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._memory = Memory()
        self._hidden: NDArray[np.uint8] | None = None
        self._last: Last | None = None
        place = calibration.counter
        self._counter = CounterReader(calibration.grid, place) if place else None
        self.face = Face(calibration.theme.faces)
        self._sought_face = False

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board; ``same_game`` says that it follows from the one read last.

        Raises `UnreadableTiles` or `BoardCovered` when a tile is in doubt, `ImpossibleBoard`
        when the tiles contradict each other or an open number of the same game has changed,
        `StatusUnclear` when the board and a sign beside it tell differently how the game stands.
        """
        grid = self._calibration.grid
        pixels = _board_pixels(frame, grid)
        if not same_game:
            self._last = None
        last = self._last
        changed = changed_tiles(pixels, last.pixels if last else None, grid)
        fresh = None
        if last is not None and not changed.any():
            tiles, confidence = last.tiles, last.confidence
        else:
            tiles, confidence, fresh = self._name(frame, changed)
        try:
            self._trust(frame, changed, tiles, confidence)
        except Unreadable as trouble:
            tiles, confidence, fresh = self._look_again(frame, changed, trouble)
        # A window caught half painted may show an open area without its numbers, which looks
        # like hidden tiles: where no number is seen, nothing is learned for good.
        if fresh is not None and (tiles > 0).any():
            self._memory.add(fresh, tiles.ravel(), confidence.ravel())
            self._keep_hidden(frame, tiles)
        self._last = Last(pixels.copy(), tiles, confidence)
        board = Board(tiles, self._calibration.mines)
        counter = self._counter.read(frame, board) if self._counter else None
        return Reading(
            board,
            self._status(frame, tiles, counted=counter is not None),
            float(confidence.min()),
            counter.mines_left if counter else None,
            confidence,
            self._calibration.theme.name,
        )

    def _status(self, frame: Frame, tiles: NDArray[np.int8], *, counted: bool) -> Status:
        """Tell how the game stands from the board and, where there is one, a sign beside it.

        A program that wants its mines flagged goes on when all else is open. A board with all
        that is free open outweighs a learned face that smiles: of such a program, or of one that
        came to mix up the last of many quick clicks (minegauler). Raises `StatusUnclear`.
        """
        status = status_of(tiles, self._calibration.mines)
        handling = self._calibration.theme.handling
        opened_up = status is Status.WON and bool((tiles == Tile.HIDDEN).any())
        if opened_up and handling.flags_to_win:
            status = Status.PLAYING
        if not self._sought_face:
            self._sought_face = True
            self.face.find(frame, self._calibration.grid)
        word = Status.PLAYING if handling.counter_ends and counted else self.face.says(frame)
        smiles_on = self.face.learns and (word, status) == (Status.PLAYING, Status.WON)
        if word not in (None, status) and not smiles_on:
            raise StatusUnclear(
                f"The board says {status.value}, but what stands beside it says {word.value}: "
                "wait until the window has come to rest, and try again."
            )
        return status

    def _look_again(
        self, frame: Frame, changed: NDArray[np.bool_], trouble: Unreadable
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float32]]:
        """Look anew at a board in doubt; raise ``trouble`` or what is left of it.

        First without what is remembered: a look named wrongly would spoil every board that
        shows it. Then, where few tiles are in doubt, with the tiles cut out a pixel to the side:
        a coarse digit or flag may be clear in one cut and not in another. All cuts must agree.
        """
        known = self._memory, self._hidden
        self._memory, self._hidden = Memory(), None
        try:
            return self._look_afresh(frame, changed, trouble)
        except Unreadable:
            # Nothing was named wrongly then: what is seen now is at fault.
            self._memory, self._hidden = known
            raise

    def _look_afresh(
        self, frame: Frame, changed: NDArray[np.bool_], trouble: Unreadable
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float32]]:
        """Look at a board knowing nothing but the theme. Raises as `_look_again`."""
        grid = self._calibration.grid
        pictures = tile_pictures.cut(frame, grid)
        tiles, confidence = self._learn(pictures)
        if 0 < (confidence < MARGIN).mean() <= MOST_LOOKED_AT_AGAIN:
            for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
                again, sure = self._learn(tile_pictures.cut(frame, grid.moved(dx, dy)))
                both = (confidence >= MARGIN) & (sure >= MARGIN)
                if (sure >= MARGIN).all() and not (both & (again != tiles)).any():
                    tiles, confidence = again, sure
                    break
            else:
                raise trouble
        self._trust(frame, changed, tiles, confidence)
        return tiles, confidence, _coarse_of(pictures)

    def _name(
        self, frame: Frame, changed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float32] | None]:
        """Name the changed tiles by known looks; learn again when a new look turns up.

        The third value is the coarse pictures of a board learned, to be remembered if it can
        be trusted.
        """
        grid = self._calibration.grid
        rows, cols = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        first, last = Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1]))
        here = changed[first.row : last.row + 1, first.col : last.col + 1]
        pictures = tile_pictures.cut(frame, grid.part(first, last))
        coarse = _coarse_of(pictures[here])
        look = self._memory.find(coarse)
        if (look >= 0).all():
            tiles = self._last.tiles.copy() if self._last else np.zeros(changed.shape, np.int8)
            sure = self._last.confidence.copy() if self._last else np.zeros(changed.shape)
            tiles[changed] = self._memory.names(look)
            sure[changed] = self._memory.certainty(look)
            return tiles, sure, None
        if not changed.all():
            pictures = tile_pictures.cut(frame, grid)
            coarse = _coarse_of(pictures)
        return *self._learn(pictures), coarse

    def _learn(self, pictures: NDArray[np.uint8]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """Name all looks of a frame: by the theme, by what is known, the others by learning."""
        draft = draft_of(pictures, self._hidden)
        look = self._memory.find(tile_pictures.coarse(draft.pictures))
        name_by(draft, self._calibration.theme, self._memory.names(look))
        return draft.tiles, draft.certainty[draft.groups]

    def _keep_hidden(self, frame: Frame, tiles: NDArray[np.int8]) -> None:
        """Keep a picture of each kind of hidden tile (a chessboard's are of two kinds)."""
        pictures = tile_pictures.cut(frame, self._calibration.grid)[tiles == Tile.HIDDEN]
        if len(pictures):
            _, leaders = tile_pictures.gather(tile_pictures.coarse(pictures), SAME_LOOK)
            self._hidden = pictures[leaders[:MOST_HIDDEN]]

    def _trust(
        self,
        frame: Frame,
        changed: NDArray[np.bool_],
        tiles: NDArray[np.int8],
        confidence: NDArray[np.float64],
    ) -> None:
        """Raise where a tile is in doubt or the board cannot be."""
        grid = self._calibration.grid
        doubtful = (confidence < MARGIN) | (tiles == UNREAD)
        if doubtful.any():
            raise doubt(frame, grid, doubtful)
        wrong = broken(tiles)
        if wrong.any():
            raise ImpossibleBoard(
                f"{name_cells(wrong)} cannot be right with the tiles around; the board was misread "
                "or something lies over it.",
                crops_of(frame, grid, wrong),
            )
        if self._last is not None:
            altered = altered_numbers(self._last.tiles, tiles)
            if altered.any():
                raise ImpossibleBoard(
                    f"{name_cells(altered)} changed though an open number never does.",
                    crops_of(frame, grid, altered),
                )
            veiled = veiled_tiles(self._last, _board_pixels(frame, grid), changed, tiles)
            if veiled.any():
                raise BoardCovered(
                    f"Something seems to lie over the board: {veiled.sum()} hidden tiles look "
                    "unlike a moment ago. Move it away, or close it.",
                    crops_of(frame, grid, veiled),
                )


def read(frame: Frame, calibration: Calibration) -> Reading:
    """Read the board at the calibrated place.

    Raises `UnreadableTiles`, `BoardCovered` or `ImpossibleBoard` when any tile is in doubt.
    """
    return Reader(calibration).read(frame)


def _coarse_of(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Take the coarse pictures of tiles in whatever arrangement."""
    return tile_pictures.coarse(pictures.reshape(-1, *pictures.shape[-3:]))


def _board_pixels(frame: Frame, grid: Grid) -> NDArray[np.uint8]:
    x0, y0, x1, y1 = grid.bounds
    return frame.pixels[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)]

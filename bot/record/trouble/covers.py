"""What lay over the board in the frames of a failure? Its shape is evidence, its content private.

A tile belongs to the board if it looks like some tile of a frame that can be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bot.record.trouble.moments import Moment
from bot.record.trouble.ring import Kept
from calibration.frame import Frame
from calibration.points import PixelBox
from calibration.reader import Reader
from calibration.reading import Reading
from solver.board import Cell


class BoardLooks:
    """The looks that a board had in the frames that can be read."""

    def __init__(self, frames: Sequence[Kept[Moment]]) -> None:
        self._tiles = set[bytes]()
        self._last: dict[object, Frame] = {}
        self._readable = {id(kept) for kept in frames if _can_be_read(kept)}
        for kept in frames:
            if id(kept) in self._readable:
                self._tiles |= {_cut(kept.frame, tile) for tile in _tiles(kept)}
                self._last[_place(kept)] = kept.frame

    def covers(self, kept: Kept[Moment]) -> Iterator[PixelBox]:
        """Yield the pieces of what a frame shows of the board that are not the board's own."""
        if id(kept) in self._readable:
            return
        frame, before = kept.frame, self._last.get(_place(kept))
        whole, *counter = kept.note.shown(frame)
        board = kept.note.in_frame(frame).grid.bounds
        for box in counter:
            if before is None or _cut(frame, box) != _cut(before, box):
                yield box
        for tile in _tiles(kept):
            piece = _with_border(tile, board, whole)
            beside = _border(frame, piece, tile)
            border_stays = before is not None and beside == _border(before, piece, tile)
            if _cut(frame, tile) not in self._tiles or not border_stays:
                yield piece


def _can_be_read(kept: Kept[Moment]) -> bool:
    result, _ = Reader(kept.note.in_frame(kept.frame)).read(kept.frame)
    return isinstance(result, Reading)


def _tiles(kept: Kept[Moment]) -> Iterator[PixelBox]:
    grid = kept.note.in_frame(kept.frame).grid
    for row, col in np.ndindex(grid.rows, grid.cols):
        yield grid.box(Cell(row, col))


def _place(kept: Kept[Moment]) -> object:
    return kept.frame.origin, kept.frame.pixels.shape, kept.note.calibration.grid


def _cut(frame: Frame, box: PixelBox) -> bytes:
    return frame.pixels[box.y0 : box.y1, box.x0 : box.x1].tobytes()


def _with_border(tile: PixelBox, board: PixelBox, shown: PixelBox) -> PixelBox:
    """Return a tile, with what is shown beside it if it lies at an edge of the board."""
    return PixelBox(
        shown.x0 if tile.x0 <= board.x0 else tile.x0,
        shown.y0 if tile.y0 <= board.y0 else tile.y0,
        shown.x1 if tile.x1 >= board.x1 else tile.x1,
        shown.y1 if tile.y1 >= board.y1 else tile.y1,
    )


def _border(frame: Frame, piece: PixelBox, tile: PixelBox) -> bytes:
    """Return the pixels of a piece that lie beside its tile."""
    pixels = frame.pixels[piece.y0 : piece.y1, piece.x0 : piece.x1].copy()
    pixels[tile.y0 - piece.y0 : tile.y1 - piece.y0, tile.x0 - piece.x0 : tile.x1 - piece.x0] = 0
    return pixels.tobytes()

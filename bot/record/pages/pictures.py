"""Pictures of boards for a page: cut out of the frames, small enough to be sent with it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.errors import BadSession
from bot.record.places import grid_in
from bot.record.session import Session
from calibration.frame import Frame
from solver.board import Board, Tile
from solver.bounds import PICTURE_PIXELS

Line: TypeAlias = Mapping[str, Any]
"""A line of a session."""

Pixels: TypeAlias = NDArray[np.uint8]

QUALITIES = (60, 40, 25, 12)
"""WebP qualities tried in turn until a picture fits. At 60 the tiles of a 16x30 board of
`gnome-mines` take 9 to 14 KB a picture."""

WIDEST_PX = 1100
HIGHEST_PX = 2200
"""Pictures are scaled down to this size; a page shows them no wider."""

FRAMES_PX = 400_000_000
"""Pixels of frames that are decoded for a page, in 16 s: 300 turns of an expert board take 320
million."""

THUMBNAIL_PX = 200
"""Longer side of the picture of a game on an index."""

COLOURS: dict[int, tuple[int, int, int]] = {
    **{number: (244 - 14 * number,) * 3 for number in range(9)},
    Tile.HIDDEN: (168, 175, 186),
    Tile.FLAG: (232, 166, 0),
    Tile.QUESTION: (168, 175, 186),
    Tile.MINE: (60, 60, 60),
    Tile.EXPLODED: (217, 48, 37),
    Tile.WRONG_FLAG: (232, 110, 100),
    Tile.UNKNOWN: (168, 175, 186),
}
"""The colours of tiles on a board that is drawn small; a higher number is darker."""


class FramesOnce:
    """The frames of a session, for one page or clip: at most `FRAMES_PX` pixels are decoded.

    The last frame is kept: several lines in a row may name the same one.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._left = session, FRAMES_PX
        self._last: tuple[Any, Frame | None] = None, None

    def of(self, step: Line) -> Frame | None:
        """Return the frame of a step; None where it is missing, damaged, or one too many."""
        key = step.get("frame"), step.get("origin"), step.get("scale")
        if key != self._last[0]:
            self._last = key, self._decoded(step)
        return self._last[1]

    def _decoded(self, step: Line) -> Frame | None:
        if "frame" not in step or self._left <= 0:
            return None
        try:
            frame = self._session.frame(step)
        except BadSession:  # of a damaged one nobody knows how much was decoded
            there = (self._session.folder / str(step["frame"])).exists()
            self._left -= PICTURE_PIXELS if there else 0
            return None
        self._left -= frame.width * frame.height
        return frame


def board_pictures(
    session: Session, steps: Sequence[tuple[Line, Line | None]], room: int
) -> list[str | None]:
    """Encode the board of every step as a data address, together at most ``room`` bytes.

    A step comes with the line that says where the board lay. One picture is encoded after another;
    each gets an equal share of the room that is left, and none if its share is too small.
    """
    frames, pictures = FramesOnce(session), list[str | None]()
    for left, (step, place) in zip(range(len(steps), 0, -1), steps, strict=True):
        frame = frames.of(step)
        picture = None if frame is None else _encoded(crop_board(frame, place), room // left)
        room -= len(picture or "")
        pictures.append(picture)
    return pictures


def _encoded(pixels: Pixels, most: int) -> str | None:
    """Encode a picture in the best quality that has at most ``most`` bytes, None if none has."""
    for quality in QUALITIES:
        address = data_address(_webp(pixels, quality))
        if len(address) <= most:
            return address
    return None


def data_address(webp: bytes) -> str:
    """Return the address under which a page finds a picture in itself."""
    return f"data:image/webp;base64,{base64.b64encode(webp).decode()}"


def crop_board(frame: Frame, place: Line | None) -> Pixels:
    """Cut the board with half a tile around it out of a frame; scale it down for a page."""
    crop = frame.pixels if place is None else _cut(frame, place)
    scale = min(1.0, WIDEST_PX / crop.shape[1], HIGHEST_PX / crop.shape[0])
    if scale == 1.0:
        return crop
    size = tuple(max(1, round(scale * side)) for side in crop.shape[1::-1])
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)


def _cut(frame: Frame, place: Line) -> Pixels:
    grid = grid_in(frame, place)
    pad_x, pad_y = grid.tile_w / 2, grid.tile_h / 2
    left, top = max(0, round(grid.x0 - pad_x)), max(0, round(grid.y0 - pad_y))
    right = round(grid.x0 + grid.cols * grid.tile_w + pad_x)
    bottom = round(grid.y0 + grid.rows * grid.tile_h + pad_y)
    crop = frame.pixels[top : max(0, bottom), left : max(0, right)]
    return crop if crop.size else frame.pixels


def _webp(pixels: Pixels, quality: int) -> bytes:
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, quality])
    return bytes(np.asarray(data))


def thumbnail(session: Session, step: Line, place: Line | None, board: Board) -> str:
    """Return a small picture of a board, as it was on the screen or, without a frame, drawn."""
    frame = FramesOnce(session).of(step)
    pixels = _drawn(board) if frame is None else crop_board(frame, place)
    scale = THUMBNAIL_PX / max(pixels.shape[:2])
    size = (max(1, round(scale * side)) for side in pixels.shape[1::-1])
    small = cv2.resize(pixels, tuple(size), interpolation=cv2.INTER_AREA)
    return data_address(_webp(np.asarray(small, np.uint8), QUALITIES[0]))


def _drawn(board: Board) -> Pixels:
    """Draw a board with a square for each tile."""
    squares = np.array([[COLOURS[tile] for tile in row] for row in board.tiles.tolist()], np.uint8)
    drawn = squares.repeat(12, axis=0).repeat(12, axis=1)
    drawn[::12], drawn[:, ::12] = 255, 255
    return np.asarray(drawn)

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
from solver.board import Board, Tile

Line: TypeAlias = Mapping[str, Any]
"""A line of a session."""

Pixels: TypeAlias = NDArray[np.uint8]

QUALITIES = (60, 40, 25, 12)
"""WebP qualities tried in turn until all pictures fit. At 60 the tiles of a 16x30 board of
`gnome-mines` take 9 to 14 KB a picture."""

WIDEST_PX = 1100
"""Pictures are scaled down to this width; a page shows them no wider."""


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


def board_pictures(
    session: Session, steps: Sequence[tuple[Line, Line | None]], room: int
) -> list[str | None]:
    """Encode the board of every step as a data address, together at most ``room`` bytes.

    A step comes with the line that says where the board lay.
    """
    crops = [crop_board(session, step, place) for step, place in steps]
    encoded: list[bytes | None] = []
    for quality in QUALITIES:
        encoded = [None if crop is None else _webp(crop, quality) for crop in crops]
        if sum(len(data) * 4 // 3 for data in encoded if data) <= room:
            break
    return [None if data is None else data_address(data) for data in encoded]


def data_address(webp: bytes) -> str:
    """Return the address under which a page finds a picture in itself."""
    return f"data:image/webp;base64,{base64.b64encode(webp).decode()}"


def crop_board(session: Session, step: Line, place: Line | None) -> Pixels | None:
    """Cut the board with half a tile around it out of a step's frame."""
    try:
        frame = session.frame(step)
    except BadSession:
        return None
    if place is None:
        return frame.pixels
    grid = grid_in(frame, place)
    pad_x, pad_y = grid.tile_w / 2, grid.tile_h / 2
    left, top = max(0, round(grid.x0 - pad_x)), max(0, round(grid.y0 - pad_y))
    right = round(grid.x0 + grid.cols * grid.tile_w + pad_x)
    bottom = round(grid.y0 + grid.rows * grid.tile_h + pad_y)
    crop = frame.pixels[top:bottom, left:right]
    if crop.size == 0:
        return frame.pixels
    if crop.shape[1] > WIDEST_PX:
        size = (WIDEST_PX, max(1, round(crop.shape[0] * WIDEST_PX / crop.shape[1])))
        crop = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    return crop


def _webp(pixels: Pixels, quality: int) -> bytes:
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, quality])
    return bytes(np.asarray(data))


def thumbnail(session: Session, step: Line, place: Line | None, board: Board) -> str:
    """Return a small picture of a board, as it was on the screen or, without a frame, drawn."""
    pixels = crop_board(session, step, place) if "frame" in step else None
    if pixels is None:
        pixels = _drawn(board)
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

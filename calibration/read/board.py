"""Read a board by the network and the rules: a label for each tile, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.labels import LABELS, columns_of
from calibration.read.decode import decode_board, groups_of, may_be, open_ground
from calibration.read.network import name_tiles
from calibration.read.views import cut_views
from calibration.rules import UNREAD, Mask, Tiles


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """What the network and the rules say of a board; all arrays are ``(rows, cols)``.

    ``tiles`` int8 are as in `Board`, `UNREAD` for what is not a tile of the game. ``confidence`` is
    the probability of each, 0 for what is rather no tile, and ``rivals`` are the next likely tiles.
    ``open_ground`` marks zeros that are open by their look alone. ``is_possible`` says that a game
    can look so. ``chances`` float64 ``(rows, cols, 16)`` is the probability of each of `LABELS`.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    is_possible: bool
    chances: NDArray[np.float64]


def read_board(
    pixels: NDArray[np.uint8],
    grid: Grid,
    fresh: NDArray[np.uint8] | None = None,
    opened: Mask | None = None,
) -> NetworkReading:
    """Read the board on a grid of a picture, uint8 ``(height, width, 3)``.

    ``fresh`` are the views of the board before the first click (`cut_views`), ``opened`` marks the
    cells that were clicked to open them. Raises `BadNetwork`.
    """
    cut = cut_views(pixels, grid)
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    logits, is_tile = name_tiles(cut, groups, fresh, opened)
    decoded = decode_board(logits, groups)
    tiles, chances = LABELS[decoded.columns][groups], decoded.chances[groups]
    columns = columns_of(tiles)[..., None].astype(np.intp)
    confidence = np.take_along_axis(chances, columns, 2)[..., 0]
    others = chances.copy()
    np.put_along_axis(others, columns, -1.0, 2)
    zeros = open_ground(logits, tiles)
    return NetworkReading(
        tiles=tiles,
        confidence=np.where((tiles == UNREAD) | (is_tile < 0), 0.0, confidence),
        rivals=np.asarray(LABELS[others.argmax(axis=2)], np.int8),
        open_ground=zeros,
        is_possible=may_be(tiles, zeros),
        chances=chances,
    )

"""What the rules of Minesweeper say about tiles: the check that no misreading survives."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from solver.board import Tile
from solver.game import Status

UNREAD = -7
"""Stands for a tile that is not read; any tile might hide there."""

Tiles = NDArray[np.int8]
Mask = NDArray[np.bool_]

_AROUND = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.float32)


def count_around(mask: Mask) -> NDArray[np.int8]:
    """Count the marked cells among the up to eight that touch each cell."""
    summed = cv2.filter2D(mask.astype(np.float32), -1, _AROUND, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(np.rint(summed), dtype=np.int8)


def broken(tiles: Tiles) -> Mask:
    """Mark the open cells whose number cannot be right.

    A number needs at least as many cells around it that may hide a mine, and at most as many
    shown mines. A zero opens all around it: only a flag, a question mark or a wrong flag may
    have stayed.
    """
    if not (tiles >= 0).any():
        return np.zeros(tiles.shape, np.bool_)
    mines = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED)
    unread = tiles == UNREAD
    may_hide = mines | unread | ((tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION))
    too_few = tiles > count_around(may_hide)
    too_many = (tiles >= 0) & (tiles < count_around(mines))
    not_opened = (tiles == 0) & (count_around(tiles == Tile.HIDDEN) > 0)
    return np.asarray(too_few | too_many | not_opened)


def status_of(tiles: NDArray[np.int8], mines: int | None) -> Status:
    """Tell how the game stands from the tiles alone.

    Lost: a mine, an exploded mine or a wrong flag is shown. Won: every number has as many covered
    tiles around it as it says, and as many are covered as there are mines, or, where their
    number is not known, every covered tile touches a number. A total alone may be a mistake.
    """
    if np.isin(tiles, (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)).any():
        return Status.LOST
    covered = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION)
    numbers = tiles >= 0
    exact = not (numbers & (tiles != count_around(covered))).any()
    if mines is not None:
        return Status.WON if exact and int(covered.sum()) == mines else Status.PLAYING
    bordered = not (covered & (count_around(numbers) == 0)).any()
    return Status.WON if numbers.any() and exact and bordered else Status.PLAYING

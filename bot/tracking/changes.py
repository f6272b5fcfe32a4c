"""What changed between two pictures: where, and whether it is more than the cells opened."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bot.tracking.boxes import box_slices, grow_box
from bot.tracking.dimmed import LEAST_TILES
from bot.tracking.dimmed import undimmed as undimmed_by
from bot.tracking.target import Pixels, Target
from calibration.frame import Frame
from calibration.likeness import SAME_PIXEL, colour_steps
from calibration.points import PixelBox
from solver.board import Board

CLOCK_SHARE = 0.06
"""How far apart the changes of a clock are at most, as a share of the board with its surroundings:
one digit or several may change. Two of confetti were 0.25 apart."""

LEAST_OF_LINE = 0.3
"""Share of the columns of a line of text that change if it is moved: where a clock beside it gets
one digit more. In a line of confetti few do."""

OVERREACH_PX = 2
"""How far an opened tile may reach."""


def undimmed(target: Target, before: Frame, after: Frame, board: Board) -> Frame | None:
    """Return ``after`` as bright as ``before``, which shows ``board``, if a page dimmed it.

    If too few tiles are open, as after a first click on a mine, all tiles are compared.
    """
    tiles = target.boxes_of(board.open)
    if len(tiles) < LEAST_TILES:
        tiles = target.boxes_of(np.ones_like(board.open))
    return undimmed_by(before, after, tiles)


def shows_more(
    target: Target,
    before: Frame,
    after: Frame,
    opened_from: Board,
    board: Board,
    *,
    hidden_only: bool = False,
) -> bool:
    """Whether frames of the region differ in more than the cells opened on ``board``.

    Or, with ``hidden_only``, in most cells that are not open: a single one may still show that
    the pointer was over it.
    """
    if before.pixels.shape != after.pixels.shape:
        return not hidden_only
    off = colour_steps(before.pixels, after.pixels) > SAME_PIXEL
    corner = PixelBox(0, 0, 0, 0)
    for box in target.boxes_of(board.open & ~opened_from.open):
        off[box_slices(grow_box(box, OVERREACH_PX, after), corner)] = False
    if hidden_only:
        boxes = target.boxes_of(~board.open)
        changed = [bool(off[box_slices(box, corner)].any()) for box in boxes]
        return 2 * sum(changed) > len(changed)
    return bool(off.any())


class Place(NamedTuple):
    """The box of what changed in a picture, in pixels, and the share of its columns that did."""

    top: int
    left: int
    bottom: int
    right: int
    filled: float


def place_of_change(before: Pixels, after: Pixels) -> Place | None:
    """Return the place of what changed in a picture; None if nothing did, or its size."""
    if before.shape != after.shape or not (changed := (before != after).any(axis=2)).any():
        return None
    rows, cols = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    top, bottom, left, right = (int(end) for line in (rows, cols) for end in (line[0], line[-1]))
    return Place(top, left, bottom, right, len(cols) / (right - left + 1))


def is_one_place(one: Place, other: Place, picture: Pixels) -> bool:
    """Whether two changes of a picture are as near to each other as those of a clock.

    Or one is a whole line of text with the other in it: that of a clock which reached 10 or 100.
    """
    limit = CLOCK_SHARE * max(picture.shape)
    if abs(one.top + one.bottom - other.top - other.bottom) > 2 * limit:
        return False
    if abs(one.left + one.right - other.left - other.right) <= 2 * limit:
        return True
    part, line = sorted((one, other), key=lambda place: place.right - place.left)
    inside = line.left <= part.left and part.right <= line.right
    return inside and line.bottom - line.top <= limit and line.filled >= LEAST_OF_LINE

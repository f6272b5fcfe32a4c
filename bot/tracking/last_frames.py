"""The frames seen since the last clicks, and what they tell of the board."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bot.errors import BoardChanged
from bot.tracking.boxes import box_slices, grow_box
from bot.tracking.dimmed import LEAST_TILES, undimmed
from bot.tracking.observation import Observation, check_same_game, status_fits_board
from bot.tracking.target import Pixels
from bot.tracking.tracker import BoardTracker
from calibration.errors import CalibrationError, StatusUnclear
from calibration.frame import Frame
from calibration.indicators.lives import life_lost
from calibration.points import PixelBox
from calibration.rules import Tiles
from solver.board import Board, Cell
from solver.game import Status

MOST_PICTURES = 16
"""Pictures of a changing board that are kept: pages cover their finished boards within 0.5 s."""

CLOCK_SHARE = 0.06
"""How far apart the changes of a clock are at most, as a share of the board with its surroundings:
one digit or several may change. Two of confetti were 0.25 apart."""

LEAST_FILLED = 0.3
"""Share of the columns of a line of text that change if it is moved: where a clock beside it gets
one digit more. In a line of confetti few do."""

SAME_STEPS, EDGE_PX = 8, 2
"""Colour steps up to which a pixel did not change, and how far an opened tile may reach."""


class LastFrames:
    """Keeps what the board looked like while it changed: its end may be covered a moment later."""

    def __init__(self, tracker: BoardTracker) -> None:
        self._tracker = tracker
        self._pictures: deque[Pixels] = deque(maxlen=MOST_PICTURES)

    def clear(self) -> None:
        """Forget all pictures: clicks were sent."""
        self._pictures.clear()

    def add(self, picture: Pixels) -> None:
        """Keep one more picture of the board."""
        self._pictures.append(picture)

    def look_back(self, last: Frame) -> Iterator[Frame]:
        """Yield the frames seen since the last clicks, the newest first; ``last`` as a whole frame.

        Only the board of these frames is of their time; what lies around it is that of ``last``.
        """
        board = box_slices(self._tracker.target.board_box, self._tracker.target.region)
        for picture in reversed(self._pictures):
            pixels = last.pixels.copy()
            if picture.shape == pixels[board].shape:
                pixels[board] = picture
                yield Frame(pixels, last.origin, last.scale)

    def undimmed(self, before: Frame, after: Frame, board: Board) -> Frame | None:
        """Return ``after`` as bright as ``before``, which shows ``board``, if a page dimmed it.

        Where too few tiles are open to tell, as after a first click on a mine, all tiles tell.
        """
        tiles = self._tracker.open_boxes(board)
        if len(tiles) < LEAST_TILES:
            tiles = self._tracker.boxes_of(np.ones_like(board.open))
        return undimmed(before, after, tiles)

    def note_survived(self, cells: Iterable[Cell]) -> None:
        """Have the board read as under way though these cells show mines: they took lives."""
        self._tracker.target.reader.survived = frozenset(cells)

    def lost_a_life(self, before: Frame, after: Frame) -> bool:
        """Whether one of a row of pictures beside the board is gone or grey in ``after``."""
        return life_lost(before, after, self._tracker.target.in_region.grid)

    def face_changed(self, frame: Frame) -> bool:
        """Whether there is a face beside the board that looks unlike it did during the game."""
        smiley = self._tracker.target.reader.smiley
        return smiley.box is not None and not smiley.is_known(frame, Status.PLAYING)

    def read_end(self, frame: Frame, after: Board) -> Observation | None:
        """Read a frame that may show the end of the game of ``after``; None if it does not."""
        try:
            observation = Observation(frame, self._tracker.read(frame))
            check_same_game(after, observation.board)
        except (CalibrationError, BoardChanged):
            return None
        return observation if observation.over and status_fits_board(observation) else None

    def read_unclear(self, frame: Frame) -> StatusUnclear | None:
        """Return why a frame does not tell the status; None if it does, or cannot be read."""
        try:
            self._tracker.read(frame)
        except StatusUnclear as unclear:
            return unclear
        except CalibrationError:
            return None
        return None

    def changed_cells(self, before: Frame, after: Frame, cells: Sequence[Cell]) -> list[Cell]:
        """List the cells whose tiles look different in two frames of the region."""
        return self._tracker.changed_cells(before, after, cells)

    def shown_mines(self, frame: Frame) -> Tiles:
        """Return the mines that a frame of the region shows, whatever lies over other tiles."""
        return self._tracker.target.reader.shown_mines(frame)

    def shows_more(
        self,
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
        off = np.ptp(np.stack([before.pixels, after.pixels]), axis=0).max(axis=2) > SAME_STEPS
        corner = PixelBox(0, 0, 0, 0)
        for box in self._tracker.boxes_of(board.open & ~opened_from.open):
            off[box_slices(grow_box(box, EDGE_PX, after), corner)] = False
        if hidden_only:
            boxes = self._tracker.boxes_of(~board.open)
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
    return inside and line.bottom - line.top <= limit and line.filled >= LEAST_FILLED

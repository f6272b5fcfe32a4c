"""What is remembered of the frames of one window. Values: nothing in them changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bot.tracking.dimmed import is_dimmed
from bot.tracking.hidden import HiddenTiles
from bot.tracking.places import is_moved
from bot.tracking.target import Pixels, Target
from calibration.calibration import Calibration
from calibration.errors import BoardCovered, CalibrationError
from calibration.frame import Frame
from calibration.memory import Memory
from calibration.reading import Reading
from solver.board import Board, Tile
from solver.game import Status

MOST_PICTURES = 16
"""Pictures of a changing board that are kept: pages cover their finished boards within 0.5 s."""


class LastRead(NamedTuple):
    """The last board that was read, in which frame of the region, and by which calibration."""

    frame: Frame
    board: Board
    calibration: Calibration


@dataclass(frozen=True, eq=False)
class FrameMemory:
    """What is remembered of the frames in which a board was seen.

    ``reader`` is what its reader remembers, ``hidden`` what its hidden tiles look like. While the
    board changes after clicks, ``pictures`` are what it looked like: its end may be covered a
    moment later. ``kinds_of_numbers`` is the largest number of them that a board showed, at which
    the program was recognised, and ``program_confirmed`` says that it was.
    """

    reader: Memory
    hidden: HiddenTiles = field(default_factory=HiddenTiles)
    last_read: LastRead | None = None
    pictures: tuple[Pixels, ...] = ()
    kinds_of_numbers: int = 1
    program_confirmed: bool = False

    @classmethod
    def of(cls, target: Target) -> FrameMemory:
        """Return what is remembered of a board of which no frame was read yet."""
        return cls(target.reader.begin())

    def moved_to(self, new: Target, old: Target) -> FrameMemory:
        """Return what of it holds for the board found again: its readers' memories are apart.

        The tiles before the first click do if the board is cut like it.
        """
        fresh = self.reader.fresh if is_moved(new.on_screen.grid, old.on_screen.grid) else None
        reader = replace(new.reader.begin(fresh), survived=self.reader.survived)
        if reader.clicked.opened.shape == self.reader.clicked.opened.shape:
            smiley = reader.smiley.knowing(self.reader.smiley)
            reader = replace(reader, clicked=self.reader.clicked, smiley=smiley)
        return replace(self, reader=reader)

    def reading(
        self, target: Target, frame: Frame, *, same_game: bool = True
    ) -> tuple[Reading | CalibrationError, FrameMemory]:
        """Read the board in a frame of the region, or tell why not, as `Reader.read` does.

        Tells `BoardCovered` if an unknown program dimmed the board of a game under way: plain tiles
        look like marks then, and a dialog takes the clicks.
        """
        told, reader = target.reader.read(frame, self.reader, same_game=same_game)
        after = replace(self, reader=reader)
        if not isinstance(told, Reading):
            return told, after
        if same_game and told.status is Status.PLAYING and self._is_dimmed(target, frame, told):
            return BoardCovered("the board is dimmed, as behind a dialog"), after
        last_read = LastRead(frame, told.board, target.in_region)
        return told, replace(after, last_read=last_read)

    def _is_dimmed(self, target: Target, frame: Frame, now: Reading) -> bool:
        if target.is_known or self.last_read is None:
            return False
        before, board, there = self.last_read
        if there.grid != target.in_region.grid:
            return False
        hidden = (board.tiles == Tile.HIDDEN) & (now.board.tiles == Tile.HIDDEN)
        return is_dimmed(before, frame, target.boxes_of(board.open), target.boxes_of(hidden))

    def seeing(self, picture: Pixels) -> FrameMemory:
        """Return it with one more picture of a changing board."""
        return replace(self, pictures=(*self.pictures, picture)[-MOST_PICTURES:])

    def after_clicks(self) -> FrameMemory:
        """Return it without the pictures from before the clicks."""
        return replace(self, pictures=())

    def look_back(self, target: Target, last: Frame) -> Iterator[Frame]:
        """Yield the frames seen since the last clicks, the newest first; ``last`` as a whole frame.

        Only the board of these frames is of their time; what lies around it is that of ``last``.
        """
        for picture in reversed(self.pictures):
            if (frame := target.with_board(last, picture)) is not None:
                yield frame

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
from calibration.grid import Grid
from calibration.memory import Memory
from calibration.reading import Reading
from solver.board import Board, Tile
from solver.game import Status

MOST_PICTURES = 16
"""Pictures of a changing board that are kept: pages cover their finished boards within 0.5 s."""


class LastRead(NamedTuple):
    """The last board that was read, in which frame of the region, and where it lay in that."""

    frame: Frame
    board: Board
    grid: Grid


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

    def seeing(self, picture: Pixels) -> FrameMemory:
        """Return it with one more picture of a changing board."""
        return replace(self, pictures=(*self.pictures, picture)[-MOST_PICTURES:])

    def look_back(self, target: Target, last: Frame) -> Iterator[Frame]:
        """Yield the frames seen since the last clicks, the newest first; ``last`` as a whole frame.

        Only the board of these frames is of their time; what lies around it is that of ``last``.
        """
        for picture in reversed(self.pictures):
            if (frame := target.with_board(last, picture)) is not None:
                yield frame


class Followed(NamedTuple):
    """A board that is followed, and what is remembered of it."""

    target: Target
    memory: FrameMemory

    @classmethod
    def first(cls, screen: Frame, calibration: Calibration) -> Followed:
        """Return the board that ``calibration`` describes on a picture of the screen."""
        target = Target.at(screen, calibration)
        return cls(target, FrameMemory(target.reader.begin()))

    def at(self, screen: Frame, calibration: Calibration) -> Followed:
        """Return it where ``calibration`` describes it on another picture of the screen."""
        target = Target.at(screen, calibration, self.target)
        return Followed(target, self.memory.moved_to(target, self.target))

    def read(
        self, region: Frame, *, same_game: bool = True
    ) -> tuple[Reading | CalibrationError, Followed]:
        """Read the board in a frame of its region, or return the error, as `Reader.read` does.

        Returns `BoardCovered` if an unknown program dimmed the board during a game: plain tiles
        look like marks then, and a dialog takes the clicks.
        """
        target, memory = self
        told, reader = target.reader.read(region, memory.reader, same_game=same_game)
        memory = replace(memory, reader=reader)
        if isinstance(told, Reading):
            if same_game and told.status is Status.PLAYING and self._is_dimmed(region, told.board):
                told = BoardCovered("the board is dimmed, as behind a dialog")
            else:
                last_read = LastRead(region, told.board, target.in_region.grid)
                memory = replace(memory, last_read=last_read)
        return told, Followed(target, memory)

    def _is_dimmed(self, region: Frame, now: Board) -> bool:
        target, last = self.target, self.memory.last_read
        if target.is_known or last is None or last.grid != target.in_region.grid:
            return False
        hidden = (last.board.tiles == Tile.HIDDEN) & (now.tiles == Tile.HIDDEN)
        open_boxes, hidden_boxes = (target.boxes_of(some) for some in (last.board.open, hidden))
        return is_dimmed(last.frame, region, open_boxes, hidden_boxes)

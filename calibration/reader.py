"""From a frame and a calibration to a board that can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.calibrate import Calibration
from calibration.frame import Frame
from solver.board import Board
from solver.game import Status


@dataclass(frozen=True)
class Reading:
    """A board read from a frame, every tile above its margin.

    ``confidence`` (0..1) is that of the least certain tile; ``mines_left`` is what the
    program's counter shows, None where there is none or it cannot be read.
    """

    board: Board
    status: Status
    confidence: float
    mines_left: int | None = None


def read(frame: Frame, calibration: Calibration) -> Reading:
    """Read the board at the calibrated place.

    Raises `UnreadableTiles`, `BoardCovered` or `ImpossibleBoard` when any tile is in doubt.
    """
    raise NotImplementedError

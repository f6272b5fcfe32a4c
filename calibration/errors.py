"""Errors of calibration and reading. Each leaf is one decision that the caller can take.

A message says what is wrong. What helps depends on the source of the picture, which only the caller
knows.

CalibrationError
├── BadImage            the file or array is not a usable picture
├── NoGrid              no board in the frame, or none that can be used
├── SeveralGrids        more than one board, and none was chosen
├── BadCalibration      a calibration cannot be loaded or saved
├── BadNetwork          the weights of a network cannot be read
└── Unreadable          the grid is known, but the board on it cannot be trusted
    ├── UnreadableGrid      a grid with numbers on it, but no board that makes sense
    ├── UnreadableTiles     tiles below the margin, with their pictures
    ├── BoardCovered        something covers the board
    ├── ImpossibleBoard     the tiles contradict each other
    └── StatusUnclear       the board and an indicator beside it disagree on the game's status
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from solver.board import Board, Cell


class CalibrationError(Exception):
    """Base of every error of calibration and reading.

    ``remedy`` is what helps, if that differs between errors of one class.
    """

    remedy = ""


class BadImage(CalibrationError):
    """The file or array is not a usable picture."""


class NoGrid(CalibrationError):
    """No Minesweeper board in the frame can be used: there is none, or only a part is in sight."""


class SeveralGrids(CalibrationError):
    """The frame shows more than one board; ``grids`` holds all of them."""

    def __init__(self, message: str, grids: tuple[Grid, ...]) -> None:
        super().__init__(message)
        self.grids = grids


class BadCalibration(CalibrationError):
    """A calibration cannot be loaded, or not be saved."""


class BadNetwork(CalibrationError):
    """The file of a network's weights is missing or damaged."""


class Unreadable(CalibrationError):
    """The grid is known, but the board on it cannot be trusted.

    ``tiles`` maps each doubtful cell to its picture, RGB uint8 ``(height, width, 3)``. ``labels``
    int8 ``(rows, cols)`` is what the others were read as, `Tile.UNKNOWN` where one is in doubt;
    ``rivals`` int8 ``(2, rows, cols)`` are the two likeliest tiles, and ``confidence`` float64
    ``(rows, cols)`` is the probability of the likeliest.
    """

    labels: NDArray[np.int8] | None = None
    rivals: NDArray[np.int8] | None = None
    confidence: NDArray[np.float64] | None = None

    def __init__(self, message: str, tiles: dict[Cell, NDArray[np.uint8]] | None = None) -> None:
        super().__init__(message)
        self.tiles: dict[Cell, NDArray[Any]] = tiles or {}


class UnreadableGrid(Unreadable):
    """A ``grid`` with numbers was found, but its tiles cannot be read."""

    def __init__(self, message: str, grid: Grid) -> None:
        super().__init__(message)
        self.grid = grid


class UnreadableTiles(Unreadable):
    """The confidence of some tiles is below the margin."""


class BoardCovered(Unreadable):
    """Something covers the board."""


class ImpossibleBoard(Unreadable):
    """The tiles contradict each other: no Minesweeper board shows them together."""


class StatusUnclear(Unreadable):
    """The board and an indicator beside it disagree on the status of the game, or show too little.

    ``board`` is the board that was read, if it shows mines: whoever made the last click may know
    the result. ``may_change``: these may be tiles that are still being painted.
    """

    def __init__(
        self, message: str, board: Board | None = None, *, may_change: bool = False
    ) -> None:
        super().__init__(message)
        self.board = board
        self.may_change = may_change

"""Errors of the eyes. Each leaf is one decision the caller can take, with its evidence.

CalibrationError
├── BadImage            the file or array is no usable picture
├── NoGrid              no Minesweeper board in the frame
├── SeveralGrids        more than one board, and none was asked for
├── BadCalibration      a saved calibration cannot be read
└── Unreadable          the grid is there, the board is not to be trusted
    ├── UnreadableTiles     tiles below the margin, listed with their pictures
    ├── BoardCovered        something lies over the board
    ├── ImpossibleBoard     the tiles read contradict each other
    └── StatusUnclear       the board and a sign beside it tell the game's end differently
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solver.board import Cell

if TYPE_CHECKING:
    from calibration.grid import Grid


class CalibrationError(Exception):
    """Base of every error the eyes raise."""


class BadImage(CalibrationError):
    """The file or array is no usable picture."""


class NoGrid(CalibrationError):
    """There is no Minesweeper board in the frame."""


class SeveralGrids(CalibrationError):
    """The frame shows more than one board; ``grids`` lists them."""

    def __init__(self, message: str, grids: tuple[Grid, ...]) -> None:
        super().__init__(message)
        self.grids = grids


class BadCalibration(CalibrationError):
    """A saved calibration cannot be read."""


class Unreadable(CalibrationError):
    """The grid is known, but the board on it cannot be trusted; evidence is attached.

    ``tiles`` maps each doubtful cell to its picture, RGB uint8 ``(height, width, 3)``.
    """

    def __init__(self, message: str, tiles: dict[Cell, NDArray[np.uint8]] | None = None) -> None:
        super().__init__(message)
        self.tiles: dict[Cell, NDArray[Any]] = tiles or {}


class UnreadableTiles(Unreadable):
    """Some tiles fall below the margin of the theme."""


class BoardCovered(Unreadable):
    """Something lies over the board."""


class ImpossibleBoard(Unreadable):
    """The tiles read cannot stand on one Minesweeper board."""


class StatusUnclear(Unreadable):
    """The board says one thing of how the game stands, a sign beside it another."""

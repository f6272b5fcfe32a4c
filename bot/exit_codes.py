"""The exit code that each error ends the program with."""

from __future__ import annotations

from bot.errors import BotError
from calibration.errors import (
    BadCalibration,
    BadImage,
    CalibrationError,
    NoGrid,
    SeveralGrids,
    Unreadable,
)
from solver.errors import (
    AgentFailed,
    BadBoardText,
    CannotAnalyse,
    CannotSave,
    NoEngine,
    SolverError,
)

FAILED, USAGE, NO_GRID, UNREADABLE = 1, 2, 3, 4

CODES: tuple[tuple[type[Exception], int], ...] = (
    (BadImage, USAGE),
    (BadCalibration, USAGE),
    (NoGrid, NO_GRID),
    (SeveralGrids, NO_GRID),
    (Unreadable, UNREADABLE),
    (CalibrationError, FAILED),
    (BadBoardText, UNREADABLE),
    (CannotAnalyse, UNREADABLE),
    (AgentFailed, FAILED),
    (CannotSave, FAILED),
    (NoEngine, FAILED),
    (SolverError, USAGE),
)


def exit_code_of(error: Exception) -> int | None:
    """Return the exit code of a known error, None for an unexpected one."""
    if isinstance(error, BotError):
        return error.exit_code
    return next((code for kind, code in CODES if isinstance(error, kind)), None)

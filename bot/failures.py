"""What an error means for a person: the exit code, and what helps if no board can be read.

Calibration reports what it sees. What helps depends on the source of the picture: a file does not
change, but windows on a screen can be moved.
"""

from __future__ import annotations

from bot.errors import BotError
from calibration import errors
from solver.errors import (
    AgentFailed,
    BadBoardText,
    CannotAnalyse,
    CannotSave,
    NoEngine,
    SolverError,
)

REMEDIES: dict[type[errors.CalibrationError], tuple[str, str]] = {
    errors.NoGrid: (
        "Take a screenshot that shows the whole board, with nothing over it.",
        "Bring its window to the front, wholly on the screen and large enough for the whole board.",
    ),
    errors.UnreadableGrid: (
        "Take a screenshot with nothing over the board, or of a game that has just begun; "
        "'minebot read FILE --explain' shows more.",
        "Move away what lies over it, or start a new game; 'minebot read --screen --explain' shows "
        "more.",
    ),
    errors.UnreadableTiles: (
        "Take a screenshot with nothing over the board, or of another moment of the game.",
        "Move away what lies over the board; if nothing does, 'minebot read --screen --explain' "
        "says what each tile may be.",
    ),
    errors.BoardCovered: (
        "Take a screenshot with nothing over the board.",
        "Move away what lies over the board, or close it.",
    ),
    errors.ImpossibleBoard: (
        "Take a screenshot with nothing over the board; 'minebot read FILE --overlay DIR' shows "
        "how it is read.",
        "Move away what lies over the board; 'minebot read --screen --overlay DIR' shows how it is "
        "read.",
    ),
    errors.StatusUnclear: (
        "Take a screenshot of another moment of the game.",
        "Wait until the window no longer changes, and try again, or start a new game.",
    ),
}
"""What helps against each error: with a picture in a file, and on a live screen."""


def sentence_for(error: Exception, *, live: bool) -> str:
    """Return the message of an error and, for a picture that cannot be read, what helps.

    >>> sentence_for(errors.NoGrid("There is no board."), live=False)
    'There is no board. Take a screenshot that shows the whole board, with nothing over it.'
    """
    in_file, on_screen = REMEDIES.get(type(error), ("", ""))  # type: ignore[arg-type]
    remedy = getattr(error, "remedy", "") or (on_screen if live else in_file)
    return f"{error} {remedy}".strip()


FAILED, USAGE, NO_GRID, UNREADABLE = 1, 2, 3, 4

CODES: tuple[tuple[type[Exception], int], ...] = (
    (errors.BadImage, USAGE),
    (errors.BadCalibration, USAGE),
    (errors.NoGrid, NO_GRID),
    (errors.SeveralGrids, NO_GRID),
    (errors.Unreadable, UNREADABLE),
    (errors.CalibrationError, FAILED),
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

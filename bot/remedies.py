"""What helps where no board can be read: another picture, or something done on the screen.

Calibration says what it sees. What to do about it depends on where the picture comes from: a file
stays as it is, and on a screen windows can be moved.
"""

from __future__ import annotations

from calibration.errors import (
    BoardCovered,
    CalibrationError,
    ImpossibleBoard,
    NoGrid,
    StatusUnclear,
    UnreadableGrid,
    UnreadableTiles,
)

REMEDIES: dict[type[CalibrationError], tuple[str, str]] = {
    NoGrid: (
        "Take a screenshot that shows the whole board, with nothing over it.",
        "Bring its window to the front, wholly on the screen and large enough for the whole board.",
    ),
    UnreadableGrid: (
        "Take a screenshot with nothing over the board, or of a game that has just begun; "
        "'minebot read FILE --explain' shows more.",
        "Move away what lies over it, or start a new game; 'minebot read FILE --explain' on a "
        "screenshot shows more.",
    ),
    UnreadableTiles: (
        "Take a screenshot with nothing over the board, or of another moment of the game.",
        "Move away what lies over the board.",
    ),
    BoardCovered: (
        "Take a screenshot with nothing over the board.",
        "Move away what lies over the board, or close it.",
    ),
    ImpossibleBoard: (
        "Take a screenshot with nothing over the board; 'minebot read FILE --overlay DIR' shows "
        "how it is read.",
        "Move away what lies over the board; 'minebot read FILE --overlay DIR' on a screenshot "
        "shows how it is read.",
    ),
    StatusUnclear: (
        "Take a screenshot of another moment of the game.",
        "Wait until the window no longer changes, and try again, or start a new game.",
    ),
}
"""For each error what helps with a picture in a file, and what on a live screen."""


def sentence_for(error: Exception, *, live: bool) -> str:
    """Return the message of an error and, for a picture that cannot be read, what helps.

    >>> sentence_for(NoGrid("There is no board."), live=False)
    'There is no board. Take a screenshot that shows the whole board, with nothing over it.'
    """
    in_file, on_screen = REMEDIES.get(type(error), ("", ""))  # type: ignore[arg-type]
    remedy = getattr(error, "remedy", "") or (on_screen if live else in_file)
    return f"{error} {remedy}".strip()

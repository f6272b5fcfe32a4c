"""Errors of the hands.

BotError
├── UsageError          the command cannot mean anything; exit 2
├── NoDesktop           no display, Wayland, or a missing permission; exit 1
├── StoppedByUser       kill switch or Ctrl-C; exit 5
├── PersonAtMouse       the pointer is not where the bot left it; the loop waits
├── BoardChanged        an open number changed or closed, twice read; exit 4
├── BadSession          a recording cannot be read; exit 1
└── WindowTrouble       exit 6
    ├── WindowStuck         clicks change nothing
    ├── WindowGone          the board is not on the screen any more
    ├── WindowCovered       something lies over the board and stays there
    └── ScreenGone          the screen gives no picture, or a black one
"""


class BotError(Exception):
    """Base of every error of the hands; ``exit_code`` is what the command line returns."""

    exit_code = 1


class UsageError(BotError):
    """The command cannot mean anything."""

    exit_code = 2


class NoDesktop(BotError):
    """There is no screen to look at, or no mouse to move."""


class BadSession(BotError):
    """A recording cannot be read."""


class StoppedByUser(BotError):
    """The kill switch or Ctrl-C."""

    exit_code = 5


class PersonAtMouse(BotError):
    """The pointer is not where the bot left it: a person has the mouse."""


class BoardChanged(BotError):
    """An open number changed or closed, and did so on a second look."""

    exit_code = 4


class WindowTrouble(BotError):
    """The window does not answer as a game should."""

    exit_code = 6


class WindowStuck(WindowTrouble):
    """Clicks change nothing."""


class WindowGone(WindowTrouble):
    """The board is not on the screen any more."""


class WindowCovered(WindowTrouble):
    """Something lies over the board and stays there."""


class ScreenGone(WindowTrouble):
    """The screen gives no picture, or a black one."""

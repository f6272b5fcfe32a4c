"""Errors of the bot. Each leaf calls for another reaction of the caller.

BotError
├── UsageError          the command makes no sense; exit 2
├── NoDesktop           no screen, Wayland, a missing permission, or no picture; exit 1
├── StoppedByUser       kill switch or Ctrl-C; exit 5
├── PersonAtMouse       the pointer is not where the bot left it; the loop waits
├── BoardChanged        an open number changed or was covered again; exit 4
│   └── AnotherGame         all is covered again: a new game has begun
├── BadSession          a recording cannot be read; exit 2
├── CannotWrite         something cannot be written: the disk is full or gone; exit 1
└── WindowTrouble       the window does not answer as a game should; exit 6
    ├── WindowStuck         clicks change nothing
    ├── WindowGone          the board is not on the screen any more
    ├── WindowCovered       something covers the board and stays there
    ├── NotPressed          a press or a key would have had another target, so it was not made
    └── ScreenGone          the screen gives no picture, or a black one
"""

from __future__ import annotations

from solver.errors import Interrupted


class BotError(Exception):
    """Base of all errors of the bot; ``exit_code`` is what the command line returns."""

    exit_code = 1


class UsageError(BotError):
    """The command line makes no sense."""

    exit_code = 2


class NoDesktop(BotError):
    """There is no screen to grab, or no mouse to move."""


class BadSession(BotError):
    """A recording cannot be read."""

    exit_code = 2


class CannotWrite(BotError):
    """Something cannot be written: the disk is full or gone, or the standard output."""


class StoppedByUser(BotError, Interrupted):
    """A person used the kill switch or Ctrl-C."""

    exit_code = 5


class PersonAtMouse(BotError):
    """The pointer is not where the bot left it: a person moved the mouse."""


class BoardChanged(BotError):
    """An open number changed or was covered again: another game was started."""

    exit_code = 4


class AnotherGame(BoardChanged):
    """All cells are covered again: a new game has begun, by itself or by a person."""


class WindowTrouble(BotError):
    """The window does not answer as a game should."""

    exit_code = 6


class WindowStuck(WindowTrouble):
    """Clicks change nothing."""


class WindowGone(WindowTrouble):
    """The board is not on the screen any more."""


class WindowCovered(WindowTrouble):
    """Something covers the board and stays there."""


class NotPressed(WindowTrouble):
    """A press or a key would have had another target than intended, so it was not made.

    ``other_window`` says that the target would have been another window than the board's.
    """

    def __init__(self, sentence: str, *, other_window: bool) -> None:
        super().__init__(sentence)
        self.other_window = other_window


class ScreenGone(WindowTrouble):
    """The screen gives no picture, or a black one."""

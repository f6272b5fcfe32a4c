"""What happened: a turn, a game, and who may watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from bot.ports import Button
from calibration.calibrate import Calibration
from calibration.frame import Frame, ScreenPoint
from calibration.reader import Reading
from solver.agents.base import Decision
from solver.board import Cell


@dataclass(frozen=True)
class Click:
    """One click that was sent: where on the board, where on the screen, with which button."""

    cell: Cell
    point: ScreenPoint
    button: Button = Button.LEFT


@dataclass(frozen=True)
class Timings:
    """Where the time of one turn went, in milliseconds.

    ``wait_ms`` is the program's share: from the last click to a changed and stable board. All
    else is the bot's own.
    """

    grab_ms: float = 0.0
    read_ms: float = 0.0
    decide_ms: float = 0.0
    send_ms: float = 0.0
    wait_ms: float = 0.0

    @property
    def own_ms(self) -> float:
        """The bot's own time: everything but the wait for the program."""
        return self.grab_ms + self.read_ms + self.decide_ms + self.send_ms


@dataclass(frozen=True)
class Turn:
    """One turn: the picture, what was read from it, what was decided and what was clicked.

    ``frame`` shows the board and its surroundings, not the whole screen. ``game`` and
    ``number`` count from 1. ``retry`` marks a decision sent again because the program did not
    answer; it is no second guess. ``chance`` is the product of the survival chances of the
    game's guesses so far, this decision included.
    """

    game: int
    number: int
    frame: Frame
    reading: Reading
    decision: Decision
    clicks: tuple[Click, ...] = ()
    timings: Timings = field(default_factory=Timings)
    retry: bool = False
    chance: float = 1.0


class Outcome(Enum):
    """How a game of ours ended."""

    WON = "won"
    LOST = "lost"
    STOPPED = "stopped"


class Blame(Enum):
    """Why a game was lost."""

    BAD_LUCK = "bad luck"
    MISREAD = "misread"
    MISCLICK = "misclick"
    SOLVER_FAULT = "solver fault"


@dataclass(frozen=True)
class GameResult:
    """One game. ``chance`` is the product of the survival chances of all its guesses.

    ``blame`` and ``why`` (one sentence) are set for a lost game.
    """

    game: int
    outcome: Outcome
    turns: int
    clicks: int
    guesses: int
    seconds: float
    chance: float
    blame: Blame | None = None
    why: str = ""


class Watcher(Protocol):
    """Somebody who is told what happens: the terminal view, the recorder."""

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Hear that the board was found, at the start or again, in the whole-screen ``frame``."""
        ...

    def decided(self, turn: Turn) -> None:
        """Hear what is about to be clicked (``turn.clicks`` is empty yet)."""
        ...

    def played(self, turn: Turn) -> None:
        """Hear what was clicked; comes also when the clicks were cut short by an error."""
        ...

    def noticed(self, note: str) -> None:
        """Hear a sentence about something out of the ordinary, such as a moved window."""
        ...

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Hear how a game ended, with the last picture and what was read from it."""
        ...

    def stopped(self, error: Exception, frame: Frame | None) -> None:
        """Hear why play ended before its time, with the last picture taken."""
        ...


class Quiet:
    """A watcher that does not care; one that cares for a little may start from it."""

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Hear that the board was found."""

    def decided(self, turn: Turn) -> None:
        """Hear what is about to be clicked."""

    def played(self, turn: Turn) -> None:
        """Hear what was clicked."""

    def noticed(self, note: str) -> None:
        """Hear a sentence."""

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Hear how a game ended."""

    def stopped(self, error: Exception, frame: Frame | None) -> None:
        """Hear why play ended before its time."""


class Several:
    """Watchers as one, told in order."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.calibrated(frame, calibration)

    def decided(self, turn: Turn) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.decided(turn)

    def played(self, turn: Turn) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.played(turn)

    def noticed(self, note: str) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.noticed(note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.game_over(result, frame, reading)

    def stopped(self, error: Exception, frame: Frame | None) -> None:
        """Pass it on."""
        for watcher in self._watchers:
            watcher.stopped(error, frame)

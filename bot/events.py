"""What happens in play: turns, results of games, and the interface of observers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from bot.desktop.ports import Button

if TYPE_CHECKING:  # a result in words needs no pictures
    from calibration.calibration import Calibration
    from calibration.frame import Frame
    from calibration.points import ScreenPoint
    from calibration.reading import Reading
    from solver.agents.base import Decision
    from solver.board import Cell


@dataclass(frozen=True)
class Click:
    """One click that was sent: its cell, its point on the screen and its button."""

    cell: Cell
    point: ScreenPoint
    button: Button = Button.LEFT


@dataclass(frozen=True)
class Timings:
    """How long each part of one turn took, in milliseconds.

    ``wait_ms`` is the time the program took: from the last click until the board has changed and
    is at rest. The other times are the bot's own.
    """

    grab_ms: float = 0.0
    read_ms: float = 0.0
    decide_ms: float = 0.0
    send_ms: float = 0.0
    wait_ms: float = 0.0


@dataclass(frozen=True)
class Turn:
    """One turn: its frame, what was read from it, what was decided and what was clicked.

    ``frame`` shows the board and its indicators, not the whole screen. ``game`` and ``number``
    count from 1. ``retry`` marks a decision that is sent again because the program did not
    answer; it does not count as another guess. ``chance`` is the product of the survival of all
    guesses of this game so far, this decision included.
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
    """How a game of the bot ended."""

    WON = "won"
    LOST = "lost"
    STOPPED = "stopped"


class Blame(Enum):
    """Why a game was lost."""

    BAD_LUCK = "bad luck"
    MISTAKE = "mistake"
    MISREAD = "misread"
    MISCLICK = "misclick"
    SOLVER_FAULT = "solver fault"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class GameResult:
    """The result of one game. ``chance`` is the product of the survival of all its guesses.

    A lost game has a ``blame`` and, in ``why``, one sentence that explains it. ``bv`` is the 3BV of
    a board that was won and seen so, None of others. ``why_over`` says how the end of the game was
    recognised.
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
    bv: int | None = None
    why_over: str = ""


class Observer(Protocol):
    """Interface of an observer: called for everything that happens in play."""

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """React to a board that was found, first or again; ``frame`` shows the whole screen."""
        ...

    def thinking(self, done: int, most: int) -> None:
        """React to thought that goes on: ``done`` worlds of at most ``most`` are tried."""
        ...

    def decided(self, turn: Turn) -> None:
        """React to a decision before it is clicked; ``turn.clicks`` is still empty."""
        ...

    def played(self, turn: Turn) -> None:
        """React to the clicks of a turn; called even if an error cut them short."""
        ...

    def noticed(self, note: str) -> None:
        """React to something unusual, such as a moved window; ``note`` is one sentence."""
        ...

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """React to the end of a game; ``reading`` is None if its last frame cannot be read."""
        ...

    def stopped(
        self, error: Exception, frame: Frame | None, result: GameResult | None = None
    ) -> None:
        """React to an error that stopped play; ``frame`` is the last one that was grabbed.

        ``result`` is that of the game that was broken off, None between games.
        """
        ...


class SilentObserver:
    """An observer that does nothing: a base class for those who need a few methods only."""

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Do nothing."""

    def thinking(self, done: int, most: int) -> None:
        """Do nothing."""

    def decided(self, turn: Turn) -> None:
        """Do nothing."""

    def played(self, turn: Turn) -> None:
        """Do nothing."""

    def noticed(self, note: str) -> None:
        """Do nothing."""

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Do nothing."""

    def stopped(
        self, error: Exception, frame: Frame | None, result: GameResult | None = None
    ) -> None:
        """Do nothing."""


class Observers:
    """Several observers as one; they are called in order."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.calibrated(frame, calibration)

    def thinking(self, done: int, most: int) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.thinking(done, most)

    def decided(self, turn: Turn) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.decided(turn)

    def played(self, turn: Turn) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.played(turn)

    def noticed(self, note: str) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.noticed(note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.game_over(result, frame, reading)

    def stopped(
        self, error: Exception, frame: Frame | None, result: GameResult | None = None
    ) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer.stopped(error, frame, result)

"""What happens in play: turns, results of games, and the events that observers receive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from bot.desktop.ports import Button

if TYPE_CHECKING:  # a result in words needs no pictures
    from calibration import Calibration, Frame, Reading, ScreenPoint
    from solver import Cell, Decision


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
    """One turn: its frame, the reading of it, the decision and the clicks.

    ``frame`` shows the board and its indicators, not the whole screen. ``game`` and ``number``
    count from 1. ``retry`` marks a decision that is clicked again because the program did not
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
    a board that was seen won, else None. ``why_over`` says how the end of the game was recognised.
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


@dataclass(frozen=True)
class BoardFound:
    """A board was found, for the first time or again; ``frame`` shows the whole screen."""

    frame: Frame
    calibration: Calibration


@dataclass(frozen=True)
class Thinking:
    """The agent is still thinking: it has tried ``done`` sampled layouts of at most ``most``."""

    done: int
    most: int


@dataclass(frozen=True)
class Decided:
    """A decision was made but not clicked yet: ``turn.clicks`` is still empty."""

    turn: Turn


@dataclass(frozen=True)
class Played:
    """The clicks of a turn were sent, perhaps only some of them before an error."""

    turn: Turn


@dataclass(frozen=True)
class Noticed:
    """Something unusual happened, such as a moved window; ``note`` is one sentence."""

    note: str


@dataclass(frozen=True)
class GameOver:
    """A game ended; ``reading`` is None if its last frame cannot be read."""

    result: GameResult
    frame: Frame
    reading: Reading | None


@dataclass(frozen=True)
class Stopped:
    """An error stopped play; ``frame`` is the last one that was grabbed.

    ``result`` is the result of the game that was interrupted, None between games.
    """

    error: Exception
    frame: Frame | None
    result: GameResult | None = None


Event: TypeAlias = BoardFound | Thinking | Decided | Played | Noticed | GameOver | Stopped
"""Everything that an observer is called with."""

Observer: TypeAlias = Callable[[Event], None]
"""Called with every event, in order; it selects events with ``match``."""


def ignore(event: Event) -> None:
    """Do nothing: the default observer of a player."""


def each_of(*observers: Observer) -> Observer:
    """Return one observer that calls several, in order."""

    def call_all(event: Event) -> None:
        for observer in observers:
            observer(event)

    return call_all

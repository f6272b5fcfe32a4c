"""What a person may choose about play: options, limits of waiting, and control."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from bot.desktop.keys import check_keys
from bot.errors import UsageError
from calibration import LEARNED, ScreenPoint, Theme
from solver import Board, Rule

if TYPE_CHECKING:
    from calibration.calibration import Calibration


class Style(Enum):
    """The goal of play."""

    WIN = "win"
    """Most wins: no click goes to a cell that another may have opened, so none follows a win."""

    FAST = "fast"
    """Fewest seconds: all safe cells are clicked at once."""

    FEW = "few"
    """Fewest clicks: one step a turn, with flags and chords if they save clicks."""


@dataclass(frozen=True)
class Limits:
    """How long to wait for each condition, in seconds, and how often to try again."""

    poll_s: float = 0.005
    """Between two frames while waiting; two equal frames in a row count as rest."""

    change_s: float = 0.6
    """For the program to answer a click; doubled each time the click is repeated."""

    rest_s: float = 0.25
    """For a board that answered some of the clicks to answer the others."""

    frame_age_s: float = 0.02
    """Largest age of a picture that clicks rely on."""

    cover_s: float = 12.0
    """For a board to become readable: dialogs, bubbles and flashes after a win last 1 to 8 s, a
    little longer on a busy machine.
    """

    trouble_poll_s: float = 0.04
    """Between two frames of a board that cannot be read."""

    gone_s: float = 5.0
    """For a board to be found, or for the screen to give a picture."""

    end_s: float = 2.0
    """For the program to confirm that a finished game is over."""

    dialog_s: float = 1.0
    """For a dialog that the program profile announces after a game."""

    clock_s: float = 3.5
    """For a clock beside the board to change twice, if it runs. Under load 2.5 s were too few."""

    frozen_s: float = 35.0
    """For a program that may hang: the clicked cells look half painted, or it shows a single mine,
    and neither words nor another smiley announce the end. A page with lives once hung for 25 s, and
    its game seemed lost.
    """

    new_game_s: float = 3.0
    """For the board of a new game to appear."""

    idle_s: float = 1.0
    """How long the mouse must rest after a person moved it, before the bot uses it again."""

    retries: int = 3
    """How often clicks and keys are repeated."""


class SmileyClick(Enum):
    """A click on the smiley above the board, which starts a new game."""

    SMILEY = "smiley"


NewGame: TypeAlias = str | ScreenPoint | SmileyClick
"""How a new game is started: by keys such as ``ctrl+n``, a click on a point, or on the smiley."""

SMILEY_NAMES = ("smiley", "face")
"""Names of the smiley in the options, also of earlier versions."""


HUMAN_CLICK_S = 0.35
HUMAN_THINK_S = 1.2
HUMAN_SPREAD = 0.4
"""Median pauses before a certain click and before a guess; spread of their logarithm."""


@dataclass(frozen=True)
class Pace:
    """The pause before each click; ``human`` varies it, and makes it longer before a guess."""

    seconds: float = 0.0
    human: bool = False
    rng: random.Random = field(default_factory=lambda: random.Random(0), compare=False)

    @classmethod
    def from_text(cls, text: str) -> Pace:
        """Read ``human`` or a number of seconds. Raises `UsageError` for anything else."""
        if text == "human":
            return cls(human=True)
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if not 0 <= seconds <= 60:
            raise UsageError(f"{text!r} is not a pace: say 'human', or 0 to 60 seconds a click.")
        return cls(seconds)

    def pause_s(self, *, guess: bool) -> float:
        """Return the pause before the next click."""
        if not self.human:
            return self.seconds
        median = HUMAN_THINK_S if guess else HUMAN_CLICK_S
        return median * math.exp(self.rng.gauss(0, HUMAN_SPREAD))


@dataclass(frozen=True)
class PlayOptions:
    """How to play.

    ``new_game`` says how to start a new game: keys, a point of the screen, or the smiley. ``close``
    is the key that closes the dialogs at the end of a game. If one of them is None, the program
    profile decides. ``near`` is a point of the screen, in units of the mouse, that chooses one of
    several boards. ``themes`` are the themes to read with, None for all.
    """

    games: int = 1
    mines: int | None = None
    near: ScreenPoint | None = None
    themes: tuple[Theme, ...] | None = None
    flags: bool = False
    chords: bool = False
    style: Style = Style.WIN
    pace: Pace = field(default_factory=Pace)
    new_game: NewGame | None = None
    close: str | None = None
    dry_run: bool = False
    limits: Limits = field(default_factory=Limits)


def parse_screen_point(text: str) -> ScreenPoint:
    """Read a point written as ``X,Y``. Raises `UsageError`."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a point of the screen: write X,Y in whole numbers."
        ) from error
    return ScreenPoint(x, y)


def parse_new_game(text: str) -> NewGame:
    """Read a key such as ``f2``, a point ``X,Y`` or ``smiley``. Raises `UsageError`."""
    if text in SMILEY_NAMES:
        return SmileyClick.SMILEY
    if "," in text and text != ",":
        return parse_screen_point(text)
    check_keys(text)
    return text


def new_game_text(way: NewGame) -> str:
    """Write how to start a new game in the form that `parse_new_game` reads."""
    if isinstance(way, ScreenPoint):
        return f"{way.x},{way.y}"
    return way.value if isinstance(way, SmileyClick) else way


def first_click_rule(theme: Theme | None) -> Rule:
    """Return the first-click rule of a program; the most common one if it is unknown."""
    if theme is None or theme.program == LEARNED:
        return Rule.SAFE
    return Rule(theme.profile.first_click)


def may_be_no_game(calibration: Calibration, board: Board) -> bool:
    """Whether nothing shows yet that this is Minesweeper: no known program, counter or number.

    A chess board, squared paper or the keys of a calculator look like a fresh board.
    """
    unknown = calibration.theme.program == LEARNED and calibration.counter is None
    return unknown and bool(board.covered.all())


Wait = Callable[[float], None]
"""Lets seconds pass; raises `StoppedByUser` at the kill switch."""


class Control(Protocol):
    """Lets a person steer play: called before each turn, each click and each further game."""

    @property
    def stop_after_game(self) -> bool:
        """Whether to stop after the current game."""
        ...

    def before_turn(self, wait: Wait) -> None:
        """Return when the turn may be played; use only ``wait`` to let time pass."""
        ...

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Return when the click may be sent; ``pause_s`` is the pause that the pace asks for."""
        ...


class NoControl:
    """A control that only makes the pauses of the pace."""

    stop_after_game = False

    def before_turn(self, wait: Wait) -> None:
        """Return at once."""

    def before_click(self, pause_s: float, wait: Wait) -> None:
        """Wait for the pause of the pace."""
        wait(pause_s)

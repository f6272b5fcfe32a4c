"""What a person may choose about play, and every limit of patience in one place."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.pace import Pace
from calibration.frame import PixelPoint
from calibration.theme import Theme


@dataclass(frozen=True)
class Limits:
    """How long to wait for what, in seconds of the clock, and how often to try.

    ``poll_s`` lies between two looks; two equal ones in a row count as rest. ``change_s`` is
    what a program gets to answer a click, ``rest_s`` how long the board must lie still before
    an answer to only a part of the clicks is taken as all there will be. ``cover_s`` bounds the
    wait for a board that cannot be read, looked at every ``trouble_s`` (dialogs, bubbles and
    win flashes pass by in one to eight seconds), ``gone_s`` for one that cannot be found,
    ``over_s`` for a program to say that a finished game is over, ``fresh_s`` for a new board,
    ``dialog_s`` for the dialog that a program is known to open, ``clock_s`` for a clock
    beside the board to show that it runs. ``idle_s`` is how long the mouse
    must rest before it is ours again. ``look_again_s`` is the age at which a picture is too old
    to click by. ``retries`` bounds all repeated clicks and keys.
    """

    poll_s: float = 0.005
    change_s: float = 1.0
    rest_s: float = 0.25
    cover_s: float = 10.0
    trouble_s: float = 0.04
    gone_s: float = 5.0
    over_s: float = 2.0
    fresh_s: float = 3.0
    dialog_s: float = 1.0
    clock_s: float = 2.5
    idle_s: float = 1.0
    look_again_s: float = 0.02
    retries: int = 3


@dataclass(frozen=True)
class PlayOptions:
    """How to play. ``new_game`` is a key, ``face``, ``X,Y`` on the screen, or None: the theme's.

    ``near`` is a point of the whole screen, in pixels, when there are several boards;
    ``themes`` are those to read with, None for all.
    """

    games: int = 1
    mines: int | None = None
    near: PixelPoint | None = None
    themes: tuple[Theme, ...] | None = None
    flags: bool = False
    chords: bool = False
    pace: Pace = field(default_factory=Pace)
    new_game: str | None = None
    dry_run: bool = False
    limits: Limits = field(default_factory=Limits)

"""What a person may choose about play, and every limit of patience in one place."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.pace import Pace
from calibration.frame import PixelPoint
from calibration.theme import Theme


@dataclass(frozen=True)
class Limits:
    """How long to wait for what, in seconds of the clock, and how often to try."""

    poll_s: float = 0.005
    """Between two looks; two equal ones in a row count as rest."""

    change_s: float = 0.6
    """For a program to answer a click; doubled each time the click must be repeated."""

    rest_s: float = 0.25
    """For a board that answered a part of the clicks to answer the others."""

    look_again_s: float = 0.02
    """Age at which a picture is too old to click by."""

    cover_s: float = 12.0
    """For a board to become readable: dialogs, bubbles and win flashes take 1 to 8 s, a little
    more on a machine that has much to do."""

    trouble_s: float = 0.04
    """Between two looks at a board that cannot be read."""

    gone_s: float = 5.0
    """For a board to be found, or a screen to give a picture."""

    over_s: float = 2.0
    """For a program to say that a finished game is over."""

    dialog_s: float = 1.0
    """For the dialog to come that a program is known to open after a game."""

    clock_s: float = 2.5
    """For a clock beside the board to show that it runs."""

    fresh_s: float = 3.0
    """For the board of a new game."""

    idle_s: float = 1.0
    """How long the mouse must rest before it is ours again."""

    retries: int = 3
    """Bound of all repeated clicks and keys."""


@dataclass(frozen=True)
class PlayOptions:
    """How to play. ``new_game`` is a key, ``face``, ``X,Y`` on the screen, or None: the theme's.

    ``close`` is a key that closes the dialogs at the end of a game, or None: the theme's.
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
    close: str | None = None
    dry_run: bool = False
    limits: Limits = field(default_factory=Limits)

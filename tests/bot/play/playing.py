"""Play on a simulated desktop and keep what happens."""

from __future__ import annotations

from typing import Any

from bot.events import BoardFound, Event, GameOver, GameResult, Noticed, Played, Stopped, Turn
from bot.options import PlayOptions
from bot.play.player import Player
from calibration.calibration import Calibration
from solver.agents import Agent, make_agent
from tests.simulated import Behaviour, FaultyDesktop


class Notes:
    """Keeps what happens. Every end must be read, unless there may be ``unread_ends``."""

    def __init__(self, *, unread_ends: bool = False) -> None:
        self._unread_ends = unread_ends
        self.notes: list[str] = []
        self.turns: list[Turn] = []
        self.errors: list[Exception] = []
        self.themes: list[str] = []

    def __call__(self, event: Event) -> None:
        match event:
            case BoardFound(_, calibration):
                self.themes.append(calibration.theme.name)
            case Noticed(note):
                self.notes.append(note)
            case Played(turn):
                self.turns.append(turn)
            case Stopped(error):
                self.errors.append(error)
            case GameOver(_, _, reading):
                assert self._unread_ends or reading is not None


def desktop(**changes: Any) -> FaultyDesktop:
    settings: dict[str, Any] = {"rows": 9, "cols": 9, "mines": 10, "seed": 5, "windows": ()}
    return FaultyDesktop(**{**settings, **changes})


def play(
    desk: FaultyDesktop,
    *,
    agent: Agent | None = None,
    calibration: Calibration | None = None,
    unread_ends: bool = False,
    **options: Any,
) -> tuple[list[GameResult], Notes]:
    notes = Notes(unread_ends=unread_ends)
    settings = PlayOptions(**{"mines": 10, "new_game": "f2", **options})
    player = Player(
        desk.ports,
        agent or make_agent("tank"),
        options=settings,
        observer=notes,
        calibration=calibration,
    )
    return player.play(), notes


def with_dialogs(**more: float) -> FaultyDesktop:
    """Return a desktop whose program opens a dialog after every game."""
    return desktop(behaviour=Behaviour(win_dialog=True, loss_dialog=True, **more))

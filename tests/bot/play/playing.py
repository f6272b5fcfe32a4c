"""Play on a simulated desktop and keep what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot.desktop.ports import Desktop
from bot.events import (
    BoardFound,
    Event,
    GameOver,
    GameResult,
    Noticed,
    Played,
    Stopped,
    Turn,
    ignore,
)
from bot.options import Control, PlayOptions
from bot.play.player import Player
from calibration.calibration import Calibration, calibrate
from calibration.theme import Appearance, ProgramProfile
from solver.agents import Agent, make_agent
from solver.board import Cell
from tests.simulated import Behaviour, FaultyDesktop


class Notes:
    """Keeps what happens. Every end must be read, unless there may be ``unread_ends``.

    What happens may make ``more`` happen.
    """

    def __init__(
        self, *, unread_ends: bool = False, more: Callable[[Event], None] = ignore
    ) -> None:
        self._unread_ends, self._more = unread_ends, more
        self.notes: list[str] = []
        self.turns: list[Turn] = []
        self.errors: list[Exception] = []
        self.themes: list[str] = []

    def __call__(self, event: Event) -> None:
        self._more(event)
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


def desktop(kind: type[FaultyDesktop] = FaultyDesktop, **changes: Any) -> FaultyDesktop:
    settings: dict[str, Any] = {"rows": 9, "cols": 9, "mines": 10, "seed": 5, "windows": ()}
    return kind(**{**settings, **changes})


def play(
    desk: FaultyDesktop,
    *,
    agent: Agent | None = None,
    calibration: Calibration | None = None,
    control: Control | None = None,
    ports: Desktop | None = None,
    notes: Notes | None = None,
    unread_ends: bool = False,
    more: Callable[[Event], None] = ignore,
    **options: Any,
) -> tuple[list[GameResult], Notes]:
    notes = notes or Notes(unread_ends=unread_ends, more=more)
    player = Player(
        ports or desk.ports,
        agent or make_agent("tank"),
        options=PlayOptions(**{"mines": 10, "new_game": "f2", **options}),
        observer=notes,
        calibration=calibration,
        control=control,
    )
    return player.play(), notes


def with_dialogs(**more: Any) -> FaultyDesktop:
    """Return a desktop whose program opens a dialog after every game."""
    return desktop(behaviour=Behaviour(win_dialog=True, loss_dialog=True, **more))


def described(desk: FaultyDesktop, close: str) -> Calibration:
    """Return the calibration of a program of which it is known which key closes its dialogs."""
    found = calibrate(desk.grab(), mines=10)
    profile = ProgramProfile(close_won=(close,), close_lost=(close,))
    return replace(found, theme=replace(found.theme, profile=profile))


def learned_appearances() -> tuple[Appearance, ...]:
    """Return the appearances of the tiles of a board that is half played."""
    desk = desktop()
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    return calibrate(desk.grab(), themes=()).theme.appearances

"""Last turns of a game, and fakes for what `EndDetector` asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bot.events import Turn
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import Limits
from bot.play.ending.detector import EndDetector
from bot.tracking.observation import Observation
from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.rules import UNREAD, Tiles
from calibration.verdict import Verdict
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from solver.game import Status


def turn(
    rows: str,
    mines: int | None,
    action: Action,
    cells: list[Cell],
    chance: float = 1,
    number: int = 2,
) -> Turn:
    """Make a turn that does the same to all ``cells`` of a board."""
    reading = Reading(Board.from_text(rows, mines), Status.PLAYING, 1.0)
    moves = tuple(Move(cell, action) for cell in cells)
    frame = Frame(np.zeros((4, 4, 3), np.uint8))
    return Turn(1, number, frame, reading, Decision(moves, "", chance, None))


def all_clicks(turn: Turn) -> list[PlannedClick]:
    """Return the clicks of a turn if each cell is clicked once."""
    return [
        PlannedClick(move.cell, ClickEffect(move.action.value), (move.cell,))
        for move in turn.decision.moves
    ]


LAST = "12#\n#21\n110"
"""Both hidden cells are mines."""


class Changes:
    """Stands for `Waits` where only these cells changed and no other frame was seen."""

    clock_runs = life_gone = other_face = False
    hangs_s = 0.0

    def __init__(self, changed: list[Cell], *, dimmed: bool = False) -> None:
        self.frames = self
        self.changed, self.dimmed = changed, dimmed
        self.mines = np.full((9, 9), UNREAD, np.int8)
        self.survived: set[Cell] = set()
        self.unclear: StatusUnclear | None = None

    def lost_a_life(self, *_: Frame) -> bool:
        return self.life_gone

    def note_survived(self, cells: Iterable[Cell]) -> None:
        self.survived = {*cells}

    def wait_readable(self, *, after: Board) -> Observation:
        return Observation(Frame(np.zeros((4, 4, 3), np.uint8)), Reading(after, Status.PLAYING, 1))

    def undimmed(self, _: Frame, after: Frame, __: Board) -> Frame | None:
        return after if self.dimmed else None

    def changed_cells(self, _: Frame, __: Frame, cells: Sequence[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell in self.changed]

    def look_back(self, _: Frame) -> Iterator[Frame]:
        return iter(())

    def read_end(self, *_: object) -> None:
        return None

    def read_unclear(self, _: Frame) -> StatusUnclear | None:
        return self.unclear

    def shown_mines(self, _: Frame) -> Tiles:
        return self.mines

    def face_changed(self, _: Frame) -> bool:
        return self.other_face

    def wait_running_clock(self, limit_s: float) -> bool:
        return self.clock_runs and limit_s >= self.hangs_s


class Words:
    """Stands for `EndWords` of a window that says this."""

    def __init__(self, said: Said | None = None, *, lives: bool = False) -> None:
        self.said, self.lives = said, lives

    def note_start(self) -> None:
        pass

    def read(self) -> Said | None:
        return self.said

    def count_lives(self) -> bool:
        return self.lives


def detector_of(waits: Any, words: Any = None) -> EndDetector:
    """Make an end detector that waits and restarts by ``waits``."""
    quiet: Any = SimpleNamespace(noticed=lambda _: None)
    return EndDetector(waits, waits, words or Words(), observer=quiet, limits=Limits())


def detector_after(
    last: Turn, waits: Any, words: Any = None, *, clicked: bool = True
) -> EndDetector:
    """Make an end detector of a game after a turn, whose clicks were all made or none."""
    detector = detector_of(waits, words)
    detector.note_turn(last)
    detector.note_clicks(all_clicks(last) if clicked else [])
    return detector


def unread_end(
    last: Turn,
    waits: Any,
    trouble: Exception | None = None,
    *,
    mines: int | None = None,
    said: Said | None = None,
    lives: bool = False,
) -> Verdict | Observation | None:
    """Return the end that is told after a turn whose clicks were all made."""
    detector = detector_after(last, waits, Words(said, lives=lives))
    detector.mines = mines
    return detector.unread_end(last.frame, trouble)


class Still:
    """Stands for `Waits` and `Restarter` where the board stays as it is and no dialog opens."""

    frames = None

    def wait_end_confirmed(self, observation: Observation, **_: Any) -> Observation:
        return observation

    def wait_final_board(self, observation: Observation, **_: Any) -> Observation:
        return observation

    def dialog_keys(self, **_: Any) -> tuple[str, ...]:
        return ()

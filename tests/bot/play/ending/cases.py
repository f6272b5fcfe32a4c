"""Last turns of a game in a `Scene`, and what an `EndDetector` shows of them."""

from __future__ import annotations

from typing import Any

from bot.events import Turn
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import PlayOptions
from bot.play.ending import EndDetector
from bot.play.restart import Restarter
from bot.tracking.game import Observation
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.verdict import Verdict
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.scene import Scene

LAST = "12#\n#21\n110"
"""Both hidden cells are mines."""


def turn(
    scene: Scene,
    mines: int | None,
    action: Action,
    cells: list[Cell],
    chance: float = 1,
    number: int = 2,
) -> Turn:
    """Make a turn that does the same to all ``cells`` of the board that is shown."""
    reading = Reading(scene.board.with_mines(mines), Status.PLAYING, 1.0)
    moves = tuple(Move(cell, action) for cell in cells)
    return Turn(1, number, scene.frame(), reading, Decision(moves, "", chance, None))


def all_clicks(turn: Turn) -> list[PlannedClick]:
    return [
        PlannedClick(move.cell, ClickEffect(move.action.value), (move.cell,))
        for move in turn.decision.moves
    ]


def observed(scene: Scene, board: str, status: Status, *, left: int | None = None) -> Observation:
    """Show a board; return what was read of it, whatever the reader would say."""
    scene.show(board)
    return Observation(scene.frame(), Reading(scene.board, status, 1.0, left))


class Words:
    """Stands for `EndWords`, which reads by OCR, in a window that says this."""

    def __init__(self, said: Said | None = None, *, lives: bool = False) -> None:
        self.said, self.lives = said, lives

    def note_start(self) -> None:
        pass

    def read(self) -> Said | None:
        return self.said

    def shows_lives(self) -> bool:
        return self.lives


def detector_of(scene: Scene, said: Said | None = None, *, lives: bool = False) -> EndDetector:
    words: Any = Words(said, lives=lives)
    restarter = Restarter(scene.stage, scene.waits, PlayOptions())
    return EndDetector(scene.stage, scene.waits, restarter, words)


def detector_after(
    scene: Scene,
    last: Turn,
    said: Said | None = None,
    *,
    clicked: bool = True,
    lives: bool = False,
    mines: int | None = None,
) -> EndDetector:
    """Make an end detector of a game after a turn, whose clicks were all made or none."""
    detector = detector_of(scene, said, lives=lives)
    detector.mines = mines
    detector.note_turn(last)
    detector.note_clicks(all_clicks(last) if clicked else [])
    return detector


def unread_end(
    scene: Scene, last: Turn, trouble: Exception | None = None, **known: Any
) -> Verdict | Observation | None:
    """Return the end that is reported after a turn whose clicks were all made."""
    return detector_after(scene, last, **known).unread_end(scene.frame(), trouble)


def status_of(end: Verdict | Observation | None) -> Status | None:
    """Return the reported status; PLAYING where the game goes on with a new observation."""
    if isinstance(end, Observation):
        return Status.PLAYING
    return end and end.status


def is_board(tiles: Any, rows: str) -> bool:
    return bool(Board(tiles) == Board.from_text(rows))

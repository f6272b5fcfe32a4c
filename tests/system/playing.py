"""Whole games on the simulated desktop, watched by a witness who knows the real board."""

from __future__ import annotations

from typing import Any

import numpy as np

from bot.events import Decided, Event, GameOver, GameResult, Noticed, Outcome, Turn
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from calibration.reading import Reading
from solver.agents.registry import make_agent
from solver.game import Rule, Status
from tests.simulated import FaultyDesktop

# Poll less often and give up sooner than in real play: simulated time is free, every frame is not.
LIMITS = Limits(poll_s=0.01, cover_s=4.5, gone_s=3.0)

HASTY = Limits(poll_s=0.02, trouble_poll_s=0.1, cover_s=1.2, gone_s=1.2)
"""Short limits: what covers the board stays, so that waiting is of no use."""

OUTCOMES = {Status.WON: Outcome.WON, Status.LOST: Outcome.LOST}

SIZES = {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}


def desktop(
    skin: str = "classic",
    size: str = "beginner",
    kind: type[FaultyDesktop] = FaultyDesktop,
    **changes: Any,
) -> FaultyDesktop:
    """Return a desktop with a new game."""
    rows, cols, mines = SIZES[size]
    settings = {"rows": rows, "cols": cols, "mines": mines, "rule": Rule.ZERO, "seed": 5}
    return kind(**settings | {"skin": skin} | changes)


class Witness:
    """Compares every board that was read with the one the program shows, and keeps the notes."""

    def __init__(self, desk: FaultyDesktop) -> None:
        self.desk = desk
        self.notes: list[str] = []
        self.turns: list[Turn] = []
        self.misread: list[str] = []

    def __call__(self, event: Event) -> None:
        match event:
            case Decided(turn):
                self.turns.append(turn)
                self._compare(f"turn {turn.number}", turn.reading)
            case Noticed(note):
                self.notes.append(note)
            case GameOver(result, _, reading) if reading is not None:
                self._compare(f"end of game {result.game}", reading)

    def _compare(self, when: str, reading: Reading) -> None:
        shown = self.desk.truth_tiles()
        if not np.array_equal(reading.board.tiles, shown):
            where = np.argwhere(reading.board.tiles != shown)[:3].tolist()
            self.misread.append(f"{when}: {where}")


class Run:
    """The outcome of one session of play."""

    def __init__(self, desk: FaultyDesktop) -> None:
        self.desk = desk
        self.witness = Witness(desk)
        self.results: list[GameResult] = []
        self.error: Exception | None = None

    def check(self) -> None:
        """Assert what must hold whatever happens: no misread, no stray click, no wrong result."""
        assert self.witness.misread == []
        assert self.desk.stray_clicks == []
        reported = [result.outcome for result in self.results]
        assert reported == [OUTCOMES[status] for status in self.desk.results[: len(reported)]]

    def check_finished(self, blamed: tuple[str, ...] = ("bad luck",)) -> None:
        """Assert also that all games were played to their end, and what losses are blamed on."""
        if self.error is not None:
            raise self.error
        self.check()
        assert len(self.results) == len(self.desk.results)
        assert {result.blame.value for result in self.results if result.blame} <= {*blamed}

    def check_stopped(self, *errors: type[Exception]) -> None:
        """Assert also that play stopped with one of these errors."""
        self.check()
        assert isinstance(self.error, errors), self.error


def play(desk: FaultyDesktop, *, rule: Rule = Rule.ZERO, **options: Any) -> Run:
    """Play on a desktop; an error of play is kept for the test to check."""
    run = Run(desk)
    own = PlayOptions(**{"new_game": "f2", "limits": LIMITS, **options})
    agent = make_agent("tank", rule=rule)
    try:
        run.results = Player(desk.ports, agent, options=own, observer=run.witness).play()
    except Exception as error:
        run.error = error
    return run

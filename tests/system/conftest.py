"""Whole games on the simulated desktop, watched by a witness who knows the real board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bot.events import Decided, Event, GameOver, GameResult, Noticed, Outcome, Turn
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from calibration.reading import Reading
from solver.agents.registry import make_agent
from solver.game import Rule, Status
from tests.simulated import FaultyDesktop

# Poll less often and give up sooner than in real play: simulated time is free, every frame is not.
LIMITS = Limits(poll_s=0.01, cover_s=4.5, gone_s=3.0)

OUTCOMES = {Status.WON: Outcome.WON, Status.LOST: Outcome.LOST}


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

    def __init__(self, desk: FaultyDesktop, witness: Witness) -> None:
        self.desk = desk
        self.witness = witness
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


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no words beside a board: these desktops show none there, and it takes time."""
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: None)


@pytest.fixture
def play() -> Callable[..., Run]:
    """Play on a desktop; an error of play is kept for the test to check."""

    def run(desk: FaultyDesktop, *, rule: Rule = Rule.ZERO, **options: Any) -> Run:
        witness = Witness(desk)
        outcome = Run(desk, witness)
        player = Player(
            desk.ports,
            make_agent("tank", rule=rule),
            options=PlayOptions(**{"new_game": "f2", "limits": LIMITS, **options}),
            observer=witness,
        )
        try:
            outcome.results = player.play()
        except Exception as error:
            outcome.error = error
        return outcome

    return run

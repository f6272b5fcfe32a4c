"""Whole games on the simulated desktop: every board that is read is compared with the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from bot.events import Decided, Event, GameOver, GameResult, Outcome
from bot.options import Limits
from calibration.reading import Reading
from solver.agents.registry import make_agent
from solver.game import Rule, Status
from tests.bot.play import playing
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


class Run(playing.Notes):
    """One session of play: its results or error, and the boards that were misread."""

    def __init__(self, desk: FaultyDesktop) -> None:
        super().__init__(unread_ends=True)
        self.desk = desk
        self.results: list[GameResult] = []
        self.error: Exception | None = None
        self.misread: list[str] = []

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        match event:
            case Decided(turn):
                self._compare(f"turn {turn.number}", turn.reading)
            case GameOver(result, _, reading) if reading is not None:
                self._compare(f"end of game {result.game}", reading)

    def _compare(self, when: str, reading: Reading) -> None:
        shown = self.desk.truth_tiles()
        if not np.array_equal(reading.board.tiles, shown):
            where = np.argwhere(reading.board.tiles != shown)[:3].tolist()
            self.misread.append(f"{when}: {where}")

    def check(self) -> None:
        """Assert what must hold whatever happens: no misread, no stray click, no wrong result."""
        assert self.misread == []
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
    run, agent = Run(desk), make_agent("tank", rule=rule)
    try:
        how = {"mines": None, "limits": LIMITS, **options}
        run.results, _ = playing.play(desk, agent=agent, notes=run, **how)
    except Exception as error:
        run.error = error
    return run

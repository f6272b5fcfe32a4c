"""Watch a run, and save what led to its end if it stops in trouble."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from bot.desktop.ports import Clock, Monitor, Screen
from bot.errors import CannotWrite, NoDesktop, StoppedByUser, UsageError
from bot.events import Blame, GameResult, SilentObserver, Turn
from bot.record.entries import (
    calibration_json,
    click_json,
    decision_json,
    reading_json,
    result_json,
    timings_json,
)
from bot.record.storage import trouble_file
from bot.record.trouble.moments import Moment
from bot.record.trouble.ring import FrameRing
from bot.record.trouble.saving import details_of, save_trouble
from calibration.calibration import Calibration
from calibration.errors import SeveralGrids
from calibration.frame import Frame
from calibration.points import PixelBox
from calibration.reading import Reading
from solver.errors import BadMineTotal

MOST_EVENTS = 500
"""Events that are kept: those of about ten games of expert."""

KEPT_EVERY_S = 0.04
"""Least time between two frames that are kept. To compare a frame of an expert board with the last
one takes 1 ms."""

OWN_FAULTS = {Blame.MISREAD, Blame.MISCLICK, Blame.SOLVER_FAULT, Blame.UNKNOWN}
"""What a lost game may be blamed on that is neither luck nor an agent's choice."""

NO_TROUBLE = (
    StoppedByUser, UsageError, BadMineTotal, SeveralGrids, NoDesktop, CannotWrite, BrokenPipeError
)  # fmt: skip
"""The user ended the run, or must change the command or close one of two games; or the disk is
full; or the reader of the output is gone."""

KEPT = "What led to it is kept: 'minebot report' makes a file of it to send."


class GameLostByFault(Exception):
    """A game was lost by a fault of the program itself; never raised, only kept."""


class FilmedScreen:
    """A screen whose pictures of the board's region are shown to ``film``; others are not."""

    def __init__(self, screen: Screen, film: Callable[[Frame], None]) -> None:
        self._screen, self._film = screen, film

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the whole screen, or ``box`` of it."""
        frame = self._screen.grab(box)
        if box is not None:
            self._film(frame)
        return frame

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the monitors lie."""
        return self._screen.monitors()


class TroubleWatcher(SilentObserver):
    """An observer that keeps what happened last; `watching` saves it when a run fails.

    A game that is lost by a fault of the program is saved at once.

    ``header`` is that of a recording; ``tell`` is called with a sentence on how to get the report.
    Play uses the ``screen`` of this watcher, so that it sees the frames.
    """

    def __init__(
        self,
        screen: Screen,
        clock: Clock,
        header: Mapping[str, Any],
        tell: Callable[[str], None],
    ) -> None:
        self._clock, self._header, self._tell = clock, header, tell
        self._began = clock.now()
        self._ring: FrameRing[Moment] = FrameRing()
        self._events: deque[dict[str, Any]] = deque(maxlen=MOST_EVENTS)
        self._place: tuple[Frame, Calibration] | None = None
        self._kept_at = 0.0
        self._latest: tuple[Frame, Moment] | None = None
        self.screen = FilmedScreen(screen, self._film)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Save what happened if the block raises an error that is trouble."""
        try:
            yield
        except NO_TROUBLE:
            raise
        except Exception as error:
            with suppress(OSError):
                self._save(error)
                error.add_note(KEPT)  # it is shown after the error
            raise

    def _film(self, frame: Frame) -> None:
        """Keep a frame; of those that follow each other quickly, the last one."""
        if self._place is None:
            return
        moment = Moment(self._now(), *self._place)
        self._latest = frame, moment
        now = time.monotonic()  # the clock of a simulated desktop stands still while play thinks
        if now - self._kept_at >= KEPT_EVERY_S:
            self._kept_at, self._latest = now, None
            self._ring.add(frame, moment)

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Note where the board lies now."""
        spot = Frame(np.zeros((1, 1, 3), np.uint8), frame.origin, frame.scale)
        self._place = spot, calibration
        self._note("calibrated", screen=[frame.width, frame.height], scale=frame.scale)
        self._note("place", **calibration_json(calibration))

    def decided(self, turn: Turn) -> None:
        """Note the board and the moves to come."""
        told = reading_json(turn.reading) | {"decision": decision_json(turn.decision)}
        self._note("decided", game=turn.game, turn=turn.number, retry=turn.retry, **told)

    def played(self, turn: Turn) -> None:
        """Note the clicks."""
        clicks = [click_json(click) for click in turn.clicks]
        self._note("played", turn=turn.number, clicks=clicks, ms=timings_json(turn.timings))

    def noticed(self, note: str) -> None:
        """Note a sentence."""
        self._note("noticed", note=note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Note how a game ended, and keep what led to a loss that the program is to blame for."""
        self._note("game", **result_json(result))
        if result.blame in OWN_FAULTS:
            with suppress(OSError):
                self._save(GameLostByFault(f"Lost by {result.blame.value}: {result.why}"))
                self._tell(KEPT)

    def _note(self, kind: str, **data: Any) -> None:
        self._events.append({"at_s": round(self._now(), 3), "kind": kind, **data})

    def _now(self) -> float:
        return self._clock.now() - self._began

    def _save(self, error: Exception) -> None:
        """Keep what led to an error: frames, events, the machine. Raises `OSError`."""
        if self._latest is not None:
            self._ring.add(*self._latest)
        monitors: tuple[Monitor, ...] = ()
        with suppress(Exception):  # the screen may be what failed
            monitors = self.screen.monitors()
        details = details_of(error, self._header, monitors)
        save_trouble(trouble_file(), details, self._ring.frames(), self._events)

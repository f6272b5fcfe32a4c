"""Sending the clicks of one turn: each only if its cell still looks as it was read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bot.eye import Eye, Pixels
from bot.hand import Hand
from bot.options import Limits
from bot.pace import Pace
from bot.plan import Stroke
from bot.ports import Clock
from bot.turn import Click
from calibration.frame import Frame
from solver.board import Cell

CHEAP_S = 0.002
"""A look that takes less than this is taken before every click."""

SPACING_S = 0.002
"""Least time between a click and the next movement. A Qt program drops a move of the pointer
when the next one waits already, and takes the click for one at the old place: kmines lost 23 of
75 clicks sent without a rest, 1 of 75 at 1 ms, none of 75 at 2 ms; xdemineur loses some, too."""

GENTLE_S = 0.02
"""Rest before and after a click that was lost before: a loaded window manager loses some."""


class Clicker:
    """Clicks a batch and parks the pointer.

    One look at the screen stands before the batch, and one before every further click where
    looking is cheap (0.1 ms on X11, against 0.2 ms a click). Where it is dear (a picture takes
    16 ms on some systems) the last look serves until it is older than the limit.
    """

    def __init__(self, eye: Eye, hand: Hand, clock: Clock, *, limits: Limits, pace: Pace) -> None:
        self._eye = eye
        self._hand = hand
        self._clock = clock
        self._limits = limits
        self._pace = pace
        self._clicked_at = -SPACING_S

    def send(
        self,
        strokes: Sequence[Stroke],
        frame: Frame,
        sent: list[tuple[Stroke, Click]],
        *,
        guess: bool,
        gently: bool = False,
    ) -> None:
        """Click ``strokes`` as read from ``frame``; each click made is added to ``sent``.

        Stops early when the board's border changed, and passes over cells that do not look as
        read (opened by an earlier click, or covered): the next look at the board tells why.
        Clicks that must be repeated are made ``gently``: the pointer rests before and after.
        Raises `StoppedByUser` and `PersonAtMouse`.
        """
        read = self._eye.tight_of(frame)
        now: Pixels | None = None
        looked_at = cost_s = 0.0
        for stroke in strokes:
            self._hand.wait(self._pace.pause_s(guess=guess))
            begun = self._clock.now()
            if now is None or cost_s < CHEAP_S or begun - looked_at > self._limits.look_again_s:
                now, looked_at = self._eye.glance(), self._clock.now()
                cost_s = looked_at - begun
                if not self._eye.border_intact(now):
                    break
            if not (stroke.after_mark or self._as_read(stroke.cell, now, read)):
                continue
            point = self._eye.point(frame, stroke.cell)
            sent.append((stroke, Click(stroke.cell, point, stroke.button)))
            if gently:
                self._hand.park(point)
                self._hand.wait(GENTLE_S)
            self._hand.wait(self._clicked_at + SPACING_S - self._clock.now())
            self._hand.click(point, stroke.button)
            self._clicked_at = self._clock.now()
            if gently:
                self._hand.wait(GENTLE_S)
        self.park()

    def _as_read(self, cell: Cell, now: Pixels, read: Pixels) -> bool:
        return np.array_equal(self._eye.tile_of(now, cell), self._eye.tile_of(read, cell))

    def park(self) -> None:
        """Leave the pointer beside the board. Raises as `send`."""
        self._hand.wait(self._clicked_at + SPACING_S - self._clock.now())
        self._hand.park(self._eye.watch.parking)

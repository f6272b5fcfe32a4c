"""Wait for the screen: a board at rest, a board that answered, a board that can be read.

No wait is a bare sleep: each polls the screen, and has a limit after which lasting trouble is
raised as an error. Only `MouseGuard.wait_idle` has no limit: the mouse belongs to the person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf

import numpy as np

from bot.errors import NotPressed, ScreenGone
from bot.mouse.plan import ClickEffect, PlannedClick, cells_of
from bot.tracking.game import Observation, is_new_game, status_fits_board, still_opening
from bot.tracking.recovery import OPENING_AFTER_S, BoardSearch, Recovery, page_card_s
from bot.tracking.target import Pixels, is_blank, is_one_place, place_of_change
from bot.tracking.tracker import PlayStage
from calibration import CalibrationError, Frame
from solver.board import Board, Cell

STILL_SHARE = 0.3
"""An unknown program is at rest if its picture did not change for this share of the time that it
took to answer, but at least `MIN_STILL_S` and at most `MAX_STILL_S`."""

MIN_STILL_S = 0.05
"""See `STILL_SHARE`: three frames of a screen."""

MAX_STILL_S = 0.25
"""See `STILL_SHARE`."""


class Waits:
    """Waits until the screen of a stage shows something."""

    def __init__(self, stage: PlayStage, search: BoardSearch) -> None:
        self._stage, self._search = stage, search
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._limits = stage.limits
        # How long the program recently took for its first answer to a turn. The value is halved
        # each turn, unless the new answer took longer.
        self._answer_s = 0.0

    def wait_readable(
        self,
        *,
        after: Board | None = None,
        dialog: Sequence[str] = (),
        most_s: float = inf,
        give_up: Callable[[Frame, bool], bool] = lambda *_: False,
        clicked: Sequence[Cell] = (),
    ) -> Observation:
        """Wait for a board that can be read and continues the game of ``after``.

        ``dialog`` lists the keys that close a dialog that the program may have opened over the
        board. ``clicked`` are the cells clicked last, around which the program may have opened
        others even if no number appears. ``most_s`` shortens the limit. Waiting also ends if
        ``give_up`` returns true: it is called with a frame that cannot be read, and with whether
        the cover counts as lasting. After the limit, raises `WindowCovered`, `WindowGone`,
        `ScreenGone`, `BoardChanged` or an `Unreadable` error.
        """
        recovery = Recovery(
            self._stage,
            self._search,
            after=after,
            dialog=dialog,
            clicked=clicked,
        )
        return recovery.wait(most_s, give_up)

    def close_menu(self) -> None:
        """Close the menu that a right click may have opened; the next reading shows if it stays."""
        with suppress(NotPressed):
            self._guard.press("escape")

    def wait_covered(self, limit_s: float) -> bool:
        """Wait for something to cover the board; return False if nothing does."""
        end = self._clock.now() + limit_s
        while self._clock.now() < end:
            try:
                self._tracker.read(self._search.in_place(self._tracker.grab_region(), None))
            except (CalibrationError, ScreenGone):
                return True
            self._guard.wait(self._limits.trouble_poll_s)
        return False

    def wait_answered(
        self,
        planned_clicks: Sequence[PlannedClick],
        before: Pixels,
        *,
        after: Board,
        dialog: Sequence[str] = (),
        patience: int = 1,
        give_up: Callable[[Frame, bool], bool] = lambda *_: False,
    ) -> tuple[Observation, list[Cell]]:
        """Wait until the board has answered all clicks and rests, or until the limit is over.

        ``before`` is the picture of the board before the first click. The limit for the first
        answer is longer for a program that was slow recently; it is multiplied by ``patience``.
        Returns the observation and the cells that did not answer. Raises what `wait_readable`
        raises, and takes ``give_up`` as it does.
        """
        limits, now = self._limits, self._clock.now
        profile = self._tracker.target.on_screen.theme.profile
        settle_s = max(1e-3 * profile.settle_ms, self._answer_s)
        change_s = patience * max(limits.change_s, 4 * settle_s)
        start = now()
        deadline = start + change_s
        seen = before
        expected = False
        opening, flagging = (
            cells_of(one for one in planned_clicks if one.effect is effect)
            for effect in (ClickEffect.OPEN, ClickEffect.FLAG)
        )
        self._tracker.expect_clicks(opening, flagging)
        while True:
            picture = self.wait_rest(seen, deadline)
            late = now() >= deadline
            if seen is before and not late:
                settle_s = max(settle_s, now() - start)
                self._answer_s = max(now() - start, self._answer_s / 2)
            if late or not _equal(picture, seen):
                clicked = cells_of(planned_clicks)
                if late and expected:
                    self._tracker.expect_opening(clicked)
                observation = self.wait_readable(
                    after=after, dialog=dialog, give_up=give_up, clicked=clicked
                )
                board = observation.board
                unanswered = [cell for one in planned_clicks for cell in one.unanswered(board)]
                numbers = bool((after.tiles > 0).any())
                if late and unanswered and not (expected or numbers or _equal(picture, before)):
                    # The changed tiles may be open ones that look hidden: wait for their numbers.
                    expected, deadline = True, now() + OPENING_AFTER_S
                    continue
                # A doubtful tile may be only partly painted.
                waiting = unanswered or still_opening(board) or not observation.reading.is_sure
                if late or observation.over or not waiting:
                    return observation, [] if observation.over else unanswered
                seen = self._tracker.target.crop_board(observation.frame)
                last_deadline = start + 2 * change_s + max(0.05, settle_s) * len(planned_clicks)
                deadline = min(now() + max(limits.rest_s, 2 * settle_s), last_deadline)

    def wait_new_board(
        self, final: Board, *, most_s: float, dialog: Sequence[str] = ()
    ) -> Observation | None:
        """Wait for the board of a new game, at rest; return None if it does not come in ``most_s``.

        A half-painted board does not count: its unpainted part may look like hidden tiles.
        """
        end = self._clock.now() + most_s
        while self._clock.now() < end:
            observation = self.wait_readable(dialog=dialog)
            if is_new_game(final, observation) and self._tracker.looks_fresh(observation):
                picture = self.wait_rest(None, self._clock.now() + self._limits.change_s)
                if _equal(picture, self._tracker.target.crop_board(observation.frame)):
                    return observation
                continue
            self._guard.wait(self._limits.trouble_poll_s)
        return None

    def wait_final_board(
        self, observation: Observation, *, dialog: Sequence[str] = ()
    ) -> Observation:
        """Wait until a finished board stops changing: many programs flag its mines."""
        end = self._clock.now() + self._limits.end_s
        seen = self._tracker.target.crop_board(observation.frame)
        while self._clock.now() < end:
            picture = self.wait_rest(seen, self._clock.now() + self._limits.rest_s)
            if _equal(picture, seen):
                break
            seen = picture
        after, most_s = observation.board, page_card_s(self._tracker.target)
        return self.wait_readable(after=after, dialog=dialog, most_s=most_s)

    def wait_running_clock(self, limit_s: float, before: Frame | None = None) -> bool:
        """Return whether something beside the board keeps changing at one place, like a clock.

        Confetti changes at many places. Changes in the first fifth of the time do not count,
        because the program may still be drawing the end. Neither does a place that is blank in
        ``before``, a frame of the region from before the end: a message about the end moves there.
        """
        start, first = self._clock.now(), None
        last = self._tracker.grab_surroundings()
        while (waited := self._clock.now() - start) < limit_s:
            self._guard.wait(self._limits.trouble_poll_s)
            now = self._tracker.grab_surroundings()
            place = place_of_change(last, now) if waited > limit_s / 5 else None
            last = now
            if (
                place
                and before
                and before.pixels.shape == now.shape
                and is_blank(place, before.pixels)
            ):
                place = None
            if first and place:
                return is_one_place(first, place, now)
            first = first or place
        return False

    def wait_end_confirmed(
        self, observation: Observation, *, after: Board, dialog: Sequence[str] = (), hang_s: float
    ) -> Observation:
        """Wait until the same end of the game is read twice, at rest, and the tiles confirm it.

        A half-painted board has ``hang_s`` to change first. After the limit, returns the last
        observation whatever its status: it is PLAYING, for instance, if the end was only a flash.
        """
        if hang_s:
            seen = self._tracker.target.crop_board(observation.frame)
            self.wait_rest(seen, self._clock.now() + hang_s)
        end = self._clock.now() + self._limits.end_s
        last = observation
        while self._clock.now() < end:
            self.wait_rest(None, self._clock.now() + 0.1)
            before = last
            last = self.wait_readable(
                after=after, dialog=dialog, most_s=page_card_s(self._tracker.target)
            )
            same_status = last.reading.status is before.reading.status
            if last.over and same_status and status_fits_board(last):
                break
        return last

    def wait_rest(self, seen: Pixels | None, deadline: float) -> Pixels:
        """Wait until the board is at rest and differs from ``seen``, or until the deadline.

        At rest means two equal frames in a row; an unknown program may be slow, so that it must not
        change for longer (`STILL_SHARE`).
        """
        still_s = min(max(MIN_STILL_S, STILL_SHARE * self._answer_s), MAX_STILL_S)
        still_s = 0.0 if self._tracker.target.is_known else still_s
        last, since = self._tracker.grab_board(), self._clock.now()
        while True:
            self._guard.wait(self._limits.poll_s)
            picture, now = self._tracker.grab_board(), self._clock.now()
            if now >= deadline:
                return picture
            if not _equal(picture, last):
                last, since = picture, now
                self._tracker.remember(self._tracker.memory.seeing(picture))
            elif now - since >= still_s and not _equal(picture, seen):
                return picture


def _equal(one: Pixels, other: Pixels | None) -> bool:
    return other is not None and np.array_equal(one, other)

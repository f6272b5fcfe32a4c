"""Read a board; while it cannot be read, try other readings, keys, the pointer, a search.

`BoardSearch` looks through the whole screen: at the start, after trouble, and to recognise the
program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from bot.errors import AnotherGame, BoardChanged, NotPressed, ScreenGone, WindowCovered, WindowGone
from bot.events import BoardFound, Noticed
from bot.tracking.follow import Found, Lost, follow, recognised_anew
from bot.tracking.game import Observation, check_same_game
from bot.tracking.places import check_found, same_place
from bot.tracking.target import NO_PICTURE, Target
from bot.tracking.tracker import BoardTracker, PlayStage
from calibration.calibration import Calibration
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    ImpossibleBoard,
    NoGrid,
    SeveralGrids,
    StatusUnclear,
    Unreadable,
    UnreadableGrid,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.rules import UNREAD
from solver.board import Board, Cell, count_neighbours

SEARCH_AFTER_S = 0.25
"""Trouble that starts a search of the whole screen. It costs ten readings, so each waits longer."""

OPENING_AFTER_S = 2.0
"""How long a board rests before plain tiles count as an opening: numbers may be painted late."""

DIALOG_AFTER_S = 0.7
"""A dialog over a finished game opens within 0.3 s of the last click (measured on three
programs). Trouble that lasts longer than this is therefore no repaint."""

PAGE_CARD_S = 4.0
"""How long a covered finished board is waited for if the program is unknown: a page leaves its card
there until it is clicked. Bubbles and flashes of known programs last up to 8 s."""

NEW_GAME_AFTER_S = 1.0
"""How long all cells of a game under way stay covered until that is a new game, and no flash."""

NO_DIALOG = 2
"""Tiles in doubt up to which nothing lies over the board: one under the pointer, say."""


class Attempt(NamedTuple):
    """A try to read a board that failed: on which frame, None if there was none, and why."""

    frame: Frame | None
    why: Exception


class Recovery:
    """Looks at a board until it can be read, with remedies for what prevents it.

    Each remedy has its own time. ``after`` is the last board of the game under way, None between
    games; ``dialog`` lists the keys that close what the program may have opened over the board,
    ``clicked`` the cells around which it may have opened.
    """

    def __init__(
        self,
        stage: PlayStage,
        search: BoardSearch,
        *,
        after: Board | None,
        dialog: Sequence[str],
        clicked: Sequence[Cell],
    ) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._search, self._limits = search, stage.limits
        self._after, self._dialog, self._clicked = after, dialog, clicked
        self._forgot = False
        self._expecting: Calibration | None = None
        self._resting, self._since = NO_PICTURE, 0.0
        self._covered_since = inf
        self._asked: tuple[Frame, bool] | None = None
        self._presses = 0
        self._not_pressed: NotPressed | None = None
        self._pressed_at = inf if dialog else -inf
        self._start = self._clock.now()
        self._search_at = self._start + SEARCH_AFTER_S

    def wait(self, most_s: float, give_up: Callable[[Frame, bool], bool]) -> Observation:
        """Return what is read at last; for the arguments and errors see `Waits.wait_readable`."""
        last: Attempt | None = None
        while True:
            result = self._look(last)
            if isinstance(result, Observation):
                return result
            waited = self._clock.now() - self._start
            again = self._prepare_reader(result, waited)
            if self._is_over(result, waited, most_s, give_up):
                error = stopping_error(self._tracker, result.why)
                # A dialog that got no key is covered for another reason than the board.
                if isinstance(error, WindowCovered) and self._not_pressed is not None:
                    error = self._not_pressed
                raise error from result.why
            self._uncover(result.why, waited)
            again |= self._find_again(waited)
            last = None if again else result
            self._guard.wait(self._limits.trouble_poll_s)

    def _look(self, last: Attempt | None) -> Observation | Attempt:
        """Read the board; the frame of the ``last`` attempt would give the same error again."""
        begun, frame = self._clock.now(), None
        try:
            frame = self._tracker.grab_region()
            if last is not None and frame == last.frame:
                return last
            frame = self._search.in_place(frame, self._after)
            grabbed = self._clock.now()
            reading = self._tracker.read(frame, same_game=self._after is not None)
            check_same_game(self._after, reading.board)
        except (CalibrationError, BoardChanged, ScreenGone) as error:
            return Attempt(frame, error)
        read_ms = 1e3 * (self._clock.now() - grabbed)
        return Observation(frame, reading, 1e3 * (grabbed - begun), read_ms)

    def _is_over(
        self,
        attempt: Attempt,
        waited: float,
        most_s: float,
        give_up: Callable[[Frame, bool], bool],
    ) -> bool:
        """Whether it is of no use to wait any longer."""
        frame, why = attempt
        since = min(self._covered_since, waited) if isinstance(why, AnotherGame) else inf
        self._covered_since = since
        if waited >= since + NEW_GAME_AFTER_S:
            return True
        if waited > DIALOG_AFTER_S and isinstance(why, Unreadable) and frame is not None:
            asked, self._asked = self._asked, (frame, waited > page_card_s(self._tracker.target))
            if _lasts(why) or (self._asked != asked and give_up(*self._asked)):
                return True
        gone = isinstance(why, NoGrid | ScreenGone)
        limit = min(most_s, self._limits.gone_s if gone else self._limits.cover_s)
        # The keys have their turn first: a search may take all the time on a busy machine.
        return self._clock.now() > self._pressed_at + DIALOG_AFTER_S and waited >= limit

    def _prepare_reader(self, attempt: Attempt, waited: float) -> bool:
        """Change how the reader reads, if it is time; return whether to read the frame again.

        It forgets a board that was seen in between and may be at fault, if the numbers contradict
        those of the game; and of a board at rest it may take plain tiles for opened ones.
        """
        (frame, why), target, again = attempt, self._tracker.target, False
        impossible = isinstance(why, ImpossibleBoard) and self._after is not None
        if impossible and waited > DIALOG_AFTER_S and not self._forgot:
            self._forgot = again = True
            self._tracker.forget_labels()
        picture = NO_PICTURE if frame is None else target.crop_board(frame)
        if not np.array_equal(picture, self._resting):
            self._resting, self._since = picture, waited
        still = isinstance(why, Unreadable) and waited > self._since + OPENING_AFTER_S
        # Where a window moved to, nothing is expected yet.
        if self._clicked and still and target.in_region != self._expecting:
            self._expecting, again = target.in_region, True
            self._tracker.expect_opening(self._clicked)
        return again

    def _uncover(self, trouble: Exception, waited: float) -> None:
        """Press the keys that close a dialog, and move the pointer, every second or so."""
        due = waited > DIALOG_AFTER_S * (2 * self._presses + 1)
        if not due or self._presses >= self._limits.retries:
            return
        self._presses += 1
        self._pressed_at = self._clock.now() if self._dialog else -inf
        for keys in self._dialog if may_lie_over(trouble) else ():
            try:
                self._guard.press(keys)
            except NotPressed as error:
                self._not_pressed = error
        if self._presses > 1 and (opened := opened_beside(trouble, self._clicked)):
            self._tracker.park_on(opened)
        self._guard.nudge(*self._tracker.target.nudge_points)

    def _find_again(self, waited: float) -> bool:
        """Search the whole screen for the board, if it is time; return whether it was found."""
        if self._clock.now() < self._search_at:
            return False
        self._search_at = self._clock.now() + waited
        return isinstance(self._search.find_again(self._after), Found)


def may_lie_over(trouble: Exception) -> bool:
    """Whether a dialog may be the cause: one hides more than a few tiles of a board.

    The key that closes a dialog may close the game where there is none.
    """
    return not isinstance(trouble, UnreadableTiles) or len(trouble.tiles) > NO_DIALOG


def opened_beside(trouble: Exception, clicked: Sequence[Cell]) -> Cell | None:
    """Return a ``clicked`` cell that is open, if few others are in doubt; else None.

    The pointer may rest on it: it may be the cause, where it rests beside the board.
    """
    if may_lie_over(trouble) or not isinstance(trouble, Unreadable) or trouble.labels is None:
        return None
    return next((cell for cell in reversed(clicked) if trouble.labels[cell] >= 0), None)


def may_be_opening(trouble: Unreadable) -> bool:
    """Whether no tile in doubt touches a covered one: they may be zeros drawn over a picture."""
    if trouble.labels is None or not (unread := trouble.labels == UNREAD).any():
        return False
    covered = (trouble.labels < 0) & ~unread
    return not (unread & (count_neighbours(covered) > 0)).any()


def page_card_s(target: Target) -> float:
    """Return how long trouble over a finished board is waited out."""
    return inf if target.is_known else PAGE_CARD_S


def _lasts(trouble: Unreadable) -> bool:
    """Whether it will not change any more that the end of a game is unclear."""
    if not isinstance(trouble, StatusUnclear):
        return False
    return trouble.board is not None and not trouble.may_change


SEARCH_POLL_S = 0.125
"""Seconds between two searches at the start."""

WINDOW_GONE_SHARE = 0.9
"""Share of a board's border that must have changed before its window counts as gone."""


class BoardSearch:
    """Finds the board of a stage on the whole screen, and reports it to the observer."""

    def __init__(self, stage: PlayStage) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._limits, self._observer = stage.limits, stage.observer

    def find_first(self, saved: Calibration | None = None) -> None:
        """Find the board at the start; wait a little for a window that is just opening.

        Wait longer if there is a grid that cannot be read: a program's bubble may lie over it. A
        ``saved`` calibration is used if a board can be read with it. Raises what
        `BoardTracker.find` raises.
        """
        if saved is not None and self._use_saved(saved):
            return
        start = self._clock.now()
        while True:
            try:
                self._observer(BoardFound(self._tracker.find(), self._tracker.target.on_screen))
                return
            except SeveralGrids:
                raise
            except (CalibrationError, ScreenGone) as trouble:
                covered = isinstance(trouble, UnreadableGrid)
                limit_s = (self._limits.cover_s if covered else self._limits.gone_s) / 2
                if self._clock.now() >= start + limit_s:
                    raise stopping_error(self._tracker, trouble) from trouble
            self._guard.wait(SEARCH_POLL_S)

    def _use_saved(self, saved: Calibration) -> bool:
        """Follow the board of a saved calibration; False if no board can be read with it."""
        frame = self._tracker.grab_screen()
        self._tracker.track(frame, saved)
        try:
            check_found(frame, saved)
            self._tracker.read(self._tracker.grab_region())
        except CalibrationError:
            self._observer(Noticed("The saved calibration does not fit; searching the screen."))
            self._tracker.followed = None
            return False
        self._observer(BoardFound(frame, saved))
        return True

    def recognise_program(self, board: Board) -> bool:
        """Calibrate again when ``board`` shows more kinds of numbers than any board before it.

        Hidden tiles alone distinguish few programs, and few themes of one program; and something
        may have lain over the board when it was found. Returns whether another theme is used now;
        then the board must be read again.
        """
        kinds = len(set(board.tiles[board.tiles > 0].tolist()))
        if kinds <= self._tracker.memory.kinds_of_numbers:
            return False
        self._tracker.remember(replace(self._tracker.memory, kinds_of_numbers=kinds))
        if self._is_as_before():
            self._tracker.remember(replace(self._tracker.memory, program_confirmed=True))
            return False
        try:
            screen = self._tracker.grab_screen()
            found = self._tracker.look_for(screen)
        except (CalibrationError, ScreenGone):
            return False
        result = recognised_anew(self._tracker.now, screen, found)
        self._take(result, screen)
        return result.is_other

    def _take(self, result: Found, screen: Frame) -> None:
        """Follow what was found, and report to the observer if it differs from before."""
        self._tracker.followed = result.now
        if result.said:
            self._observer(Noticed(result.said))
        if result.is_other:
            self._observer(BoardFound(screen, result.now.target.on_screen))

    def _is_as_before(self) -> bool:
        """Whether the region alone shows the same board in the same theme.

        Then the whole screen is not searched, which takes ten times as long.
        """
        old = self._tracker.target.in_region
        try:
            found = self._tracker.look_in_region()
        except (CalibrationError, ScreenGone):
            return False
        return found.theme.name == old.theme.name and same_place(found, old)

    def find_again(self, after: Board | None) -> Found | Lost:
        """Search the whole screen for the board that is followed, and follow it if it is found.

        ``after`` is the last board of the game under way, None between games.
        """
        try:
            screen = self._tracker.grab_screen()
            found = self._tracker.look_for(screen)
        except (CalibrationError, ScreenGone) as error:
            return Lost(error)
        result = follow(self._tracker.now, screen, found, after)
        if isinstance(result, Found):
            self._take(result, screen)
        return result

    def in_place(self, frame: Frame, after: Board | None) -> Frame:
        """Return a frame of the region, or one of where the board lies now if its border changed.

        ``after`` is the last board of the game under way, if there is one. Raises why it is lost.
        """
        target = self._tracker.target
        if target.border_intact(target.crop_board(frame)):
            return frame
        found = self.find_again(after)
        if isinstance(found, Lost):
            raise found.why
        return self._tracker.grab_region()


def stopping_error(tracker: BoardTracker, trouble: Exception) -> Exception:
    """Return the error that play stops with when ``trouble`` lasts."""
    followed = tracker.followed is not None
    lost = followed and isinstance(trouble, NoGrid | SeveralGrids | UnreadableGrid)
    if lost and tracker.target.border_change(tracker.grab_board()) < WINDOW_GONE_SHARE:
        trouble = BoardCovered("a part of its border can still be seen")
    elif lost:
        return WindowGone(
            "The board is not on the screen any more: bring its window to the front and "
            "start again; a game that has begun is continued."
        )
    if isinstance(trouble, BoardCovered):
        why = str(trouble).removeprefix("Something seems to lie over the board: ").rstrip(".")
        if may_be_opening(trouble):
            return WindowCovered(
                "Something lies over the board and stays there, or its open cells are drawn in a "
                f"way that is not known ({why}): move away what lies over it and start again."
            )
        return WindowCovered(
            f"Something lies over the board and stays there ({why}): move it away and start again."
        )
    return trouble

"""Read a board; while it cannot be read, try other readings, keys, the pointer, a search.

`BoardSearch` searches the whole screen: at the start, after trouble, and to recognise the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from bot.errors import AnotherGame, BoardChanged, NotPressed, ScreenGone, WindowCovered, WindowGone
from bot.events import BoardFound, Noticed
from bot.tracking.follow import Found, Lost, follow, follow_recognised
from bot.tracking.game import Observation, check_same_game
from bot.tracking.places import check_found, same_place
from bot.tracking.target import NO_PICTURE, Target
from bot.tracking.tracker import BoardTracker, PlayStage
from calibration import Calibration, Frame
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
from calibration.rules import UNREAD
from solver.board import Board, Cell, count_neighbours

SEARCH_AFTER_S = 0.25
"""How long trouble must last before the whole screen is searched. A search takes as long as ten
readings, so the time until the next one grows."""

OPENING_AFTER_S = 2.0
"""How long a board must rest before plain tiles count as open: their numbers may be painted
late."""

DIALOG_AFTER_S = 0.7
"""Trouble that lasts longer than this comes from a dialog and not from a repaint: a dialog over a
finished game opens within 0.3 s of the last click (measured on three programs)."""

PAGE_CARD_S = 4.0
"""How long to wait for a covered finished board of an unknown program: a web page may leave its
message there until it is clicked. Bubbles and flashes of known programs last up to 8 s."""

NEW_GAME_AFTER_S = 1.0
"""How long all cells must stay covered before this counts as a new game and not as a flash."""

MOST_WITHOUT_DIALOG = 2
"""Largest number of doubtful tiles that does not suggest a dialog: one may lie under the
pointer."""


class Attempt(NamedTuple):
    """A failed attempt to read a board: its frame, None without one, and ``why`` it failed."""

    frame: Frame | None
    why: Exception


class Recovery:
    """Looks at a board until it can be read, with remedies for what prevents it.

    Each remedy has its own time. ``after`` is the last board of the game under way, None between
    games. ``dialog`` lists the keys that close a dialog that the program may have opened over the
    board. ``clicked`` are the cells clicked last, around which the program may have opened others.
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
        """Wait for a readable board; for the arguments and errors see `Waits.wait_readable`."""
        last: Attempt | None = None
        while True:
            result = self._look(last)
            if isinstance(result, Observation):
                return result
            waited = self._clock.now() - self._start
            again = self._read_differently(result, waited)
            if self._gives_up(result, waited, most_s, give_up):
                error = stopping_error(self._tracker, result.why)
                # If a key that closes the dialog could not be pressed, that error explains more.
                if isinstance(error, WindowCovered) and self._not_pressed is not None:
                    error = self._not_pressed
                raise error from result.why
            self._uncover(result.why, waited)
            again |= self._find_again(waited)
            last = None if again else result
            self._guard.wait(self._limits.trouble_poll_s)

    def _look(self, last: Attempt | None) -> Observation | Attempt:
        """Read the board; if its frame equals that of the ``last`` attempt, return that again."""
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

    def _gives_up(
        self,
        attempt: Attempt,
        waited: float,
        most_s: float,
        give_up: Callable[[Frame, bool], bool],
    ) -> bool:
        """Whether to stop waiting for a readable board."""
        frame, why = attempt
        since = min(self._covered_since, waited) if isinstance(why, AnotherGame) else inf
        self._covered_since = since
        if waited >= since + NEW_GAME_AFTER_S:
            return True
        if waited > DIALOG_AFTER_S and isinstance(why, Unreadable) and frame is not None:
            asked, self._asked = self._asked, (frame, waited > page_card_s(self._tracker.target))
            if _stays_unclear(why) or (self._asked != asked and give_up(*self._asked)):
                return True
        gone = isinstance(why, NoGrid | ScreenGone)
        limit = min(most_s, self._limits.gone_s if gone else self._limits.cover_s)
        # The keys get their chance first: a search may take all the time on a busy machine.
        return self._clock.now() > self._pressed_at + DIALOG_AFTER_S and waited >= limit

    def _read_differently(self, attempt: Attempt, waited: float) -> bool:
        """Let the reader read in another way, if it is time; return whether to read again.

        If the numbers contradict each other, it forgets its labels: a board seen in between may
        have spoiled them. Once the board rests, plain tiles around the clicks may be open.
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
        # This is repeated if the window moves.
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
        if self._presses > 1 and (opened := cell_to_park_on(trouble, self._clicked)):
            self._tracker.park_on(opened)
        target = self._tracker.target
        self._guard.nudge(target.border_point, target.parking_point)

    def _find_again(self, waited: float) -> bool:
        """Search the whole screen for the board, if it is time; return whether it was found."""
        if self._clock.now() < self._search_at:
            return False
        self._search_at = self._clock.now() + waited
        return isinstance(self._search.find_again(self._after), Found)


def may_lie_over(trouble: Exception) -> bool:
    """Whether a dialog may be the cause: it covers more than a few tiles of a board.

    If there is no dialog, the key that closes one may close the game.
    """
    return not isinstance(trouble, UnreadableTiles) or len(trouble.tiles) > MOST_WITHOUT_DIALOG


def cell_to_park_on(trouble: Exception, clicked: Sequence[Cell]) -> Cell | None:
    """Return a ``clicked`` cell that is open, to leave the pointer on, if few tiles are in doubt.

    A program that does not notice that the pointer left may still highlight the last tile under it.
    """
    if may_lie_over(trouble) or not isinstance(trouble, Unreadable) or trouble.labels is None:
        return None
    return next((cell for cell in reversed(clicked) if trouble.labels[cell] >= 0), None)


def may_be_opening(trouble: Unreadable) -> bool:
    """Whether the tiles in doubt may be zeros drawn over a picture: none touches a covered tile."""
    if trouble.labels is None or not (unread := trouble.labels == UNREAD).any():
        return False
    covered = (trouble.labels < 0) & ~unread
    return not (unread & (count_neighbours(covered) > 0)).any()


def page_card_s(target: Target) -> float:
    """Return how long to wait for a finished board that is covered."""
    return inf if target.is_known else PAGE_CARD_S


def _stays_unclear(trouble: Unreadable) -> bool:
    """Whether the end of the game is unclear and will stay so."""
    if not isinstance(trouble, StatusUnclear):
        return False
    return trouble.board is not None and not trouble.may_change


SEARCH_POLL_S = 0.125
"""Seconds between two searches at the start."""

WINDOW_GONE_SHARE = 0.9
"""A window counts as gone if at least this share of the board's border changed."""


class BoardSearch:
    """Finds the board of a stage on the whole screen, and reports it to the observer."""

    def __init__(self, stage: PlayStage) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._limits, self._observer = stage.limits, stage.observer

    def find_first(self, saved: Calibration | None = None) -> None:
        """Find the board at the start; wait a little for a window that is just opening.

        Wait longer for a grid that cannot be read: a bubble of the program may cover it. A
        ``saved`` calibration is used if it still reads a board. Raises what `BoardTracker.find`
        raises.
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
        """Follow the board of a saved calibration; return False if it does not read a board."""
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

        Hidden tiles alone distinguish few programs and few of their themes; and something may have
        covered the board when it was found. Returns whether another theme is used now: then the
        board must be read again.
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
        result = follow_recognised(self._tracker.current, screen, found)
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

        If so, the whole screen is not searched, which takes ten times as long.
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
        result = follow(self._tracker.current, screen, found, after)
        if isinstance(result, Found):
            self._take(result, screen)
        return result

    def in_place(self, frame: Frame, after: Board | None) -> Frame:
        """Return a frame of the region; if the board's border changed, find the board first.

        ``after`` is the last board of the game under way, if there is one. If the board is lost,
        raises the error that explains why.
        """
        target = self._tracker.target
        if target.border_intact(target.crop_board(frame)):
            return frame
        found = self.find_again(after)
        if isinstance(found, Lost):
            raise found.why
        return self._tracker.grab_region()


def stopping_error(tracker: BoardTracker, trouble: Exception) -> Exception:
    """Return the error with which play stops if ``trouble`` lasts."""
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

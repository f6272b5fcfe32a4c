"""Search the whole screen for the board: at the start, after trouble, to recognise the program."""

from __future__ import annotations

from dataclasses import replace

from bot.desktop.ports import Clock
from bot.errors import ScreenGone, WindowCovered, WindowGone
from bot.events import Observer
from bot.mouse.guard import MouseGuard
from bot.options import Limits
from bot.tracking.follow import Found, Lost, follow, recognised_anew
from bot.tracking.places import check_found, same_place
from bot.tracking.tracker import BoardTracker
from calibration.calibration import Calibration
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    NoGrid,
    SeveralGrids,
    UnreadableGrid,
)
from calibration.frame import Frame
from solver.board import Board

SEARCH_POLL_S = 0.125
"""Seconds between two searches at the start."""

WINDOW_GONE_SHARE = 0.9
"""Share of a board's border that must have changed before its window counts as gone."""


class BoardSearch:
    """Finds the board of one tracker on the whole screen, and reports it to an observer."""

    def __init__(
        self,
        tracker: BoardTracker,
        guard: MouseGuard,
        clock: Clock,
        *,
        limits: Limits,
        observer: Observer,
    ) -> None:
        self._tracker = tracker
        self._guard = guard
        self._clock = clock
        self._limits = limits
        self._observer = observer

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
                self._observer.calibrated(self._tracker.find(), self._tracker.target.on_screen)
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
            self._observer.noticed("The saved calibration does not fit; searching the screen.")
            self._tracker.followed = None
            return False
        self._observer.calibrated(frame, saved)
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
        told = recognised_anew(self._tracker.now, screen, found)
        self._take(told, screen)
        return told.is_other

    def _take(self, told: Found, screen: Frame) -> None:
        """Follow what was found, and report to the observer if it differs from before."""
        self._tracker.followed = told.now
        if told.said:
            self._observer.noticed(told.said)
        if told.is_other:
            self._observer.calibrated(screen, told.now.target.on_screen)

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
        told = follow(self._tracker.now, screen, found, after)
        if isinstance(told, Found):
            self._take(told, screen)
        return told

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
        return WindowCovered(
            f"Something lies over the board and stays there ({why}): move it away and start again."
        )
    return trouble

"""Search the whole screen for the board: at the start, after trouble, to recognise the program."""

from __future__ import annotations

from dataclasses import replace

from bot.desktop.ports import Clock
from bot.errors import ScreenGone, WindowCovered, WindowGone
from bot.events import Observer
from bot.mouse.guard import MouseGuard
from bot.options import Limits
from bot.tracking.places import (
    check_found,
    keep_known_theme,
    keep_profile,
    same_lattice,
    same_place,
    within_half_a_tile,
)
from bot.tracking.target import Target
from bot.tracking.tracker import BoardTracker
from calibration.calibration import Calibration
from calibration.classify.recognise import is_of_another_program
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    NoGrid,
    SeveralGrids,
    UnreadableGrid,
)
from calibration.frame import Frame
from calibration.theme import LEARNED
from solver.board import Board

SEARCH_POLL_S = 0.125
"""Seconds between two searches at the start."""

WINDOW_GONE_SHARE = 0.9
"""Share of a board's border that must have changed before its window counts as gone."""

UNMOVED = 0.2
"""Share of tiles with the same pixels as before above which a window did not move."""


class BoardSearch:
    """Finds the board of one tracker on the whole screen, and tells an observer about it."""

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
        self._kinds_of_numbers = 1
        self._program_confirmed = False

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
            self._tracker.forget()
            return False
        self._observer.calibrated(frame, saved)
        return True

    def recognise_program(self, board: Board) -> bool:
        """Calibrate again when ``board`` shows more kinds of numbers than any board before it.

        Hidden tiles alone distinguish few programs, and few themes of one program; and something
        may have lain over the board when it was found. Returns whether another theme is used now;
        then the board must be read again.
        """
        old = self._tracker.target
        kinds = len(set(board.tiles[board.tiles > 0].tolist()))
        if kinds <= self._kinds_of_numbers:
            return False
        self._kinds_of_numbers = kinds
        if self._is_as_before():
            self._program_confirmed = True
            return False
        try:
            frame = self._tracker.find()
        except (CalibrationError, ScreenGone):
            return False
        found = self._tracker.target.on_screen
        theme = old.on_screen.theme
        if found.theme.name == LEARNED and theme.program != LEARNED:
            nothing_new = not is_of_another_program(frame, found.grid, theme)
        else:
            nothing_new = found.theme.name in (LEARNED, theme.name)
        self._program_confirmed = nothing_new or found.theme.program != LEARNED
        if nothing_new or not same_place(found, old.on_screen):
            self._tracker.set_target(old)
            return False
        if found.theme.program != theme.program:
            known = found.theme.program != LEARNED
            said = f"This is {found.theme.program}." if known else f"This is not {theme.program}."
            self._observer.noticed(said)
        self._observer.calibrated(frame, found)
        return True

    def _is_as_before(self) -> bool:
        """Whether the region alone shows the same board in the same theme.

        Then the whole screen is not searched, which takes ten times as long.
        """
        old = self._tracker.target.in_region
        try:
            found = self._tracker.calibrate_region()
        except (CalibrationError, ScreenGone):
            return False
        return found.theme.name == old.theme.name and same_place(found, old)

    def try_again(self, after: Board | None) -> None:
        """Search for the board as `find_again` does, but raise nothing if it is not found."""
        try:
            self.find_again(after)
        except (CalibrationError, ScreenGone):
            return

    def find_again(self, after: Board | None) -> None:
        """Search the whole screen for the board that is followed.

        ``after`` is the last board of the game under way, None between games. Raises what
        `BoardTracker.find` raises, `NoGrid` if a game is under way and only a board of another
        size is found, and `BoardCovered` if only a piece of the board, or more than it, is found.
        """
        old = self._tracker.target
        frame = self._tracker.find()
        new = self._tracker.target
        found = new.on_screen
        grid = found.grid
        if after is not None and (grid.rows, grid.cols) != (after.rows, after.cols):
            self._tracker.set_target(old)
            raise NoGrid("The board in play is not on the screen, only one of another size.")
        if same_lattice(grid, old.on_screen.grid) and not self._found_unplayed_board():
            self._tracker.set_target(old)
            raise BoardCovered("only a part of the board can be seen")
        if same_place(found, old.on_screen):
            learned = keep_profile(found, old.on_screen) if self._program_confirmed else found
            for place in dict.fromkeys((learned, keep_known_theme(found, old.on_screen))):
                if place is not found:
                    self._tracker.track(frame, place)
                if self._reads_better(frame, old, after):
                    self._observer.calibrated(frame, place)
                    return
            # The border changed, not the place: a flash at the end of a game, or a dialog.
            # Keep what is known of the program: its theme and its mine total.
            self._tracker.set_target(old.with_border_of(frame))
            return
        unmoved = within_half_a_tile(grid, old.on_screen.grid) and (
            old.reader.unchanged(old.region_on(frame)) > UNMOVED
        )
        if self._tracker.still_readable(frame, old) or (
            unmoved and not self._reads_on(frame, new, after)
        ):
            # The window did not move: the grid just found came from a half-painted board, or from
            # tiles of another size than before. A new Target object makes `Waits.wait_readable`
            # read even a frame that it could not read before.
            self._tracker.set_target(replace(old))
            return
        found = keep_known_theme(found, old.on_screen)
        self._tracker.track(frame, found)
        what = "The size of the tiles changed" if unmoved else "The window moved"
        self._observer.noticed(f"{what}; the board is found again.")
        self._observer.calibrated(frame, found)

    def _reads_on(self, frame: Frame, new: Target, after: Board | None) -> bool:
        """Whether ``new`` reads all open numbers of the game as they were ``after`` the last turn.

        Columns of a page that widen as their numbers appear move those beside them.
        """
        played = after is not None and bool(after.open.any())
        return played and self._tracker.still_readable(frame, new, after)

    def _found_unplayed_board(self) -> bool:
        """Whether the board just found is a new one, as when a person changes its size."""
        try:
            reading = self._tracker.read(self._tracker.grab_region(), same_game=False)
        except CalibrationError:
            return False
        return bool(reading.board.covered.all())

    def _reads_better(self, frame: Frame, old: Target, after: Board | None) -> bool:
        """Whether the target just found reads what ``old`` cannot.

        Either by another theme: the hidden tiles at the start had been taken for those of the
        wrong one. Or by lines that lie otherwise: those found on a window that was not wholly
        painted yet may be off by a pixel. Or by appearances learned afresh, with tiles that the old
        ones did not have: this counts only within a game, where every open number must stay as it
        was ``after`` the last turn.
        """
        new = self._tracker.target
        name = new.on_screen.theme.name
        if name == LEARNED and after is None:
            return False
        border_as_now = old.with_border_of(frame)
        if name == LEARNED and not self._tracker.has_unreadable_tiles(frame, border_as_now):
            return False  # an indicator contradicts the tiles: that is no matter of appearances
        return self._tracker.still_readable(frame, new, after) and not (
            self._tracker.still_readable(frame, border_as_now)
        )


def stopping_error(tracker: BoardTracker, trouble: Exception) -> Exception:
    """Return the error that play stops with when ``trouble`` lasts."""
    lost = tracker.has_target and isinstance(trouble, NoGrid | SeveralGrids | UnreadableGrid)
    if lost and tracker.target.border_change(tracker.grab_board()) < WINDOW_GONE_SHARE:
        trouble = BoardCovered("a part of its border can still be seen")
    elif lost:
        return WindowGone(
            "The board is not on the screen any more: bring its window to the front and "
            "start again; a half-played board is no problem."
        )
    if isinstance(trouble, BoardCovered):
        return WindowCovered(
            f"Something lies over the board and stays there ({_without_full_stop(trouble)}): move "
            "it away and start again."
        )
    return trouble


def _without_full_stop(error: Exception) -> str:
    return str(error).rstrip(".")

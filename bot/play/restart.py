"""Between two games: close the dialogs of the program and ask for a new game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from math import inf

import numpy as np

from bot import errors
from bot.desktop.ports import Monitor, check_on_monitor
from bot.mouse.guard import Aim
from bot.options import NewGame, PlayOptions, SmileyClick, new_game_text, parse_new_game
from bot.play.clicker import GENTLE_HOLD_S, SPACING_S, looks_alike
from bot.tracking.game import Observation, is_new_game
from bot.tracking.tracker import PlayStage
from bot.tracking.waits import Waits
from calibration import Frame, PixelPoint, ScreenPoint, Unreadable
from calibration.theme import ProgramProfile, Theme
from solver.board import Board, Cell

NAMED_WAIT_S = 1.0
"""How long to wait for a finished board to be uncovered before the point given with --new-game is
clicked: time for an answer of the program and a short animation."""


SPACING_OF_GAMES_S = 1.0
"""Least time between two new games. Winemine draws its boards from the second of the clock: of ten
games that were lost within 0.1 s, seven had one of three boards."""

OWN_START_S = 15.0
"""Some programs start the next game by a timer, even if the bot has already started one: up to this
long after the end of a game."""

OWN_START_MARGIN_S = 2.0
"""The bot waits this much longer for the timer than it took the last time."""

FOCUS_S = 0.5
"""How long the window manager may take to give a clicked board the keyboard."""

FOCUS_POLL_S = 0.01
"""Seconds between two attempts to press a key in that time."""

DIALOG_CLOSES_S = 0.3
"""How long a dialog may take to disappear, and the next one, such as a list of best times, to open.
"""

AIM_TILES = 0.4
"""A point is clicked only if nothing this far around it has changed, in tiles."""


class Restarter:
    """Closes dialogs and starts new games.

    Where the ``options`` do not say how, the program profile does. The profile of the program that
    the person named is used if neither the recognised program nor a smiley shows how a new game
    starts, for example on a finished board with few numbers.
    """

    def __init__(self, stage: PlayStage, waits: Waits, options: PlayOptions) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._limits, self._waits = stage.limits, waits
        self._asked_control, self._close_key = options.new_game, options.close
        self._named_profile = profile_named(options.themes)
        self._asked_at = stage.clock.now()
        self._ended_at = -inf
        self._own_start_s = 0.0

    @property
    def profile(self) -> ProgramProfile:
        """The profile of the program that is played."""
        return self._tracker.target.on_screen.theme.profile

    def dialog_keys(self, *, may_win: bool, may_lose: bool) -> tuple[str, ...]:
        """Return the keys that close the dialogs that the last clicks may have opened.

        An unknown program gets no key: the key that closes most dialogs makes many programs quit.
        Between games its own dialogs are closed by `close_own_dialogs`.
        """
        if self._close_key is not None:
            return (self._close_key,) if may_win or may_lose else ()
        profile = self.profile
        keys = (profile.close_won if may_win else ()) + (profile.close_lost if may_lose else ())
        return tuple(dict.fromkeys(keys))

    def close_end_dialog(self, *, won: bool, last: bool) -> None:
        """Close the dialog that this program may open after a game that was ``won`` or lost.

        After the ``last`` game the board need not become visible again: the result is known.
        """
        dialog = self.dialog_keys(may_win=won, may_lose=not won)
        if dialog and self._waits.wait_covered(self._limits.dialog_s):
            with suppress(errors.WindowTrouble) if last else nullcontext():
                self._waits.wait_readable(dialog=dialog)

    def explain_cover(self, trouble: Exception) -> Exception:
        """Return an error that names --close if an unknown program covers its finished board."""
        covered = isinstance(trouble, errors.WindowTrouble)
        if not covered or self._close_key is not None or self._tracker.target.is_known:
            return trouble
        return errors.WindowCovered(
            "Something covered the board at the end of a game: close it and start again, or name "
            "the key that closes it with --close KEY."
        )

    @property
    def new_game_control(self) -> NewGame:
        """What starts a new game: what the person named, or what the program is known to use.

        That is what the profile of the recognised program says, else the smiley in the board's
        window, else what the profile of the program that the person named says. Raises `UsageError`
        if there is nothing.
        """
        if self._asked_control is not None:
            return self._asked_control
        smiley = SmileyClick.SMILEY.value if self._has_smiley else None
        named = self._named_profile.new_game if self._named_profile else None
        known = self.profile.new_game or smiley or named
        if known is None:
            raise errors.UsageError(
                "It is not known how this program starts a new game: name a key with --new-game "
                "KEY (such as f2 or ctrl+n) or a point to click with --new-game X,Y, or start each "
                "game yourself."
            )
        return parse_new_game(known)

    @property
    def _has_smiley(self) -> bool:
        centre = self._tracker.memory.reader.smiley.centre
        frame = self._tracker.last_frame
        if centre is None or frame is None:
            return False
        return self._guard.is_in_board_window(frame.to_screen(centre))

    def check_point(self, monitors: Sequence[Monitor]) -> None:
        """Raise `UsageError` if the point of --new-game is on no monitor."""
        if isinstance(self._asked_control, ScreenPoint):
            check_on_monitor("--new-game", self._asked_control, monitors)

    def check_new_game_control(self) -> None:
        """Raise `UsageError` before the first game if no way to start another one is known."""
        _ = self.new_game_control

    def new_game(
        self, final: Board, *, won: bool | None = None, unread: bool = False
    ) -> Observation:
        """Ask for a new game and wait until its board replaces the ``final`` one.

        ``won`` says how the game ended, None if that is not known: after a loss, no key is pressed
        that closes the dialog of a win. ``unread`` says that the finished board cannot be read. A
        point given with --new-game is clicked even while something covers the board: it may be its
        button.

        Raises `UsageError` if no way is known, `WindowStuck` if no new board appears, and what
        `Waits.wait_readable` raises.
        """
        request = self._new_game_action()
        self._ended_at = self._clock.now()
        dialog = self.dialog_keys(may_win=won is not False, may_lose=won is not True)
        if self._own_start_s and (new := self._new_board(final, dialog, self._own_start_s)):
            return new
        self._guard.wait(self._asked_at + SPACING_OF_GAMES_S - self._clock.now())
        self._asked_at = self._clock.now()
        not_asked: errors.NotPressed | None = None
        for attempt in range(self._limits.retries + 1):
            observation = None if unread and not attempt else self._look_at_end(dialog)
            if observation is not None:
                if self._is_fresh(final, observation) and (
                    new := self._new_board(final, dialog, self._limits.new_game_s)
                ):
                    return new
                if not self._guard.has_clicked and isinstance(self.new_game_control, str):
                    # A window that was never clicked may not receive the key.
                    self._focus_window(observation)
            if attempt:
                # A dialog that does not cover the board may have received the key.
                with suppress(errors.NotPressed):
                    for keys in dialog:
                        self._guard.press(keys)
            not_asked = None
            try:
                request(observation)
            except errors.NotPressed as why:
                not_asked = why
            new = self._new_board(final, dialog, self._limits.new_game_s)
            if new is not None:
                return new
        if not_asked is not None:
            raise not_asked
        raise errors.WindowStuck(
            f"The window does not start a new game on {new_game_text(self.new_game_control)!r}: "
            "name another key or point with --new-game."
        )

    def note_own_start(self, seen: float) -> bool:
        """Return whether the program's timer may have replaced a game last ``seen`` in play.

        From then on the next game is left to that timer, so the answer is yes only once.
        """
        if self._own_start_s or seen > self._ended_at + OWN_START_S:
            return False
        self._own_start_s = seen - self._ended_at + OWN_START_MARGIN_S
        return True

    def _is_fresh(self, final: Board, observation: Observation) -> bool:
        return is_new_game(final, observation) and self._tracker.looks_fresh(observation)

    def _look_at_end(self, dialog: Sequence[str]) -> Observation | None:
        """Read the finished board; None if it stays covered and there is a point to click."""
        named = self._names_a_point
        try:
            self.close_own_dialogs()
            return self._waits.wait_readable(dialog=dialog, most_s=NAMED_WAIT_S if named else inf)
        except (errors.WindowTrouble, Unreadable) as trouble:
            if self.close_own_dialogs():
                return self._waits.wait_readable(dialog=dialog)
            if named and self._may_be_covered(trouble):
                return None
            raise self.explain_cover(trouble) from trouble

    def close_own_dialogs(self) -> bool:
        """Close the dialogs that an unknown program opened at an end, by their default button.

        The dialog must belong to the board's window and have the keyboard, so that the board does
        not receive the key. Returns whether there was one. If the person named a point, the dialogs
        stay: the point may be one of their buttons.
        """
        if self._tracker.target.is_known or self._close_key is not None or self._names_a_point:
            return False
        closed = False
        for _ in range(self._limits.retries):
            if not self._guard.press_default_button():
                break
            closed = True
            self._guard.wait(DIALOG_CLOSES_S)
        return closed

    def _new_board(self, final: Board, dialog: Sequence[str], most_s: float) -> Observation | None:
        """Wait for the new board; None if it does not appear, or something still covers it."""
        try:
            return self._waits.wait_new_board(final, dialog=dialog, most_s=most_s)
        except (errors.WindowTrouble, Unreadable) as trouble:
            if not (self._names_a_point and self._may_be_covered(trouble)):
                raise
            return None

    def _may_be_covered(self, trouble: Exception) -> bool:
        """Whether trouble between two games may only mean that something covers the board.

        If a page dims its board and shows a message over it, the board seems to be gone. This is
        safe to assume only if the system reports whose window lies at a point, because then no
        other window is clicked.
        """
        if isinstance(trouble, errors.WindowGone):
            return self._guard.sees_windows
        return isinstance(trouble, errors.WindowCovered | errors.NotPressed | Unreadable)

    @property
    def _names_a_point(self) -> bool:
        """Whether the person named a point to click: it works even on a covered board."""
        return isinstance(self._asked_control, ScreenPoint)

    def _focus_window(self, observation: Observation) -> None:
        """Click an open tile, which gives the window the keyboard, and leave the board again."""
        open_cells = np.argwhere(~observation.board.covered)
        if len(open_cells):
            row, col = open_cells[0].tolist()
            centre = self._tracker.target.in_region.grid.centre(Cell(row, col))
            self._guard.click(self._aim_at(observation.frame, centre))
            # A tile of the new board under the pointer may look different from the others.
            self._guard.wait(SPACING_S)
            self._guard.park(self._tracker.target.parking_point)

    def _new_game_action(self) -> Callable[[Observation | None], None]:
        """Return the function that asks the program for a new game."""
        control, click = self.new_game_control, partial(self._guard.click, hold_s=GENTLE_HOLD_S)
        if isinstance(control, str):
            return partial(self._press, control)
        if isinstance(control, ScreenPoint):
            named = Aim(control, lambda: True, user_named=True)
            return lambda _: click(named)
        return lambda observation: click(self._smiley_aim(observation))

    def _press(self, keys: str, observation: Observation | None) -> None:
        """Press a key; if the board does not have the keyboard, click it, and try again.

        Raises `NotPressed` if the click does not help.
        """
        try:
            self._guard.press(keys)
        except errors.NotPressed:
            if observation is None:
                raise
            self._focus_window(observation)
            end = self._clock.now() + FOCUS_S
            while True:
                try:
                    return self._guard.press(keys)
                except errors.NotPressed:
                    if self._clock.now() > end:
                        raise
                self._guard.wait(FOCUS_POLL_S)

    def _aim_at(self, frame: Frame, point: PixelPoint) -> Aim:
        """Return the aim at a point, which must still look as it does in ``frame``."""
        by = AIM_TILES * self._tracker.target.in_region.grid.tile_w
        x0, y0, x1, y1 = (
            max(0, round(edge)) for edge in (point.x - by, point.y - by, point.x + by, point.y + by)
        )

        def unchanged() -> bool:
            now = self._tracker.grab_region()
            return looks_alike(*(one.pixels[y0:y1, x0:x1] for one in (frame, now)))

        return Aim(frame.to_screen(point), unchanged)

    def _smiley_aim(self, observation: Observation | None) -> Aim:
        """Return the aim at the smiley, as it looks now."""
        frame = observation.frame if observation else self._tracker.grab_region()
        return self._aim_at(frame, self._smiley_point(frame))

    def _smiley_point(self, frame: Frame) -> PixelPoint:
        """Return where the smiley is: as the profile says, or where it was found."""
        if self.profile.smiley is not None:
            grid, (across, tiles) = self._tracker.target.in_region.grid, self.profile.smiley
            x, y = grid.x0 + across * grid.cols * grid.tile_w, grid.y0 + tiles * grid.tile_h
            return PixelPoint(x, y)
        smiley = self._tracker.memory.reader.smiley
        if smiley.centre is None:
            raise errors.UsageError(
                "There is no smiley above this board: use --new-game KEY or --new-game X,Y."
            )
        if not smiley.is_known(frame):
            raise errors.WindowCovered(
                "Something lies over the smiley above the board: move it away and start again."
            )
        return smiley.centre


def profile_named(themes: Sequence[Theme] | None) -> ProgramProfile | None:
    """Return the profile of the program that a person named; None unless they named exactly one."""
    programs = {theme.program: theme.profile for theme in themes or ()}
    return next(iter(programs.values())) if len(programs) == 1 else None

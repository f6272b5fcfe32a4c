"""Send the clicks of one turn, each only if its tile still looks as it was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2

from bot.desktop.ports import Clock, window_not_told
from bot.events import Click
from bot.mouse.guard import MouseGuard
from bot.mouse.pace import Pace
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import Limits
from bot.play.control import Control, NoControl
from bot.tracking.places import within_half_a_tile
from bot.tracking.target import Pixels
from bot.tracking.tracker import BoardTracker
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import ScreenPoint
from solver.board import Board, Cell

CHEAP_GRAB_S = 0.002
"""If grabbing the board takes less than this, it is grabbed before every click."""

SPACING_S = 0.002
"""Least time between a click and the next movement. A Qt program drops a move of the pointer
if the next one is already in its queue, and takes the click to be at the old place: kmines lost
23 of 75 clicks sent without a pause, 1 of 75 at 1 ms, none of 75 at 2 ms; xdemineur loses some,
too."""

SHIMMER_STEPS = 4
"""Colour steps by which a tile may differ from the one that was read. On a page with bubbles behind
its tiles these change by up to 3 all the time; what opens them or lies over them changes more."""

GENTLE_REST_S, GENTLE_HOLD_S = 0.02, 0.05
"""Pause before and after a click that is repeated, since a loaded window manager loses some clicks;
and how long its button is down, since some programs look only once a frame whether it is."""


class Clicker:
    """Sends the clicks of a turn and parks the pointer.

    The board is grabbed before the first click, and again before every other click if that is
    fast (0.1 ms on X11, where a click takes 0.2 ms). If it is slow (16 ms on some systems), the
    last picture is used until it is older than ``limits.frame_age_s``. No click goes to another
    window than that which showed the board first, where the system tells. ``strange`` lists the
    cells that the last turn left out because they look unlike hidden tiles; ``below_window`` is one
    that lies below another window.
    """

    def __init__(
        self,
        tracker: BoardTracker,
        guard: MouseGuard,
        clock: Clock,
        *,
        window_at: Callable[[ScreenPoint], int | None] = window_not_told,
        limits: Limits,
        pace: Pace,
        control: Control | None = None,
    ) -> None:
        self._tracker = tracker
        self._guard = guard
        self._clock = clock
        self._window_at = window_at
        self._read_in: tuple[Grid, int | None] | None = None
        self._limits = limits
        self._pace = pace
        self._control = control or NoControl()
        self._clicked_at = -SPACING_S
        self.strange: list[Cell] = []
        self.below_window: Cell | None = None

    def send(
        self,
        planned_clicks: Sequence[PlannedClick],
        frame: Frame,
        board: Board,
        sent: list[tuple[PlannedClick, Click]],
        *,
        guess: bool,
        gently: bool = False,
    ) -> None:
        """Make the clicks on the ``board`` read from ``frame``; add each click made to ``sent``.

        Stops early if the border of the board changed. Skips cells that no longer look as they
        were read, because an earlier click opened them or something lies over them: the next
        observation shows which. Skips cells, too, that were read as hidden but look unlike every
        hidden tile so far. ``gently`` pauses before and after each click, and holds it. Raises
        `StoppedByUser`, `PersonAtMouse`, and `WindowStuck` for clicks that go round in circles.
        """
        read = self._tracker.target.crop_board(frame)
        self._guard.loops.begin_turn(read)
        now: Pixels | None = None
        self.below_window = None
        grabbed_at = grab_s = 0.0
        strange = self._unlike_hidden(planned_clicks, frame, board)
        hold_s = GENTLE_HOLD_S if gently else 0.0
        for planned_click in planned_clicks:
            if planned_click.cell in strange:
                continue
            self._control.before_click(self._pace.pause_s(guess=guess), self._guard.wait)
            self._guard.wait(self._clicked_at + SPACING_S - self._clock.now())
            start = self._clock.now()
            if (
                now is None
                or grab_s < CHEAP_GRAB_S
                or start - grabbed_at > self._limits.frame_age_s
            ):
                now, grabbed_at = self._tracker.grab_board(), self._clock.now()
                grab_s = grabbed_at - start
                if not self._tracker.target.border_intact(now):
                    break
            if not (planned_click.after_mark or self._as_read(planned_click.cell, now, read)):
                continue
            point = self._tracker.target.click_point(frame, planned_click.cell)
            if self._is_another_window(point):
                self.below_window = planned_click.cell
                break
            sent.append((planned_click, Click(planned_click.cell, point, planned_click.button)))
            if gently:
                self._guard.park(point)
                self._guard.wait(GENTLE_REST_S)
            self._guard.click(point, planned_click.button, hold_s)
            self._clicked_at = self._clock.now()
            if gently:
                self._guard.wait(GENTLE_REST_S)
        self.park()

    def _unlike_hidden(
        self, planned_clicks: Sequence[PlannedClick], frame: Frame, board: Board
    ) -> list[Cell]:
        """List the cells to be opened that look unlike every hidden tile of the games so far."""
        to_open = [
            planned_click.cell
            for planned_click in planned_clicks
            if planned_click.effect is ClickEffect.OPEN and not planned_click.after_mark
        ]
        self.strange = self._tracker.unlike_hidden(frame, to_open, board)
        return self.strange

    def note_window(self, frame: Frame) -> None:
        """Take note of the window that shows the board in ``frame``: no click goes to another."""
        grid = self._tracker.target.on_screen.grid
        middle = Cell(grid.rows // 2, grid.cols // 2)
        self._is_another_window(self._tracker.target.click_point(frame, middle))

    def _is_another_window(self, point: ScreenPoint) -> bool:
        """Whether another window lies at a point than did when the board was found there.

        A board whose look is learned anew, or found a pixel off, lies where it was.
        """
        grid, window = self._tracker.target.on_screen.grid, self._window_at(point)
        if self._read_in is None or not within_half_a_tile(self._read_in[0], grid):
            self._read_in = grid, window
        return window != self._read_in[1]

    def _as_read(self, cell: Cell, now: Pixels, read: Pixels) -> bool:
        shown, before = (self._tracker.target.crop_tile(one, cell) for one in (now, read))
        same = shown.shape == before.shape
        return same and bool(cv2.absdiff(shown, before).max(initial=0) <= SHIMMER_STEPS)

    def park(self) -> None:
        """Leave the pointer beside the board. Raises what `send` raises."""
        self._guard.wait(self._clicked_at + SPACING_S - self._clock.now())
        self._guard.park(self._tracker.target.parking_point)

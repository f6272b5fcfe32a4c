"""The clicks of a turn: planned by the style of play, sent only to tiles that look as read.

Flags and chords are used until they do not work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import cv2
import numpy as np

from bot.errors import NotPressed
from bot.events import Click, Noticed, Observer
from bot.mouse.guard import Aim
from bot.mouse.plan import ClickEffect, Clicks, PlannedClick, plan_clicks, plan_step
from bot.options import Control, NoControl, Pace, PlayOptions, Style
from bot.play.progress import Progress
from bot.tracking.places import box_slices
from bot.tracking.target import Pixels
from bot.tracking.tracker import PlayStage
from calibration import Frame, PixelBox, PixelPoint, ScreenPoint
from solver import Action, Board, Cell, Decision, Tile

CHEAP_GRAB_S = 0.002
"""If grabbing the board takes less than this, it is grabbed before every click."""

SPACING_S = 0.002
"""Least time between a click and the next movement. A Qt program drops a move of the pointer if the
next one is already in its queue, and applies the click at the old place: kmines lost 23 of 75
clicks sent without a pause, 1 of 75 at 1 ms, none of 75 at 2 ms. Xdemineur loses some, too."""

SHIMMER_STEPS = 4
"""Colour steps by which a tile may differ from the one that was read. On a page with bubbles behind
its tiles, these always change by up to 3 steps. An opened or covered tile changes by more."""

CURSOR_PX = 40
"""The picture may change this far around the tile below the pointer: some desktops draw the pointer
into it. `GLOW` applies if it is farther."""

GLOW = 0.5
"""The same in tiles: some programs draw a glow around the tile below the pointer."""

GENTLE_REST_S = 0.02
"""Pause before and after a gentle click: a loaded window manager loses some quick ones."""

GENTLE_HOLD_S = 0.05
"""How long a gentle click holds its button: some programs check it only once a frame."""


class Clicker:
    """Sends the clicks of a turn and parks the pointer.

    The board is grabbed right before every click if that is fast (0.1 ms on X11, where a click
    takes 0.4 ms), or if the system does not report whose window lies at a point. If it is slow (16
    ms on some systems), the last picture is used until it is older than ``limits.frame_age_s``.

    ``strange`` lists the cells that the last turn left out because they look unlike hidden tiles.
    ``below_window`` is a cell that was not clicked because another window covers it. ``changed`` is
    the error of a cell that changed just before the first click of the turn.
    """

    def __init__(self, stage: PlayStage, *, pace: Pace, control: Control | None = None) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._stage = stage
        self._pace = pace
        self._control = control or NoControl()
        self._clicked_at = -SPACING_S
        self._noted_at: ScreenPoint | None = None
        self.strange: list[Cell] = []
        self.below_window: Cell | None = None
        self.changed: NotPressed | None = None

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

        Stops early if the border of the board changed, or another window covers the cell. Skips
        cells that no longer look as they were read: an earlier click opened them, or something
        covers them, and the next observation shows which. Also skips cells that were read as hidden
        but look unlike every hidden tile so far. ``gently`` pauses before and after each click, and
        holds its button. Raises `StoppedByUser`, `PersonAtMouse`, and `WindowStuck` if the clicks
        repeat in a circle.
        """
        self.note_window(frame)
        self.below_window = self.changed = None
        look = TurnLook(self._stage, frame)
        self._guard.loops.begin_turn(look.read)
        strange = self._unlike_hidden(planned_clicks, frame, board)
        hold_s, rest_s = (GENTLE_HOLD_S, GENTLE_REST_S) if gently else (0.0, 0.0)
        for planned_click in planned_clicks:
            if planned_click.cell in strange:
                continue
            self._control.before_click(self._pace.pause_s(guess=guess), self._guard.wait)
            self._wait_for_spacing()
            point = self._tracker.target.click_point(frame, planned_click.cell)
            click = planned_click, Click(planned_click.cell, point, planned_click.button)
            aim = Aim(point, look.check_for(planned_click))
            sent.append(click)
            try:
                self._guard.click(aim, planned_click.button, hold_s=hold_s, rest_s=rest_s)
            except NotPressed as why:
                sent.pop()
                if why.other_window:
                    self.below_window = planned_click.cell
                elif not sent:
                    self.changed = why
                if why.other_window or look.moved:
                    break
            else:
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
        """Take note of the window that shows the board in ``frame``: no click goes to another.

        This is repeated only after the board has moved or another window blocked a click. Each
        click checks anyway that the window is still in place.
        """
        target = self._tracker.target
        grid = target.in_region.grid
        middle = Cell(grid.rows // 2, grid.cols // 2)
        point = target.click_point(frame, middle)
        if self._guard.sees_windows and point == self._noted_at and self.below_window is None:
            return
        self._noted_at = point
        self._guard.note_board(
            point,
            _around(frame, grid.box(middle), grid.bounds),
            lambda: target.border_intact(self._tracker.grab_board()),
        )

    def park(self) -> None:
        """Leave the pointer beside the board. Raises what `send` raises."""
        self._wait_for_spacing()
        self._guard.park(self._tracker.target.parking_point)

    def _wait_for_spacing(self) -> None:
        """Wait until `SPACING_S` after the last click; the next movement checks the kill switch."""
        self._clock.sleep(max(0.0, self._clicked_at + SPACING_S - self._clock.now()))


class TurnLook:
    """Checks, right before each click of a turn, that the board still looks as it was read.

    ``read`` is the picture of the board that was read. ``moved`` says whether the border of the
    board has changed since.
    """

    def __init__(self, stage: PlayStage, frame: Frame) -> None:
        self._tracker, self._clock = stage.tracker, stage.clock
        self._frame_age_s = stage.limits.frame_age_s
        self._trusts_windows = stage.guard.sees_windows
        self.read = stage.tracker.target.crop_board(frame)
        self.moved = False
        self._now: Pixels | None = None
        self._grabbed_at = self._grab_s = 0.0

    def check_for(self, planned_click: PlannedClick) -> Callable[[], bool]:
        """Return the check of a click: whether its tile still looks as it was read."""
        return partial(self._unchanged, planned_click, {})

    def _unchanged(self, planned_click: PlannedClick, before: dict[Cell, Pixels]) -> bool:
        """Whether the tile still looks as it was read; with the pointer on it, it may light up.

        The first call puts its picture in ``before``. The second, with the pointer on the tile,
        compares with that.
        """
        cell, resting = planned_click.cell, bool(before)
        now = self._look(fresh=resting)
        if not self._tracker.target.border_intact(now):
            self.moved = True
            return False
        if resting:
            return self._only_lit_up(cell, now, before[cell])
        before[cell] = now
        target = self._tracker.target
        return planned_click.after_mark or looks_alike(
            target.crop_tile(now, cell), target.crop_tile(self.read, cell)
        )

    def _look(self, *, fresh: bool) -> Pixels:
        """Grab the board; if that is slow and need not be ``fresh``, reuse a recent picture."""
        start = self._clock.now()
        if (
            fresh
            or self._now is None
            or not self._trusts_windows
            or self._grab_s < CHEAP_GRAB_S
            or start - self._grabbed_at > self._frame_age_s
        ):
            self._now, self._grabbed_at = self._tracker.grab_board(), self._clock.now()
            self._grab_s = self._grabbed_at - start
        return self._now

    def _only_lit_up(self, cell: Cell, now: Pixels, before: Pixels) -> bool:
        """Whether the change is limited to the tile under the pointer and a glow around it.

        Only a ring outside the glow is compared: a dialog that opened there would cover it, too.
        """
        target = self._tracker.target
        tile = target.on_screen.grid.box(cell)
        reach = max(CURSOR_PX, round(GLOW * (tile.x1 - tile.x0)))
        inner, outer = (
            box_slices(
                PixelBox(tile.x0 - by, tile.y0 - by, tile.x1 + by, tile.y1 + by), target.board_box
            )
            for by in (reach, 2 * reach)
        )
        changed = np.asarray((cv2.absdiff(now, before) > SHIMMER_STEPS).any(axis=2))
        changed[inner] = False
        return not changed[outer].any()


def _around(frame: Frame, box: PixelBox, most: PixelBox) -> Frame:
    """Cut out a box with a margin of its own size on each side, but nothing outside ``most``."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    x0, y0 = max(most.x0, box.x0 - width), max(most.y0, box.y0 - height)
    x1, y1 = min(most.x1, box.x1 + width), min(most.y1, box.y1 + height)
    corner = frame.to_screen(PixelPoint(x0, y0))
    return Frame(frame.pixels[y0:y1, x0:x1], corner, frame.scale)


def looks_alike(one: Pixels, other: Pixels) -> bool:
    """Whether two pictures have the same size and differ by no more than a shimmer."""
    same = one.shape == other.shape
    return same and bool(cv2.absdiff(one, other).max(initial=0) <= SHIMMER_STEPS)


class Marks:
    """Whether play sets ``flags`` and clicks ``chords``; games can be won without them.

    In the style `FEW` both are used where they save clicks. Flags are given up if one fails to stay
    more often than a click is repeated.
    """

    def __init__(self, options: PlayOptions, observer: Observer) -> None:
        self._style, self._retries = options.style, options.limits.retries
        self.flags, self.chords = options.flags, options.chords or options.style is Style.FEW
        self._observer = observer

    def plan(
        self,
        decision: Decision,
        board: Board,
        mines: Iterable[Cell],
        misses: Mapping[Cell, int],
    ) -> Clicks:
        """Return the clicks that carry out a decision, with the flags and chords that are used.

        ``mines`` are the certain ones, ``misses`` the cells that did not answer before.
        """
        safe = [move.cell for move in decision.moves if board[move.cell] == Tile.HIDDEN]
        opens = all(move.action is Action.OPEN for move in decision.moves)
        if self._style is Style.FEW and decision.certain and opens and safe and not misses:
            return plan_step(board, safe, mines, chords=self.chords)
        return plan_clicks(
            decision,
            board,
            mines=mines,
            flags=self.flags,
            chords=self.chords and self._style is not Style.FEW,
            at_once=self._style is Style.FAST,
            misses=misses,
        )

    def give_up_failing(self, progress: Progress, planned_clicks: Iterable[PlannedClick]) -> None:
        """Stop using flags or chords that did not work in the last turn."""
        for planned_click in planned_clicks:
            misses = max(progress.misses.get(cell, 0) for cell in planned_click.cells)
            if planned_click.effect is ClickEffect.CHORD and misses:
                self.chords = False
                self._observer(
                    Noticed("This program opens nothing on a chord; playing on without chords.")
                )
            elif planned_click.effect is ClickEffect.FLAG and misses > self._retries:
                self.flags = self.chords = False
                self._observer(Noticed("Flags do not stay on the board; playing on without flags."))
            else:
                continue
            progress.misses.clear()
            return

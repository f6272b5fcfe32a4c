"""Waiting for what is seen: a board at rest, a board that answers, a board that can be read.

No wait is a bare sleep: each polls the screen and has a limit, after which the trouble it met
becomes a typed stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bot.errors import BoardChanged, ScreenGone, WindowCovered, WindowGone
from bot.eye import Eye, Pixels, Watch, known_as, same_lattice, same_place
from bot.hand import Hand
from bot.options import Limits
from bot.plan import Stroke
from bot.ports import Clock
from bot.signs import View, begun_anew, check_follows, half_flooded, plausible
from bot.turn import Watcher
from calibration.calibrate import Calibration
from calibration.errors import BoardCovered, CalibrationError, NoGrid, SeveralGrids
from calibration.frame import Frame
from calibration.theme import LEARNED
from solver.board import Board, Cell

SEARCH_AFTER_S = 0.25
"""Trouble that lasts so long is looked into on the whole screen, then at ever longer times: a
search costs as much as ten readings of the board."""

MOSTLY = 0.9
"""Share of a board's border that must have changed for its window to count as gone."""

STILL_S, STILL_SHARE, MOST_STILL_S = 0.05, 0.3, 0.25
"""How long a program without a theme must stand still: three pictures of a screen, more where it
is slow to answer."""

DIALOG_AFTER_S = 0.7
"""A dialog over a finished game comes up within 0.3 s of the last click (measured on three
programs); one second look later it is no repaint any more."""


class Sight:
    """The waits of the loop, over one eye and one hand."""

    def __init__(
        self, eye: Eye, hand: Hand, clock: Clock, *, limits: Limits, watcher: Watcher
    ) -> None:
        self.eye = eye
        self._hand = hand
        self._clock = clock
        self._limits = limits
        self._watcher = watcher
        self._kinds = 1
        # How long the program lately took for its first answer to a turn; half of it is forgotten
        # each turn.
        self._answer_s = 0.0

    def find(self, saved: Calibration | None = None) -> None:
        """Find the board at the start, waiting a little for a window that just opens.

        A ``saved`` calibration is used where a board can be read by it. Raises what `Eye.find`
        raises.
        """
        if saved is not None and self._use(saved):
            return
        end = self._clock.now() + self._limits.gone_s / 2
        while True:
            try:
                self._watcher.calibrated(self.eye.find(), self.eye.watch.whole)
                return
            except SeveralGrids:
                raise
            except (CalibrationError, ScreenGone) as trouble:
                if self._clock.now() >= end:
                    raise self._verdict(trouble) from trouble
            self._hand.wait(SEARCH_AFTER_S / 2)

    def _use(self, saved: Calibration) -> bool:
        """Try a calibration from an earlier day."""
        frame = self.eye.whole()
        self.eye.use(frame, saved)
        try:
            self.eye.read(self.eye.look())
        except CalibrationError:
            self._watcher.noticed("The saved calibration does not fit; searching the screen.")
            self.eye.forget()
            return False
        self._watcher.calibrated(frame, saved)
        return True

    def know_better(self, board: Board) -> bool:
        """Look again for the theme of a program when a ``board`` shows more kinds of numbers.

        Fresh tiles alone tell few programs apart, and few themes of one program. Returns whether
        another is known now; the board must be read anew then.
        """
        old = self.eye.watch
        kinds = len(set(board.tiles[board.tiles > 0].tolist()))
        if kinds <= self._kinds:
            return False
        self._kinds = kinds
        try:
            frame = self.eye.find()
        except (CalibrationError, ScreenGone):
            return False
        found = self.eye.watch.whole
        nothing_new = found.theme.name in (LEARNED, old.whole.theme.name)
        if nothing_new or not same_place(found, old.whole):
            self.eye.keep(old)
            return False
        if found.theme.program != old.whole.theme.program:
            self._watcher.noticed(f"This is {found.theme.program}.")
        self._watcher.calibrated(frame, found)
        return True

    def wait_board(self, *, after: Board | None = None, dialog: Sequence[str] = ()) -> View:
        """Wait for a board that can be read and follows from ``after``.

        ``dialog`` are keys that close what the program may have opened over it. Raises
        `WindowCovered`, `WindowGone`, `ScreenGone`, `BoardChanged` or an `Unreadable` error
        when the limit is over.
        """
        start = self._clock.now()
        search_at, pressed = start + SEARCH_AFTER_S, 0
        seen: tuple[Watch, Frame] | None = None
        while True:
            begun = self._clock.now()
            try:
                frame = self.eye.look()
                # What did not change reads no better the second time.
                if seen is None or seen[0] is not self.eye.watch or seen[1] != frame:
                    seen = (self.eye.watch, frame)
                    return self._see(frame, after, begun)
            except (CalibrationError, BoardChanged, ScreenGone) as error:
                trouble: Exception = error
            waited = self._clock.now() - start
            if waited >= self._patience(trouble):
                raise self._verdict(trouble) from trouble
            if pressed < self._limits.retries and waited > DIALOG_AFTER_S * (2 * pressed + 1):
                pressed += 1
                for keys in dialog:
                    self._hand.press(keys)
                self._hand.nudge()
            if self._clock.now() >= search_at:
                search_at = self._clock.now() + waited
                self._search(after)
            self._hand.wait(self._limits.trouble_s)

    def wait_trouble(self, limit_s: float) -> bool:
        """Wait for something to come over the board; False if nothing does."""
        end = self._clock.now() + limit_s
        while self._clock.now() < end:
            try:
                self._see(self.eye.look(), None, 0.0, same_game=True)
            except (CalibrationError, ScreenGone):
                return True
            self._hand.wait(self._limits.trouble_s)
        return False

    def wait_settled(
        self,
        strokes: Sequence[Stroke],
        before: Pixels,
        *,
        after: Board,
        dialog: Sequence[str] = (),
        patience: int = 1,
    ) -> tuple[View, list[Cell]]:
        """Wait until the board answered all ``strokes`` and rests, or no more will come.

        ``before`` is the board's picture before the first click; ``patience`` multiplies the
        limit for a first answer. A program that was slow of late gets longer. Returns the view
        and the cells that did not answer. Raises as `wait_board`.
        """
        limits, now = self._limits, self._clock.now
        settle_s = max(1e-3 * self.eye.watch.whole.theme.handling.settle_ms, self._answer_s)
        change_s = patience * max(limits.change_s, 4 * settle_s)
        begun = now()
        deadline = begun + change_s
        seen = before
        while True:
            picture = self.wait_rest(seen, deadline)
            late = now() >= deadline
            if seen is before and not late:
                settle_s = max(settle_s, now() - begun)
                self._answer_s = max(now() - begun, self._answer_s / 2)
            if late or not _equal(picture, seen):
                view = self.wait_board(after=after, dialog=dialog)
                board = view.board
                missing = [cell for stroke in strokes for cell in stroke.missing(board)]
                if late or view.over or not (missing or half_flooded(board)):
                    return view, [] if view.over else missing
                seen = self.eye.tight_of(view.frame)
                last_call = begun + 2 * change_s + max(0.05, settle_s) * len(strokes)
                deadline = min(now() + max(limits.rest_s, 2 * settle_s), last_call)

    def wait_fresh(self, final: Board, *, dialog: Sequence[str] = ()) -> View | None:
        """Wait for the board of a new game, at rest; None when none comes within the limit.

        Where it is caught half painted, what is still bare may look like hidden tiles.
        """
        end = self._clock.now() + self._limits.fresh_s
        while self._clock.now() < end:
            view = self.wait_board(dialog=dialog)
            if begun_anew(final, view):
                picture = self.wait_rest(None, self._clock.now() + self._limits.change_s)
                if _equal(picture, self.eye.tight_of(view.frame)):
                    return view
                continue
            self._hand.wait(self._limits.trouble_s)
        return None

    def wait_more(self, view: View, *, dialog: Sequence[str] = ()) -> View:
        """Wait until a finished board has stopped changing: many flag their mines then."""
        end = self._clock.now() + self._limits.over_s
        seen = self.eye.tight_of(view.frame)
        while self._clock.now() < end:
            picture = self.wait_rest(seen, self._clock.now() + self._limits.rest_s)
            if _equal(picture, seen):
                break
            seen = picture
        return self.wait_board(after=view.board, dialog=dialog)

    def wait_clock(self, limit_s: float) -> bool:
        """Whether something beside the board goes on changing, as the clock of a game does.

        The first changes may be the game's last word; those after that count, from two on.
        """
        start = self._clock.now()
        last, changes = self.eye.surroundings(), 0
        while (waited := self._clock.now() - start) < limit_s and changes < 2:
            self._hand.wait(self._limits.trouble_s)
            now = self.eye.surroundings()
            if waited > limit_s / 5 and not _equal(now, last):
                changes += 1
            last = now
        return changes >= 2

    def wait_over(self, view: View, *, after: Board, dialog: Sequence[str] = ()) -> View:
        """Wait until the program says twice, at rest, how the game ended, and the board agrees.

        Returns the last view when the limit is over: with the program's word if it never
        wavered, else with a status of PLAYING, as when a flash was mistaken for an end.
        """
        end = self._clock.now() + self._limits.over_s
        last = view
        while self._clock.now() < end:
            self.wait_rest(None, self._clock.now() + 0.1)
            before, last = last, self.wait_board(after=after, dialog=dialog)
            if last.over and last.reading.status is before.reading.status and plausible(last):
                break
        return last

    def wait_rest(self, seen: Pixels | None, deadline: float) -> Pixels:
        """Wait for a picture at rest that differs from ``seen``, or the deadline.

        At rest are two equal ones in a row; of a program without a theme, which may animate its
        tiles or run in a browser of few pictures a second, all of some time.
        """
        still_s = 0.0
        if self.eye.watch.whole.theme.name == LEARNED:
            still_s = min(max(STILL_S, STILL_SHARE * self._answer_s), MOST_STILL_S)
        last, since = self.eye.glance(), self._clock.now()
        while True:
            self._hand.wait(self._limits.poll_s)
            picture, now = self.eye.glance(), self._clock.now()
            if now >= deadline:
                return picture
            if not _equal(picture, last):
                last, since = picture, now
            elif now - since >= still_s and not _equal(picture, seen):
                return picture

    def _see(
        self, frame: Frame, after: Board | None, begun: float, *, same_game: bool = False
    ) -> View:
        """Read a picture, of the game under way if there is a board to follow from.

        Raises whatever is wrong with it.
        """
        if not self.eye.border_intact(self.eye.tight_of(frame)):
            self._find_again(after)
            frame = self.eye.look()
        grabbed = self._clock.now()
        reading = self.eye.read(frame, same_game=same_game or after is not None)
        check_follows(after, reading.board)
        done = self._clock.now()
        return View(frame, reading, 1e3 * (grabbed - begun), 1e3 * (done - grabbed))

    def _search(self, after: Board | None) -> None:
        """Look for the board elsewhere; that it is nowhere is no news here."""
        try:
            self._find_again(after)
        except (CalibrationError, ScreenGone):
            return

    def _find_again(self, after: Board | None) -> None:
        """Search the whole screen for the board watched.

        Raises what `Eye.find` raises, `NoGrid` when there is only a board of another size while
        a game is under way, and `BoardCovered` when a piece of it, or more than it, is found.
        """
        old = self.eye.watch
        frame = self.eye.find()
        found = self.eye.watch.whole
        grid = found.grid
        if after is not None and (grid.rows, grid.cols) != (after.rows, after.cols):
            self.eye.keep(old)
            raise NoGrid("The board in play is not on the screen, only one of another size.")
        if same_lattice(grid, old.whole.grid) and not self._looks_fresh():
            self.eye.keep(old)
            raise BoardCovered("it is not wholly to be seen")
        if same_place(found, old.whole):
            if self._reads_better(frame, old):
                self._watcher.calibrated(frame, found)
                return
            # A flash at the end of a game or a dialog changed the border, not the place: what
            # was known of the program, its look and its mines stays known.
            self.eye.keep(replace(old, reference=self.eye.watch.reference))
            return
        if self.eye.still_readable(frame, old):
            # It is legible again where it was: a grid seen on a half-painted board is no move.
            # A watch made anew has `wait_board` read even a frame it could not read before.
            self.eye.keep(replace(old))
            return
        found = known_as(found, old.whole)
        self.eye.use(frame, found)
        self._watcher.noticed("The window moved; the board is found again.")
        self._watcher.calibrated(frame, found)

    def _looks_fresh(self) -> bool:
        """Whether the board just found is a new one, as when a person changes its size."""
        try:
            return bool(self.eye.read(self.eye.look(), same_game=False).board.covered.all())
        except CalibrationError:
            return False

    def _reads_better(self, frame: Frame, old: Watch) -> bool:
        """Whether the watch just found, of another theme, reads what the ``old`` one cannot.

        Fresh tiles were then taken for those of another theme.
        """
        now = self.eye.watch
        other = now.whole.theme.name not in (LEARNED, old.whole.theme.name)
        return (
            other
            and self.eye.still_readable(frame, now)
            and not self.eye.still_readable(frame, replace(old, reference=now.reference))
        )

    def _patience(self, trouble: Exception) -> float:
        gone = isinstance(trouble, NoGrid | ScreenGone)
        return self._limits.gone_s if gone else self._limits.cover_s

    def _verdict(self, trouble: Exception) -> Exception:
        """Turn trouble that lasts into the error that play stops with."""
        lost = self.eye.found and isinstance(trouble, NoGrid | SeveralGrids)
        if lost and self.eye.border_changed(self.eye.glance()) < MOSTLY:
            trouble = BoardCovered("a part of its border is still to be seen")
        elif lost:
            return WindowGone(
                "The board is not on the screen any more: bring its window to the front and "
                "start again; a half-played board is no problem."
            )
        if isinstance(trouble, BoardCovered):
            return WindowCovered(
                f"Something lies over the board and stays there ({_bare(trouble)}): move it "
                "away and start again."
            )
        return trouble


def _equal(one: Pixels, other: Pixels | None) -> bool:
    return other is not None and one.shape == other.shape and bool(np.array_equal(one, other))


def _bare(error: Exception) -> str:
    return str(error).rstrip(".")

"""Follow a window in which a person plays: notice every change, find the moves, tell observers.

Nothing is sent to the window: the spectator has no mouse and no keyboard, only the screen, the
place of the pointer and the clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bot.desktop.ports import Clock, Pointer, Screen
from bot.errors import BoardChanged, ScreenGone, WindowGone
from bot.events import Observer
from bot.tracking.end_words import EndWords
from bot.tracking.follow import Wanted
from bot.tracking.observation import (
    Observation,
    check_same_game,
    is_new_game,
    status_fits_board,
    still_opening,
)
from bot.tracking.target import Pixels
from bot.tracking.tracker import BoardTracker
from bot.watch.cover import is_covered, loss_beside_cover
from bot.watch.game import (
    GameUnderWay,
    analysis_of,
    end_of,
    is_reset,
    risk_on,
    without_end_marks,
)
from bot.watch.hints import NO_HINTS, Hints, Sight
from bot.watch.moves import infer_moves, one_by_one
from calibration.errors import CalibrationError, SeveralGrids, UnreadableTiles
from calibration.frame import Frame
from calibration.points import PixelPoint
from calibration.theme import Theme
from solver.agents.base import Decision
from solver.board import Board, Cell
from solver.game import Status

FRAME_S = 0.02
"""Seconds between two frames: a person makes at most about ten clicks a second."""

IDLE_S = 0.03
"""Seconds between two frames while nothing changes. Hints on the window must be gone within 0.1 s;
with 0.02 they cost 6 % of a core."""

REST_S = 0.12
"""Seconds without a change after which a board is read; longer than a step of an animation."""

SEARCH_S = 1.0
"""Seconds between two searches of the whole screen while the board cannot be read."""

LONGEST_SEARCH_S = 4.0
"""Longest time between two such searches; the time doubles from one to the next."""

LONGEST_COVERED_S = 15.0
"""The same while the border of the board stays: a dialog lies over it, perhaps for minutes."""

RETRY_S = 0.3
"""Seconds after which a board that cannot be read is read again, though it looks the same; the time
doubles, too. Reading such a board every 0.3 s took 30 % of a core."""

GONE_S = 6.0
"""Seconds without a board on the screen after which its window counts as closed."""

HAND = "played by hand"
"""The reason of a person's moves."""

GONE_BORDER = 0.6
"""Share of the border that looks different once the window is closed. A dialog that lies over the
board leaves more of it as it was, and may stay for as long as the person likes."""

MOVING_FRAMES = 12
"""Frames that are kept while the board changes: a dialog opens 0.05 s to 0.3 s after the end."""

OTHER_GAME_S = 1.0
"""Seconds after which a board that cannot follow from the last one counts as another game."""


class Spectator:
    """Watches one board until its window closes; `watch` does it all.

    ``before_frame`` is called before every frame, some fifty times a second, and raises to end the
    watch (Ctrl-C). ``hints`` are told of every change and of every board at rest.
    """

    def __init__(
        self,
        screen: Screen,
        pointer: Pointer,
        clock: Clock,
        *,
        observer: Observer,
        before_frame: Callable[[], None] = lambda: None,
        hints: Hints = NO_HINTS,
        near: PixelPoint | None = None,
        mines: int | None = None,
        themes: tuple[Theme, ...] | None = None,
    ) -> None:
        self._tracker = BoardTracker(screen, Wanted(near, mines, themes))
        self._pointer = pointer
        self._clock = clock
        self._observer = observer
        self._before_frame = before_frame
        self._hints = hints
        self._pointer_cell: Cell | None = None
        self._last: Observation | None = None
        self._other: tuple[Board, float] | None = None
        self._in_part: Board | None = None
        self._moving: deque[Frame] = deque(maxlen=MOVING_FRAMES)
        self._words = EndWords(self._tracker)
        self._game = GameUnderWay(1, clock.now())
        self._loss: Observation | None = None

    def watch(self) -> None:
        """Watch until the window is gone; raise what ``before_frame`` raises to end it earlier.

        Raises what `BoardTracker.find` raises if there is no board at the start.
        """
        frame = self._tracker.find()
        self._observer.calibrated(frame, self._tracker.target.on_screen)
        seen = self._settle()
        while True:
            self._wait_change(seen)
            try:
                seen = self._settle()
            except WindowGone:
                self._end_unfinished("The board is not on the screen any more.")
                return

    def finish(self) -> None:
        """Tell the observers of the game under way, which is not finished."""
        self._end_unfinished("You stopped watching.")

    def _wait_change(self, seen: Pixels) -> None:
        """Wait for a picture of the board that differs from ``seen``, and then for rest."""
        changed_at: float | None = None
        last = seen
        self._moving.clear()
        while True:
            self._pause(IDLE_S if changed_at is None else FRAME_S)
            picture, now = self._tracker.grab_board(), self._clock.now()
            if not np.array_equal(picture, last):
                self._hints.board_changed(self._tracker.target.unlike_cells(seen, picture))
                if changed_at is None:
                    self._pointer_cell = self._cell_under_pointer()
                changed_at, last = now, picture
                with suppress(ScreenGone):
                    self._moving.append(self._tracker.grab_region())
            elif changed_at is not None and now - changed_at >= REST_S:
                return

    def _settle(self) -> Pixels:
        """Read the board, once it can be read, and take in what changed.

        Returns the picture of the board that was read, so that no later change is missed. Raises
        `WindowGone` if no board is found for `GONE_S`.
        """
        start = search_at = self._clock.now()
        search_s, retry_s = SEARCH_S, RETRY_S
        while True:
            picture = None
            try:
                frame = self._tracker.grab_region()
                picture = self._tracker.target.crop_board(frame)
                self._take_in(self._read(frame))
                self._tell_rest()
                return picture
            except (CalibrationError, ScreenGone, BoardChanged) as error:
                trouble = error
                if isinstance(error, UnreadableTiles):
                    self._tell_in_part(frame)
                else:
                    self._hints.board_changed(None)
            self._look_back()
            now, covered = self._clock.now(), self._border_stays()
            start = now if covered else start
            longest_s = LONGEST_COVERED_S if covered else LONGEST_SEARCH_S
            if now >= search_at + min(search_s, longest_s):
                # A search costs as much as ten readings.
                search_at, search_s = now, min(2 * search_s, longest_s)
                if self._search():
                    start, retry_s = now, RETRY_S
            if now - start >= GONE_S:
                if self._last is None:
                    raise trouble
                raise WindowGone("The window that was watched is gone.") from trouble
            changed = self._wait_other_picture(picture, retry_s)
            retry_s = RETRY_S if changed else min(2 * retry_s, longest_s / 4)

    def _tell_in_part(self, frame: Frame) -> None:
        """Tell of a board with a tile or two unknown, as the pointer hides them, once.

        No moves are inferred from it: what it hides will be seen later.
        """
        with suppress(CalibrationError):
            target, memory = self._tracker.now
            reading = target.reader.read_in_part(frame, memory.reader)
            shown = reading.board.with_mines(None)
            if reading.status is Status.PLAYING and shown != self._in_part:
                self._in_part = shown
                self._hints.board_at_rest(self._sight(reading.board))

    def _tell_rest(self) -> None:
        """Tell that the board of a game under way can be read, whether it changed or not."""
        if self._last is not None and not self._last.over:
            self._in_part = None
            self._hints.board_at_rest(self._sight(self._last.board))

    def _sight(self, board: Board) -> Sight:
        return Sight(self._game.number, board, self._tracker.target.on_screen.grid)

    def _wait_other_picture(self, picture: Pixels | None, limit_s: float) -> bool:
        """Wait until the board looks unlike ``picture``, which cannot be read; return whether."""
        end = self._clock.now() + limit_s
        self._pause()
        while picture is not None and self._clock.now() < end:
            with suppress(ScreenGone):
                if not np.array_equal(self._tracker.grab_board(), picture):
                    self._hints.board_changed(None)
                    self._moving.append(self._tracker.grab_region())
                    return True
            self._pause(IDLE_S)
        return picture is None

    def _look_back(self) -> None:
        """Take in the end of a game that a dialog or a new game hides by now, from older frames."""
        while self._moving and not self._game.ended:
            frame = self._moving.pop()
            if self._last is not None and is_covered(self._tracker, self._last, frame):
                self._loss = loss_beside_cover(
                    self._tracker, self._last, frame, pointer=self._pointer_cell, before=self._loss
                )
                continue
            with suppress(CalibrationError, ScreenGone, BoardChanged):
                observation = self._read(frame)
                same_game = self._last is not None and not is_new_game(
                    self._last.board, observation
                )
                if observation.over and same_game and status_fits_board(observation):
                    self._take_in(observation)

    def _read(self, frame: Frame) -> Observation:
        if not self._tracker.target.border_intact(self._tracker.target.crop_board(frame)):
            raise ScreenGone("The window moved, or something lies over its border.")
        same = self._last is not None and not self._last.over
        try:
            reading = self._tracker.read(frame, same_game=same)
        except CalibrationError:
            reading = self._tracker.read(frame, same_game=False)
        observation = Observation(frame, reading)
        if still_opening(observation.board):
            raise BoardChanged("The program is still opening cells.")
        return observation

    def _search(self) -> bool:
        """Look for the board on the whole screen; return whether it is there."""
        try:
            frame = self._tracker.find()
        except SeveralGrids:
            return True
        except (CalibrationError, ScreenGone):
            return False
        self._observer.calibrated(frame, self._tracker.target.on_screen)
        return True

    def _border_stays(self) -> bool:
        """Whether much of the border looks as before: the window is there, but covered."""
        if self._last is None:
            return False
        try:
            return self._tracker.target.border_change(self._tracker.grab_board()) < GONE_BORDER
        except ScreenGone:
            return False

    def _take_in(self, observation: Observation) -> None:
        """Compare with the last board, and tell the observers of moves and ends of games."""
        last = self._last
        if observation.over:  # before the words of its end are read, which may take seconds
            self._hints.board_changed(None)
        if last is None:
            self._words.note_start()
            self._last = observation
            if not observation.unplayed:
                self._observer.noticed("The board is partly open already; watching from here.")
            self._game.ended = observation.over
            return
        if observation.board == last.board and observation.reading.status is last.reading.status:
            return
        if is_new_game(last.board, observation) and (last.over or is_reset(last, observation)):
            self._begin_game(observation)
            return
        if not last.over:
            try:
                check_same_game(last.board, without_end_marks(observation, last.board))
            except BoardChanged:
                if not self._is_other_game(observation.board):
                    raise
                self._begin_game(observation)
                self._game.ended = observation.over  # what was played in it was not seen
                return
            self._tell_moves(last, observation)
        self._other = None
        self._last = observation
        if observation.over and not self._game.ended:
            self._end(observation, last.board)

    def _is_other_game(self, board: Board) -> bool:
        """Whether a board that cannot follow from the last one has stayed for `OTHER_GAME_S`."""
        now = self._clock.now()
        if self._other is None or self._other[0] != board:
            self._other = board, now
        return now - self._other[1] >= OTHER_GAME_S

    def _begin_game(self, observation: Observation) -> None:
        self._look_back()
        self._end_unfinished("You began another game.")
        self._other = None
        self._words.note_start()
        self._game, self._loss = GameUnderWay(self._game.number + 1, self._clock.now()), None
        self._last = observation
        self._observer.noticed("A new game.")

    def _tell_moves(self, before: Observation, after: Observation) -> None:
        """Find the moves between two observations, and tell each as a turn."""
        analysis = analysis_of(before.board)

        def risk(cell: Cell) -> float:
            return 0.0 if analysis is None else float(analysis.probabilities[cell])

        moves = infer_moves(
            before.board, after.board, pointer=self._pointer_cell, risk=risk, over=after.over
        )
        for board, move in one_by_one(before.board, after.board, moves, risk_on):
            # A first click is no guess: the program may protect it.
            survival = 1.0 - risk_on(board, move) if board.open.any() else 1.0
            reading = replace(before.reading, board=board)
            turn = self._game.turn(before.frame, reading, Decision((move,), HAND, survival))
            self._observer.decided(turn)
            self._observer.played(turn)

    def _end(self, observation: Observation, before: Board) -> None:
        told = end_of(before, observation, self._pointer_cell, self._words.read)
        result = self._game.result(told, self._clock.now())
        self._observer.game_over(result, observation.frame, observation.reading)

    def _end_unfinished(self, why: str) -> None:
        """Tell of a game that was given up, unless it ended or nothing was played in it.

        ``why`` says in one sentence why it was. If mines were seen beside a dialog that stayed over
        the board, it was lost.
        """
        if self._game.ended or self._last is None:
            return
        if self._loss is not None:
            self._tell_moves(self._last, self._loss)
            self._end(self._loss, self._last.board)
            return
        if not self._game.turns:
            return
        result = replace(self._game.result(None, self._clock.now()), why=why)
        self._observer.game_over(result, self._last.frame, self._last.reading)

    def _pause(self, seconds: float = FRAME_S) -> None:
        """Let the time until the next frame pass."""
        self._before_frame()
        self._clock.sleep(seconds)

    def _cell_under_pointer(self) -> Cell | None:
        target = self._tracker.target
        point, frame = self._pointer.position(), self._tracker.last_frame
        if frame is None:
            return None
        x = (point.x - frame.origin.x) * frame.scale
        y = (point.y - frame.origin.y) * frame.scale
        return target.in_region.grid.cell_at(PixelPoint(x, y))

"""Follow a window in which a person plays: every change is noticed, every stable board read.

The moves and the ends of games are reported to the observer. If something covers the board, its
visible part is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bot.desktop.ports import Clock, Pointer, Screen
from bot.errors import BoardChanged, ScreenGone, WindowGone
from bot.events import BoardFound, Decided, GameOver, Noticed, Observer, Played
from bot.tracking import game
from bot.tracking.follow import Wanted
from bot.tracking.target import Pixels
from bot.tracking.tracker import BoardTracker, EndWords, Glimpse, Stage
from bot.watch.hints import Hints, Sight
from bot.watch.moves import analysis_of, end_of, infer_moves, is_reset, one_by_one, risk_on
from calibration.errors import CalibrationError, SeveralGrids, UnreadableTiles
from calibration.frame import Frame
from calibration.indicators.words import LinesIn
from calibration.rules import UNREAD
from solver import Board, Cell, Decision, Status, Tile

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
"""Longest time between two of these searches; the time doubles from one to the next."""

LONGEST_COVERED_S = 15.0
"""The same while the border of the board is visible: a dialog may cover it for minutes."""

RETRY_S = 0.3
"""Seconds after which a board that cannot be read is read again although it looks the same; this
time doubles, too. Reading such a board every 0.3 s took 30 % of a core."""

GONE_S = 6.0
"""Seconds without a board on the screen after which its window counts as closed."""

GONE_BORDER = 0.6
"""If this share of the border looks different, the window is closed. A dialog over the board
changes less of it, and may stay as long as the person likes."""

MOVING_FRAMES = 12
"""Frames that are kept while the board changes: a dialog opens 0.05 s to 0.3 s after the end."""


class Spectator:
    """Watches one board until its window closes: call `watch`.

    ``before_frame`` is called before every frame, some fifty times a second, and raises an error to
    end the watch (Ctrl-C). ``hints`` are called on every change and on every stable board.
    ``lines_in`` is a function of the `Desktop`.
    """

    def __init__(
        self,
        screen: Screen,
        pointer: Pointer,
        clock: Clock,
        *,
        observer: Observer,
        before_frame: Callable[[], None],
        hints: Hints,
        wanted: Wanted,
        lines_in: LinesIn | None = None,
    ) -> None:
        self._tracker = BoardTracker(screen, wanted)
        stage = Stage(self._tracker, clock, observer)
        self._pointer = pointer
        self._clock = clock
        self._observer = observer
        self._before_frame = before_frame
        self._hints = hints
        self._in_part: Board | None = None
        self._moving: deque[Frame] = deque(maxlen=MOVING_FRAMES)
        self._games = Games(stage, hints, self._look_back, EndWords(self._tracker, lines_in))

    def watch(self) -> None:
        """Watch until the window is gone, or until ``before_frame`` raises an error.

        Raises what `BoardTracker.find` raises if there is no board at the start.
        """
        frame = self._tracker.find()
        self._observer(BoardFound(frame, self._tracker.target.on_screen))
        seen = self._settle()
        while True:
            self._wait_change(seen)
            try:
                seen = self._settle()
            except WindowGone:
                self._games.end_unfinished("The board is not on the screen any more.")
                return

    def finish(self) -> None:
        """Report to the observer that the current game was not finished."""
        self._games.end_unfinished("You stopped watching.")

    def _wait_change(self, seen: Pixels) -> None:
        """Wait for a picture of the board that differs from ``seen``, and until it rests."""
        changed_at: float | None = None
        last = seen
        self._moving.clear()
        while True:
            self._pause(IDLE_S if changed_at is None else FRAME_S)
            picture, now = self._tracker.grab_board(), self._clock.now()
            if not np.array_equal(picture, last):
                self._hints.board_changed(
                    self._tracker.target.cells_with_changed_pixels(seen, picture)
                )
                if changed_at is None:
                    self._games.pointer = self._cell_under_pointer()
                changed_at, last = now, picture
                with suppress(ScreenGone):
                    self._moving.append(self._tracker.grab_region())
            elif changed_at is not None and now - changed_at >= REST_S:
                return

    def _settle(self) -> Pixels:
        """Wait until the board can be read, and take in what changed.

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
                self._games.take_in(self._read(frame))
                self._report_rest()
                return picture
            except (CalibrationError, ScreenGone, BoardChanged) as error:
                trouble = error
                if isinstance(error, UnreadableTiles):
                    self._report_in_part(frame)
                else:
                    self._hints.board_changed(None)
            self._look_back()
            now, covered = self._clock.now(), self._border_stays()
            start = now if covered else start
            longest_s = LONGEST_COVERED_S if covered else LONGEST_SEARCH_S
            if now >= search_at + min(search_s, longest_s):
                # A search takes as long as ten readings.
                search_at, search_s = now, min(2 * search_s, longest_s)
                if self._search():
                    start, retry_s = now, RETRY_S
            if now - start >= GONE_S:
                if self._games.last is None:
                    raise trouble
                raise WindowGone("The window that was watched is gone.") from trouble
            changed = self._wait_other_picture(picture, retry_s)
            retry_s = RETRY_S if changed else min(2 * retry_s, longest_s / 4)

    def _report_in_part(self, frame: Frame) -> None:
        """Show hints once on a board with one or two unknown tiles, which the pointer hides.

        No moves are inferred from it, because the tiles will become visible.
        """
        with suppress(CalibrationError):
            target, memory = self._tracker.current
            reading = target.reader.read_in_part(frame, memory.reader)
            shown = reading.board.with_mines(None)
            if reading.status is Status.PLAYING and shown != self._in_part:
                self._in_part = shown
                self._hints.board_at_rest(self._sight(reading.board))

    def _report_rest(self) -> None:
        """Show hints on the board of the current game, whether it changed or not."""
        if self._games.last is not None and not self._games.last.over:
            self._in_part = None
            self._hints.board_at_rest(self._sight(self._games.last.board))

    def _sight(self, board: Board) -> Sight:
        return Sight(self._games.game.number, board, self._tracker.target.on_screen.grid)

    def _wait_other_picture(self, picture: Pixels | None, limit_s: float) -> bool:
        """Return whether the board changes from ``picture``, which cannot be read, in time."""
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
        """Take in the end of a game from older frames, if a dialog or a new game hides it now."""
        frames = [*reversed(self._moving)]
        self._moving.clear()
        self._games.look_back(frames)

    def _read(self, frame: Frame) -> game.Observation:
        if not self._tracker.target.border_intact(self._tracker.target.crop_board(frame)):
            raise ScreenGone("The window moved, or something lies over its border.")
        try:
            reading = self._tracker.read(frame, same_game=self._games.under_way)
        except CalibrationError:
            reading = self._tracker.read(frame, same_game=False)
        observation = game.Observation(frame, reading)
        if game.still_opening(observation.board):
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
        self._observer(BoardFound(frame, self._tracker.target.on_screen))
        return True

    def _border_stays(self) -> bool:
        """Whether much of the border looks as before: the window is open, but covered."""
        if self._games.last is None:
            return False
        try:
            return self._tracker.target.border_change(self._tracker.grab_board()) < GONE_BORDER
        except ScreenGone:
            return False

    def _pause(self, seconds: float = FRAME_S) -> None:
        """Let the time until the next frame pass."""
        self._before_frame()
        self._clock.sleep(seconds)

    def _cell_under_pointer(self) -> Cell | None:
        target = self._tracker.target
        point, frame = self._pointer.position(), self._tracker.last_frame
        if frame is None:
            return None
        return target.in_region.grid.cell_at(frame.to_pixel(point))


HAND = "played by hand"
"""The reason of a person's moves."""

SIGNS_OF_LOSS = 2
"""A loss is recognised from this many visible mines: two signs."""

OTHER_GAME_S = 1.0
"""Seconds after which a board that cannot follow from the last one counts as another game."""


class Games:
    """Takes in one board after another: `take_in`, and at the end `end_unfinished`.

    ``pointer`` is the cell under the pointer when the board began to change. ``look_back`` takes in
    what earlier frames show before another game begins.
    """

    def __init__(
        self, stage: Stage, hints: Hints, look_back: Callable[[], None], words: EndWords
    ) -> None:
        self._tracker, self._clock, self._observer = stage.tracker, stage.clock, stage.observer
        self._hints, self._look_back, self._words = hints, look_back, words
        self.pointer: Cell | None = None
        self.last: game.Observation | None = None
        self.game = game.GameUnderWay(1, stage.clock.now())
        self._other: tuple[Board, float] | None = None
        self._loss: game.Observation | None = None

    @property
    def under_way(self) -> bool:
        """Whether the game of the last board is still in play."""
        return self.last is not None and not self.last.over

    def take_in(self, observation: game.Observation) -> None:
        """Compare with the last board, and report moves and ends of games to the observer."""
        last = self.last
        if observation.over:  # first, because reading the words of the end may take seconds
            self._hints.board_changed(None)
        if last is None:
            self._words.note_start()
            self.last = observation
            if not observation.unplayed:
                self._observer(Noticed("The board is partly open already; watching from here."))
            self.game.ended = observation.over
            return
        if observation.board == last.board and observation.reading.status is last.reading.status:
            return
        if game.is_new_game(last.board, observation) and (last.over or is_reset(last, observation)):
            self._begin_game(observation)
            return
        if not last.over:
            try:
                game.check_same_game(last.board, game.without_end_marks(observation, last.board))
            except BoardChanged:
                if not self._is_other_game(observation.board):
                    raise
                self._begin_game(observation)
                self.game.ended = observation.over  # its moves were not seen
                return
            self._report_moves(last, observation)
        self._other = None
        self.last = observation
        if observation.over and not self.game.ended:
            self._end(observation, last.board)

    def look_back(self, frames: Iterable[Frame]) -> None:
        """Take in the end of the game from earlier frames, the newest first.

        If something covers the board, its visible part is kept until the end is known.
        """
        if self.last is None or self.game.ended:
            return
        for frame in frames:
            seen = Glimpse(self._tracker, frame, self.last.frame, self.last.board)
            if seen.covered:
                self._note_loss(seen.frame)
            elif seen.end is not None and not game.still_opening(seen.end.board):
                self.take_in(seen.end)
                return

    def _note_loss(self, frame: Frame) -> None:
        """Keep the part of a lost board that a frame of the covered board shows.

        An earlier frame stays if it shows the exploded mine, or if this one shows too few mines, or
        mines on open cells. If no exploded mine is visible, it is the hidden cell under the
        pointer.
        """
        assert self.last is not None
        if self._loss is not None and (self._loss.board.tiles == Tile.EXPLODED).any():
            return
        last = self.last.board
        mines = self._tracker.target.reader.shown_mines(frame)
        seen = mines != UNREAD
        if seen.sum() < SIGNS_OF_LOSS or (seen & last.open).any():
            return
        tiles = np.where(seen, mines, last.tiles)
        if self.pointer is not None and not (tiles == Tile.EXPLODED).any():
            hidden = tiles[self.pointer] == Tile.HIDDEN
            tiles[self.pointer] = Tile.EXPLODED if hidden else tiles[self.pointer]
        reading = replace(self.last.reading, board=Board(tiles, last.mines), status=Status.LOST)
        self._loss = game.Observation(frame, reading)

    def _is_other_game(self, board: Board) -> bool:
        """Whether a board that cannot follow from the last one has stayed for `OTHER_GAME_S`."""
        now = self._clock.now()
        if self._other is None or self._other[0] != board:
            self._other = board, now
        return now - self._other[1] >= OTHER_GAME_S

    def _begin_game(self, observation: game.Observation) -> None:
        self._look_back()
        self.end_unfinished("You began another game.")
        self._other = None
        self._words.note_start()
        self.game, self._loss = game.GameUnderWay(self.game.number + 1, self._clock.now()), None
        self.last = observation
        self._observer(Noticed("A new game."))

    def _report_moves(self, before: game.Observation, after: game.Observation) -> None:
        """Find the moves between two observations, and report each as a turn."""
        analysis = analysis_of(before.board)

        def risk(cell: Cell) -> float:
            return 0.0 if analysis is None else float(analysis.probabilities[cell])

        moves = infer_moves(
            before.board, after.board, pointer=self.pointer, risk=risk, over=after.over
        )
        for board, move in one_by_one(before.board, after.board, moves, risk_on):
            # A first click is not a guess: the program may protect it.
            survival = 1.0 - risk_on(board, move) if board.open.any() else 1.0
            reading = replace(before.reading, board=board)
            turn = self.game.count_turn(before.frame, reading, Decision((move,), HAND, survival))
            self.game.clicks += 1
            self._observer(Decided(turn))
            self._observer(Played(turn))

    def _end(self, observation: game.Observation, before: Board) -> None:
        verdict = end_of(before, observation, self.pointer, self._words.read)
        result = self.game.result(verdict, self._clock.now())
        self._observer(GameOver(result, observation.frame, observation.reading))

    def end_unfinished(self, why: str) -> None:
        """Report a game that was given up, unless it has ended or has no move.

        ``why`` is the reason in one sentence. If mines were visible next to a dialog that stayed
        over the board, the game was lost.
        """
        if self.game.ended or self.last is None:
            return
        if self._loss is not None:
            self._report_moves(self.last, self._loss)
            self._end(self._loss, self.last.board)
            return
        if not self.game.turns:
            return
        result = self.game.result(None, self._clock.now(), why=why)
        self._observer(GameOver(result, self.last.frame, self.last.reading))

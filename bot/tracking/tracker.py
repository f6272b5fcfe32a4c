"""Grab the screen and read the followed board: `BoardTracker` keeps the last target and memory.

`EndWords` reads the words that appear on the screen at the end of a game. Play and watch work on a
`Stage`, whose tracker alone grabs the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from bot.desktop.ports import Clock, Screen, check_on_monitor
from bot.errors import ScreenGone
from bot.events import Observer
from bot.mouse.guard import MouseGuard
from bot.options import Limits
from bot.tracking.follow import Wanted
from bot.tracking.game import Observation, shows_end
from bot.tracking.hidden import MOST_UNLIKE, HiddenTiles
from bot.tracking.places import box_slices
from bot.tracking.target import NO_PICTURE, Followed, FrameMemory, Pixels, Target
from calibration import Calibration, CalibrationError, Frame, PixelPoint, Reading
from calibration.indicators.counter import find_counter
from calibration.indicators.words import LinesIn, Said, counts_lives, read_words
from solver import Board, Cell, Status

BLACK_LEVEL = 8
"""A frame without a higher value is black; any lit screen shows at least some text."""


class BoardTracker:
    """Grabs and reads the frames of one board on one screen. Call `find` or `track` first.

    What is ``followed``, a target and its memory, is a value and replaced as a whole. In addition,
    the tracker keeps only the last frame and the last search that failed. For ``wanted`` see
    `Wanted`.
    """

    def __init__(self, screen: Screen, wanted: Wanted | None = None) -> None:
        self._screen = screen
        self._wanted = wanted or Wanted()
        self._failure: tuple[Frame, PixelPoint | None, CalibrationError] | None = None
        self.followed: Followed | None = None
        self.last_frame: Frame | None = None
        """The last frame of the region, readable or not; None before the first."""

    @property
    def target(self) -> Target:
        """The board that is followed."""
        return self.current.target

    @property
    def memory(self) -> FrameMemory:
        """What is remembered of its frames."""
        return self.current.memory

    @property
    def current(self) -> Followed:
        """The board that is followed, and what is remembered of it."""
        assert self.followed is not None, "find the board first"
        return self.followed

    def remember(self, memory: FrameMemory) -> None:
        """Replace what is remembered of the board."""
        self.followed = Followed(self.target, memory)

    # ---- finding -----------------------------------------------------------------------------

    def find(self) -> Frame:
        """Find the board on the whole screen, follow it, and return the frame of the screen.

        Raises what `look_for` raises, and `ScreenGone` if the screen is black.
        """
        screen = self.grab_screen()
        self.track(screen, self.look_for(screen))
        return screen

    def track(self, screen: Frame, calibration: Calibration) -> None:
        """Follow the board that ``calibration`` describes on a picture of the whole ``screen``."""
        if self.followed is not None:
            self.followed = self.followed.at(screen, calibration)
        else:
            self.followed = Followed.first(screen, calibration)

    def look_for(self, screen: Frame) -> Calibration:
        """Find the board on a picture of the screen. Raises what `Wanted.find` raises.

        A search takes up to a second: one that failed is not repeated on the same picture.
        """
        near = self._wanted.place_of(screen, self.followed)
        if self.followed is None and self._wanted.near is not None:
            check_on_monitor("--near", self._wanted.near, self._screen.monitors())
        if self._failure is not None and self._failure[:2] == (screen, near):
            raise self._failure[2]
        try:
            return self._wanted.find(screen, self.followed)
        except CalibrationError as error:
            self._failure = screen, near, error
            raise

    def look_in_region(self) -> Calibration:
        """Calibrate again on the region of the board; what is followed does not change.

        Raises what `calibrate` raises, and `ScreenGone` if the region is black.
        """
        return self._wanted.find_in_region(self.grab_region(), self.target)

    # ---- pictures ----------------------------------------------------------------------------

    def grab_screen(self) -> Frame:
        """Grab the whole screen. Raises `ScreenGone` if it is black."""
        return _check_lit(self._screen.grab())

    def grab_region(self) -> Frame:
        """Grab the board and its indicators. Raises `ScreenGone` if the picture is black."""
        self.last_frame = self._screen.grab(self.target.region)
        return _check_lit(self.last_frame)

    def grab_board(self) -> Pixels:
        """Grab the board and its narrow border; return an empty picture if the screen gives none.

        It differs from all others, so the board seems changed, and the next `grab_region` raises.
        """
        with suppress(ScreenGone):
            return self._screen.grab(self.target.board_box).pixels
        return NO_PICTURE

    def grab_surroundings(self) -> Pixels:
        """Grab the region with the board blacked out: only what lies around it."""
        pixels = self._screen.grab(self.target.region).pixels.copy()
        pixels[box_slices(self.target.on_screen.grid.bounds, self.target.region)] = 0
        return pixels

    # ---- reading -----------------------------------------------------------------------------

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board in a frame of the region, and remember it.

        Raises the errors that `Followed.read` returns.
        """
        result, self.followed = self.current.read(frame, same_game=same_game)
        if isinstance(result, Reading):
            return result
        raise result

    def try_reading(self, frame: Frame) -> Reading | CalibrationError:
        """Return the reading of a frame of this game, or the error; nothing is remembered."""
        return self.current.read(frame)[0]

    def find_mine_total(self, frame: Frame, board: Board) -> int | None:
        """Read the mine total from the counter again; None if there is no counter."""
        counter = find_counter(frame, self.target.in_region.grid, board.with_mines(None))
        return None if counter is None else counter.total

    # ---- what is remembered ------------------------------------------------------------------

    def expect_clicks(self, opened: Sequence[Cell], flagged: Sequence[Cell]) -> None:
        """Remember that these cells are clicked now, and forget the pictures of the last turn."""
        clicked = self.target.reader.expecting_clicks(self.memory.reader, opened, flagged)
        self.remember(replace(self.memory, reader=clicked, pictures=()))

    def expect_opening(self, clicked: Sequence[Cell]) -> None:
        """Remember that a board at rest may show an opening without numbers around these cells."""
        expecting = self.target.reader.expecting_opening(self.memory.reader, clicked)
        self.remember(replace(self.memory, reader=expecting))

    def forget_labels(self) -> None:
        """Label all tiles again next time: a board that was read turned out to be impossible."""
        self.remember(replace(self.memory, reader=self.memory.reader.without_labels()))

    def note_survived(self, cells: Iterable[Cell]) -> None:
        """Read the game as still in play although these cells show mines: each cost a life."""
        reader = replace(self.memory.reader, survived=frozenset(cells))
        self.remember(replace(self.memory, reader=reader))

    def learn_smiley(self, frame: Frame, status: Status) -> None:
        """Remember that the smiley in ``frame`` means this status."""
        reader = self.memory.reader
        learned = replace(reader, smiley=reader.smiley.learning(frame, status))
        self.remember(replace(self.memory, reader=learned))

    def learn_hidden(self, frame: Frame, board: Board) -> None:
        """Remember what the hidden tiles of a new game look like; ``frame`` shows the region."""
        target, hidden = self.target, self.memory.hidden
        if target.is_known and self._looks_unlike(frame, board):
            hidden = HiddenTiles()  # another theme, and a known one
        grid, region = target.on_screen.grid, target.region
        learned = hidden.learning(board, grid, frame.pixels, region)
        self.remember(replace(self.memory, hidden=learned))

    def unlike_hidden(self, frame: Frame, cells: Iterable[Cell], board: Board) -> list[Cell]:
        """List those of ``cells`` that look unlike every hidden tile of the games so far."""
        grid, region = self.target.on_screen.grid, self.target.region
        return self.memory.hidden.unlike(cells, grid, frame.pixels, region, board.open)

    def looks_fresh(self, seen: Observation) -> bool:
        """Whether the hidden tiles of a new board look as in earlier games: it is not dimmed.

        Always true for a known program, which may have several themes.
        """
        return self.target.is_known or not self._looks_unlike(seen.frame, seen.board)

    def _looks_unlike(self, frame: Frame, board: Board) -> bool:
        return len(self.unlike_hidden(frame, board.hidden_cells(), board)) > MOST_UNLIKE

    def park_on(self, cell: Cell) -> None:
        """Leave the pointer on a cell from now on.

        A program that does not notice that the pointer left its window (as with SDL) still
        highlights the last cell under it.
        """
        assert self.last_frame is not None
        point = self.target.click_point(self.last_frame, cell)
        self.followed = Followed(replace(self.target, parking_point=point), self.memory)


def _check_lit(frame: Frame) -> Frame:
    """Return the frame. Raises `ScreenGone` if it is black."""
    # Every 7th pixel of every 7th row is enough: text and tiles are larger than that.
    if int(frame.pixels[::7, ::7].max(initial=0)) <= BLACK_LEVEL:
        raise ScreenGone(
            "The screen is black: unlock it, open the game or bring its window back, and start "
            "again."
        )
    return frame


MOST_CHANGED = 5
"""If more open tiles than this look different, something covers the board."""


class Glimpse:
    """What one earlier ``frame`` shows of the end of a game that is covered now.

    ``last`` is the frame that shows ``board``, the last board in play. The frame is read only if
    needed: reading a frame of a covered board takes up to a second.
    """

    def __init__(self, tracker: BoardTracker, frame: Frame, last: Frame, board: Board) -> None:
        self.frame, self._tracker, self._last, self._board = frame, tracker, last, board

    @cached_property
    def changed(self) -> frozenset[Cell]:
        """The cells that look different from the last board."""
        every = self._board.cells()
        return frozenset(self._tracker.target.changed_cells(self._last, self.frame, every))

    @property
    def covered(self) -> bool:
        """Whether something seems to cover the board: many of its open tiles look different."""
        return sum(bool(self._board.open[cell]) for cell in self.changed) > MOST_CHANGED

    @cached_property
    def end(self) -> Observation | None:
        """The end of the game of the last board; None if the frame shows none or cannot be read."""
        answer = self._tracker.try_reading(self.frame)
        if isinstance(answer, CalibrationError):
            return None
        observation = Observation(self.frame, answer)
        return observation if shows_end(self._board, observation) else None


class EndWords:
    """Reads the words that appeared since a game began; earlier ones may explain how to win.

    ``lines_in`` is that of the `Desktop`.
    """

    def __init__(self, tracker: BoardTracker, lines_in: LinesIn | None = None) -> None:
        self._tracker, self._lines_in = tracker, lines_in
        self._start: Frame | None = None
        self._last: tuple[Frame, Said | None] | None = None

    def note_start(self) -> None:
        """Remember the screen as a game begins."""
        self._start = self._last = None
        with suppress(ScreenGone):
            self._start = self._tracker.grab_screen()

    def read(self) -> Said | None:
        """Return the status that new words on the screen announce, None if there are none.

        Takes some seconds, but only once for the same screen.
        """
        if self._start is None:
            return None
        with suppress(ScreenGone):
            grid, screen = self._tracker.target.on_screen.grid, self._tracker.grab_screen()
            if self._last is None or self._last[0] != screen:
                said = read_words(screen, grid, self._start, self._lines_in)
                self._last = screen, said
            return self._last[1]
        return None

    def shows_lives(self) -> bool:
        """Whether the screen shows a count of lives next to the board. Takes some seconds."""
        with suppress(ScreenGone):
            screen = self._tracker.grab_screen()
            return counts_lives(screen, self._tracker.target.on_screen.grid, self._lines_in)
        return False


@dataclass(frozen=True)
class Stage:
    """A board that is followed, the clock, and the observer that is called with events."""

    tracker: BoardTracker
    clock: Clock
    observer: Observer


@dataclass(frozen=True)
class PlayStage(Stage):
    """A stage on which the bot plays: with a guarded mouse and limits for waiting."""

    guard: MouseGuard
    limits: Limits

"""One board on the screen: find it, grab its frames, notice that it moved, read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Screen
from bot.errors import ScreenGone, UsageError
from bot.mouse.parking import choose_parking_point
from bot.tracking.boxes import border_strips, bounding_box, box_slices, cut_strips, grow_box
from bot.tracking.copies import moved_copy
from bot.tracking.dimmed import is_dimmed
from bot.tracking.hidden import MOST_UNLIKE, HiddenTiles, different_tiles
from bot.tracking.places import (
    counter_region,
    cut_as_before,
    is_moved,
    same_place,
    shift_calibration,
)
from bot.tracking.target import BORDER_DIFFERENCE, Pixels, Target
from calibration.calibration import Calibration, calibrate
from calibration.errors import BoardCovered, CalibrationError, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.counter import TEXT_REACH_PX, find_counter
from calibration.points import PixelBox, PixelPoint, ScreenPoint
from calibration.reader import Reader
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme
from solver.board import Board, Cell, Tile
from solver.game import Status

BLACK_LEVEL = 8
"""Highest value in a black frame; any screen that is lit shows at least some text."""

MAX_BORDER_CHANGE = 0.25
"""Share of the border's pixels that may change before the window counts as moved. A counter or
a line of text near the board changes far less, another window or another place far more."""


class BoardTracker:
    """Follows one board on one screen. Call `find` or `track` first.

    With several boards on the screen, ``near`` chooses one, in pixels of the whole screen.
    ``mines`` is the mine total if it is known; ``themes`` are those to read with, None for all.
    """

    def __init__(
        self,
        screen: Screen,
        *,
        near: PixelPoint | None = None,
        mines: int | None = None,
        themes: tuple[Theme, ...] | None = None,
    ) -> None:
        self._screen = screen
        self._near = near
        self._mines = mines
        self._themes = themes
        self._target: Target | None = None
        self._last_frame: Frame | None = None
        self._last_failure: tuple[Frame, PixelPoint | None, CalibrationError] | None = None
        self._last_read: tuple[Frame, Board] | None = None
        self._hidden = HiddenTiles()

    @property
    def target(self) -> Target:
        """The board that is followed."""
        assert self._target is not None, "find the board first"
        return self._target

    @property
    def last_frame(self) -> Frame | None:
        """The last frame of the region, readable or not; None before the first."""
        return self._last_frame

    @property
    def has_target(self) -> bool:
        """Whether a board is followed."""
        return self._target is not None

    def forget(self) -> None:
        """Follow no board any more."""
        self._target = None

    def set_target(self, target: Target) -> None:
        """Follow ``target``, for instance the one of a moment ago."""
        self._target = target

    def find(self) -> Frame:
        """Find the board on the whole screen, follow it, and return the frame of the screen.

        If no board can be read, the one that was read last may have moved as it was. Raises what
        `calibrate` raises, and `ScreenGone` if the screen is black.
        """
        frame, near = self.grab_screen(), self._expected_place()
        if self._target is None and near and not (near.x < frame.width and near.y < frame.height):
            raise UsageError(
                f"--near {near.x:g},{near.y:g} is not on the screen, which has {frame.width} x "
                f"{frame.height} pixels."
            )
        if self._last_failure is not None and self._last_failure[:2] == (frame, near):
            raise self._last_failure[2]  # searching a screen costs up to a second
        try:
            calibration = calibrate(frame, near=near, mines=self._mines, themes=self._themes)
        except CalibrationError as error:
            moved = self._moved(frame)
            if moved is None:
                self._last_failure = (frame, near, error)
                raise
            calibration = moved
        self.track(frame, calibration)
        return frame

    def _moved(self, screen: Frame) -> Calibration | None:
        """Return where the board that was read last lies now, if it is elsewhere as it was."""
        if self._target is None or self._last_read is None:
            return None
        (before, board), old = self._last_read, self._target.in_region
        grid = moved_copy(before, old.grid, board.open, screen)
        moved = None if grid is None else replace(old, grid=grid)
        return None if moved is None or same_place(moved, self._target.on_screen) else moved

    def track(self, frame: Frame, calibration: Calibration) -> None:
        """Follow the board that ``calibration`` describes in ``frame``, the whole screen."""
        if self._target is not None:
            calibration = cut_as_before(calibration, self._target.on_screen.grid)
        bounds = calibration.grid.bounds
        width, height = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
        small, large = sorted((calibration.grid.tile_w, calibration.grid.tile_h))
        if calibration.counter is not None:
            # All indicators lie near the counter or right above the board: grab a smaller region.
            both = bounding_box(bounds, counter_region(calibration))
            region = grow_box(both, round(4 * large), frame)
        else:
            # Side panels and status bars lie up to a third of the board's size away (measured on
            # five programs: 0.05 to 0.3), or, beside small boards, at a fixed distance.
            reach = max(TEXT_REACH_PX, round(0.35 * max(width, height)))
            region = grow_box(bounds, reach, frame)
        board_box = grow_box(bounds, max(4, round(0.3 * small)), frame)
        strips = border_strips(bounds, board_box)
        border_slices = tuple(box_slices(strip, board_box) for strip in strips)
        in_region = shift_calibration(calibration, -region.x0, -region.y0)
        parking_point = choose_parking_point(frame, calibration.grid)
        reader = Reader(in_region, self._fresh_pictures(calibration.grid))
        if self._target is not None:
            reader.survived = self._target.reader.survived
            if reader.clicked.opened.shape == self._target.reader.clicked.opened.shape:
                reader.clicked = self._target.reader.clicked
                reader.smiley.learn_from(self._target.reader.smiley)
        self._target = Target(
            on_screen=calibration,
            in_region=in_region,
            reader=reader,
            region=region,
            board_box=board_box,
            border_slices=border_slices,
            border_pixels=cut_strips(frame, board_box, border_slices),
            parking_point=frame.to_screen(parking_point),
            border_point=frame.to_screen(board_box.nearest_to(parking_point)),
        )

    def _fresh_pictures(self, grid: Grid) -> Pixels | None:
        """Return the tiles before the first click, if the board followed so far is cut like it."""
        old = self._target
        return old.reader.fresh if old and is_moved(grid, old.on_screen.grid) else None

    def grab_screen(self) -> Frame:
        """Grab the whole screen. Raises `ScreenGone` if it is black."""
        return _check_lit(self._screen.grab())

    def grab_region(self) -> Frame:
        """Grab the board and its indicators. Raises `ScreenGone` if the picture is black."""
        self._last_frame = self._screen.grab(self.target.region)
        return _check_lit(self._last_frame)

    def calibrate_region(self) -> Calibration:
        """Calibrate anew on the region of the board; what is followed stays as it is.

        Raises what `calibrate` raises, and `ScreenGone` if the region is black.
        """
        grid = self.target.in_region.grid
        centre = grid.centre(Cell(grid.rows // 2, grid.cols // 2))
        frame = self.grab_region()
        return calibrate(frame, near=centre, mines=self._mines, themes=self._themes)

    def grab_board(self) -> Pixels:
        """Grab the board and its narrow border; an empty picture if the screen gives none.

        An empty picture differs from all others: the `grab_region` that follows then raises.
        """
        try:
            return self._screen.grab(self.target.board_box).pixels
        except ScreenGone:
            return np.zeros((0, 0, 3), dtype=np.uint8)

    def grab_surroundings(self) -> Pixels:
        """Grab the region with the board blacked out: only what lies around it."""
        frame = self._screen.grab(self.target.region)
        pixels = frame.pixels.copy()
        pixels[box_slices(self.target.on_screen.grid.bounds, self.target.region)] = 0
        return pixels

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        """Read the board in a frame of the region.

        Raises what `Reader.read` raises, and `BoardCovered` if an unknown program dimmed the board
        of a game under way: plain tiles look like marks then, and a dialog takes the clicks.
        """
        reading = self.target.reader.read(frame, same_game=same_game)
        known = self.target.on_screen.theme.program != LEARNED
        if same_game and not known and reading.status is Status.PLAYING and self._last_read:
            before, board = self._last_read
            hidden = (board.tiles == Tile.HIDDEN) & (reading.board.tiles == Tile.HIDDEN)
            if is_dimmed(before, frame, self.open_boxes(board), self.boxes_of(hidden)):
                raise BoardCovered("the board is dimmed, as behind a dialog")
        self._last_read = frame, reading.board
        return reading

    def open_boxes(self, board: Board) -> list[PixelBox]:
        """Return the boxes of the open tiles of a board, in pixels of the region."""
        return self.boxes_of(board.open)

    def boxes_of(self, marked: NDArray[np.bool_]) -> list[PixelBox]:
        """Return the boxes of the marked tiles ``(rows, cols)``, in pixels of the region."""
        grid = self.target.in_region.grid
        return [grid.box(Cell(*cell)) for cell in np.argwhere(marked).tolist()]

    def still_readable(self, screen: Frame, target: Target, after: Board | None = None) -> bool:
        """Whether ``target`` finds its border unchanged, and a board it can read, on a screen.

        Every number open on ``after`` must be open and the same.
        """
        region = target.region_on(screen)
        board = region.pixels[box_slices(target.board_box, target.region)]
        if target.border_change(board) > MAX_BORDER_CHANGE:
            return False
        try:
            tiles = target.reader.read(region).board.tiles
        except CalibrationError:
            return False
        return after is None or bool((tiles == after.tiles)[after.open].all())

    def has_unreadable_tiles(self, screen: Frame, target: Target) -> bool:
        """Whether ``target`` finds tiles on a screen that it cannot read."""
        try:
            target.reader.read(target.region_on(screen))
        except CalibrationError as error:
            return isinstance(error, UnreadableTiles)
        return False

    def learn_hidden(self, frame: Frame, board: Board) -> None:
        """Remember what the hidden tiles of a new game look like; ``frame`` shows the region."""
        if self.target.on_screen.theme.program != LEARNED and self._looks_unlike(frame, board):
            self._hidden.forget()  # another theme, and a known one
        self._hidden.learn(board, self.target.on_screen.grid, frame.pixels, self.target.region)

    def unlike_hidden(self, frame: Frame, cells: Iterable[Cell], board: Board) -> list[Cell]:
        """List those of ``cells`` that look unlike every hidden tile of the games so far."""
        grid, region = self.target.on_screen.grid, self.target.region
        return self._hidden.unlike(cells, grid, frame.pixels, region, board.open)

    def changed_cells(self, before: Frame, after: Frame, cells: Iterable[Cell]) -> list[Cell]:
        """List those of ``cells`` whose tile looks different in two frames of the region."""
        grid, region = self.target.on_screen.grid, self.target.region
        if before.pixels.shape != after.pixels.shape:
            return []
        return different_tiles(list(cells), grid, (before.pixels, after.pixels), region)

    def unlike_cells(self, before: Pixels, after: Pixels) -> list[Cell] | None:
        """List the cells that look different at all in two pictures of the board.

        None if the window moved, or something lies over its border.
        """
        if before.shape != after.shape or not self.border_intact(after):
            return None
        grid, box = self.target.on_screen.grid, self.target.board_box
        changed = np.asarray((cv2.absdiff(before, after) > BORDER_DIFFERENCE).any(axis=2))
        cells = [Cell(row, col) for row in range(grid.rows) for col in range(grid.cols)]
        return [cell for cell in cells if changed[box_slices(grid.box(cell), box)].any()]

    def looks_fresh(self, frame: Frame, board: Board) -> bool:
        """Whether the hidden tiles of a new ``board`` look as those of the games before.

        If a theme that is known reads the board, its hidden tiles may look otherwise.
        """
        known = self.target.on_screen.theme.program != LEARNED
        return known or not self._looks_unlike(frame, board)

    def _looks_unlike(self, frame: Frame, board: Board) -> bool:
        hidden = board.hidden_cells()
        return len(self.unlike_hidden(frame, hidden, board)) > MOST_UNLIKE

    def learn_smiley(self, frame: Frame, status: Status) -> None:
        """Remember how the smiley looks in ``frame``, where the game has this status."""
        self.target.reader.smiley.learn(frame, status)

    def crop_board(self, frame: Frame) -> Pixels:
        """Cut the board and its narrow border out of a frame of the region."""
        return frame.pixels[box_slices(self.target.board_box, self.target.region)]

    def crop_tile(self, board_pixels: Pixels, cell: Cell) -> Pixels:
        """Cut one tile out of a picture of the board, as `grab_board` gives it."""
        return board_pixels[box_slices(self.target.on_screen.grid.box(cell), self.target.board_box)]

    def border_intact(self, board_pixels: Pixels) -> bool:
        """Whether the border looks as it did when the board was found: the window did not move."""
        return self.target.border_change(board_pixels) <= MAX_BORDER_CHANGE

    def find_mine_total(self, frame: Frame, board: Board) -> int | None:
        """Read the total from the mine counter, whatever total was known; None without one."""
        counter = find_counter(frame, self.target.in_region.grid, board.with_mines(None))
        return None if counter is None else counter.total

    def click_point(self, frame: Frame, cell: Cell) -> ScreenPoint:
        """Return the point of the screen to click for a cell; ``frame`` shows the region."""
        return frame.to_screen(self.target.in_region.grid.centre(cell))

    def park_on(self, cell: Cell) -> None:
        """Leave the pointer on a cell from now on.

        A program that does not notice that the pointer left its window, as with SDL, shows the last
        cell under it in another colour.
        """
        assert self._last_frame is not None
        point = self.click_point(self._last_frame, cell)
        self._target = replace(self.target, parking_point=point)

    def _expected_place(self) -> PixelPoint | None:
        """Return the point that chooses the board: the middle of the last one, or as asked for."""
        if self._target is None:
            return self._near
        bounds = self._target.on_screen.grid.bounds
        return PixelPoint((bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2)


def _check_lit(frame: Frame) -> Frame:
    """Return the frame. Raises `ScreenGone` if it is black."""
    # Every 7th pixel of every 7th row is enough: text and tiles are larger than that.
    if int(frame.pixels[::7, ::7].max(initial=0)) <= BLACK_LEVEL:
        raise ScreenGone(
            "The screen is black: unlock it, open the game or bring its window back, and start "
            "again."
        )
    return frame

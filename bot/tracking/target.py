"""The board that is followed, and what is remembered of its earlier frames.

A `Target` says where the board lies and how it is read; `FrameMemory` holds what the reader knows
from the frames before. Both are values. Functions at the end compare two pictures: did only the
opened cells change, or a clock?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.tracking import places
from bot.tracking.hidden import LEAST_TILES, HiddenTiles, different_tiles, is_dimmed
from bot.tracking.hidden import undimmed as undimmed_by
from calibration import LEARNED, Calibration, Frame, Grid, PixelBox, Reader, ScreenPoint
from calibration.errors import BoardCovered, CalibrationError
from calibration.indicators.counter import TEXT_REACH_PX
from calibration.reading import Memory, Reading
from calibration.tiles import SAME_PIXEL, colour_steps
from solver import Board, Cell, Status, Tile

Pixels = NDArray[np.uint8]

NO_PICTURE: Pixels = np.zeros((0, 0, 3), dtype=np.uint8)
"""Stands for the picture of a screen that gives none. It differs from all others."""

BORDER_DIFFERENCE = 24
"""A pixel counts as changed above this difference in a channel: more than dithering, less than any
edge."""

MAX_BORDER_CHANGE = 0.25
"""Largest share of the border's pixels that may change; above it the window counts as moved. A
counter or a line of text near the board changes far less, another window or place far more."""


@dataclass(frozen=True, eq=False)
class Target:
    """The board that is followed: where it lies on the screen, and its reader.

    ``on_screen`` is the calibration in pixels of the whole screen, ``in_region`` the same in pixels
    of the region. Both boxes are in pixels of the whole screen: ``region`` holds the board and its
    indicators (counter, smiley, line of text), ``board_box`` the board and a narrow border.
    ``border_slices`` cut the four strips of the border out of a picture of ``board_box``;
    ``border_pixels`` are these strips when the board was found. The pointer rests on
    ``parking_point``. ``border_point`` is the point of the border that was nearest to it at first.
    """

    on_screen: Calibration
    in_region: Calibration
    reader: Reader
    region: PixelBox
    board_box: PixelBox
    border_slices: tuple[tuple[slice, slice], ...]
    border_pixels: tuple[Pixels, ...]
    parking_point: ScreenPoint
    border_point: ScreenPoint

    @classmethod
    def at(cls, screen: Frame, calibration: Calibration, old: Target | None = None) -> Target:
        """Return the board that ``calibration`` describes on a picture of the whole screen.

        If the board is the ``old`` one moved by whole pixels, its tiles are cut at the same
        offsets.
        """
        if old is not None:
            calibration = places.cut_as_before(calibration, old.on_screen.grid)
        bounds, region = calibration.grid.bounds, _region(screen, calibration)
        reach = 0.3 * min(calibration.grid.tile_w, calibration.grid.tile_h)
        board_box = places.grow_box(bounds, max(4, round(reach)), screen)
        slices = tuple(
            places.box_slices(one, board_box) for one in places.border_strips(bounds, board_box)
        )
        in_region = places.shift_calibration(calibration, -region.x0, -region.y0)
        parking_point = places.choose_parking_point(screen, calibration.grid)
        return cls(
            on_screen=calibration,
            in_region=in_region,
            reader=Reader(in_region),
            region=region,
            board_box=board_box,
            border_slices=slices,
            border_pixels=places.cut_strips(screen, board_box, slices),
            parking_point=screen.to_screen(parking_point),
            border_point=screen.to_screen(board_box.nearest_to(parking_point)),
        )

    @property
    def is_known(self) -> bool:
        """Whether the program is known: its theme was not learned."""
        return self.on_screen.theme.program != LEARNED

    # ---- the border --------------------------------------------------------------------------

    def border_change(self, board_pixels: Pixels) -> float:
        """Return the share of the border (0 to 1) that changed since the board was found."""
        changed = total = 0
        for strip, before in zip(self.border_slices, self.border_pixels, strict=True):
            now = board_pixels[strip]
            if now.shape != before.shape:
                return 1.0
            # Comparing the strips takes 0.1 ms; comparing the whole board takes 4 ms.
            differs = cv2.absdiff(now, before) > BORDER_DIFFERENCE if before.size else before
            changed += int(differs.any(axis=2).sum())
            total += before.shape[0] * before.shape[1]
        return changed / max(1, total)

    def border_intact(self, board_pixels: Pixels) -> bool:
        """Whether the border looks as it did when the board was found: the window did not move."""
        return self.border_change(board_pixels) <= MAX_BORDER_CHANGE

    def with_border_of(self, screen: Frame) -> Target:
        """Return the target with the border that the screen shows now."""
        pixels = places.cut_strips(screen, self.board_box, self.border_slices)
        return replace(self, border_pixels=pixels)

    # ---- parts of pictures -------------------------------------------------------------------

    def region_on(self, screen: Frame) -> Frame:
        """Cut the region out of a picture of the whole screen."""
        return Frame(screen.pixels[places.box_slices(self.region, PixelBox(0, 0, 0, 0))])

    def crop_board(self, frame: Frame) -> Pixels:
        """Cut the board and its narrow border out of a frame of the region."""
        return frame.pixels[places.box_slices(self.board_box, self.region)]

    def with_board(self, frame: Frame, picture: Pixels) -> Frame | None:
        """Return a frame of the region with another picture of the board, if it fits."""
        pixels = frame.pixels.copy()
        board = places.box_slices(self.board_box, self.region)
        if picture.shape != pixels[board].shape:
            return None
        pixels[board] = picture
        return Frame(pixels, frame.origin, frame.scale)

    def crop_tile(self, board_pixels: Pixels, cell: Cell) -> Pixels:
        """Cut one tile out of a picture of the board and its border."""
        return board_pixels[places.box_slices(self.on_screen.grid.box(cell), self.board_box)]

    def boxes_of(self, marked: NDArray[np.bool_]) -> list[PixelBox]:
        """Return the boxes of the marked tiles ``(rows, cols)``, in pixels of the region."""
        grid = self.in_region.grid
        return [grid.box(Cell(*cell)) for cell in np.argwhere(marked).tolist()]

    def click_point(self, frame: Frame, cell: Cell) -> ScreenPoint:
        """Return the point of the screen to click for a cell; ``frame`` shows the region."""
        return frame.to_screen(self.in_region.grid.centre(cell))

    # ---- two pictures compared ---------------------------------------------------------------

    def changed_cells(self, before: Frame, after: Frame, cells: Iterable[Cell]) -> list[Cell]:
        """List those of ``cells`` whose tile looks different in two frames of the region."""
        if before.pixels.shape != after.pixels.shape:
            return []
        pictures = before.pixels, after.pixels
        return different_tiles(list(cells), self.on_screen.grid, pictures, self.region)

    def cells_with_changed_pixels(self, before: Pixels, after: Pixels) -> list[Cell] | None:
        """List the cells in which at least one pixel changed between two pictures of the board.

        Returns None if the window moved, or if something covers its border.
        """
        if before.shape != after.shape or not self.border_intact(after):
            return None
        grid, box = self.on_screen.grid, self.board_box
        changed = np.asarray((cv2.absdiff(before, after) > BORDER_DIFFERENCE).any(axis=2))
        cells = [Cell(row, col) for row in range(grid.rows) for col in range(grid.cols)]
        return [cell for cell in cells if changed[places.box_slices(grid.box(cell), box)].any()]


def _region(screen: Frame, calibration: Calibration) -> PixelBox:
    """Return the part of the screen that holds a board and its indicators."""
    bounds = calibration.grid.bounds
    if calibration.counter is not None:
        # All indicators lie near the counter or right above the board: grab a smaller region.
        large = max(calibration.grid.tile_w, calibration.grid.tile_h)
        both = places.bounding_box(bounds, places.counter_region(calibration))
        return places.grow_box(both, round(4 * large), screen)
    # Side panels and status bars lie up to a third of the board's size away (measured on five
    # programs: 0.05 to 0.3), or, next to small boards, at a fixed distance.
    largest = max(bounds.x1 - bounds.x0, bounds.y1 - bounds.y0)
    return places.grow_box(bounds, max(TEXT_REACH_PX, round(0.35 * largest)), screen)


MOST_PICTURES = 16
"""How many pictures of a changing board are kept: pages cover a finished board within 0.5 s."""


class LastRead(NamedTuple):
    """The last board that was read, the frame of the region that showed it, and its grid there."""

    frame: Frame
    board: Board
    grid: Grid


@dataclass(frozen=True, eq=False)
class FrameMemory:
    """What is remembered of the frames in which a board was seen.

    ``reader`` is what its reader remembers, ``hidden`` what its hidden tiles look like.
    ``pictures`` show the board while it changes after clicks: its end may be covered a moment
    later. ``kinds_of_numbers`` is how many different numbers any board has shown so far; when one
    shows more, the program is recognised again. ``program_confirmed`` says whether that confirmed
    the theme.
    """

    reader: Memory
    hidden: HiddenTiles = field(default_factory=HiddenTiles)
    last_read: LastRead | None = None
    pictures: tuple[Pixels, ...] = ()
    kinds_of_numbers: int = 1
    program_confirmed: bool = False

    def kept_for(self, new: Target, old: Target) -> FrameMemory:
        """Return what stays valid for a board that was found again: ``new``, which was ``old``.

        The new reader has a memory of its own. Clicks and smiley are kept if the board has the same
        size, the tiles of the fresh board if the tiles are cut at the same offsets.
        """
        fresh = (
            self.reader.fresh if places.is_moved(new.on_screen.grid, old.on_screen.grid) else None
        )
        reader = replace(new.reader.begin(fresh), survived=self.reader.survived)
        if reader.clicked.opened.shape == self.reader.clicked.opened.shape:
            smiley = reader.smiley.knowing(self.reader.smiley)
            steps = new.in_region.grid.bounds - np.array(old.in_region.grid.bounds)
            if np.ptp(steps[::2]) <= 1 and np.ptp(steps[1::2]) <= 1:
                smiley = smiley.at(self.reader.smiley, int(steps[0]), int(steps[1]))
            reader = replace(reader, clicked=self.reader.clicked, smiley=smiley)
        return replace(self, reader=reader)

    def seeing(self, picture: Pixels) -> FrameMemory:
        """Add a picture of a changing board."""
        return replace(self, pictures=(*self.pictures, picture)[-MOST_PICTURES:])

    def look_back(self, target: Target, last: Frame) -> Iterator[Frame]:
        """Yield the frames seen since the last clicks, the newest first.

        Only the board was kept of each: its surroundings are those of the frame ``last``.
        """
        for picture in reversed(self.pictures):
            if (frame := target.with_board(last, picture)) is not None:
                yield frame


class Followed(NamedTuple):
    """A board that is followed, and what is remembered of it."""

    target: Target
    memory: FrameMemory

    @classmethod
    def first(cls, screen: Frame, calibration: Calibration) -> Followed:
        """Return the board that ``calibration`` describes on a picture of the screen."""
        target = Target.at(screen, calibration)
        return cls(target, FrameMemory(target.reader.begin()))

    def at(self, screen: Frame, calibration: Calibration) -> Followed:
        """Return the board at the place that ``calibration`` describes on another picture."""
        target = Target.at(screen, calibration, self.target)
        return Followed(target, self.memory.kept_for(target, self.target))

    def read(
        self, region: Frame, *, same_game: bool = True
    ) -> tuple[Reading | CalibrationError, Followed]:
        """Read the board in a frame of its region, or return the error, as `Reader.read` does.

        Returns `BoardCovered` if an unknown program dimmed the board during a game: dimmed plain
        tiles look like marks, and a dialog would receive the clicks.
        """
        target, memory = self
        result, reader = target.reader.read(region, memory.reader, same_game=same_game)
        memory = replace(memory, reader=reader)
        if isinstance(result, Reading):
            if (
                same_game
                and result.status is Status.PLAYING
                and self._is_dimmed(region, result.board)
            ):
                result = BoardCovered("the board is dimmed, as behind a dialog")
            else:
                last_read = LastRead(region, result.board, target.in_region.grid)
                memory = replace(memory, last_read=last_read)
        return result, Followed(target, memory)

    def _is_dimmed(self, region: Frame, now: Board) -> bool:
        target, last = self.target, self.memory.last_read
        if target.is_known or last is None or last.grid != target.in_region.grid:
            return False
        hidden = (last.board.tiles == Tile.HIDDEN) & (now.tiles == Tile.HIDDEN)
        open_boxes, hidden_boxes = (target.boxes_of(some) for some in (last.board.open, hidden))
        return is_dimmed(last.frame, region, open_boxes, hidden_boxes)


CLOCK_SHARE = 0.06
"""Largest distance between two changes of a clock, as a share of the board with its surroundings:
one digit may change, or several. Two changes of confetti were 0.25 apart."""

LEAST_OF_LINE = 0.3
"""Least share of its pixel columns that change when a line of text shifts because the clock in it
gained a digit. In a line of confetti fewer change."""

OVERREACH_PX = 2
"""How far an opened tile may change its neighbours."""


def undimmed_frame(target: Target, before: Frame, after: Frame, board: Board) -> Frame | None:
    """Return ``after`` with the brightness of ``before``, which shows ``board``, if it is dimmed.

    If too few tiles are open, as after a first click on a mine, all tiles are compared.
    """
    tiles = target.boxes_of(board.open)
    if len(tiles) < LEAST_TILES:
        tiles = target.boxes_of(np.ones_like(board.open))
    return undimmed_by(before, after, tiles)


def differs_elsewhere(
    target: Target,
    before: Frame,
    after: Frame,
    opened_from: Board,
    board: Board,
    *,
    hidden_only: bool = False,
) -> bool:
    """Whether two frames differ outside the cells opened between ``opened_from`` and ``board``.

    With ``hidden_only``, whether most cells that are not open differ: a few may only show where the
    pointer was.
    """
    if before.pixels.shape != after.pixels.shape:
        return not hidden_only
    off = colour_steps(before.pixels, after.pixels) > SAME_PIXEL
    corner = PixelBox(0, 0, 0, 0)
    for box in target.boxes_of(board.open & ~opened_from.open):
        off[places.box_slices(places.grow_box(box, OVERREACH_PX, after), corner)] = False
    if hidden_only:
        boxes = target.boxes_of(~board.open)
        changed = [bool(off[places.box_slices(box, corner)].any()) for box in boxes]
        return 2 * sum(changed) > len(changed)
    return bool(off.any())


class Place(NamedTuple):
    """The box of the changed pixels of a picture, and the share of its columns that changed."""

    top: int
    left: int
    bottom: int
    right: int
    filled: float


def place_of_change(before: Pixels, after: Pixels) -> Place | None:
    """Return the place that changed in a picture; None if nothing changed, or the size did."""
    if before.shape != after.shape or not (changed := (before != after).any(axis=2)).any():
        return None
    rows, cols = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    top, bottom, left, right = (int(end) for line in (rows, cols) for end in (line[0], line[-1]))
    return Place(top, left, bottom, right, len(cols) / (right - left + 1))


def is_blank(place: Place, picture: Pixels) -> bool:
    """Whether a picture shows only a plain or shaded background at a place."""
    part = picture[place.top : place.bottom + 1, place.left : place.right + 1].astype(np.int16)
    steps = (np.abs(np.diff(part, axis=axis)) for axis in (0, 1))
    return all(step.max(initial=0) <= BORDER_DIFFERENCE for step in steps)


def is_one_place(one: Place, other: Place, picture: Pixels) -> bool:
    """Whether two changes of a picture may belong to one clock, because they are near each other.

    Or one lies inside the other, a whole line of text, which shifts if its clock reaches 10 or 100.
    """
    limit = CLOCK_SHARE * max(picture.shape)
    if abs(one.top + one.bottom - other.top - other.bottom) > 2 * limit:
        return False
    if abs(one.left + one.right - other.left - other.right) <= 2 * limit:
        return True
    part, line = sorted((one, other), key=lambda place: place.right - place.left)
    inside = line.left <= part.left and part.right <= line.right
    return inside and line.bottom - line.top <= limit and line.filled >= LEAST_OF_LINE

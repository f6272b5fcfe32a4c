"""The board that is followed: where it lies on the screen, its reader, its border."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.mouse.parking import choose_parking_point
from bot.tracking.boxes import border_strips, bounding_box, box_slices, cut_strips, grow_box
from bot.tracking.hidden import different_tiles
from bot.tracking.places import counter_region, cut_as_before, shift_calibration
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.indicators.counter import TEXT_REACH_PX
from calibration.points import PixelBox, ScreenPoint
from calibration.reader import Reader
from calibration.theme import LEARNED
from solver.board import Cell

Pixels = NDArray[np.uint8]

NO_PICTURE: Pixels = np.zeros((0, 0, 3), dtype=np.uint8)
"""What is grabbed from a screen that gives no picture. It differs from all others."""

BORDER_DIFFERENCE = 24
"""Difference of one channel that counts as a change: more than dithering, less than any edge."""

MAX_BORDER_CHANGE = 0.25
"""Share of the border's pixels that may change before the window counts as moved. A counter or
a line of text near the board changes far less, another window or another place far more."""


@dataclass(frozen=True, eq=False)
class Target:
    """The board that is followed: where it lies on the screen, and its reader.

    ``on_screen`` is the calibration in pixels of the whole screen, ``in_region`` the same in
    pixels of the region. Both boxes are in pixels of the whole screen: ``region`` holds the board
    and its indicators (counter, smiley, line of text), ``board_box`` the board and a narrow
    border. ``border_slices`` cut the four strips of the border out of a picture of
    ``board_box``; ``border_pixels`` are these strips as they were when the board was found.
    The pointer rests on ``parking_point``; ``border_point`` is the place of the border nearest to
    the parking point that was chosen first.
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

        If the ``old`` one has only moved by whole pixels, it is cut into tiles as that was.
        """
        if old is not None:
            calibration = cut_as_before(calibration, old.on_screen.grid)
        bounds, region = calibration.grid.bounds, _region(screen, calibration)
        reach = 0.3 * min(calibration.grid.tile_w, calibration.grid.tile_h)
        board_box = grow_box(bounds, max(4, round(reach)), screen)
        slices = tuple(box_slices(one, board_box) for one in border_strips(bounds, board_box))
        in_region = shift_calibration(calibration, -region.x0, -region.y0)
        parking_point = choose_parking_point(screen, calibration.grid)
        return cls(
            on_screen=calibration,
            in_region=in_region,
            reader=Reader(in_region),
            region=region,
            board_box=board_box,
            border_slices=slices,
            border_pixels=cut_strips(screen, board_box, slices),
            parking_point=screen.to_screen(parking_point),
            border_point=screen.to_screen(board_box.nearest_to(parking_point)),
        )

    @property
    def is_known(self) -> bool:
        """Whether its program is a known one, whose theme was not learned."""
        return self.on_screen.theme.program != LEARNED

    @property
    def nudge_points(self) -> tuple[ScreenPoint, ScreenPoint]:
        """The two places to which a nudge moves the pointer."""
        return self.border_point, self.parking_point

    # ---- the border --------------------------------------------------------------------------

    def border_change(self, board_pixels: Pixels) -> float:
        """Return the share of the border (0 to 1) that changed since the board was found."""
        changed = total = 0
        for strip, before in zip(self.border_slices, self.border_pixels, strict=True):
            now = board_pixels[strip]
            if now.shape != before.shape:
                return 1.0
            # Comparing the strips takes 0.1 ms; comparing the whole board took 4.
            differs = cv2.absdiff(now, before) > BORDER_DIFFERENCE if before.size else before
            changed += int(differs.any(axis=2).sum())
            total += before.shape[0] * before.shape[1]
        return changed / max(1, total)

    def border_intact(self, board_pixels: Pixels) -> bool:
        """Whether the border looks as it did when the board was found: the window did not move."""
        return self.border_change(board_pixels) <= MAX_BORDER_CHANGE

    def with_border_of(self, screen: Frame) -> Target:
        """Return the target with its border as it is on the whole screen now."""
        pixels = cut_strips(screen, self.board_box, self.border_slices)
        return replace(self, border_pixels=pixels)

    # ---- parts of pictures -------------------------------------------------------------------

    def region_on(self, screen: Frame) -> Frame:
        """Cut the region out of a picture of the whole screen."""
        return Frame(screen.pixels[box_slices(self.region, PixelBox(0, 0, 0, 0))])

    def crop_board(self, frame: Frame) -> Pixels:
        """Cut the board and its narrow border out of a frame of the region."""
        return frame.pixels[box_slices(self.board_box, self.region)]

    def with_board(self, frame: Frame, picture: Pixels) -> Frame | None:
        """Return a frame of the region with another picture of the board, if it fits."""
        pixels = frame.pixels.copy()
        board = box_slices(self.board_box, self.region)
        if picture.shape != pixels[board].shape:
            return None
        pixels[board] = picture
        return Frame(pixels, frame.origin, frame.scale)

    def crop_tile(self, board_pixels: Pixels, cell: Cell) -> Pixels:
        """Cut one tile out of a picture of the board and its border."""
        return board_pixels[box_slices(self.on_screen.grid.box(cell), self.board_box)]

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

    def unlike_cells(self, before: Pixels, after: Pixels) -> list[Cell] | None:
        """List the cells that look different at all in two pictures of the board.

        None if the window moved, or something lies over its border.
        """
        if before.shape != after.shape or not self.border_intact(after):
            return None
        grid, box = self.on_screen.grid, self.board_box
        changed = np.asarray((cv2.absdiff(before, after) > BORDER_DIFFERENCE).any(axis=2))
        cells = [Cell(row, col) for row in range(grid.rows) for col in range(grid.cols)]
        return [cell for cell in cells if changed[box_slices(grid.box(cell), box)].any()]


def _region(screen: Frame, calibration: Calibration) -> PixelBox:
    """Return the part of the screen that holds a board and its indicators."""
    bounds = calibration.grid.bounds
    if calibration.counter is not None:
        # All indicators lie near the counter or right above the board: grab a smaller region.
        large = max(calibration.grid.tile_w, calibration.grid.tile_h)
        both = bounding_box(bounds, counter_region(calibration))
        return grow_box(both, round(4 * large), screen)
    # Side panels and status bars lie up to a third of the board's size away (measured on
    # five programs: 0.05 to 0.3), or, beside small boards, at a fixed distance.
    largest = max(bounds.x1 - bounds.x0, bounds.y1 - bounds.y0)
    return grow_box(bounds, max(TEXT_REACH_PX, round(0.35 * largest)), screen)

"""Compare calibrations and grids by their places; work with boxes of pixels.

It also chooses where to leave the pointer: beside the board, on a plain colour, far from corners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from calibration import LEARNED, Calibration, Frame, Grid, NoGrid, PixelBox, PixelPoint
from calibration.boards.search import is_found_at

SAME_LINE_TILES = 0.2
"""Largest distance between the lines of two grids of one lattice, in tiles."""

SAME_PLACE_PX = 1.5
"""Largest distance between the lines of two grids at one place: a screen rounds them."""

SAME_CUT_PX = 0.4
"""Largest distance between the lines of one grid that was found again after tiles changed."""


def shift_calibration(calibration: Calibration, dx: float, dy: float) -> Calibration:
    """Return the same calibration with its grid moved by ``dx, dy`` pixels."""
    return replace(calibration, grid=calibration.grid.moved(dx, dy))


def keep_known_theme(found: Calibration, before: Calibration | None) -> Calibration:
    """Return ``found``; if its theme was only learned, with the theme of ``before``.

    The program has not changed, even if its board is hard to recognise at the moment.
    """
    if before is None or found.theme.name != LEARNED:
        return found
    return replace(found, theme=before.theme)


def keep_profile(found: Calibration, before: Calibration) -> Calibration:
    """Return ``found``; if its theme was only learned, with the program profile of ``before``.

    A finished board below a bubble may be readable only with a learned theme; the program still
    uses the same keys.
    """
    if found.theme.name != LEARNED:
        return found
    return replace(found, theme=replace(found.theme, profile=before.theme.profile))


def calibration_in_region(whole: Calibration, screen: Frame, region: Frame) -> Calibration:
    """Return a calibration of the whole ``screen`` in pixels of ``region``, a part of it.

    The origins, which give the place of the region, are rounded to whole mouse units. The place is
    a multiple of `ALIGN` pixels, so rounding to one makes it exact.
    """
    dx, dy = (
        ALIGN * round((inner - outer) * screen.scale / ALIGN)
        for inner, outer in zip(region.origin, screen.origin, strict=True)
    )
    return shift_calibration(whole, -dx, -dy)


def same_place(one: Calibration, other: Calibration) -> bool:
    """Whether two calibrations describe boards of the same size and place, within 1.5 pixels."""
    return _distance(one.grid, other.grid) <= SAME_PLACE_PX


def within_half_a_tile(one: Grid, other: Grid) -> bool:
    """Whether two grids of the same size are less than half a tile apart."""
    return _distance(one, other) < 0.5 * min(other.tile_w, other.tile_h)


def same_spacing(one: Grid, other: Grid) -> bool:
    """Whether one grid is the other one moved: all lines by the same distance, within 1.5 pixels.

    If not, its tiles were resized: on some pages a row grows when its first digit appears.
    """
    across, down = one.x_lines - other.x_lines, one.y_lines - other.y_lines
    return float(max(np.ptp(across), np.ptp(down))) <= SAME_PLACE_PX


def check_found(frame: Frame, calibration: Calibration) -> None:
    """Raise `NoGrid` unless the board of a saved calibration is found at its place in ``frame``.

    A plain part of any picture reads as a board of hidden tiles.
    """
    if not is_found_at(frame, calibration.grid):
        error = NoGrid("The board is not where the saved calibration says.")
        error.remedy = "Leave --calibration out, or save it again."
        raise error


def same_lattice(one: Grid, other: Grid) -> bool:
    """Whether two grids of different sizes share their lines where they overlap.

    If so, one is a visible part of the other, or was found too large.
    """
    if (one.rows, one.cols) == (other.rows, other.cols):
        return False
    return all(
        len(inside := mine[(mine >= lines[0] - pitch / 2) & (mine <= lines[-1] + pitch / 2)]) > 2
        and float(np.abs(inside[:, None] - lines).min(axis=1).max()) <= SAME_LINE_TILES * pitch
        for mine, lines, pitch in (
            (one.x_lines, other.x_lines, other.tile_w),
            (one.y_lines, other.y_lines, other.tile_h),
        )
    )


def counter_region(calibration: Calibration) -> PixelBox:
    """Return the counter's box in the frame, with the margin needed to read text."""
    assert calibration.counter is not None
    box, x, y = (
        calibration.counter.box,
        round(calibration.grid.x0),
        round(calibration.grid.y0),
    )
    return PixelBox(box.x0 + x - 64, box.y0 + y - 64, box.x1 + x + 64, box.y1 + y + 64)


def cut_as_before(calibration: Calibration, old: Grid) -> Calibration:
    """Return ``calibration`` on the grid ``old``, if that has only moved by whole pixels.

    The tiles are then cut at the same offsets as before and can be compared. A grid found again
    with other tiles open may be off by a fraction of a pixel.
    """
    grid = calibration.grid
    moved = old.moved(round(grid.x0 - old.x0), round(grid.y0 - old.y0))
    return (
        replace(calibration, grid=moved) if _distance(grid, moved) <= SAME_CUT_PX else calibration
    )


def is_moved(grid: Grid, old: Grid) -> bool:
    """Whether a grid is ``old``, moved by whole pixels."""
    return grid == old.moved(round(grid.x0 - old.x0), round(grid.y0 - old.y0))


def _distance(one: Grid, other: Grid) -> float:
    """Return the largest distance of the lines of two grids; infinite if their sizes differ."""
    if (one.rows, one.cols) != (other.rows, other.cols):
        return inf
    across, down = one.x_lines - other.x_lines, one.y_lines - other.y_lines
    return float(max(np.abs(across).max(), np.abs(down).max()))


ALIGN = 4
"""The sides of boxes are multiples of this many pixels: whole mouse units at any scale."""


def grow_box(box: PixelBox, by: int, frame: Frame) -> PixelBox:
    """Grow a box by ``by`` pixels on each side, within the frame, to multiples of `ALIGN`."""
    return PixelBox(
        max(0, box.x0 - by) // ALIGN * ALIGN,
        max(0, box.y0 - by) // ALIGN * ALIGN,
        min(frame.width, -(-(box.x1 + by) // ALIGN) * ALIGN),
        min(frame.height, -(-(box.y1 + by) // ALIGN) * ALIGN),
    )


def bounding_box(one: PixelBox, other: PixelBox) -> PixelBox:
    """Return the smallest box that holds both."""
    return PixelBox(
        min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1)
    )


def border_strips(inner: PixelBox, outer: PixelBox) -> tuple[PixelBox, ...]:
    """Cut the area between two boxes into four strips."""
    return (
        PixelBox(outer.x0, outer.y0, outer.x1, inner.y0),
        PixelBox(outer.x0, inner.y1, outer.x1, outer.y1),
        PixelBox(outer.x0, inner.y0, inner.x0, inner.y1),
        PixelBox(inner.x1, inner.y0, outer.x1, inner.y1),
    )


def box_slices(box: PixelBox, within: PixelBox) -> tuple[slice, slice]:
    """Return the rows and columns of ``box`` in a picture that shows ``within``."""
    return (
        slice(max(0, box.y0 - within.y0), max(0, box.y1 - within.y0)),
        slice(max(0, box.x0 - within.x0), max(0, box.x1 - within.x0)),
    )


def cut_strips(
    screen: Frame, box: PixelBox, slices: Iterable[tuple[slice, slice]]
) -> tuple[NDArray[np.uint8], ...]:
    """Cut strips, given within a box, out of the whole screen."""
    pixels = screen.pixels[box_slices(box, PixelBox(0, 0, 0, 0))]
    return tuple(pixels[strip].copy() for strip in slices)


PATCH_PX = 12
"""Half the side of the square around the pointer that should be plain; smaller than any button."""

FRAME_EDGE_PX = 40
"""Least distance from the edges of the frame, where corners and panels are."""


def choose_parking_point(frame: Frame, grid: Grid) -> PixelPoint:
    """Choose the plainest place around the board; of equally plain ones, the nearest.

    The pointer must not rest on a tile, which may light up, or on a control.
    """
    box = grid.bounds
    # If the board fills the screen, only the board is left.
    middle = PixelPoint((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    return min(_candidates(frame, grid), key=lambda place: _roughness(frame, place), default=middle)


def _candidates(frame: Frame, grid: Grid) -> Iterator[PixelPoint]:
    """Yield points farther and farther away: below, beside, then above (counters, menus)."""
    box = grid.bounds
    edge = min(FRAME_EDGE_PX, frame.width // 8, frame.height // 8)
    for away in range(PATCH_PX + 2, 400, 9):
        for share in (0.5, 0.25, 0.75, 0.05, 0.95):
            x = box.x0 + share * (box.x1 - box.x0)
            y = box.y0 + share * (box.y1 - box.y0)
            for place in (
                PixelPoint(x, box.y1 + away),
                PixelPoint(box.x1 + away, y),
                PixelPoint(box.x0 - away, y),
                PixelPoint(x, box.y0 - away),
            ):
                if edge <= place.x < frame.width - edge and edge <= place.y < frame.height - edge:
                    yield place


def _roughness(frame: Frame, place: PixelPoint) -> int:
    """Return the largest range of one colour channel within the square around a point."""
    x, y = round(place.x), round(place.y)
    patch = frame.pixels[
        max(0, y - PATCH_PX) : y + PATCH_PX + 1, max(0, x - PATCH_PX) : x + PATCH_PX + 1
    ]
    return int(np.ptp(patch.reshape(-1, 3), axis=0).max())

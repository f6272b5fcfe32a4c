"""The mine counter beside the board: find it, tell it from the clock, read it again cheaply.

Two kinds are known: seven-segment displays, which show mines minus flags, and text of the form
``flags/mines``. A number counts only where it fits the board: text must name as many flags as
the board shows, and a display must give a total that this board can have. Of two displays one
is the clock; where both would do, neither is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from calibration.counter_text import find_fractions
from calibration.frame import Frame, PixelBox
from calibration.grid import Grid
from calibration.seven_segment import MIN_HEIGHT_PX, Display, find_displays
from solver.board import Board, Tile

WELL_KNOWN_TOTALS = {(8, 8): 10, (9, 9): 10, (16, 16): 40, (16, 30): 99, (30, 16): 99}
"""Mines of the usual levels by (rows, cols)."""

TEXT_REACH_PX = 280
"""How far from the board text is looked for: side panels and status bars."""

NEAR_PX, LINE_PX = 144, 40
"""The same where a theme says on which side, at first, and the height of a line: of five programs
the text of the furthest ends 112 px from the board."""

LEAST_BAND_PX = 16
"""Least height and width of a picture that text is looked for in."""

DISPLAY_REACH_TILES = 6
"""How far above the board displays are looked for, in tiles."""


@dataclass(frozen=True)
class Place:
    """Where a counter stands: its kind and its box as an offset from the grid's corner."""

    kind: str
    box: PixelBox


@dataclass(frozen=True)
class Counter:
    """What a counter shows. ``mines_left`` is the total less the flags set."""

    mines_left: int
    total: int
    place: Place


def find_counter(
    frame: Frame, grid: Grid, board: Board, *, mines: int | None = None, side: str = ""
) -> Counter | None:
    """Look for a counter around the board; None where there is none to be trusted.

    ``mines`` is the total where it is known already; a counter that contradicts it is not
    trusted either. ``side`` is where the program's counter stands, as in `Handling.counter`:
    it is looked for there first, and all around where it is not found there.
    """
    bands = _bands(frame, grid, max(TEXT_REACH_PX, round(4 * grid.tile_h)))
    if side in bands:
        near = _bands(frame, grid, NEAR_PX)[side]
        found = _only(_from_text(frame, grid, board, near, mines))
        if found is not None:
            return found
    found = _from_display(frame, grid, board, mines)
    if found is not None:
        return found
    around = [_from_text(frame, grid, board, band, mines) for band in bands.values()]
    return _only(list(chain.from_iterable(around)))


def _only(counters: Sequence[Counter]) -> Counter | None:
    """Return what all counters found agree on."""
    return counters[0] if len({counter.total for counter in counters}) == 1 else None


def _from_display(frame: Frame, grid: Grid, board: Board, mines: int | None) -> Counter | None:
    """Read the seven-segment display above the board that is not the clock."""
    known = mines if mines is not None else WELL_KNOWN_TOTALS.get((board.rows, board.cols))
    strip = _above(frame, grid)
    if strip.y1 - strip.y0 < MIN_HEIGHT_PX:
        return None
    displays = find_displays(_crop(frame, strip))
    chosen = _choose_display(displays, board, known, certain=mines is not None)
    if chosen is None:
        return None
    box = _relative(_shift(chosen.box, strip.x0, strip.y0), grid)
    return Counter(chosen.value, chosen.value + flags_set(board), Place("seven-segment", box))


class CounterReader:
    """Reads one counter again and again.

    The same picture beside as many flags reads the same: that spares 2 to 4 ms a frame.
    """

    def __init__(self, grid: Grid, place: Place) -> None:
        self._grid, self._place = grid, place
        self._last: tuple[bytes, int, Counter | None] | None = None

    def read(self, frame: Frame, board: Board) -> Counter | None:
        """Read it beside ``board``; None where it cannot be read now."""
        flags = flags_set(board)
        area = _area_of(frame, self._grid, self._place)
        shown = _beside_board(frame, self._grid, area).tobytes()
        if self._last is None or self._last[:2] != (shown, flags):
            counter = read_counter(frame, self._grid, board, self._place)
            self._last = (shown, flags, counter)
        return self._last[2]


def read_counter(frame: Frame, grid: Grid, board: Board, place: Place) -> Counter | None:
    """Read a counter again where it stood before; None where it cannot be read now."""
    area = _area_of(frame, grid, place)
    if area.x1 <= area.x0 or area.y1 <= area.y0:
        return None
    if place.kind == "text":
        found = _from_text(frame, grid, board, area, None)
        return found[0] if len(found) == 1 else None
    displays = find_displays(_crop(frame, area))
    if len(displays) != 1:
        return None
    value = displays[0].value
    return Counter(value, value + flags_set(board), place)


def _area_of(frame: Frame, grid: Grid, place: Place) -> PixelBox:
    """Return the part of the frame that a counter is read from."""
    x0, y0, x1, y1 = _shift(place.box, round(grid.x0), round(grid.y0))
    # A display keeps its place; text may need room for more digits, and ground to compare.
    high, wide = (3, 3) if place.kind == "seven-segment" else (48, 64)
    return _clip(frame, PixelBox(x0 - wide, y0 - high, x1 + wide, y1 + high))


def flags_set(board: Board) -> int:
    """Count the flags a program counts: right ones and, after a loss, wrong ones."""
    return int(np.isin(board.tiles, (Tile.FLAG, Tile.WRONG_FLAG)).sum())


def _from_text(
    frame: Frame, grid: Grid, board: Board, area: PixelBox, mines: int | None
) -> list[Counter]:
    """Read every text counter in an area that fits the board's flags."""
    if area.x1 - area.x0 < LEAST_BAND_PX or area.y1 - area.y0 < LEAST_BAND_PX:
        return []
    pixels = _beside_board(frame, grid, area)
    cells = board.rows * board.cols
    return [
        Counter(
            fraction.total - fraction.flags,
            fraction.total,
            Place("text", _relative(_shift(fraction.box, area.x0, area.y0), grid)),
        )
        for fraction in find_fractions(pixels)
        if fraction.flags == flags_set(board)
        and 0 < fraction.total < cells
        and mines in (None, fraction.total)
        and not _is_cut_off(frame, area, fraction.box)
    ]


def _is_cut_off(frame: Frame, area: PixelBox, box: PixelBox) -> bool:
    """Whether the area may end within the text: one more digit may follow beside the box."""
    digit = box.y1 - box.y0
    return (area.x0 > 0 and box.x0 < digit) or (
        area.x1 < frame.width and box.x1 > area.x1 - area.x0 - digit
    )


def _choose_display(
    displays: Sequence[Display], board: Board, known: int | None, *, certain: bool
) -> Display | None:
    """Tell the counter from the clock; None where both could be it, or neither."""
    cells, flags = board.rows * board.cols, flags_set(board)
    if known is not None:
        fitting = [display for display in displays if display.value + flags == known]
        if fitting:
            return fitting[0]
        if certain:
            return None
    # A clock that has not started shows 0, which is no total; then any other number will do.
    # Later the clock could be any number: only one of two displays may be a usual density.
    stopped = len(displays) == 2 and any(display.value == 0 for display in displays)
    low, high = (1, cells - 1) if stopped and flags == 0 else (0.08 * cells, 0.35 * cells)
    fitting = [display for display in displays if low <= display.value + flags <= high]
    return fitting[0] if len(displays) == 2 and len(fitting) == 1 else None


def _bands(frame: Frame, grid: Grid, reach: int) -> dict[str, PixelBox]:
    """Cut the surroundings of the board, where text may stand, into four bands.

    They go ``reach`` pixels out from the board, those above and below as far beyond its width;
    those beside it a little beyond its height: a line of text may stand across.
    """
    x0, y0, x1, y1 = grid.bounds
    bands = {
        "right": PixelBox(x1, y0 - LINE_PX, x1 + reach, y1 + LINE_PX),
        "below": PixelBox(x0 - reach, y1, x1 + reach, y1 + reach),
        "above": PixelBox(x0 - reach, y0 - reach, x1 + reach, y0),
        "left": PixelBox(x0 - reach, y0 - LINE_PX, x0, y1 + LINE_PX),
    }
    return {side: _clip(frame, band) for side, band in bands.items()}


def _above(frame: Frame, grid: Grid) -> PixelBox:
    """Cut the strip above the board where displays stand; a hair inside the board's width."""
    x0, y0, x1, _ = grid.bounds
    reach = max(120, round(DISPLAY_REACH_TILES * grid.tile_h))
    return _clip(frame, PixelBox(x0 - 2, y0 - reach, x1 + 2, y0 - 2))


def _clip(frame: Frame, box: PixelBox) -> PixelBox:
    """Clip to the frame, on a lattice of 4 px: text is compared with ground averaged on it."""
    return PixelBox(
        max(0, box.x0 // 4 * 4),
        max(0, box.y0 // 4 * 4),
        min(frame.width, box.x1),
        min(frame.height, box.y1),
    )


def _beside_board(
    frame: Frame, grid: Grid, area: PixelBox
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Cut out an area with the board in it made grey."""
    pixels = _crop(frame, area).copy()
    inside = _shift(grid.bounds, -area.x0, -area.y0)
    pixels[max(0, inside.y0) : max(0, inside.y1), max(0, inside.x0) : max(0, inside.x1)] = 128
    return pixels


def _crop(frame: Frame, box: PixelBox) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1])


def _shift(box: PixelBox, dx: int, dy: int) -> PixelBox:
    return PixelBox(box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy)


def _relative(box: PixelBox, grid: Grid) -> PixelBox:
    return _shift(box, -round(grid.x0), -round(grid.y0))

"""Find the mine counter beside the board, distinguish it from the clock, and read it again quickly.

Two kinds are known: seven-segment displays, which show mines minus flags, and text of the form
``flags/mines``. A number counts only if it fits the board: text must name as many flags as the
board shows, and a display must give a possible mine total. Of two displays one is the clock; if
both could be the counter, neither is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.digits import MIN_HEIGHT_PX, Display, find_displays, find_fractions
from calibration.points import PixelBox
from solver.board import Board, Tile
from solver.mine_total import USUAL_TOTALS

TEXT_REACH_PX = 280
"""How far from the board text is searched, in pixels: side panels and status bars."""

NEAR_REACH_PX, TEXT_LINE_PX = 144, 40
"""How far from the board text is searched first if a theme names the side, and the height of a line
of text. In five programs, the furthest text ends 112 px from the board."""

LEAST_BAND_PX = 16
"""Least height and width of an area in which text is searched."""

SIDES_OF_DISPLAYS = {"above-left": 0, "above-right": 1}
"""Which of two displays above the board is the counter, by the side that a theme names."""

SHARE_OF_TIMES = 0.04
"""Share of the cells up to which an unusual total is more likely the time of the last game."""

DISPLAY_REACH_TILES = 6
"""How far above the board displays are searched, in tiles."""


@dataclass(frozen=True)
class CounterPlace:
    """The place of a counter: ``box`` is relative to the grid's corner.

    ``kind`` is ``text`` or ``seven-segment``.
    """

    kind: str
    box: PixelBox


@dataclass(frozen=True)
class Counter:
    """A counter that was read: ``mines_left`` is the mine total minus the flags."""

    mines_left: int
    total: int
    place: CounterPlace


def find_counter(
    frame: Frame, grid: Grid, board: Board, *, mines: int | None = None, side: str = ""
) -> Counter | None:
    """Search the surroundings of the board for a counter; None if no counter can be trusted.

    ``mines`` is the mine total if it is already known; a counter that contradicts it is not
    trusted. ``side`` is the side of the board with the program's counter, as in
    `ProgramProfile.counter_side`: it is searched first, and all sides if nothing is found there.
    """
    bands = _text_bands(frame, grid, max(TEXT_REACH_PX, round(4 * grid.tile_h)))
    if side in bands:
        band = _text_bands(frame, grid, NEAR_REACH_PX)[side]
        found = _agreed(_from_text(frame, grid, board, band, mines))
        if found is not None:
            return found
    found = _from_display(frame, grid, board, mines, side)
    if found is not None:
        return found
    counters = [_from_text(frame, grid, board, band, mines) for band in bands.values()]
    return _agreed(list(chain.from_iterable(counters)))


def _agreed(counters: Sequence[Counter]) -> Counter | None:
    """Return the first counter if all counters agree on the mine total."""
    return counters[0] if len({counter.total for counter in counters}) == 1 else None


def _from_display(
    frame: Frame, grid: Grid, board: Board, mines: int | None, side: str
) -> Counter | None:
    """Read the seven-segment display above the board that is the counter and not the clock."""
    known = mines if mines is not None else USUAL_TOTALS.get((board.rows, board.cols))
    strip = _display_strip(frame, grid)
    if strip.y1 - strip.y0 < MIN_HEIGHT_PX:
        return None
    displays = find_displays(_crop(frame, strip))
    chosen = _counter_display(displays, board, known, certain=mines is not None, side=side)
    if chosen is None:
        return None
    box = _from_grid(_shifted(chosen.box, strip.x0, strip.y0), grid)
    return Counter(
        chosen.value, chosen.value + flags_set(board), CounterPlace("seven-segment", box)
    )


class CounterReader:
    """Reads one counter in frame after frame.

    If neither its picture nor the number of flags changes, the last result is returned, which saves
    2 to 4 ms a frame.
    """

    def __init__(self, grid: Grid, place: CounterPlace) -> None:
        self._grid, self._place = grid, place
        self._last: tuple[bytes, int, Counter | None] | None = None

    def read(self, frame: Frame, board: Board) -> Counter | None:
        """Read the counter beside ``board``; None if it cannot be read now."""
        flags = flags_set(board)
        area = _area_of(frame, self._grid, self._place)
        picture = _without_board(frame, self._grid, area).tobytes()
        if self._last is None or self._last[:2] != (picture, flags):
            counter = read_counter(frame, self._grid, board, self._place)
            self._last = (picture, flags, counter)
        return self._last[2]


def read_counter(frame: Frame, grid: Grid, board: Board, place: CounterPlace) -> Counter | None:
    """Read a counter at a known place; None if it cannot be read now."""
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


def _area_of(frame: Frame, grid: Grid, place: CounterPlace) -> PixelBox:
    """Return the part of the frame from which a counter is read."""
    x0, y0, x1, y1 = _shifted(place.box, round(grid.x0), round(grid.y0))
    # A display keeps its place; text may get more digits, and needs background around it.
    high, wide = (3, 3) if place.kind == "seven-segment" else (48, 64)
    return _clip(frame, PixelBox(x0 - wide, y0 - high, x1 + wide, y1 + high))


def flags_set(board: Board) -> int:
    """Count the flags as a program does: the right ones and, after a loss, the wrong ones."""
    return int(np.isin(board.tiles, (Tile.FLAG, Tile.WRONG_FLAG)).sum())


def _from_text(
    frame: Frame, grid: Grid, board: Board, area: PixelBox, mines: int | None
) -> list[Counter]:
    """Read every text counter in an area that names as many flags as the board shows."""
    if area.x1 - area.x0 < LEAST_BAND_PX or area.y1 - area.y0 < LEAST_BAND_PX:
        return []
    pixels = _without_board(frame, grid, area)
    cells = board.rows * board.cols
    return [
        Counter(
            fraction.total - fraction.flags,
            fraction.total,
            CounterPlace("text", _from_grid(_shifted(fraction.box, area.x0, area.y0), grid)),
        )
        for fraction in find_fractions(pixels)
        if fraction.flags == flags_set(board)
        and 0 < fraction.total < cells
        and mines in (None, fraction.total)
        and not _is_cut_off(frame, area, fraction.box)
    ]


def _is_cut_off(frame: Frame, area: PixelBox, box: PixelBox) -> bool:
    """Whether the area may cut off the text: no room for one more digit beside it."""
    digit = box.y1 - box.y0
    return (area.x0 > 0 and box.x0 < digit) or (
        area.x1 < frame.width and box.x1 > area.x1 - area.x0 - digit
    )


def _counter_display(
    displays: Sequence[Display],
    board: Board,
    known: int | None,
    *,
    certain: bool,
    side: str = "",
) -> Display | None:
    """Return the display that is the counter; None if both could be it, or neither.

    With two displays, the ``side`` of the program's counter decides.
    """
    cells, flags = board.rows * board.cols, flags_set(board)
    if side in SIDES_OF_DISPLAYS and len(displays) == 2:
        chosen = sorted(displays, key=lambda display: display.box.x0)[SIDES_OF_DISPLAYS[side]]
        possible = 0 < chosen.value + flags < cells
        agrees = not certain or chosen.value + flags == known
        return chosen if possible and agrees else None
    if known is not None:
        fitting = [display for display in displays if display.value + flags == known]
        if fitting:
            return fitting[0]
        if certain:
            return None
    # Before the first click the clock shows 0, which cannot be a mine total; the other display may
    # give any total that is not tiny (a tiny one may be the stopped clock of the last game). Later,
    # the clock can show any number: then exactly one display must give a usual density of mines.
    stopped = len(displays) == 2 and any(display.value == 0 for display in displays)
    low, high = (
        (SHARE_OF_TIMES * cells, cells - 1)
        if stopped and flags == 0
        else (0.08 * cells, 0.35 * cells)
    )
    fitting = [display for display in displays if low <= display.value + flags <= high]
    return fitting[0] if len(displays) == 2 and len(fitting) == 1 else None


def _text_bands(frame: Frame, grid: Grid, reach: int) -> dict[str, PixelBox]:
    """Return the four bands around the board in which text may lie, by side.

    They reach ``reach`` pixels out from the board. Those above and below are also ``reach`` pixels
    wider than the board on both sides; those beside it are higher than the board by a line of
    text on both sides.
    """
    x0, y0, x1, y1 = grid.bounds
    bands = {
        "right": PixelBox(x1, y0 - TEXT_LINE_PX, x1 + reach, y1 + TEXT_LINE_PX),
        "below": PixelBox(x0 - reach, y1, x1 + reach, y1 + reach),
        "above": PixelBox(x0 - reach, y0 - reach, x1 + reach, y0),
        "left": PixelBox(x0 - reach, y0 - TEXT_LINE_PX, x0, y1 + TEXT_LINE_PX),
    }
    return {side: _clip(frame, band) for side, band in bands.items()}


def _display_strip(frame: Frame, grid: Grid) -> PixelBox:
    """Return the strip above the board in which displays lie, 2 px wider than the board."""
    x0, y0, x1, _ = grid.bounds
    reach = max(120, round(DISPLAY_REACH_TILES * grid.tile_h))
    return _clip(frame, PixelBox(x0 - 2, y0 - reach, x1 + 2, y0 - 2))


def _clip(frame: Frame, box: PixelBox) -> PixelBox:
    """Clip to the frame, with multiples of 4 px at the left and top.

    Text is compared with a background that is averaged over squares of 4 px.
    """
    return PixelBox(
        max(0, box.x0 // 4 * 4),
        max(0, box.y0 // 4 * 4),
        min(frame.width, box.x1),
        min(frame.height, box.y1),
    )


def _without_board(
    frame: Frame, grid: Grid, area: PixelBox
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return the pixels of an area, with the board in it painted grey."""
    pixels = _crop(frame, area).copy()
    inside = _shifted(grid.bounds, -area.x0, -area.y0)
    pixels[max(0, inside.y0) : max(0, inside.y1), max(0, inside.x0) : max(0, inside.x1)] = 128
    return pixels


def _crop(frame: Frame, box: PixelBox) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.ascontiguousarray(frame.pixels[box.y0 : box.y1, box.x0 : box.x1])


def _shifted(box: PixelBox, dx: int, dy: int) -> PixelBox:
    return PixelBox(box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy)


def _from_grid(box: PixelBox, grid: Grid) -> PixelBox:
    return _shifted(box, -round(grid.x0), -round(grid.y0))

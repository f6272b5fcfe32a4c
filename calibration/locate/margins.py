"""Tell whether a board goes on where the picture ends it, or where its open tiles end.

A lattice ends with its last whole tile. If a part of another tile is left beside it, the lines
between the tiles continue through that strip; they do not continue through the frame of a window.
At the edge of the picture a strip too narrow to show lines is compared with the same strip of the
board's tiles. If it looks like them, or if nothing is left to compare, the board counts as cut
off, unless the picture ends as close to it on all four sides. Such a picture is a crop along the
board. So is one that ends with the outermost lines on two opposite sides of a board of a usual
size: a part of a larger board hardly ever has one. `calibration.locate.covers` tells whether
something else hides a part of the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import SAME_ON_AVERAGE, mean_steps
from calibration.locate.bed import ends_with_bed
from calibration.tiles import cut
from solver.mine_total import USUAL_TOTALS

Pixels = NDArray[Any]

BORDER_WIDTH = 0.1
"""Width of the gap or bevel that belongs to the outermost line, in tiles; at least a pixel."""

LEAST_STRIP_PX = 2
"""Least width of a strip outside that border in which lines can be seen."""

CROP_MARGIN = 0.35
"""Largest margin around the board in a crop along it, in tiles."""

LEVEL_SIZES = {*USUAL_TOTALS, (8, 10), (14, 18), (20, 24)}
"""Rows and columns of the levels of many programs, and of one whose board fills its window."""

FLUSH = 0.15
"""How far a picture may end from the outermost lines of a board with which it ends, in tiles."""

LINE_STEP = 8.0
"""Least difference across a line; red, green and blue added."""

LINE_STRENGTH = 0.1
"""Least difference across such a line, as a share of that across the same lines in the board."""

AS_CLEAR, MOST_LINES = 0.5, 0.9
"""Least difference across the lines in a whole tile beside the board, as a share of that inside,
and the share of the lines that must have it."""

LINE_SHARE = 0.7
"""Least share of the lines that continue through a strip with part of a tile."""

FEW_ALIKE = 0.3
"""Largest share of strips that look like tiles where the board has ended."""

TEXT_SHARE, TEXT_IN_TILES = 0.7, 0.4
"""Difference in the middle of tiles, as a share of that across lines, from which it is text; in a
strip, and in whole tiles."""

TILES_COMPARED = 4
"""Columns of tiles beside a strip that it is compared with."""

EDGE_REACH, FAINT_STEP = 0.15, 8
"""How far on both sides of its outermost line the edge of a board is looked for, in tiles, and the
least difference of a colour there that is an edge."""

DRAWN_STEP = 24
"""Range of a colour in a zero from which it is drawn, and no mere background."""

SIDES = ("left", "top", "right", "bottom")


def cut_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the sides (left, top, right, bottom) at which the picture may cut the board off."""
    cut = [one for one in _margins(frame, grid) if one.tiles < 1 and one.continues is not False]
    if (grid.rows, grid.cols) in LEVEL_SIZES and _ends_with_picture(frame, grid):
        cut = [one for one in cut if one.continues or one.tiles > FLUSH]
    return tuple(one.side for one in cut)


def _ends_with_picture(frame: Frame, grid: Grid) -> bool:
    """Tell whether the picture ends with the outermost lines of a grid on two opposite sides.

    And it cuts nothing from the tiles on the other two.
    """
    left, right = np.array((grid.x_lines[0], frame.width - grid.x_lines[-1])) / grid.tile_w
    top, bottom = np.array((grid.y_lines[0], frame.height - grid.y_lines[-1])) / grid.tile_h
    flush = max(abs(left), abs(right)) <= FLUSH or max(abs(top), abs(bottom)) <= FLUSH
    return bool(flush and min(left, right, top, bottom) >= -FLUSH)


def is_crop(frame: Frame, grid: Grid) -> bool:
    """Tell whether the picture is a crop along the board, with hardly anything around it."""
    return all(one.tiles < CROP_MARGIN and not one.continues for one in _margins(frame, grid))


def may_go_on(frame: Frame, grid: Grid, tiles: NDArray[np.int8]) -> bool:
    """Tell whether a board may go on with open tiles that look like what surrounds it.

    ``tiles`` are as in `Board`. The board cannot go on if its zeros are drawn, nor where a mine or
    a hidden tile is in the outermost row, because a zero has none beside it, nor where an edge is
    seen between the outermost tiles and what lies beside: its zeros if it has some, since numbers
    may stand on squares of their own. Nor can it where what lies between its tiles ends with it.
    """
    if ends_with_bed(frame, grid):
        return False
    zeros = cut(frame, grid)[tiles == 0]
    if len(zeros) and np.median(np.ptp(zeros, axis=(1, 2)).max(axis=1)) > DRAWN_STEP:
        return False
    rows = (tiles[:, 0], tiles[0], tiles[:, -1], tiles[-1])
    return any(
        (row >= 0).all() and not Beside.of(frame, grid, side).edges()[plain].any()
        for side, row in zip(SIDES, rows, strict=True)
        for plain in ([row == 0] if (row == 0).any() else [row >= 0])
    )


def lines_go_on(frame: Frame, grid: Grid) -> bool:
    """Tell whether the lines of a board go on through the tiles beside it, on any side.

    Those may be lighter or darker than its own, so that its lattice ends there.
    """
    sides = (Beside.of(frame, grid, side) for side in SIDES)
    return any(one.rest >= one.pitch and one.has_tile_beside() for one in sides)


class _Margin(NamedTuple):
    """What lies beside the board on one side: its width, and whether the board continues there.

    ``continues`` is None where that cannot be told.
    """

    side: str
    tiles: float
    continues: bool | None


def _margins(frame: Frame, grid: Grid) -> Iterator[_Margin]:
    for side in SIDES:
        beside = Beside.of(frame, grid, side)
        tiles = beside.rest / beside.pitch
        yield _Margin(side, tiles, beside.continues() if tiles < 1 else None)


class Beside(NamedTuple):
    """The board and what lies beside it on one side, turned so that this side is on the right.

    ``around`` is the whole picture ``(along, across, 3)`` and ``pixels`` its part beside the board,
    which begins at ``start``; the board ends at ``end``, and ``rest`` pixels of the
    picture follow. ``lines`` are the lines that may continue there, ``pitch`` is the distance of
    those that cannot.
    """

    side: str
    around: Pixels
    start: int
    pixels: Pixels
    end: int
    lines: NDArray[np.intp]
    pitch: float

    @classmethod
    def of(cls, frame: Frame, grid: Grid, side: str) -> Beside:
        """Turn the part of the frame between the board's two other sides."""
        x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
        if side in ("left", "right"):
            around, start, stop, end = frame.pixels, y0, y1, x1
            lines, pitch = grid.y_lines - y0, grid.tile_w
        else:
            around, start, stop, end = frame.pixels.swapaxes(0, 1), x0, x1, y1
            lines, pitch = grid.x_lines - x0, grid.tile_h
        if side in ("left", "top"):
            around, end = around[:, ::-1], around.shape[1] - (x0 if side == "left" else y0)
        pixels = around[start:stop]
        return cls(side, around, start, pixels, end, np.round(lines).astype(np.intp), pitch)

    @property
    def rest(self) -> int:
        """Pixels between the board and the edge of the picture."""
        return max(0, int(self.pixels.shape[1]) - self.end)

    @property
    def border_px(self) -> int:
        """Width of the border of the outermost line."""
        return max(1, round(BORDER_WIDTH * self.pitch))

    def continues(self) -> bool | None:
        """Tell whether the board goes on to the edge of the picture, less than a tile away."""
        if self.rest - self.border_px >= LEAST_STRIP_PX:
            lines = self.lines_continue(self.border_px, self.rest)
            return lines and not self._is_text(self.border_px, self.rest)
        if self.rest and self.share_alike(0, self.rest) <= FEW_ALIKE:
            return False
        return None

    def has_tile_beside(self) -> bool:
        """Tell whether the lines continue through the next tile, as clearly as in the board."""
        start, stop = self.border_px, round((1 - BORDER_WIDTH) * self.pitch)
        beside, _ = self.steps(self.end + start, self.end + stop)
        inside, _ = self.steps(max(0, self.end - stop), max(1, self.end - start))
        clear = (beside >= AS_CLEAR * np.median(inside)).mean() >= MOST_LINES
        text = self._is_text(start, stop, TEXT_IN_TILES)
        return bool(clear) and self.lines_continue(start, stop) and not text

    def edges(self) -> NDArray[np.bool_]:
        """Mark the outermost tiles that differ from what lies outside next to them.

        Those, too, where the picture ends too near to tell.
        """
        reach = max(2, round(EDGE_REACH * self.pitch))
        outside = self.pixels[:, self.end : self.end + 1 + reach].astype(np.int16)
        inside = self.pixels[:, max(0, self.end - reach) : self.end].astype(np.int16)
        if outside.shape[1] <= reach or inside.shape[1] < reach:
            return np.ones(len(self.lines) - 1, np.bool_)
        both = np.concatenate([inside, outside], axis=1)
        step = np.ptp(both, axis=1).max(axis=1)
        places = zip(self.lines[:-1] + reach, self.lines[1:] - reach, strict=True)
        tiles = [step[max(0, low) : high] for low, high in places]
        return np.array([tile.size == 0 or np.median(tile) > FAINT_STEP for tile in tiles])

    def lines_continue(self, start: int, stop: int) -> bool:
        """Tell whether the strip between two distances shows a step at most of the inner lines.

        The step may lie up to the width of a border off the line. It must be larger than those at
        the strip's other rows, because a wallpaper has steps everywhere.
        """
        at_lines, usual = self.steps(self.end + start, self.end + stop)
        inside, _ = self.steps(max(0, self.end - stop), max(1, self.end - start))
        least = max(LINE_STEP, 3 * usual, LINE_STRENGTH * float(np.median(inside)))
        return bool((at_lines > least).mean() >= LINE_SHARE)

    def _is_text(self, start: int, stop: int, share: float = TEXT_SHARE) -> bool:
        """Tell whether a strip has edges between the lines, too, as a line of text has."""
        at_lines, _ = self.steps(self.end + start, self.end + stop)
        centres = (self.lines[:-1] + self.lines[1:]) // 2
        between, _ = self.steps(self.end + start, self.end + stop, centres)
        return bool(np.median(between) > share * np.median(at_lines))

    def steps(
        self, start: int, stop: int, places: NDArray[np.intp] | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """Return the differences across places of a strip, and the usual one beside.

        The places are the inner lines if none are given.
        """
        strip = self.pixels[:, start:stop]
        step = cv2.absdiff(strip[2:], strip[:-2]).mean(axis=1).sum(axis=1)
        reach = max(1, round(BORDER_WIDTH * float(self.lines[1] - self.lines[0])))
        places = self.lines[1:-1] if places is None else places
        at_places = [step[max(0, at - reach - 2) : at + reach].max(initial=0) for at in places]
        return np.array(at_places), float(np.quantile(step, 0.3))

    def share_alike(self, start: int, stop: int) -> float:
        """Return the share of the rows whose strip looks like that of a tile in the board."""
        height = int(0.6 * np.diff(self.lines).min())
        tops = self.lines[:-1] + (np.diff(self.lines) - height) // 2
        rows = (tops[:, None] + np.arange(height)).clip(0, len(self.pixels) - 1)

        def strips(end: int) -> Pixels:
            """Return the strips beside a line: ``(rows, height * width * 3)``."""
            part = self.pixels[rows, max(0, end + start) : max(0, end + stop)]
            return part.reshape(len(rows), -1)

        here = strips(self.end)
        ends = [round(self.end - k * self.pitch) for k in range(1, TILES_COMPARED + 1)]
        inside = [strips(end) for end in ends if end + start >= 0]
        least = np.full(len(rows), np.inf)
        for tiles in inside:
            off = [mean_steps(here, tile) for tile in tiles]
            least = np.minimum(least, np.min(off, axis=0))
        return float((least <= SAME_ON_AVERAGE).mean())

"""Check whether a board continues beyond its grid: over its bed, cut off, covered, or longer.

A lattice ends with its last whole tile. The lines between the tiles continue through a partial tile
beside it, but not through the frame of a window. A strip too narrow to show lines, at the edge of
the picture, is compared with the same strip of the board's own tiles; if they look alike, or if no
pixel is left, the board counts as cut off.

A picture that ends equally close to the board on all four sides is a crop along it. So is one that
ends with the outermost lines on two opposite sides of a board of a usual size, because a part of a
larger board rarely has such a size.

The bed is the area between a board's tiles. Some programs draw nothing for a zero: the bed
continues over it. If the outer rows of a board are zeros, only the rows with other tiles are found
at first. But often the bed ends where the board does, or a little further and equally far on all
sides. Hidden tiles without lines between them form such an area, too: it ends where the board
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from calibration.tiles import (
    SAME_COLOUR,
    SAME_ON_AVERAGE,
    colour_range,
    colour_steps,
    cut,
    mean_steps,
)
from solver.analysis import USUAL_TOTALS

MOST_PADDING = 0.5
"""How far the bed may extend beyond the board, in tiles."""

SAME_PADDING = 0.12
"""How much that may differ from side to side, in tiles."""

BARE, TILED = 0.7, 0.4
"""Least share of the bed in an empty cell, and largest in a cell with a tile. Words above a board
leave half of the bed."""

NUMBERED = 0.97
"""Largest share of the bed in a cell with a number drawn on it."""

FEWEST_NUMBERED = 3
"""Fewest of these cells on a bed that has no empty cell inside the grid."""


def extended_to_bed(frame: Frame, grid: Grid) -> Grid:
    """Return the grid with the rows and columns added that end with its bed.

    At most until the board is twice as large, or square. Unchanged if no cell looks like the bed,
    or if the bed continues further or does not end at whole tiles. Axes with uneven lines do not
    grow. On a side where the outermost tiles are covered, the bed ends within the board.
    """
    bed = None if grid.x_shifts or grid.y_shifts else _Bed.of(frame, grid)
    if bed is None:
        return grid
    margins = bed.margins(grid)
    reached = margins > -MOST_PADDING
    if not reached.any():
        return grid
    added = np.where(reached, np.round(margins - margins[reached].min()), 0).astype(int)
    if not _is_even((margins - added)[reached]):
        return grid
    left, right, top, bottom = added.tolist()
    wider = grid.widened(left, right, top, bottom)
    shares = bed.shares(wider)
    own = shares[top : top + grid.rows, left : left + grid.cols].copy()
    shares[top : top + grid.rows, left : left + grid.cols] = 1.0
    # Tiles without lines between them are a bed, too; whole cells of the grid belong to it.
    of_tiles = reached.all() and (own >= BARE).any() and _is_bare_or_tile(own)
    numbered = (added > 0).sum() <= 1 and (shares < NUMBERED).sum() >= FEWEST_NUMBERED
    if bed.beside and not (of_tiles or numbered):
        return grid
    return wider if _is_bare_or_tile(shares) else grid


def ends_with_bed(frame: Frame, grid: Grid) -> bool:
    """Whether the bed of a grid ends where the grid does, or equally far on all sides."""
    bed = _Bed.of(frame, grid)
    return bed is not None and not bed.beside and _is_even(bed.margins(grid))


def _is_bare_or_tile(shares: NDArray[np.float64]) -> bool:
    """Whether each cell belongs to the bed nearly completely, or hardly at all."""
    return bool(((shares >= BARE) | (shares <= TILED)).all())


def _is_even(padding: NDArray[np.float64]) -> bool:
    """Whether a bed extends little, and equally far, beyond a board."""
    return bool(np.abs(padding).max() <= MOST_PADDING and np.ptp(padding) <= SAME_PADDING)


class _Bed(NamedTuple):
    """The area around the tiles of a board: its box, and its pixels in a part of the frame.

    ``corner`` is the left and top of that part. ``beside`` says that the bed is next to the tiles,
    on one side only, and was recognised by the numbers drawn on it.
    """

    box: PixelBox
    corner: tuple[int, int]
    pixels: NDArray[np.bool_]
    beside: bool

    @classmethod
    def of(cls, frame: Frame, grid: Grid) -> _Bed | None:
        """Find the area of the cells without an edge around them, in the grid or next to it.

        None if there are none, or if the area extends beyond a board of twice the size, or a
        square.
        """
        x0, y0, x1, y1 = grid.bounds
        most = max(x1 - x0, y1 - y0)
        left, top = max(0, x0 - most), max(0, y0 - most)
        areas = Areas.of(frame.pixels[top : y1 + most, left : x1 + most])
        for beside in (False, True):
            places = _bare_places(frame, grid.widened(2, 2, 2, 2) if beside else grid)
            of_cells = areas.of_pixel[places[:, 1] - top, places[:, 0] - left]
            within = of_cells[of_cells > 0]
            within = within[~areas.at_edge[within - 1]]
            if within.size:
                area = int(np.bincount(within).argmax())
                x, y, wide, high = areas.boxes[area - 1].tolist()
                box = PixelBox(left + x, top + y, left + x + wide, top + y + high)
                return cls(box, (left, top), areas.of_pixel == area, beside)
        return None

    def margins(self, grid: Grid) -> NDArray[np.float64]:
        """Return how far the bed extends beyond a grid: left, right, top and bottom, in tiles."""
        x0, y0, x1, y1 = self.box
        across = grid.x_lines[0] - x0, x1 - grid.x_lines[-1]
        down = grid.y_lines[0] - y0, y1 - grid.y_lines[-1]
        return np.hstack([np.array(across) / grid.tile_w, np.array(down) / grid.tile_h])

    def shares(self, grid: Grid) -> NDArray[np.float64]:
        """Return the share of each cell of a grid that belongs to the bed, ``(rows, cols)``."""
        left, top = self.corner
        high, wide = self.pixels.shape
        x = np.rint(grid.x_lines - left).astype(np.intp).clip(0, wide)
        y = np.rint(grid.y_lines - top).astype(np.intp).clip(0, high)
        sums = cv2.integral(self.pixels.view(np.uint8))[y[:, None], x]
        within = sums[1:, 1:] - sums[1:, :-1] - sums[:-1, 1:] + sums[:-1, :-1]
        return np.asarray(within / np.maximum(np.outer(np.diff(y), np.diff(x)), 1), np.float64)


def _bare_places(frame: Frame, grid: Grid) -> NDArray[np.intp]:
    """Return the middles of the cells that have the colour of all lines around them, ``(n, 2)``."""
    x_lines, y_lines = (np.rint(lines).astype(np.intp) for lines in (grid.x_lines, grid.y_lines))
    x_lines, y_lines = x_lines.clip(0, frame.width - 1), y_lines.clip(0, frame.height - 1)
    columns, rows = (x_lines[:-1] + x_lines[1:]) // 2, (y_lines[:-1] + y_lines[1:]) // 2
    pixels = frame.pixels
    middle = pixels[rows[:, None], columns]
    across, down = pixels[rows[:, None], x_lines], pixels[y_lines[:, None], columns]
    sides = across[:, :-1], across[:, 1:], down[:-1], down[1:]
    off = np.max([colour_steps(side, middle) for side in sides], axis=0)
    at = np.argwhere(off <= SAME_COLOUR)
    return np.column_stack([columns[at[:, 1]], rows[at[:, 0]]])


# ---- areas without an edge in them ---------------------------------------------------------------

EDGE_STEP = 12
"""Difference of a colour between neighbouring pixels from which an edge lies between them;
gradients on tiles have smaller ones."""


class Areas(NamedTuple):
    """The areas of a picture.

    ``of_pixel`` ``(height, width)`` is the number of the area of each pixel, 0 for pixels behind an
    edge; ``boxes`` ``(count, 4)`` are left, top, width and height of the areas from 1 on, in
    pixels, ``sizes`` ``(count,)`` their pixels.
    """

    of_pixel: NDArray[np.int32]
    boxes: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8]) -> Areas:
        """Find the areas of a picture ``(height, width, 3)``."""
        plain = np.ones(pixels.shape[:2], np.uint8)
        for plane in cv2.split(pixels):
            plain[:, 1:] &= cv2.absdiff(plane[:, 1:], plane[:, :-1]) <= EDGE_STEP
            plain[1:] &= cv2.absdiff(plane[1:], plane[:-1]) <= EDGE_STEP
        _, of_pixel, stats, _ = cv2.connectedComponentsWithStats(plain, connectivity=4)
        found = np.array(stats[1:], np.intp)
        # The first pixels behind an edge are not plain, though they belong to the area.
        boxes = found[:, :4] + np.array([-1, -1, 1, 1])
        return cls(np.asarray(of_pixel, np.int32), boxes, found[:, 4])

    @property
    def at_edge(self) -> NDArray[np.bool_]:
        """Whether each area reaches the edge of the picture, ``(count,)``."""
        high, wide = self.of_pixel.shape
        beyond = self.boxes[:, :2] + self.boxes[:, 2:] >= (wide, high)
        return np.asarray(np.any((self.boxes[:, :2] < 0) | beyond, axis=1))


Pixels = NDArray[Any]

BORDER_WIDTH = 0.1
"""Width of the gap or bevel that is part of the outermost line, in tiles; at least a pixel."""

LEAST_STRIP_PX = 2
"""Least width of a strip outside this border in which lines can be seen."""

CROP_MARGIN = 0.35
"""Largest margin around the board in a crop along it, in tiles."""

LEVEL_SIZES = {*USUAL_TOTALS, (8, 10), (14, 18), (20, 24)}
"""Sizes of usual levels, and those of a program whose board fills its window."""

FLUSH = 0.15
"""How far a picture may end from the outermost lines to be flush with them, in tiles."""

LINE_STEP = 8.0
"""Least difference across a line; red, green and blue added."""

LINE_STRENGTH = 0.1
"""Least difference across such a line, as a share of that across the same lines in the board."""

AS_CLEAR, MOST_LINES = 0.5, 0.9
"""Least difference across the lines in a whole tile beside the board, as a share of that inside,
and the share of the lines that must reach it."""

LINE_SHARE = 0.7
"""Least share of the lines that continue through a strip with part of a tile."""

FEW_ALIKE = 0.3
"""Largest share of strips that look like tiles where the board has ended."""

TEXT_SHARE = 0.7
"""Difference in the middle of the tiles of a strip from which it is text, as a share of that across
lines."""

TEXT_IN_TILES = 0.4
"""The same for whole tiles."""

TILES_COMPARED = 4
"""Columns of tiles beside a strip that it is compared with."""

EDGE_REACH = 0.15
"""How far on both sides of its outermost line the edge of a board is searched, in tiles."""

FAINT_STEP = 8
"""Least difference of a colour that counts as an edge."""

DRAWN_STEP = 24
"""Range of a colour from which a zero has a drawing of its own, unlike a mere background."""

SIDES = ("left", "top", "right", "bottom")


def cut_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the sides (left, top, right, bottom) at which the picture may cut off the board."""
    cut = [one for one in _margins(frame, grid) if one.tiles < 1 and one.continues is not False]
    if (grid.rows, grid.cols) in LEVEL_SIZES and _ends_with_picture(frame, grid):
        cut = [one for one in cut if one.continues or one.tiles > FLUSH]
    return tuple(one.side for one in cut)


def _ends_with_picture(frame: Frame, grid: Grid) -> bool:
    """Whether the picture ends with the outermost lines on two opposite sides of a grid.

    On the other two sides it must not cut a tile.
    """
    left, right = np.array((grid.x_lines[0], frame.width - grid.x_lines[-1])) / grid.tile_w
    top, bottom = np.array((grid.y_lines[0], frame.height - grid.y_lines[-1])) / grid.tile_h
    flush = max(abs(left), abs(right)) <= FLUSH or max(abs(top), abs(bottom)) <= FLUSH
    return bool(flush and min(left, right, top, bottom) >= -FLUSH)


def is_crop(frame: Frame, grid: Grid) -> bool:
    """Whether the picture is a crop along the board, with hardly anything around it."""
    return all(one.tiles < CROP_MARGIN and not one.continues for one in _margins(frame, grid))


def may_go_on(frame: Frame, grid: Grid, tiles: NDArray[np.int8]) -> bool:
    """Whether a board may continue with open tiles that look like its surroundings.

    ``tiles`` are as in `Board`. The board ends if its zeros have drawings of their own; at an
    outermost row with a mine or a hidden tile, since a zero has none beside it; where an edge is
    visible between the outermost tiles (its zeros if it has some, since numbers may stand on
    squares of their own) and what lies beside; and where the area between its tiles ends with it.
    """
    if ends_with_bed(frame, grid):
        return False
    zeros = cut(frame, grid)[tiles == 0]
    if len(zeros) and np.median(colour_range(zeros)) > DRAWN_STEP:
        return False
    rows = (tiles[:, 0], tiles[0], tiles[:, -1], tiles[-1])
    return any(
        (row >= 0).all() and not Beside.of(frame, grid, side).edges()[plain].any()
        for side, row in zip(SIDES, rows, strict=True)
        for plain in ([row == 0] if (row == 0).any() else [row >= 0])
    )


def lines_go_on(frame: Frame, grid: Grid) -> bool:
    """Whether the lines of a board continue through the tiles beside it, on any side.

    Those tiles may be lighter or darker than its own, so that its lattice ends there.
    """
    sides = (Beside.of(frame, grid, side) for side in SIDES)
    return any(one.rest >= one.pitch and one.has_tile_beside() for one in sides)


class _Margin(NamedTuple):
    """What lies beside the board on one side: its width, and whether the board continues there.

    ``continues`` is None if unknown.
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
    which begins at ``start``; the board ends at ``end``, and ``rest`` pixels of the picture follow.
    ``lines`` are the lines that may continue there, ``pitch`` is the distance of those that cannot.
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
        """Whether the board continues to the edge of the picture, less than a tile away."""
        if self.rest - self.border_px >= LEAST_STRIP_PX:
            lines = self.lines_continue(self.border_px, self.rest)
            return lines and not self._is_text(self.border_px, self.rest)
        if self.rest and self.share_alike(0, self.rest) <= FEW_ALIKE:
            return False
        return None

    def has_tile_beside(self) -> bool:
        """Whether the lines continue through the next tile, as clearly as in the board."""
        start, stop = self.border_px, round((1 - BORDER_WIDTH) * self.pitch)
        beside, _ = self.steps(self.end + start, self.end + stop)
        inside, _ = self.steps(max(0, self.end - stop), max(1, self.end - start))
        clear = (beside >= AS_CLEAR * np.median(inside)).mean() >= MOST_LINES
        text = self._is_text(start, stop, TEXT_IN_TILES)
        return bool(clear) and self.lines_continue(start, stop) and not text

    def edges(self) -> NDArray[np.bool_]:
        """Mark the outermost tiles that differ from what lies next to them outside.

        They are marked, too, if the picture ends too close to see it.
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

    def lines_continue(self, start: int, stop: int, strength: float = LINE_STRENGTH) -> bool:
        """Whether the strip between two distances shows a step at most of the inner lines.

        ``strength`` is its least size, as a share of the step inside the board.

        The step may lie up to the width of a border off the line. It must exceed those at the
        strip's other rows, because a wallpaper has steps everywhere.
        """
        at_lines, usual = self.steps(self.end + start, self.end + stop)
        inside, _ = self.steps(max(0, self.end - stop), max(1, self.end - start))
        least = max(LINE_STEP, 3 * usual, strength * float(np.median(inside)))
        return bool((at_lines > least).mean() >= LINE_SHARE)

    def _is_text(self, start: int, stop: int, share: float = TEXT_SHARE) -> bool:
        """Whether a strip has edges between the lines, too, like a line of text."""
        at_lines, _ = self.steps(self.end + start, self.end + stop)
        centres = (self.lines[:-1] + self.lines[1:]) // 2
        between, _ = self.steps(self.end + start, self.end + stop, centres)
        return bool(np.median(between) > share * np.median(at_lines))

    def steps(
        self, start: int, stop: int, places: NDArray[np.intp] | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """Return the differences across places of a strip, and the usual one beside them.

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


# ---- does something hide a part of the board? ----------------------------------------------------
# The lattice ends with its last whole tile. The board is covered on a side where
# - a strip beside it shows a part of further tiles, or
# - the frame that the three other sides have is missing, and an edge, or the frames of the
#   neighbouring sides, continue past the corners, or
# - a panel wider than the board begins less than a tile away, and either the lines between
#   tiles run into it, or no end of the board is visible before it and the page continues behind it.

STRIP_WIDTH = 0.15
"""Width of the strip examined where the picture continues beside the board, in tiles."""

MANY_ALIKE = 0.6
"""Least share of strips that look like tiles where the board continues. Whole boards on 69 real
screens have at most 0.1, together with lines."""

FRAME_WIDTH = 0.15
"""Width of the strip in which a board's frame is searched, in tiles."""

LIT_ALIKE = (1, 2, 3), (0, 2, 3), (3, 0, 1), (2, 0, 1)
"""For each side, the one with the same light in a bevelled frame, then the two others."""

STEP_WIDTH = 0.3
"""Width of the strip in which a board's frame ends, in tiles."""

THICKEST_LINE = 0.4
"""Width of the thickest line between a board and a panel of its program, in tiles."""

SAME_FRAME, OTHER_FRAME = 12.0, 24.0
"""Colour steps up to which the frames of two sides are the same, and from which two differ."""

PAST_CORNER = 0.3, 0.8
"""How far from a corner the edge of a cover is searched, in tiles."""

PANEL_EDGE_PX = 4
"""How far within the board the edge of a panel is searched, in pixels."""

FLAT_SHARE = 0.9
"""Least share of the first pixels of a panel along the board that have one colour."""

BEHIND = 0.5
"""Least length of the page that continues behind a panel, in tiles."""


def hidden_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the covered sides: the board continues there, and so does the picture."""
    beside = [Beside.of(frame, grid, side) for side in SIDES]
    unframed = _unframed(beside) if all(one.rest >= one.pitch for one in beside) else None
    return tuple(
        one.side
        for one in beside
        if one.rest >= one.pitch
        and (one is unframed or _shows_more_tiles(one) or _lies_under_panel(one, beside))
    )


def _shows_more_tiles(one: Beside) -> bool:
    """Whether a strip next to the board shows parts of further tiles, however narrow they are.

    The scroll bar of a page may leave only a few pixels of the next row.
    """
    # In two or three pixels the blocks of a JPEG blur lines of the board into the page beside it.
    return any(
        one.lines_continue(one.border_px, stop, strength)
        and one.share_alike(one.border_px, stop) >= MANY_ALIKE
        for part, strength in ((STRIP_WIDTH, LINE_STRENGTH), (STRIP_WIDTH / 2, AS_CLEAR))
        for stop in [min(one.border_px + max(LEAST_STRIP_PX, round(part * one.pitch)), one.rest)]
    )


def _unframed(beside: Sequence[Beside]) -> Beside | None:
    """Return the covered side, without the frame that the three others have.

    They have the same frame, or a bevelled one: light on two sides that meet, dark on the others.
    """
    frames = [_frame(one) for one in beside]
    steps = [_frame_step(_frame(one, round(STEP_WIDTH * one.pitch))) for one in beside]
    for index, one in enumerate(beside):
        like, *pair = LIT_ALIKE[index]
        if (
            min(steps[other] for other in (like, *pair)) > OTHER_FRAME
            and _frames_differ(*(frames[other] for other in pair)) <= SAME_FRAME
            and min(_frames_differ(frames[index], frames[k]) for k in (like, *pair)) > OTHER_FRAME
            and not _has_thicker_line(one, frames[like])
            and (_edge_goes_on(one) or _frame_goes_on(one, frames[like]))
        ):
            return one
    return None


def _has_thicker_line(one: Beside, frame: Pixels) -> bool:
    """Whether a side begins with the line that begins the frame, but thicker.

    This is how a board and a panel of its program are separated within one frame. A cover leaves at
    most the line between two tiles, which is thinner than the frame's.
    """
    own = _frame(one, round(THICKEST_LINE * one.pitch))
    same, usual = (colour_steps(line, frame[0]) <= SAME_FRAME for line in (own, frame))
    return not same.all() and int(same.argmin()) > int((~usual).argmax())


def _frame(one: Beside, width: int | None = None) -> Pixels:
    """Return the usual colours along a side, outwards, ``(px, 3)``."""
    width = width or max(3, round(FRAME_WIDTH * one.pitch))
    return np.asarray(np.median(one.pixels[::2, one.end : one.end + width], axis=0))


def _frames_differ(one: Pixels, other: Pixels) -> float:
    """Return the least mean difference of two frames, up to a pixel apart."""
    length = min(len(one), len(other)) - 1
    pairs = ((one, other), (one[1:], other), (one, other[1:]))
    return min(float(np.abs(this[:length] - that[:length]).mean()) for this, that in pairs)


def _frame_step(frame: Pixels) -> float:
    """Return how much a frame differs from what lies outside of it, at most."""
    return float(colour_steps(frame, frame[-1]).max())


def _edge_goes_on(one: Beside) -> bool:
    """Whether an edge along this side continues past both of its corners."""
    for part in _past_corners(one):
        strip = part[:, max(0, one.end - 4) : one.end + 4]
        if strip.shape[0] < 1 or strip.shape[1] < 8:
            return False
        step = colour_steps(strip[:, :3].mean(axis=1), strip[:, 5:].mean(axis=1))
        if np.quantile(step, 0.1) <= OTHER_FRAME:
            return False
    return True


def _past_corners(one: Beside) -> tuple[Pixels, Pixels]:
    """Return the pixels past both corners of a side: ``(along, across, 3)``."""
    near, far = (round(part * one.pitch) for part in PAST_CORNER)
    stop = one.start + len(one.pixels)
    before = one.around[max(0, one.start - far) : max(0, one.start - near)]
    return before, one.around[stop + near : stop + far]


def _frame_goes_on(one: Beside, frame: Pixels) -> bool:
    """Whether frame and outermost lines continue past both corners, which are then not corners."""
    first, last = (one.end + round(part * one.pitch) for part in PAST_CORNER)
    start, stop = one.start, one.start + len(one.pixels)
    for along in (one.around[:start][::-1], one.around[stop:]):
        strip = along[: len(frame), first:last]
        if strip.shape[0] < len(frame) or strip.shape[1] < 1:
            return False
        if _frames_differ(np.median(strip, axis=1), frame) > SAME_FRAME:
            return False
    steps, usual = one.steps(first, last, one.lines[[1, -2]])
    inside, _ = one.steps(one.end + first - last, one.end)
    return bool(steps.min() > max(LINE_STEP, usual, AS_CLEAR * np.median(inside)))


def _lies_under_panel(one: Beside, beside: Sequence[Beside]) -> bool:
    """Whether a panel wider than the board lies next to it and hides more of it."""
    panel = _Panel.of(one)
    if panel is None:
        return False
    start, stop = one.border_px, panel.gap
    if stop - start >= LEAST_STRIP_PX and one.lines_continue(start, stop):
        return panel.page_goes_on or one.share_alike(start, stop) >= MANY_ALIKE
    return panel.page_goes_on and not _shows_end(one, panel.gap, beside)


def _shows_end(one: Beside, gap: int, beside: Sequence[Beside]) -> bool:
    """Whether the ``gap`` pixels beside the board look as on another side, where the board ends.

    If the gap is as narrow as those between tiles, it must also look different from them.
    """
    if gap < 2:
        return False
    here = _frame(one, gap)
    others = [_frame(other, gap) for other in beside if other is not one]
    if all(len(other) < gap or _frames_differ(here, other) > SAME_FRAME for other in others):
        return False
    inner = (round(one.end - k * one.pitch) for k in (1, 2))
    gaps = [np.median(one.pixels[::2, at : at + gap], axis=0) for at in inner]
    wide = gap - one.border_px >= LEAST_STRIP_PX
    return wide or min(_frames_differ(here, other) for other in gaps) > OTHER_FRAME


class _Panel(NamedTuple):
    """A panel that begins ``gap`` pixels beside the board and extends past both of its corners."""

    gap: int
    page_goes_on: bool

    @classmethod
    def of(cls, one: Beside) -> _Panel | None:
        """Find the edge of a panel less than a tile from the board; None if there is none."""
        first, last = one.end - PANEL_EDGE_PX, one.end + round(one.pitch)
        corners = [part[:, first - PANEL_EDGE_PX :] for part in _past_corners(one)]
        if first < PANEL_EDGE_PX or min(len(part) for part in corners) < 1:
            return None
        usual = [np.median(part[:, : last - first + 2 * PANEL_EDGE_PX], axis=0) for part in corners]
        steps = [colour_steps(colours, colours[0]) > OTHER_FRAME for colours in usual]
        edges = [int(step.argmax()) if step.any() else len(step) for step in steps]
        edge = max(edges)
        if edge - min(edges) > 1 or not PANEL_EDGE_PX <= edge < PANEL_EDGE_PX + last - first:
            return None
        at = first - PANEL_EDGE_PX + edge
        begun = one.pixels[:, at + 1 : at + 3]
        if begun.shape[1] < 2:
            return None
        colours = [colours[edge + 1 : edge + 3].mean(axis=0) for colours in usual]
        if colour_steps(colours[0], colours[1]) > SAME_FRAME:
            return None
        flat = (colour_steps(begun, colours[0]).max(axis=1) <= SAME_FRAME).mean() >= FLAT_SHARE
        if not flat:
            return None
        gap = at - one.end
        thick = max(1, round(one.pitch) - gap)
        length = round(BEHIND * one.pitch)
        behind = (_page_goes_on(np.median(part, axis=0), edge, thick, length) for part in corners)
        return cls(gap, all(behind))


def _page_goes_on(colours: Pixels, edge: int, thick: int, length: int) -> bool:
    """Whether the first of some colours returns behind an edge, for ``length`` pixels.

    It must be absent from the first ``thick`` pixels: something narrower hides no row.
    """
    page = colour_steps(colours[edge:], colours[0]) <= SAME_FRAME
    if len(page) < thick + length or page[:thick].any():
        return False
    return bool(np.convolve(page[thick:], np.ones(length), "valid").max() >= length)


# ---- what a finder proposes ----------------------------------------------------------------------


class Proposal(NamedTuple):
    """A grid on which a board may lie.

    ``cut_at`` names the sides (left, top, right, bottom) at which the edge of the frame may cut off
    the board, ``hidden_at`` those inside the frame where its tiles seem to continue. ``is_crop``:
    it nearly fills the frame, as in a picture cropped to a board. ``is_edged``: edges were seen
    around its tiles; otherwise it is known only by repetition.
    """

    grid: Grid
    cut_at: tuple[str, ...] = ()
    hidden_at: tuple[str, ...] = ()
    is_crop: bool = False
    is_edged: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether the whole board is visible."""
        return not (self.cut_at or self.hidden_at)

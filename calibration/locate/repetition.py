"""Find boards without lines, by what repeats from tile to tile. Entry: `find_borderless_grids`.

Tiles may be discs, pictures on a common background, or squares with hardly visible borders. Such a
board still repeats by its pitch in both directions. It lies where most cells of a lattice of that
pitch look like other cells, and ends where the cells no longer show its appearances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import FLAT
from calibration.locate.crosses import PROMINENCE
from calibration.locate.extent import KNOWN_SHARE, LARGEST_LATTICE, MIN_SIDE
from calibration.locate.lines import LineFit, refine_by_repetition
from calibration.locate.sides import cut_sides, is_crop
from calibration.tiles import SAME_APPEARANCE, board_pixels, gather, split

MOST_OUTSIDE = 0.2
"""How far a lattice may extend beyond a picture cropped to a board, in tiles."""

PHASES, QUIET_SHARE = 24, 0.01
"""Most parts of a tile in which the gap between tiles is searched, and the most that is drawn in a
gap."""

MOST_MOVED = 0.3
"""How far a grid is moved to that gap at most, in tiles."""

AT_EDGE = 0.12
"""Distance from the middle of the gaps, in tiles, from which lines are the edges of wide gaps; for
narrow gaps the fit already finds the middle."""

FAINT_SHARE = 0.25
"""Contrast up to which a cell is faint, as a share of the median contrast."""

TIE_SHARE, RIVAL_SHARE, MOST_RIVALS = 0.97, 0.85, 3
"""Share of the best offset's count from which another offset ties with it, or rivals it; and the
most rivals."""

SAME_OFFSET = 1.0
"""Pixels of a scaled tile up to which two offsets are the same."""

SAME_SHADE = 2.0
"""Largest difference of cells of one shade. On some boards only the shade distinguishes tiles from
the surroundings."""

SMOOTH_STEP, LEAST_EDGES = 2, 0.01
"""Largest step between neighbouring pixels of a gradient, whose bands repeat like cells; and the
share of larger steps that the end of a gradient may cause: lines around tiles of 80 px cause 0.013.
"""


def find_borderless_grids(frame: Frame) -> Iterator[Grid]:
    """Yield the grids of boards without lines that the frame may show, the likeliest first."""
    for region in repeating_regions(frame):
        for grid in _ScaledRegion.of(frame, region).grids():
            whole = not cut_sides(frame, grid)
            whole |= is_crop(frame, grid) and _fits_in_frame(grid, frame)
            if whole and _has_edges(frame, grid):
                yield _centred(frame, grid)


def _has_edges(frame: Frame, grid: Grid) -> bool:
    """Whether neighbouring pixels on a grid differ more than those of a smooth gradient."""
    pixels = board_pixels(frame, grid).astype(np.int16)
    steps = [np.abs(np.diff(pixels, axis=axis)).max(axis=2) for axis in (0, 1)]
    return any((step > SMOOTH_STEP).mean() > LEAST_EDGES for step in steps)


def off_edges(frame: Frame, grid: Grid) -> Grid:
    """Return a grid found by lines, moved to the middle of wide gaps if it lies at their edges."""
    moved = _centred(frame, grid)
    off = max(abs(moved.x0 - grid.x0) / grid.tile_w, abs(moved.y0 - grid.y0) / grid.tile_h)
    return moved if off >= AT_EDGE else grid


def _centred(frame: Frame, grid: Grid) -> Grid:
    """Move a grid by a part of a tile, so that its lines lie in the middle of the gaps."""
    x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
    pixels = frame.pixels[y0:y1, x0:x1].astype(np.int16)
    across = np.abs(np.diff(pixels, axis=0)).sum(axis=(0, 2))
    down = np.abs(np.diff(pixels, axis=1)).sum(axis=(1, 2))
    dx = _to_gap(across, grid.x0 - x0, grid.tile_w)
    dy = _to_gap(down, grid.y0 - y0, grid.tile_h)
    return grid.moved(dx, dy)


def _to_gap(steps: NDArray[np.int64], start: float, pitch: float) -> float:
    """Return how far the middle of the gap between tiles is from their line, in pixels.

    ``steps`` are, for each position along one axis, the summed differences between neighbouring
    pixels along the other: nearly 0 where the line crosses no tile. The gap is the nearest part of
    a tile with values that low; 0 without any.
    """
    parts = min(PHASES, int(pitch))
    phases = ((np.arange(len(steps)) + 0.5 - start) % pitch * parts / pitch).astype(np.intp)
    phases %= parts
    count = np.bincount(phases, minlength=parts).clip(1)
    drawn = np.bincount(phases, steps, parts) / count
    quiet = np.tile(drawn <= QUIET_SHARE * drawn.max(), 3)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], quiet.view(np.int8), [0]])))
    middles = ((edges[::2] + edges[1::2]) / 2 - parts) / parts
    nearest = float(min(middles, key=abs, default=0.0))
    return nearest * pitch if abs(nearest) <= MOST_MOVED else 0.0


def _fits_in_frame(grid: Grid, frame: Frame) -> bool:
    """Whether a grid lies in the picture, except for the edges of its outermost tiles."""
    x0, y0, x1, y1 = grid.bounds
    beyond = max(-x0, x1 - frame.width) / grid.tile_w, max(-y0, y1 - frame.height) / grid.tile_h
    return max(beyond) <= MOST_OUTSIDE


class _ScaledRegion(NamedTuple):
    """A repeating region and its surroundings, scaled to `TILE_PX` pixels a tile.

    ``left`` and ``top`` are its corner in the frame. ``contrast`` is, at each pixel, that of the
    cell with its upper left corner there. ``alike`` marks the pixels whose cell looks like a cell
    in another column and like a cell in another row.
    """

    left: float
    top: float
    region: RepeatingRegion
    picture: Picture
    contrast: Picture
    alike: Mask

    @classmethod
    def of(cls, frame: Frame, region: RepeatingRegion) -> _ScaledRegion:
        """Scale a region and compare the cells at every pixel."""
        left = max(-region.pitch_x, region.columns.start - 2 * region.pitch_x)
        top = max(-region.pitch_y, region.rows.start - 2 * region.pitch_y)
        cols = (
            int((min(frame.width, region.columns.stop + region.pitch_x) - left) / region.pitch_x)
            + 2
        )
        rows = (
            int((min(frame.height, region.rows.stop + region.pitch_y) - top) / region.pitch_y) + 2
        )
        picture = _scaled(frame, left, top, region, (cols * TILE_PX, rows * TILE_PX))
        contrast = contrast_in_cells(picture)
        alike = mark_alike_cells(picture, contrast)
        return cls(left, top, region, picture, contrast, alike)

    def grids(self) -> Iterator[Grid]:
        """Yield the boards at the best offsets, the offset with the most similar cells first.

        Discs that are cut half a tile off give similar cells, too, but in more clusters: fewer
        clusters give a higher confidence.
        """
        for y, x, share in self._offsets():
            board = self._board_at(int(y), int(x))
            if board is not None:
                rows, cols, uniformity = board
                x0 = self.left + (x / TILE_PX + cols.start) * self.region.pitch_x
                y0 = self.top + (y / TILE_PX + rows.start) * self.region.pitch_y
                pitch = self.region.pitch_x, self.region.pitch_y
                yield Grid(x0, y0, *pitch, len(rows), len(cols), float(share * uniformity))

    def _offsets(self) -> Iterator[tuple[float, float, float]]:
        """Yield the offsets at which the cells may start, the middle one of those that tie.

        The third value is the count of similar cells, as a share of that at the best offset.
        """
        rows, cols = (side // TILE_PX for side in self.alike.shape)
        drawn = (self.alike & (self.contrast > FLAT)).reshape(rows, TILE_PX, cols, TILE_PX)
        counts = drawn.sum(axis=(0, 2))
        most, rivals, found = counts.max(), counts, list[tuple[float, float]]()
        for _ in range(MOST_RIVALS):
            y, x = (int(at) for at in np.unravel_index(int(rivals.argmax()), rivals.shape))
            here = int(rivals[y, x])
            if here <= RIVAL_SHARE * most:
                break
            ties = rivals >= TIE_SHARE * here
            at = _middle_of_ties(ties[:, x], y), _middle_of_ties(ties[y], x)
            if all(_distances(*one)[int(at[0]), int(at[1])] > SAME_OFFSET for one in found):
                yield *at, here / most
            found.append(at)
            rivals = np.where(_distances(y, x) > TILE_PX // 4, rivals, 0)

    def _board_at(self, y: int, x: int) -> BoardRange | None:
        """Cluster the cells of the lattice at an offset, and find the board on it."""
        cells = self.alike[y::TILE_PX, x::TILE_PX] & (self.contrast[y::TILE_PX, x::TILE_PX] > FLAT)
        cells = cells[: (len(self.alike) - y) // TILE_PX, : (self.alike.shape[1] - x) // TILE_PX]
        rows, cols = _surroundings(cells)
        high, wide = len(rows), len(cols)
        top, left = y + rows.start * TILE_PX, x + cols.start * TILE_PX
        inside = split(
            self.picture[top : top + high * TILE_PX, left : left + wide * TILE_PX], high, wide
        )
        inside = inside[:, :, EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX]
        means = inside.reshape(high, wide, 4, -1, 4, (TILE_PX - 2 * EDGE_PX) // 4, 3).mean(
            axis=(3, 5)
        )
        appearances = means.reshape(high * wide, -1).astype(np.float32)
        there = np.s_[top : top + high * TILE_PX : TILE_PX, left : left + wide * TILE_PX : TILE_PX]
        contrast, usual = self.contrast[there], self.contrast[self.alike]
        drawn = contrast > max(FLAT, FAINT_SHARE * float(np.median(usual)))
        strong = contrast > FAINT_SHARE * float(np.median(usual[usual > FLAT]))
        try:
            clusters = gather(appearances, SAME_APPEARANCE)[0].reshape(high, wide)
            shades = gather(appearances, SAME_SHADE)[0].reshape(high, wide)
        except UnreadableTiles:
            return None
        board = ClusteredCells(clusters, shades, self.alike[there], drawn, strong).board()
        return board and board.moved(rows.start, cols.start)


def _surroundings(cells: Mask) -> tuple[range, range]:
    """Return the rows and columns of the largest group of marked cells, and some beside them."""
    spread = cv2.dilate(cells.astype(np.uint8), np.ones((NEARBY, NEARBY), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(spread, connectivity=8)
    part = int(np.bincount(labels[cells], minlength=1).argmax())
    left, top, wide, high = stats[part, :4].tolist()
    return (
        range(max(0, top - NEARBY), min(len(cells), top + high + NEARBY)),
        range(max(0, left - NEARBY), min(cells.shape[1], left + wide + NEARBY)),
    )


def _distances(y: float, x: float) -> NDArray[np.float64]:
    """Return each offset's circular distance from one of them, the larger of both directions."""
    down, across = (
        np.abs((np.arange(TILE_PX) - at + TILE_PX / 2) % TILE_PX - TILE_PX / 2) for at in (y, x)
    )
    return np.asarray(np.maximum(down[:, None], across))


def _middle_of_ties(ties: Mask, best: int) -> float:
    """Return the middle of the circular run of tied offsets that holds the best one."""
    if ties.all():
        return float(best)
    after, before = (
        int(np.argmin(run)) for run in (np.roll(ties, -best), np.roll(ties, -best - 1)[::-1])
    )
    return (best + 0.5 * (after - before)) % len(ties)


def _scaled(
    frame: Frame, left: float, top: float, region: RepeatingRegion, size: tuple[int, int]
) -> Picture:
    """Scale a part of the frame to `TILE_PX` pixels a tile, after slight blurring."""
    across, down = region.pitch_x / TILE_PX, region.pitch_y / TILE_PX
    matrix = np.array([[across, 0, left + across / 2 - 0.5], [0, down, top + down / 2 - 0.5]])
    blur = max(3, round(2 * across)), max(3, round(2 * down))
    pixels = cv2.blur(frame.pixels, blur)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    scaled = cv2.warpAffine(pixels, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(scaled, np.uint8)


# ---- regions that repeat in both directions ------------------------------------------------------
# The frame is compared with itself, shifted by every possible pitch (the lag). Each window of the
# frame has a pitch of its own, so that a small board on a busy desktop is found, too.

Floats = NDArray[np.float32]

MIN_PITCH, MAX_PITCH = 11, 86
MOST_ELONGATED_ROUNDED = 1.36
"""Largest ratio of the sides of a tile, both in whole pixels. It exceeds that of exact pitches
(`calibration.locate.lattice`), because rounding changes the ratio: 27.7 x 35.4 px become 28 x 36.
"""

ROWS_AVERAGED = 4
"""Rows that are averaged to one before the comparison along them."""

MOST_STEP = 48
"""Larger steps between pixels count as this one, so that a few edges do not dominate."""

BLOCK_PX, WINDOW = 32, 4
"""Side of a block in pixels, and of a window in blocks. Every window has its own pitch."""

BLANK_STEPS = 0.05
"""Least mean step of a window that is not blank."""

LEAST_CORRELATION = 0.3
"""Least correlation of a window with the one a pitch away: the share of steps that repeat."""

SHORTER_LAG_SHARE = 0.85
"""A shorter lag with this share of the best correlation is the pitch: the best one may be its
multiple."""

MOST_REGIONS = 4
"""Most regions of a frame that are examined."""


class RepeatingRegion(NamedTuple):
    """A part of the frame that repeats: its columns and rows, and its two pitches, in pixels."""

    columns: slice
    rows: slice
    pitch_x: float
    pitch_y: float

    @property
    def cells(self) -> float:
        """How many tiles of these pitches would fill it."""
        wide = self.columns.stop - self.columns.start
        high = self.rows.stop - self.rows.start
        return float(wide * high / (self.pitch_x * self.pitch_y))


def repeating_regions(frame: Frame) -> list[RepeatingRegion]:
    """Find the regions that repeat in both directions, the one with the most windows first.

    One that could hold more cells than any board is the texture of a page.
    """
    if min(frame.width, frame.height) < WINDOW * BLOCK_PX + MAX_PITCH:
        return []
    grey = np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    in_x, in_y = (
        _correlation(grey),
        _correlation(np.asarray(cv2.transpose(grey), np.uint8)).swapaxes(1, 2),
    )
    pitch_x, pitch_y = _pitches(in_x), _pitches(in_y)
    square = np.maximum(pitch_x, pitch_y) < MOST_ELONGATED_ROUNDED * np.minimum(pitch_x, pitch_y)
    pairs = np.stack([pitch_x, pitch_y])[:, square & (pitch_x > 0)]
    sizes, votes = np.unique(pairs, axis=1, return_counts=True)
    found = []
    for wide, high in sizes.T[np.argsort(-votes)][:MOST_REGIONS].tolist():
        both = np.minimum(_correlation_near(in_x, wide), _correlation_near(in_y, high))
        box = _largest_region(
            (both >= LEAST_CORRELATION / 2).astype(np.uint8), (pitch_x == wide) & (pitch_y == high)
        )
        region = RepeatingRegion(*box, wide, high)
        if region.cells <= LARGEST_LATTICE:
            found.append(_refined(grey, region))
    return found


def _correlation_near(correlation: Floats, pitch: int) -> Floats:
    """Return the correlation of each window at a pitch, or one pixel off."""
    return np.asarray(
        correlation[max(0, pitch - MIN_PITCH - 1) : pitch - MIN_PITCH + 2].max(axis=0)
    )


def _largest_region(windows: NDArray[np.uint8], voters: NDArray[np.bool_]) -> tuple[slice, slice]:
    """Return the pixel columns and rows of the connected windows that hold the most voters."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(windows, connectivity=8)
    part = int(np.bincount(labels[voters]).argmax())
    left, top, wide, high = stats[part, :4].tolist()
    return (
        slice(left * BLOCK_PX, (left + wide + WINDOW) * BLOCK_PX),
        slice(top * BLOCK_PX, (top + high + WINDOW) * BLOCK_PX),
    )


def _correlation(grey: NDArray[np.uint8]) -> Floats:
    """Correlate a picture with itself along its rows: ``(lag, window row, window column)``.

    Lags count from `MIN_PITCH`. At 1 all steps between pixels repeat; a blank window has 0.
    """
    wide, high = (side // BLOCK_PX for side in grey.shape[::-1])
    size = (grey.shape[1], grey.shape[0] // ROWS_AVERAGED)
    rows = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.int16)
    steps = np.clip(rows[:, 2:] - rows[:, :-2], -MOST_STEP, MOST_STEP)
    sizes = np.abs(steps)

    def windows(values: NDArray[np.int16]) -> Floats:
        whole = np.zeros((high * BLOCK_PX // ROWS_AVERAGED, wide * BLOCK_PX), np.float32)
        inside = values[: whole.shape[0], : whole.shape[1]]
        whole[: inside.shape[0], : inside.shape[1]] = inside
        blocks = cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA)
        summed = cv2.blur(blocks, (WINDOW, WINDOW), anchor=(0, 0))
        return np.asarray(summed[: 1 - WINDOW, : 1 - WINDOW], np.float32)

    usual = windows(sizes)
    correlation = np.zeros((MAX_PITCH - MIN_PITCH + 1, *usual.shape), np.float32)
    for lag in range(MIN_PITCH, MAX_PITCH + 1):
        off = cv2.absdiff(steps[:, :-lag], steps[:, lag:])
        most = cv2.max(sizes[:, :-lag], sizes[:, lag:])
        correlation[lag - MIN_PITCH] = windows(np.maximum(most - 2 * off, 0))
    return np.where(usual > BLANK_STEPS, correlation / np.maximum(usual, BLANK_STEPS), 0)


def _pitches(correlation: Floats) -> NDArray[np.intp]:
    """Return the pitch of each window: its shortest lag of about the best correlation, or 0."""
    padded = np.pad(correlation, ((1, 1), (0, 0), (0, 0)), constant_values=9)
    best = correlation.max(axis=0)
    peaks = (
        (correlation >= padded[:-2])
        & (correlation >= padded[2:])
        & (correlation >= SHORTER_LAG_SHARE * best)
    )
    found = peaks.any(axis=0) & (
        best >= np.maximum(LEAST_CORRELATION, PROMINENCE * np.median(correlation, axis=0))
    )
    return np.where(found, peaks.argmax(axis=0) + MIN_PITCH, 0)


def _refined(grey: NDArray[Any], region: RepeatingRegion) -> RepeatingRegion:
    """Refine both pitches to fractions of a pixel."""
    part = grey[region.rows, region.columns].astype(np.int16)
    return region._replace(
        pitch_x=_refined_pitch(part, region.pitch_x), pitch_y=_refined_pitch(part.T, region.pitch_y)
    )


def _refined_pitch(rows: NDArray[np.int16], pitch: float) -> float:
    """Refine a pitch along rows, on few tiles first and then on more and more."""
    some = np.ascontiguousarray(rows[:: max(1, len(rows) // 96)])
    fit, most, cells = LineFit(0.0, pitch), int(rows.shape[1] / pitch), 3
    while cells < 2 * most:
        fit = refine_by_repetition(some, LineFit(0.0, fit.pitch), min(cells, most))
        cells *= 2
    return fit.pitch


# ---- cells that look alike, and the board that they make -----------------------------------------
# In a scaled picture each pixel stands for the cell that begins at it.

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]

TILE_PX, EDGE_PX = 16, 2
"""Side of a tile in the scaled picture, in pixels, and how many of them are its edge on each side.
The edge is not compared: something beside the board may touch it. A lattice may start at any of the
``TILE_PX * TILE_PX`` pixels, its offset."""

NEARBY = 3
"""Largest distance of two cells that are compared, in tiles."""

ALIKE_LIMIT = (0.25, 2.0, 24.0)
"""Largest difference of cells that look alike: a share of their contrast, with its lower and upper
bound."""

_INNER, _WHOLE = (EDGE_PX, TILE_PX - EDGE_PX, EDGE_PX, TILE_PX - EDGE_PX), (0, TILE_PX, 0, TILE_PX)

FREQUENT = 3
"""Fewest cells of a frequent cluster."""

RIM_SHARE = 0.5
"""Least share of a faint outer row that also occurs further in, if the row belongs to the board."""

LEAST_ALIKE = 0.4
"""Least share of a board's cells that look like other cells near them."""


def contrast_in_cells(picture: Picture) -> Picture:
    """Return the contrast of the cell at each pixel: the largest range of a colour in it.

    The edges count one side at a time, and the side with the least contrast decides: a tile in one
    colour differs from its surroundings at all four sides, a cell beside the board at one only.
    """
    contrast = np.full(picture.shape[:2], 255, np.uint8)
    for side in range(4):
        part = list(_INNER)
        part[side] = _WHOLE[side]
        span = [
            _greatest_in_cells(one, part) - (255 - _greatest_in_cells(255 - one, part))
            for one in _planes(picture)
        ]
        contrast = np.minimum(contrast, _greatest(span))
    return contrast


def mark_alike_cells(picture: Picture, contrast: Picture) -> Mask:
    """Mark the pixels whose cell looks like one in another column and like one in another row."""
    planes = _planes(picture)
    share, low, high = ALIKE_LIMIT
    limit = np.clip(share * contrast, low, high).astype(np.uint8)
    across, down = np.zeros((2, *contrast.shape), np.bool_)
    for i in range(NEARBY + 1):
        for j in range(-NEARBY if i else 1, NEARBY + 1):
            here, there = _shifted_overlap(contrast.shape, i * TILE_PX, j * TILE_PX)
            off = _greatest_in_cells(
                _greatest([cv2.absdiff(one[here], one[there]) for one in planes]), _INNER
            )
            same = off <= cv2.min(limit[here], limit[there])
            for marks, counts in ((across, j != 0), (down, i != 0)):
                if counts:
                    marks[here] |= same
                    marks[there] |= same
    return np.asarray(across & down)


def _planes(picture: Picture) -> list[Picture]:
    """Split a picture into its colours."""
    return [np.asarray(plane, np.uint8) for plane in cv2.split(picture)]


def _greatest(planes: Sequence[Any]) -> Picture:
    """Return the greatest of several planes at each pixel."""
    return np.asarray(np.maximum.reduce(planes), np.uint8)


def _greatest_in_cells(values: Any, part: Sequence[int]) -> Picture:
    """Return the greatest value in a part (top, bottom, left, right) of the cell at each pixel."""
    top, bottom, left, right = part
    reach = np.ones((bottom - top, right - left), np.uint8)
    return np.roll(cv2.dilate(values, reach, anchor=(0, 0)), (-top, -left), (0, 1))


def _shifted_overlap(
    shape: tuple[int, ...], down: int, right: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the two parts of a picture that overlap when it is shifted over itself."""
    high, wide = shape
    left, far = max(0, -right), min(wide, wide - right)
    here = slice(0, high - down), slice(left, far)
    return here, (slice(down, high), slice(left + right, far + right))


class BoardRange(NamedTuple):
    """Rows and columns of a board.

    ``uniformity`` (0..1) is high if its drawn cells belong to few clusters.
    """

    rows: range
    cols: range
    uniformity: float

    def moved(self, down: int, right: int) -> BoardRange:
        """Return the same board, with rows and columns counted from a cell further up and left."""
        rows = range(self.rows.start + down, self.rows.stop + down)
        return BoardRange(
            rows, range(self.cols.start + right, self.cols.stop + right), self.uniformity
        )


class ClusteredCells(NamedTuple):
    """The cells of a lattice, clustered roughly (``clusters``) and finely (``shades``).

    Both hold the number of each cell's cluster, ``(rows, cols)``. ``alike`` marks the cells that
    look like others near them, ``drawn`` those with something drawn in them, ``strong`` those in
    which it is not faint.
    """

    clusters: NDArray[np.intp]
    shades: NDArray[np.intp]
    alike: Mask
    drawn: Mask
    strong: Mask

    def board(self) -> BoardRange | None:
        """Return the rows and columns of the board, None if there is none.

        The board starts with the drawn cells of frequent clusters. It grows by whole rows and
        columns, as long as their cells belong to clusters that are frequent within it.
        """
        usual = self.alike & self.drawn
        known = _frequent(self.clusters, usual) & self.drawn
        padded = np.pad(known.astype(np.uint8), 1)  # else closing would add rows at the edge
        closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((3, 3)))[1:-1, 1:-1]
        _, _, stats, _ = cv2.connectedComponentsWithStats(
            np.ascontiguousarray(closed), connectivity=8
        )
        if len(stats) < 2:
            return None
        col, row, wide, high = stats[1 + int(stats[1:, 4].argmax()), :4].tolist()
        rows, cols = range(row, row + high), range(col, col + wide)
        within = np.zeros_like(known)
        within[rows.start : rows.stop, cols.start : cols.stop] = True
        known |= _frequent(self.shades, within) & ~np.isin(self.shades, self._shades_at_rim())
        rows, cols = self._without_rim(*_grown(known, rows, cols))
        here = np.s_[rows.start : rows.stop, cols.start : cols.stop]
        drawn = self.clusters[here][self.drawn[here]]
        if min(len(rows), len(cols)) < MIN_SIDE or known[here].mean() < LEAST_ALIKE:
            return None
        return BoardRange(rows, cols, 1 - np.unique(drawn).size / max(1, drawn.size))

    def _without_rim(self, rows: range, cols: range) -> tuple[range, range]:
        """Leave out the outermost rows and columns of faint cells that occur nowhere further in.

        The edges of a panel around a board may have similar cells.
        """
        here = np.s_[rows.start : rows.stop, cols.start : cols.stop]
        strong, clusters = self.strong[here] & self.alike[here], self.clusters[here]
        if not strong.any():
            return rows, cols
        col, row, wide, high = cv2.boundingRect(strong.astype(np.uint8))
        known = np.isin(clusters, clusters[row : row + high, col : col + wide])
        down, right = _grown(known, range(row, row + high), range(col, col + wide), RIM_SHARE)
        return rows[down.start : down.stop], cols[right.start : right.stop]

    def _shades_at_rim(self) -> NDArray[np.intp]:
        """Return the shades of the outermost cells examined, where no board is expected."""
        ring = [self.shades[0], self.shades[-1], self.shades[:, 0], self.shades[:, -1]]
        return np.unique(np.concatenate(ring))


def _frequent(clusters: NDArray[np.intp], where: Mask) -> Mask:
    """Mark the cells of clusters that have several cells within ``where``."""
    counts = np.bincount(clusters[where], minlength=int(clusters.max()) + 1)
    return np.asarray(counts[clusters] >= FREQUENT)


def _grown(
    known: Mask, rows: range, cols: range, share: float = KNOWN_SHARE
) -> tuple[range, range]:
    """Add the rows and columns beside a board if at least ``share`` of their cells are known."""
    while True:
        before = rows, cols
        rows = _extended(known[:, cols.start : cols.stop].mean(axis=1) >= share, rows)
        cols = _extended(known[rows.start : rows.stop].mean(axis=0) >= share, cols)
        if before == (rows, cols):
            return rows, cols


def _extended(known: Mask, lines: range) -> range:
    """Add the row (or column) before and the one after, if they are known."""
    first, after = lines.start, lines.stop
    first -= first > 0 and bool(known[first - 1])
    after += after < len(known) and bool(known[after])
    return range(first, after)

"""Find boards without lines, by what repeats from tile to tile.

Tiles may be discs, pictures on a common background, or squares whose borders can hardly be seen.
Such a board still repeats by its pitch in both directions
(`calibration.locate.repetition.autocorrelation`). It lies where most cells of a lattice of that
pitch look like other cells, and it ends where the cells no longer have its appearances.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import FLAT
from calibration.locate.margins import cut_sides, is_crop
from calibration.locate.repetition.autocorrelation import RepeatingRegion, repeating_regions
from calibration.locate.repetition.cell_likeness import (
    EDGE_PX,
    NEARBY,
    TILE_PX,
    BoardRange,
    ClusteredCells,
    Mask,
    Picture,
    contrast_in_cells,
    mark_alike_cells,
)
from calibration.tiles import SAME_APPEARANCE, board_pixels, gather, split

MOST_OUTSIDE = 0.2
"""How far a lattice may reach out of a picture cropped to a board, in tiles."""

PHASES, QUIET_SHARE = 24, 0.01
"""Parts of a tile at most in which the gap between tiles is looked for, and what is drawn there."""

MOST_MOVED = 0.3
"""How far a grid is moved to that gap at most, in tiles."""

AT_EDGE = 0.12
"""How far from the middle of the gaps lines lie, in tiles, that are edges of wide gaps; the middle
of narrow ones is found with the lines."""

FAINT_SHARE = 0.25
"""Contrast within a cell up to which hardly anything is drawn there, as a share of the median
contrast."""

TIE_SHARE, RIVAL_SHARE, MOST_RIVALS = 0.97, 0.85, 3
"""An offset ties with another, or rivals the best one, with this share of its count of cells."""

SAME_OFFSET = 1.0
"""Pixels of a scaled tile up to which what is drawn shows an offset that was found already."""

SAME_SHADE = 2.0
"""Largest difference of cells of one shade. On some boards only the shade differs from what is
around the board."""

SMOOTH_STEP, LEAST_EDGES = 2, 0.01
"""Largest step between neighbouring pixels of a gradient, whose bands repeat like cells; and the
share of larger ones that an end of the gradient may cause: a line a tile of 80 px makes 0.013."""


def find_borderless_grids(frame: Frame) -> Iterator[Grid]:
    """Yield the grids of boards without lines that the frame may show, the likeliest first."""
    for region in repeating_regions(frame):
        for grid in _ScaledRegion.of(frame, region).grids():
            whole = not cut_sides(frame, grid)
            whole |= is_crop(frame, grid) and _fits_in_frame(grid, frame)
            if whole and _has_edges(frame, grid):
                yield _centred(frame, grid)


def _has_edges(frame: Frame, grid: Grid) -> bool:
    """Tell whether neighbouring pixels on a grid differ more than those of a smooth gradient."""
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

    ``steps`` are, for each position along one axis, the differences between neighbouring pixels
    along the other, summed: hardly any where the line crosses no tile. The gap is the nearest part
    of a tile with so few. 0 without any.
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
    """Tell whether a grid lies in the picture, except for the edges of its outermost tiles."""
    x0, y0, x1, y1 = grid.bounds
    beyond = max(-x0, x1 - frame.width) / grid.tile_w, max(-y0, y1 - frame.height) / grid.tile_h
    return max(beyond) <= MOST_OUTSIDE


class _ScaledRegion(NamedTuple):
    """A repeating region and its surroundings, scaled to `TILE_PX` pixels a tile.

    ``left`` and ``top`` are its corner in the frame. ``contrast`` is that of the cell whose upper
    left corner is at each pixel. ``alike`` marks the pixels whose cell looks like some cell in
    another column and like some cell in another row.
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
        """Yield the boards at the best offsets, the offset with the most cells alike first.

        Discs that are cut half a tile off give cells that look alike, too, but in more clusters:
        the fewer clusters, the higher the confidence.
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

        The third value is the count of cells alike, as a share of that at the best offset.
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
        board = ClusteredCells(
            gather(appearances, SAME_APPEARANCE)[0].reshape(high, wide),
            gather(appearances, SAME_SHADE)[0].reshape(high, wide),
            self.alike[there],
            drawn,
            strong,
        ).board()
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
    """Return how far each offset is from one of them, the larger of both directions, circularly."""
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
    """Scale a part of the frame so that a tile has `TILE_PX` pixels; blur it a little before."""
    across, down = region.pitch_x / TILE_PX, region.pitch_y / TILE_PX
    matrix = np.array([[across, 0, left + across / 2 - 0.5], [0, down, top + down / 2 - 0.5]])
    blur = max(3, round(2 * across)), max(3, round(2 * down))
    pixels = cv2.blur(frame.pixels, blur)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    scaled = cv2.warpAffine(pixels, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(scaled, np.uint8)

"""Find where a frame repeats in both directions, as boards without lines do.

Tiles may be discs, pictures on a common background, or squares with hardly visible borders. Such a
board still repeats by its pitch. Where its tiles begin, and where it ends, `calibration.read.place`
says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import PROMINENCE
from calibration.locate.extent import LARGEST_LATTICE
from calibration.locate.lines import LineFit, refine_by_repetition

PHASES = 24
"""Most parts of a tile in which the gap between tiles is searched."""

QUIET_SHARE = 0.01
"""Most that is drawn in a gap, as a share of the part of a tile with the most."""

MOST_MOVED = 0.3
"""How far a grid is moved to that gap at most, in tiles."""

AT_EDGE = 0.12
"""Distance from the middle of the gaps, in tiles, from which lines are the edges of wide gaps; for
narrow gaps the fit already finds the middle."""

NEIGHBOURS = (np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])
"""All pixels but the last, and the next ones: in a column, and in a row."""


def off_edges(frame: Frame, grid: Grid) -> Grid:
    """Return a grid found by lines, moved to the middle of wide gaps if it lies at their edges."""
    moved = centred(frame, grid)
    off = max(abs(moved.x0 - grid.x0) / grid.tile_w, abs(moved.y0 - grid.y0) / grid.tile_h)
    return moved if off >= AT_EDGE else grid


def centred(frame: Frame, grid: Grid) -> Grid:
    """Move a grid by a part of a tile, so that its lines lie in the middle of the gaps."""
    x0, y0, x1, y1 = (max(0, edge) for edge in grid.bounds)
    pixels = frame.pixels[y0:y1, x0:x1]
    steps = [cv2.absdiff(pixels[after], pixels[before]) for before, after in NEIGHBOURS]
    across, down = (
        cv2.reduce(step, axis, cv2.REDUCE_SUM, dtype=cv2.CV_32S).sum(axis=2).ravel()
        for axis, step in enumerate(steps)
    )
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

    @property
    def lattice(self) -> Grid:
        """A grid over all of it; where its tiles begin is not known."""
        cols = int((self.columns.stop - self.columns.start) / self.pitch_x)
        rows = int((self.rows.stop - self.rows.start) / self.pitch_y)
        place = self.columns.start, self.rows.start
        return Grid(*place, self.pitch_x, self.pitch_y, max(1, rows), max(1, cols))


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

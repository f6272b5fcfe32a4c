"""What the network sees of each tile: the tile with a margin, and a close-up of what is drawn.

Training and reading cut tiles with this code, so that the network meets in a game what it has
learned from.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid

VIEW_SIDE, MARGIN = 24, 2
"""Side of a view in pixels, and how many of them at each side show the neighbouring tiles."""

TILE_SIDE = VIEW_SIDE - 2 * MARGIN

FINE = 3
"""How many pixels of the fine cut, from which close-ups are taken, make one of a view."""

WIDEST_GAP = 0.2
"""Part of a cell that is gap, above which the gaps are narrowed."""

EDGE = 0.1
"""Part of the fine tile at each side where lines and bevels are drawn, and no glyph is sought."""

LEAST_CONTRAST, OF_STRONGEST = 20.0, 0.35
"""Colour steps from the ground of a tile, and share of the largest ones, that make a pixel ink."""

SMALLEST_WINDOW, ROOM = 14, 1.25
"""Smallest side of a close-up in fine pixels, and how much larger than its glyph it is."""

HINTS = 4
"""Numbers beside a close-up: its centre and side as parts of the tile, and the contrast."""


class EnlargedGlyphs(NamedTuple):
    """Enlarged glyphs.

    ``pictures`` are uint8 ``(n, VIEW_SIDE, VIEW_SIDE, 3)``, ``hints`` float32 ``(n, HINTS)``.
    """

    pictures: NDArray[np.uint8]
    hints: NDArray[np.float32]


class Cut(NamedTuple):
    """All tiles of a board.

    ``views`` are uint8 ``(rows * cols, VIEW_SIDE, VIEW_SIDE, 3)``, row by row. ``fine`` is one
    picture of the whole board, `FINE` times as fine, with the margin around it.
    """

    views: NDArray[np.uint8]
    fine: NDArray[np.uint8]
    rows: int
    cols: int

    def close_ups(self, indices: NDArray[np.intp]) -> EnlargedGlyphs:
        """Enlarge what is drawn on these tiles."""
        side, margin = FINE * TILE_SIDE, FINE * MARGIN
        pictures = np.empty((len(indices), VIEW_SIDE, VIEW_SIDE, 3), np.uint8)
        hints = np.empty((len(indices), HINTS), np.float32)
        for k, index in enumerate(indices.tolist()):
            top = margin + index // self.cols * side
            left = margin + index % self.cols * side
            tile = self.fine[top : top + side, left : left + side]
            pictures[k], hints[k] = _close_up(tile)
        return EnlargedGlyphs(pictures, hints)


def cut_views(pixels: NDArray[np.uint8], grid: Grid) -> Cut:
    """Cut a board out of a picture, uint8 ``(height, width, 3)``; outside it its border repeats.

    Gaps between tiles belong to the tiles, half to each; wide ones are narrowed to `WIDEST_GAP`.
    """
    side, margin = FINE * TILE_SIDE, FINE * MARGIN
    size = grid.cols * side + 2 * margin, grid.rows * side + 2 * margin
    step_x, step_y = grid.tile_w / side, grid.tile_h / side
    left, top, part = _around(pixels, grid)
    if max(step_x, step_y) > 1.4:
        part = np.asarray(cv2.blur(part, (max(1, round(step_x)), max(1, round(step_y)))), np.uint8)
    border = cv2.BORDER_REPLICATE
    skipped_x, skipped_y = _skipped(grid.gap_w, grid.tile_w), _skipped(grid.gap_h, grid.tile_h)
    if grid.x_shifts or grid.y_shifts or skipped_x or skipped_y:
        x_map = _samples(grid.x_lines, grid.cols, side, margin, skipped_x) - left
        y_map = _samples(grid.y_lines, grid.rows, side, margin, skipped_y) - top
        maps = np.tile(x_map, (size[1], 1)), np.tile(y_map[:, None], (1, size[0]))
        fine = cv2.remap(part, *maps, cv2.INTER_LINEAR, borderMode=border)
    else:
        offset_x = grid.x0 - left + (0.5 - margin) * step_x - 0.5
        offset_y = grid.y0 - top + (0.5 - margin) * step_y - 0.5
        matrix = np.array([[step_x, 0.0, offset_x], [0.0, step_y, offset_y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        fine = cv2.warpAffine(part, matrix, size, flags=flags, borderMode=border)
    small = size[0] // FINE, size[1] // FINE
    plain = np.asarray(cv2.resize(fine, small, interpolation=cv2.INTER_AREA), np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(plain, (VIEW_SIDE, VIEW_SIDE), (0, 1))
    tiles = windows[::TILE_SIDE, ::TILE_SIDE].transpose(0, 1, 3, 4, 2)
    views = np.ascontiguousarray(tiles).reshape(-1, VIEW_SIDE, VIEW_SIDE, 3)
    return Cut(np.asarray(views, np.uint8), np.asarray(fine, np.uint8), grid.rows, grid.cols)


def _around(pixels: NDArray[np.uint8], grid: Grid) -> tuple[int, int, NDArray[np.uint8]]:
    """Return the part of a picture on which the grid and its margin lie, and where it begins."""
    height, width = pixels.shape[:2]
    reach_x, reach_y = (round(0.15 * side) + 3 for side in (grid.tile_w, grid.tile_h))
    left = min(max(int(grid.x_lines[0]) - reach_x, 0), width - 1)
    top = min(max(int(grid.y_lines[0]) - reach_y, 0), height - 1)
    right = max(int(grid.x_lines[-1]) + reach_x + 1, left + 1)
    bottom = max(int(grid.y_lines[-1]) + reach_y + 1, top + 1)
    return left, top, np.ascontiguousarray(pixels[top:bottom, left:right])


def _skipped(gap: float, pitch: float) -> float:
    """Return the share of a cell, at its two sides, that is left out of a wide gap."""
    return max(0.0, gap / pitch - WIDEST_GAP) / (1 - WIDEST_GAP)


def _samples(
    lines: NDArray[np.floating], count: int, side: int, margin: int, skipped: float
) -> NDArray[np.float32]:
    """Return where the fine pixels of uneven cells lie, as indices of pixels."""
    at = (np.arange(-margin, count * side + margin) + 0.5) / side
    cell = np.clip(np.floor(at), 0, count - 1)
    at = cell + 0.5 + (at - cell - 0.5) * (1 - skipped)
    steps = np.concatenate([lines[:1] - (lines[1] - lines[0]), lines, lines[-1:] * 2 - lines[-2]])
    found = np.interp(at, np.arange(-1, count + 2), steps) - 0.5
    return np.asarray(found, np.float32)


def _close_up(tile: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], tuple[float, ...]]:
    """Enlarge the glyph of a fine tile; a tile without one is shown whole."""
    side = len(tile)
    edge = round(EDGE * side)
    inner = tile[edge:-edge, edge:-edge]
    ground = np.median(inner[::4, ::4].reshape(-1, 3), axis=0).astype(np.int16)
    contrast = cv2.blur(np.abs(inner - ground).max(axis=2).astype(np.uint8), (3, 3))
    strongest = float(contrast.max())
    ink = (contrast > max(LEAST_CONTRAST, OF_STRONGEST * strongest)).astype(np.uint8)
    left, top, right, bottom = _box_of_glyph(ink) if ink.any() else (0, 0, *ink.shape[::-1])
    window = round(max(right - left, bottom - top) * ROOM)
    window = min(max(window, SMALLEST_WINDOW), side)
    x = min(max(round(edge + (left + right - window) / 2), 0), side - window)
    y = min(max(round(edge + (top + bottom - window) / 2), 0), side - window)
    method = cv2.INTER_AREA if window > VIEW_SIDE else cv2.INTER_LINEAR
    part = tile[y : y + window, x : x + window]
    hints = (x + window / 2) / side, (y + window / 2) / side, window / side, strongest / 255
    view = cv2.resize(part, (VIEW_SIDE, VIEW_SIDE), interpolation=method)
    return np.asarray(view, np.uint8), hints


def _box_of_glyph(ink: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return the box of what is drawn, without what reaches the edge, such as a frame or a bevel.

    Everything counts if nothing else is drawn.
    """
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    x, y, width, height = stats[1:count, :4].T
    inside = (x > 0) & (y > 0) & (x + width < len(ink)) & (y + height < len(ink))
    inside &= stats[1:count, 4] > 2
    if inside.any():
        x, y, width, height = x[inside], y[inside], width[inside], height[inside]
    return int(x.min()), int(y.min()), int((x + width).max()), int((y + height).max())

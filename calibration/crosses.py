"""Find boards by the crosses their lines make at right angles.

The way: straight upright and lying edges (`line_masks`), the places where both meet
(`cross_mask`), pitches at which four crosses stand in a square (`pitches`), regions full of
such squares, and in each region an exact lattice with the rows and columns that are drawn on
it (`calibration.lattice`).
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from calibration.frame import Frame, PixelBox
from calibration.grid import Grid
from calibration.lattice import Lattice, Mask, Strokes, fit_lattice

MIN_EDGE = 5
"""Least difference in any colour (0-255) across an edge."""
STRAIGHT = 7
"""Least length of a straight edge, in pixels: the side of a 12 px tile without its corners."""
ROUNDING = 4
"""How far lines may end before their cross: rounded corners and gaps between tiles."""
MIN_PITCH, MAX_PITCH = 11, 86
"""Sides of tiles looked for, in pixels."""


class LineMasks(NamedTuple):
    """Straight edges, uint8 0 or 255, shaped as the frame."""

    upright: Mask
    lying: Mask


def line_masks(frame: Frame) -> LineMasks:
    """Mark straight edges: contrast across the edge, none along it, `STRAIGHT` long.

    The contrast is taken over two pixels, which keeps soft edges of scaled pictures whole;
    noise and pictures fail because their contrast has no direction for long.
    """
    dx, dy = np.zeros((2, frame.height, frame.width), np.uint8)
    if frame.height > 2 and frame.width > 2:
        for plane in cv2.split(frame.pixels):
            np.maximum(dx[:, 1:-1], cv2.absdiff(plane[:, 2:], plane[:, :-2]), out=dx[:, 1:-1])
            np.maximum(dy[1:-1], cv2.absdiff(plane[2:], plane[:-2]), out=dy[1:-1])
    upright = cv2.compare(dx, np.maximum(cv2.add(dy, dy), MIN_EDGE), cv2.CMP_GT)
    lying = cv2.compare(dy, np.maximum(cv2.add(dx, dx), MIN_EDGE), cv2.CMP_GT)
    return LineMasks(_straighten(upright, 1, 0), _straighten(lying, 0, 1))


def _straighten(mask: Mask, y: int, x: int) -> Mask:
    """Close dotted lines, then keep runs of at least `STRAIGHT` pixels along (y, x)."""

    def bar(length: int) -> Mask:
        return np.ones((length if y else 1, length if x else 1), np.uint8)

    closed = cv2.erode(cv2.dilate(mask, bar(3)), bar(STRAIGHT + 2))
    return np.asarray(cv2.dilate(closed, bar(STRAIGHT)), np.uint8)


def cross_mask(lines: LineMasks) -> Mask:
    """Mark where upright and lying lines meet, or nearly do."""
    long = 2 * ROUNDING + 1
    return np.asarray(
        cv2.bitwise_and(
            cv2.dilate(lines.upright, np.ones((long, 3), np.uint8)),
            cv2.dilate(lines.lying, np.ones((3, long), np.uint8)),
        ),
        np.uint8,
    )


class Pitches(NamedTuple):
    """Side lengths in half pixels, and how many squares of crosses have them."""

    squares: int
    across: int
    down: int


def pitches(crosses: Mask, most: int = 12) -> list[Pitches]:
    """Rank the tile sizes at which four crosses stand at the corners of one tile.

    ``crosses`` is at half the frame's resolution. Rows are packed to bits: comparing a
    picture with itself at every shift then costs milliseconds.
    """
    height, width = crosses.shape
    count = np.zeros((MAX_PITCH, MAX_PITCH), np.int64)
    for across in range((MIN_PITCH + 1) // 2, min(MAX_PITCH // 2, width - 1) + 1):
        pairs = np.packbits(crosses[:, :-across] & crosses[:, across:], axis=1)
        for down in range(int(across * 0.85), min(int(across * 1.18) + 1, height - 1) + 1):
            count[across, down] = np.bitwise_count(pairs[:-down] & pairs[down:]).sum()
    peaks = (count == cv2.dilate(count.astype(np.float32), np.ones((3, 3)))) & (count > 0)
    found = [Pitches(int(count[a, d]), int(a), int(d)) for a, d in np.argwhere(peaks)]
    return sorted(found, reverse=True)[:most]


def _regions(crosses: Mask, pitch: Pitches) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side."""
    a, d = pitch.across, pitch.down
    pairs = crosses[:, :-a] & crosses[:, a:]
    corners = np.asarray(pairs[:-d] & pairs[d:], np.uint8)
    coarse = cv2.dilate(corners, np.ones((4, 4), np.uint8))[::4, ::4]
    grow = (d // 8 + 1, a // 8 + 1)
    joined = cv2.dilate(coarse, np.ones((2 * grow[0] + 1, 2 * grow[1] + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    boxes = []
    for x, y, width, height, _ in stats[1:].tolist():
        x0, y0 = x + grow[1] if x else 0, y + grow[0] if y else 0
        x1, y1 = x + width - grow[1], y + height - grow[0]
        box = PixelBox(8 * x0, 8 * y0, 8 * x1 + 2 * a, 8 * y1 + 2 * d)
        if box.x1 - box.x0 > 2.5 * 2 * a and box.y1 - box.y0 > 2.5 * 2 * d:
            boxes.append(box)
    return boxes


def find_grids(frame: Frame) -> list[Grid]:
    """Find every lattice in the frame that could be a board, the best first."""
    lines = line_masks(frame)
    crosses = cv2.dilate(cross_mask(lines), np.ones((2, 2), np.uint8))[::2, ::2]
    upright, lying = Strokes.of(lines.upright), Strokes.of(np.ascontiguousarray(lines.lying.T))
    grids = []
    for pitch in pitches(crosses):
        for box in _regions(crosses, pitch):
            lattice = fit_lattice(upright, lying, box, (2.0 * pitch.across, 2.0 * pitch.down))
            if lattice is not None and not _cut_off(lattice, frame):
                grids.append(_grid(lattice))
    return _best_of_overlapping(grids)


def _cut_off(lattice: Lattice, frame: Frame) -> bool:
    """Tell whether the lattice runs into an edge of the frame."""
    across, down = lattice.across, lattice.down
    return (
        across.comb.line(across.cells.start) < 0.3 * across.comb.pitch
        or down.comb.line(down.cells.start) < 0.3 * down.comb.pitch
        or across.comb.line(across.cells.stop) > frame.width - 0.3 * across.comb.pitch
        or down.comb.line(down.cells.stop) > frame.height - 0.3 * down.comb.pitch
    )


def _grid(lattice: Lattice) -> Grid:
    """Return the lattice as a grid."""
    across, down = lattice.across, lattice.down
    return Grid(
        across.comb.line(across.cells.start),
        down.comb.line(down.cells.start),
        across.comb.pitch,
        down.comb.pitch,
        len(down.cells),
        len(across.cells),
        lattice.drawn,
        across.shifts,
        down.shifts,
    )


def _best_of_overlapping(grids: list[Grid]) -> list[Grid]:
    """Keep, of lattices on the same place, the one with the finest fit."""
    ranked = sorted(
        grids, key=lambda g: g.confidence * min(g.rows * g.cols, 600) ** 0.25, reverse=True
    )
    kept: list[Grid] = []
    for grid in ranked:
        if all(_overlap(grid, other) < 0.3 for other in kept):
            kept.append(grid)
    return kept


def _overlap(a: Grid, b: Grid) -> float:
    """Return the shared area as a share of the smaller grid's."""
    p, q = a.bounds, b.bounds
    w = min(p.x1, q.x1) - max(p.x0, q.x0)
    h = min(p.y1, q.y1) - max(p.y0, q.y0)
    if w <= 0 or h <= 0:
        return 0.0
    area = min((p.x1 - p.x0) * (p.y1 - p.y0), (q.x1 - q.x0) * (q.y1 - q.y0))
    return w * h / max(area, 1)

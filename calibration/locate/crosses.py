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

from calibration.bits import Bits
from calibration.comb import Mask
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.lattice import Lattice, fit_lattice, sharpened
from calibration.margins import cut_sides, is_cut_out
from calibration.squares import MIN_PITCH, Crosses, candidates
from calibration.strokes import Strokes

MIN_EDGE = 8
"""Least difference across an edge, red, green and blue (0-255 each) added."""
STRAIGHT = 7
"""Least length of a straight edge, in pixels: the side of a 12 px tile without its corners."""
STRIP = 32
"""Rows in which edges are sought at a time: they stay in the cache, and in memory the process
has. Whole frames took three times as long, most of it for fresh pages."""
ROUNDING = 4
"""How far lines may end before their cross: rounded corners and gaps between tiles."""


class LineMasks(NamedTuple):
    """Straight edges of a frame."""

    upright: Bits
    lying: Bits


def line_masks(frame: Frame) -> LineMasks:
    """Mark straight edges: contrast across the edge, none along it, `STRAIGHT` long.

    The contrast is taken over two pixels, which keeps soft edges of scaled pictures whole.
    Noise and pictures fail because their contrast has no direction for long, least of all in
    three colours at once.
    """
    upright, lying = (Bits.empty(frame.height, frame.width) for _ in range(2))
    for top in range(0, frame.height, STRIP):
        above = min(top, 1)
        strip = frame.pixels[top - above : top + STRIP + 1]
        within = slice(above, above + min(STRIP, frame.height - top))
        for bits, edges in zip((upright, lying), _edges(strip), strict=True):
            bits.fill(top, edges[within])
    return LineMasks(_straightened(upright, 1, 0), _straightened(lying, 0, 1))


def _edges(strip: Mask) -> tuple[Mask, Mask]:
    """Mark contrast across and not along: of upright edges, then of lying ones."""
    dx, dy = np.zeros((2, *strip.shape[:2]), np.uint8)
    inside_x, inside_y = dx[:, 1:-1], dy[1:-1]
    for plane in cv2.split(strip):
        cv2.add(inside_x, cv2.absdiff(plane[:, 2:], plane[:, :-2]), inside_x)
        cv2.add(inside_y, cv2.absdiff(plane[2:], plane[:-2]), inside_y)
    return (
        cv2.bitwise_and(cv2.compare(dx, cv2.add(dy, dy), cv2.CMP_GT), _strong(dx)),
        cv2.bitwise_and(cv2.compare(dy, cv2.add(dx, dx), cv2.CMP_GT), _strong(dy)),
    )


def _strong(steps: Mask) -> Mask:
    return cv2.threshold(steps, MIN_EDGE, 255, cv2.THRESH_BINARY)[1]


def _straightened(edges: Bits, y: int, x: int) -> Bits:
    """Close dotted lines, then keep runs of at least `STRAIGHT` pixels along (y, x)."""
    half = STRAIGHT // 2
    closed = edges.grown(y, x).shrunk(y * (half + 1), x * (half + 1))
    return closed.grown(y * half, x * half)


def cross_mask(lines: LineMasks) -> Bits:
    """Mark where upright and lying lines meet, or nearly do."""
    return lines.upright.grown(ROUNDING, 1) & lines.lying.grown(1, ROUNDING)


def find_grids(frame: Frame) -> list[Grid]:
    """Find every lattice in the frame that could be a whole board, the best first."""
    return [found.grid for found in search(frame) if not found.cut_at]


class Found(NamedTuple):
    """A lattice in the frame, and the sides of the frame at which it may be cut off.

    ``cut_out`` says that it all but fills the frame, like a picture of nothing but a board.
    """

    grid: Grid
    cut_at: tuple[str, ...]
    cut_out: bool


def search(frame: Frame) -> list[Found]:
    """Find every lattice of tiles in the frame, the best first, cut off or not."""
    if min(frame.height, frame.width) < MIN_PITCH:
        return []
    lines = line_masks(frame)
    upright, lying = Strokes.of(lines.upright.mask(), cv2.transpose(lines.lying.mask()))
    whole: list[Lattice] = []
    cut: list[Lattice] = []
    crosses = Crosses.of(cross_mask(lines))
    for candidate in candidates(crosses):
        known = [lattice for lattice in whole + cut if lattice.covers(candidate.box)]
        if any(lattice.explains(candidate.box) for lattice in known):
            continue
        lattice = fit_lattice(upright, lying, candidate, known)
        if lattice is not None and lattice.across.comb.pitch > 0.95 * MIN_PITCH:
            (cut if cut_sides(frame, _grid(lattice)) else whole).append(lattice)
            for box in lattice.explained():
                crosses.explain(box)
    best = _best_of_each(whole) + _best_of_each(cut)
    grids = [_grid(sharpened(lattice, frame, upright, lying)) for lattice in best]
    return [Found(grid, cut_sides(frame, grid), is_cut_out(frame, grid)) for grid in grids]


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


def _best_of_each(lattices: list[Lattice]) -> list[Lattice]:
    """Keep the best of the lattices that lie on the same place, the best first."""

    def worth(lattice: Lattice) -> float:
        cells = len(lattice.across.cells) * len(lattice.down.cells)
        return float(lattice.drawn * min(cells, 600) ** 0.25)

    kept: list[Lattice] = []
    for lattice in sorted(lattices, key=worth, reverse=True):
        if kept and lattice.drawn < 0.8 * kept[0].drawn:
            continue
        if all(_overlap(lattice, other) < 0.3 for other in kept):
            kept.append(lattice)
    return kept


def _overlap(a: Lattice, b: Lattice) -> float:
    """Return the shared area as a share of the smaller one's."""
    shared = smaller_a = smaller_b = 1.0
    for p, q in ((a.across, b.across), (a.down, b.down)):
        (p0, p1), (q0, q1) = p.outside, q.outside
        shared *= max(0.0, min(p1, q1) - max(p0, q0))
        smaller_a, smaller_b = smaller_a * (p1 - p0), smaller_b * (q1 - q0)
    return shared / min(smaller_a, smaller_b)

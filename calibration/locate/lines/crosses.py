"""Find boards whose tiles are separated by lines.

The steps: mark straight vertical and horizontal edges (`line_masks`); mark where both meet
(`cross_mask`); find tile sizes at which four crosses form squares, and regions full of such
squares (`calibration.locate.lines.candidates`); fit an exact lattice in each region and find which
of its rows and columns are drawn (`calibration.locate.lines.lattice`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import cv2
import numpy as np

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.bed import extended_to_bed
from calibration.locate.covers import hidden_sides
from calibration.locate.lines.candidates import (
    COARSE,
    FINE,
    OBLONG_COARSE,
    OBLONG_FINE,
    TINY,
    Crosses,
    Resolution,
    candidates,
    halved,
)
from calibration.locate.lines.extent import LineSums
from calibration.locate.lines.growth import grown
from calibration.locate.lines.lattice import (
    MOST_ELONGATED,
    MOST_OBLONG,
    Lattice,
    fit_lattice,
    refined,
)
from calibration.locate.lines.line_fit import Mask
from calibration.locate.margins import cut_sides, is_crop
from calibration.locate.proposal import Proposal
from calibration.points import overlap

MIN_EDGE = 8
"""Least difference across an edge: red, green and blue (0-255 each) added."""
STEEP = 128
"""Steps above which an edge is no part of a gradient; those of a gradient differ by a quarter."""
STRAIGHT, STRAIGHT_SMALL = 7, 5
"""Least length of a straight edge, in pixels: the side of a 12 px tile without its corners, and
that of an 8 px tile."""
STRIP = 32
"""Rows in which edges are searched at a time, so that the arrays stay in the processor's cache.
Whole frames took three times as long, most of it for fresh pages of memory."""
ROUNDING, ROUNDING_SMALL = 4, 2
"""How far before a cross its lines may end, in pixels: rounded corners, gaps between tiles. The
second is for tiles of 8 to 12 px, where crosses would run together."""


class LineMasks(NamedTuple):
    """Straight edges of a frame: two masks of 0 and 1, uint8 ``(height, width)``."""

    vertical: Mask
    horizontal: Mask


def line_masks(frame: Frame, straight: int = STRAIGHT) -> LineMasks:
    """Mark straight edges: contrast across the edge, none along it, at least ``straight`` long.

    The contrast is taken over two pixels, so that the soft edges of scaled pictures stay whole.
    Noise and photographs have no contrast of one direction over such a length, least of all in
    three colours at once.
    """
    vertical, horizontal = np.empty((2, frame.height, frame.width), np.uint8)
    for top in range(0, frame.height, STRIP):
        above, high = min(top, 1), min(STRIP, frame.height - top)
        edges = _edges(frame.pixels[top - above : top + STRIP + 1])
        strip = slice(top, top + high)
        vertical[strip], across = (one[above : above + high] for one in edges)
        horizontal[strip] = _straight_runs(across, 0, 1, straight)
    return LineMasks(_straight_runs(vertical, 1, 0, straight), horizontal)


def _edges(strip: Mask) -> tuple[Mask, Mask]:
    """Mark contrast across an edge and not along it: vertical edges, then horizontal ones."""
    dx, dy = np.zeros((2, *strip.shape[:2]), np.uint8)
    inside_x, inside_y = dx[:, 1:-1], dy[1:-1]
    for plane in cv2.split(strip):
        cv2.add(inside_x, cv2.absdiff(plane[:, 2:], plane[:, :-2]), inside_x)
        cv2.add(inside_y, cv2.absdiff(plane[2:], plane[:-2]), inside_y)
    return (
        cv2.bitwise_and(cv2.compare(dx, cv2.add(dy, dy), cv2.CMP_GT), _sharp(dx, 0, 1)),
        cv2.bitwise_and(cv2.compare(dy, cv2.add(dx, dx), cv2.CMP_GT), _sharp(dy, 1, 0)),
    )


def _sharp(steps: Mask, y: int, x: int) -> Mask:
    """Mark what is strong and no part of a gradient, whose steps are equal along (y, x)."""
    high, low = cv2.dilate(steps, _box(y, x)), cv2.erode(steps, _box(y, x))
    spread = cv2.subtract(high, low)
    twice = cv2.add(spread, spread)
    uneven = cv2.subtract(cv2.add(twice, twice), high)
    sharp = cv2.max(_above(uneven, 0), _above(high, STEEP))
    return cv2.min(sharp, _above(steps, MIN_EDGE))


def _above(steps: Mask, least: int) -> Mask:
    return cv2.threshold(steps, least, 1, cv2.THRESH_BINARY)[1]


def _straight_runs(edges: Mask, y: int, x: int, straight: int) -> Mask:
    """Close dotted lines, then keep runs of at least ``straight`` pixels along (y, x)."""
    half = straight // 2
    closed = cv2.dilate(edges, _box(y, x))
    long = cv2.erode(closed, _box(y * (half + 1), x * (half + 1)), closed)
    return cv2.dilate(long, _box(y * half, x * half), long)


def _box(y: int, x: int) -> Mask:
    """Return the structuring element that reaches ``y`` rows and ``x`` columns to each side."""
    return np.ones((2 * y + 1, 2 * x + 1), np.uint8)


def cross_mask(lines: LineMasks, rounding: int = ROUNDING) -> Mask:
    """Mark where vertical and horizontal lines meet, or nearly do: 0 or 1, ``(height, width)``."""
    near = cv2.dilate(lines.vertical, _box(rounding, 1))
    return cv2.bitwise_and(near, cv2.dilate(lines.horizontal, _box(1, rounding)), near)


def _crosses(lines: LineMasks, fine: Resolution, coarse: Resolution) -> Iterator[Crosses]:
    """Yield the crosses for small tiles, then those for large ones."""
    yield Crosses.of(halved(cross_mask(lines)), fine)
    # At half the size the corners of large tiles may be rounded twice as much.
    yield Crosses.of(halved(cross_mask(LineMasks(*map(halved, lines)))), coarse)


def _proposal(frame: Frame, grid: Grid) -> Proposal:
    """Add the rows without lines to a grid, and examine what lies beside it."""
    grid = extended_to_bed(frame, grown(frame, grid))
    return Proposal(grid, cut_sides(frame, grid), hidden_sides(frame, grid), is_crop(frame, grid))


def find_lattices(frame: Frame) -> list[Proposal]:
    """Find every lattice of tiles in the frame: whole ones, then those cut off, each best first.

    The tiles may have sides from about 11 to 200 pixels.
    """
    if min(frame.height, frame.width) < FINE.smallest_px:
        return []
    lines = line_masks(frame)
    return _search(frame, lines, _crosses(lines, FINE, COARSE))


def find_oblong_lattices(frame: Frame) -> list[Proposal]:
    """Find the lattices of tiles that are clearly wider than high, or the reverse, likewise.

    Many tables are like this: search only where there is no board of other tiles.
    """
    if min(frame.height, frame.width) < OBLONG_FINE.smallest_px:
        return []
    lines = line_masks(frame)
    return _search(frame, lines, _crosses(lines, OBLONG_FINE, OBLONG_COARSE), MOST_OBLONG)


def find_small_lattices(frame: Frame) -> list[Proposal]:
    """Find the lattices of tiles from 8 to 12 pixels, in the same order.

    Shorter edges count as lines here, of which text has many: search only where there is no board
    of larger tiles.
    """
    if min(frame.height, frame.width) < TINY.smallest_px:
        return []
    lines = line_masks(frame, STRAIGHT_SMALL)
    return _search(frame, lines, [Crosses.of(cross_mask(lines, ROUNDING_SMALL), TINY)])


def _search(
    frame: Frame,
    lines: LineMasks,
    searches: Iterable[Crosses],
    elongated: float = MOST_ELONGATED,
) -> list[Proposal]:
    """Fit lattices to the lines where the crosses of each search show tiles."""
    vertical, horizontal = LineSums.of_masks(lines.vertical, cv2.transpose(lines.horizontal))
    whole: list[Lattice] = []
    cut: list[Lattice] = []
    for crosses in searches:
        for box in chain.from_iterable(lattice.drawn_parts() for lattice in whole + cut):
            crosses.mark_explained(box)
        for candidate in candidates(crosses):
            known = [lattice for lattice in whole + cut if lattice.covers(candidate.box)]
            if any(lattice.is_drawn_in(candidate.box) for lattice in known):
                continue
            lattice = fit_lattice(vertical, horizontal, candidate, known, elongated)
            if lattice is None or lattice.across.fit.pitch < 0.95 * crosses.resolution.smallest_px:
                continue
            (cut if cut_sides(frame, _grid(lattice)) else whole).append(lattice)
            for box in lattice.drawn_parts():
                crosses.mark_explained(box)
    best = _best_of_each(whole) + _best_of_each(cut)
    return [
        _proposal(frame, _grid(refined(lattice, frame, vertical, horizontal))) for lattice in best
    ]


def _grid(lattice: Lattice) -> Grid:
    """Convert a lattice to a grid."""
    across, down = lattice.across, lattice.down
    return Grid(
        across.fit.position(across.cells.start),
        down.fit.position(down.cells.start),
        across.fit.pitch,
        down.fit.pitch,
        len(down.cells),
        len(across.cells),
        lattice.drawn_share,
        across.shifts,
        down.shifts,
    )


def _best_of_each(lattices: list[Lattice]) -> list[Lattice]:
    """Keep the best of lattices that overlap, and sort by quality, the best first."""

    def quality(lattice: Lattice) -> float:
        cells = len(lattice.across.cells) * len(lattice.down.cells)
        return float(lattice.drawn_share * min(cells, 600) ** 0.25)

    kept: list[Lattice] = []
    for lattice in sorted(lattices, key=quality, reverse=True):
        if kept and lattice.drawn_share < 0.8 * kept[0].drawn_share:
            continue
        if all(overlap(lattice.box, other.box) < 0.3 for other in kept):
            kept.append(lattice)
    return kept

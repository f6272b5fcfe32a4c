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
from numpy.typing import NDArray

from calibration.frame import Frame, PixelBox
from calibration.grid import Grid
from calibration.lattice import Lattice, Mask, Strokes, fit_lattice, sharpened

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
    count, labels = cv2.connectedComponents(joined)
    boxes = []
    for label in range(1, count):
        part = labels == label
        y0, y1 = _dense(part.sum(axis=1), d // 4)
        x0, x1 = _dense(part[y0 : max(y1, y0 + 1)].sum(axis=0), a // 4)
        box = PixelBox(8 * x0, 8 * y0, 8 * x1 + 2 * a, 8 * y1 + 2 * d)
        if box.x1 - box.x0 > 2.5 * 2 * a and box.y1 - box.y0 > 2.5 * 2 * d:
            boxes.append(box)
    return boxes


def _dense(profile: NDArray[np.int_], margin: int) -> tuple[int, int]:
    """Return the longest stretch where the profile is a third of its height or more.

    A region that has caught a counter or a title bar at its side loses it again; what
    is lost of the board comes back when the lattice grows. The ``margin`` by which the
    region was dilated comes off on both sides.
    """
    if not profile.any():
        return 0, 0
    full = profile >= 0.35 * np.quantile(profile[profile > 0], 0.75)
    edges = np.diff(np.concatenate([[0], full.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int((ends - starts).argmax())
    first, last = int(starts[longest]), int(ends[longest])
    return first + margin // 2 if first else 0, last - margin // 2


def find_grids(frame: Frame) -> list[Grid]:
    """Find every lattice in the frame that could be a whole board, the best first."""
    return [found.grid for found in search(frame) if not found.cut_at]


class Found(NamedTuple):
    """A lattice in the frame, and the sides of the frame at which it is cut off."""

    grid: Grid
    cut_at: tuple[str, ...]


def search(frame: Frame) -> list[Found]:
    """Find every lattice of tiles in the frame, the best first, cut off or not."""
    lines = line_masks(frame)
    crosses = cv2.dilate(cross_mask(lines), np.ones((2, 2), np.uint8))[::2, ::2]
    upright, lying = Strokes.of(lines.upright), Strokes.of(np.ascontiguousarray(lines.lying.T))
    lattices = []
    for pitch in pitches(crosses):
        for box in _regions(crosses, pitch):
            lattice = fit_lattice(upright, lying, box, (2.0 * pitch.across, 2.0 * pitch.down))
            if lattice is not None:
                lattices.append(lattice)
    whole = [lattice for lattice in lattices if not _cut_at(lattice, frame)]
    cut = [lattice for lattice in lattices if _cut_at(lattice, frame)]
    best = _best_of_each(whole) + _best_of_each(cut)
    exact = (sharpened(lattice, frame, upright, lying) for lattice in best)
    return [Found(_grid(lattice), _cut_at(lattice, frame)) for lattice in exact]


def _cut_at(lattice: Lattice, frame: Frame) -> tuple[str, ...]:
    """Name the sides of the frame that the lattice runs into."""
    left, right = lattice.across.outside
    top, bottom = lattice.down.outside
    play_x, play_y = 0.3 * lattice.across.comb.pitch, 0.3 * lattice.down.comb.pitch
    sides = {
        "left": left < play_x,
        "top": top < play_y,
        "right": right > frame.width - play_x,
        "bottom": bottom > frame.height - play_y,
    }
    return tuple(side for side, cut in sides.items() if cut)


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

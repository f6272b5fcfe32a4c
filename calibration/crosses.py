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
from calibration.lattice import Axis, Lattice, Mask, Strokes, fit_lattice, sharpened

MIN_EDGE = 8
"""Least difference across an edge, red, green and blue (0-255 each) added."""
STRAIGHT = 7
"""Least length of a straight edge, in pixels: the side of a 12 px tile without its corners."""
ROUNDING = 4
"""How far lines may end before their cross: rounded corners and gaps between tiles."""
MIN_PITCH, MAX_PITCH = 11, 86
"""Sides of tiles looked for, in pixels."""
BLOCK = 96
"""Side of the blocks in which crosses are counted, in half pixels; a multiple of 8."""
MOST_PITCHES = 16
"""Tile sizes tried on one frame."""


class LineMasks(NamedTuple):
    """Straight edges, uint8 0 or 255, shaped as the frame."""

    upright: Mask
    lying: Mask


def line_masks(frame: Frame) -> LineMasks:
    """Mark straight edges: contrast across the edge, none along it, `STRAIGHT` long.

    The contrast is taken over two pixels, which keeps soft edges of scaled pictures whole.
    Noise and pictures fail because their contrast has no direction for long, least of all in
    three colours at once.
    """
    dx, dy = np.zeros((2, frame.height, frame.width), np.uint8)
    if frame.height > 2 and frame.width > 2:
        for plane in cv2.split(frame.pixels):
            across = cv2.absdiff(plane[:, 2:], plane[:, :-2])
            down = cv2.absdiff(plane[2:], plane[:-2])
            dx[:, 1:-1] = cv2.add(dx[:, 1:-1], across)
            dy[1:-1] = cv2.add(dy[1:-1], down)
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


class Pitch(NamedTuple):
    """Side lengths in half pixels, and the blocks of the frame in which they stand out."""

    across: int
    down: int
    blocks: Mask


def pitches(crosses: Mask) -> list[Pitch]:
    """List the tile sizes at which four crosses stand at the corners of one tile, best first.

    ``crosses`` is at half the frame's resolution. Squares are counted block by block, so that
    a small board is not drowned by a busy desktop: a size counts where it stands out among all
    sizes in its block. Rows are packed to bits, which makes the counting cheap.
    """
    height, width = crosses.shape
    rows = np.arange(0, height, BLOCK)
    cols = np.arange(0, -(-width // 8), BLOCK // 8)
    count = np.full((rows.size, cols.size, MAX_PITCH // 2 + 1, MAX_PITCH), -1, np.float32)
    for across in range((MIN_PITCH + 1) // 2, min(MAX_PITCH // 2, width - 1) + 1):
        pairs = np.packbits(crosses[:, :-across] & crosses[:, across:], axis=1)
        padded = np.zeros((height, -(-width // 8)), np.uint8)
        padded[:, : pairs.shape[1]] = pairs
        for down in range(int(across * 0.85), min(int(across * 1.18) + 1, height - 1) + 1):
            squares = np.bitwise_count(padded[:-down] & padded[down:])
            by_row = np.add.reduceat(squares, rows[rows < height - down], axis=0, dtype=np.uint16)
            count[: by_row.shape[0], :, across, down] = np.add.reduceat(by_row, cols, axis=1)
    return _outstanding(count)


def _outstanding(count: NDArray[np.float32]) -> list[Pitch]:
    """Pick the sizes that stand out in some block from a count ``(rows, cols, across, down)``."""
    total: dict[tuple[int, int], float] = {}
    blocks: dict[tuple[int, int], Mask] = {}
    for row, col in np.ndindex(count.shape[:2]):
        plane = count[row, col]
        if plane.max() <= 0:
            continue
        usual = float(np.median(plane[plane >= 0])) + 4
        peaks = (plane == cv2.dilate(plane, np.ones((3, 3), np.uint8))) & (plane > 3 * usual)
        for across, down in sorted(np.argwhere(peaks), key=lambda at: -plane[tuple(at)])[:3]:
            key = int(across), int(down)
            total[key] = total.get(key, 0.0) + float(plane[across, down])
            blocks.setdefault(key, np.zeros(count.shape[:2], np.uint8))[row, col] = 1
    best = sorted(total, key=lambda key: -total[key])[:MOST_PITCHES]
    return [Pitch(*key, blocks[key]) for key in best]


def _regions(crosses: Mask, pitch: Pitch) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side.

    On a board every stretch of one tile holds one corner of a square; that density tells it
    from text and noise, where squares come by chance.
    """
    a, d = pitch.across, pitch.down
    pairs = crosses[:, :-a] & crosses[:, a:]
    corners = np.asarray(pairs[:-d] & pairs[d:], np.uint8)
    height, width = corners.shape[0] // 4, corners.shape[1] // 4
    coarse = cv2.resize(corners, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    density = cv2.blur(coarse, (max(1, round(a / 4)), max(1, round(d / 4))))
    blocks = pitch.blocks.repeat(BLOCK // 4, 0).repeat(BLOCK // 4, 1)[:height, :width]
    near = cv2.dilate(blocks, np.ones((BLOCK // 2 + 1, BLOCK // 2 + 1), np.uint8))
    found = density[(blocks > 0) & (density > 0)]
    if not found.size:
        return []
    boxes: list[PixelBox] = []
    for share in (0.3, 0.65):
        dense = ((density >= share * np.quantile(found, 0.95)) & (near > 0)).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(dense)
        for x, y, w, h, _ in stats[1:].tolist():
            box = PixelBox(8 * x, 8 * y, 8 * (x + w) + 2 * a, 8 * (y + h) + 2 * d)
            if box.x1 - box.x0 > 2.8 * 2 * a and box.y1 - box.y0 > 2.8 * 2 * d:
                boxes.append(box)
    return list(dict.fromkeys(boxes))


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
    whole: list[Lattice] = []
    cut: list[Lattice] = []
    for pitch in pitches(crosses):
        for box in _regions(crosses, pitch):
            sides = 2.0 * pitch.across, 2.0 * pitch.down
            if any(_explains(lattice, box, sides[0]) for lattice in whole):
                continue
            lattice = fit_lattice(upright, lying, box, sides)
            if lattice is not None and lattice.across.comb.pitch > 0.95 * MIN_PITCH:
                (cut if _cut_at(lattice, upright, lying) else whole).append(lattice)
    best = _best_of_each(whole) + _best_of_each(cut)
    exact = (sharpened(lattice, frame, upright, lying) for lattice in best)
    return [Found(_grid(lattice), _cut_at(lattice, upright, lying)) for lattice in exact]


def _explains(lattice: Lattice, box: PixelBox, pitch: float) -> bool:
    """Tell whether the box lies on a well-drawn lattice already found that is as fine."""
    if lattice.across.comb.pitch > pitch + 2:
        return False
    (x0, x1), (y0, y1) = lattice.across.outside, lattice.down.outside
    wide = min(x1, box.x1) - max(x0, box.x0)
    high = min(y1, box.y1) - max(y0, box.y0)
    area = (box.x1 - box.x0) * (box.y1 - box.y0)
    return lattice.drawn > 0.97 and wide > 0 and high > 0 and wide * high > 0.7 * area


def _cut_at(lattice: Lattice, upright: Strokes, lying: Strokes) -> tuple[str, ...]:
    """Name the sides of the frame that the lattice runs into.

    It does where a cell ends at the edge of the frame, and where a piece of a further cell is
    left and the lines run on into it.
    """
    sides = {
        "left": _runs_on(lattice.across, lattice.down, lying, before=True),
        "top": _runs_on(lattice.down, lattice.across, upright, before=True),
        "right": _runs_on(lattice.across, lattice.down, lying, before=False),
        "bottom": _runs_on(lattice.down, lattice.across, upright, before=False),
    }
    return tuple(side for side, cut in sides.items() if cut)


def _runs_on(axis: Axis, lines: Axis, strokes: Strokes, *, before: bool) -> bool:
    """Tell whether ``lines``, drawn in ``strokes``, run on beyond ``axis`` to the frame's edge."""
    pitch, (first, last) = axis.comb.pitch, axis.outside
    rest = first if before else strokes.height - last
    if rest >= pitch or rest < 0.3 * pitch:
        return rest < 0.3 * pitch
    lo, hi = (1.0, first - 0.15 * pitch) if before else (last + 0.15 * pitch, strokes.height - 1.0)
    reach = max(1, round(0.12 * lines.comb.pitch))
    drawn = cv2.dilate(strokes.profile(lo, hi)[None], np.ones((1, 2 * reach + 1), np.uint8))[0]
    at = np.round(lines.comb.lines(lines.inner) - 0.5).astype(int)
    return bool((drawn[at] > 0.6 * (hi - lo)).mean() > 0.5)


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

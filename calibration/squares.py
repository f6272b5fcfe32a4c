"""Where four crosses stand at the corners of a tile: candidates for the lattice of a board.

Squares are counted for every size of tile, block by block of the frame, so that a small board is
not drowned by a busy desktop. Small tiles are sought at half the frame's resolution and large
ones at a quarter, which keeps the count cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import Mask
from calibration.frame import PixelBox

SCALES = ((2, 11, 34), (4, 33, 88))
"""Pixels a step, least and largest side of tiles, for each of the two counts."""
BLOCK_PX = 192
"""Side of the blocks in which squares are counted."""
COARSE_PX = 8
"""Resolution of the regions found."""
STANDS_OUT = 3.0
"""A size counts where it has so many times the squares that sizes have there on average."""
MOST_SIZES = 10
"""Sizes taken from each of the two counts."""


class Size(NamedTuple):
    """A size of tile in steps, how often it was seen, and the blocks in which it stands out."""

    across: int
    down: int
    squares: float
    blocks: Mask


class Candidate(NamedTuple):
    """A part of the frame and the size of tiles that seem to lie there, with its play, in pixels."""

    box: PixelBox
    across: float
    down: float
    play: float


def candidates(crosses: Mask) -> Iterator[Candidate]:
    """Walk over the places where tiles of one size seem to lie, the most crowded sizes first.

    ``crosses`` marks the crosses of a frame, 0 or 255, at its full resolution.
    """
    found = []
    for step, least, most in SCALES:
        small = _shrunk(crosses, step)
        sizes = _outstanding(_count(small, least // step, most // step, BLOCK_PX // step))
        found += [(size.squares * step * step, step, small, size) for size in sizes]
    found.sort(key=lambda entry: -entry[0])
    for _, step, small, size in found:
        for box in _regions(small, size, step):
            yield Candidate(box, step * size.across, step * size.down, step + 0.2)


def _shrunk(crosses: Mask, step: int) -> Mask:
    """Return the mask at a fraction of its resolution, every mark kept."""
    return np.asarray(cv2.dilate(crosses, np.ones((step, step), np.uint8))[::step, ::step])


def _count(crosses: Mask, least: int, most: int, block: int) -> NDArray[np.float32]:
    """Count squares of crosses: ``(block rows, block cols, across, down)``, -1 if not tried.

    Rows are packed to bits, so that comparing the picture with itself takes microseconds.
    """
    height, width = crosses.shape
    rows, cols = np.arange(0, height, block), np.arange(0, -(-width // 8), block // 8)
    shape = rows.size, cols.size, most + 1, int(most * 1.18) + 2
    count = np.full(shape, -1, np.float32)
    for across in range(least, min(most, width - 1) + 1):
        pairs = np.packbits(crosses[:, :-across] & crosses[:, across:], axis=1)
        padded = np.zeros((height, -(-width // 8)), np.uint8)
        padded[:, : pairs.shape[1]] = pairs
        for down in range(int(across * 0.85), min(int(across * 1.18) + 1, height - 1) + 1):
            squares = np.bitwise_count(padded[:-down] & padded[down:])
            by_row = np.add.reduceat(squares, rows[rows < height - down], axis=0, dtype=np.uint16)
            count[: by_row.shape[0], :, across, down] = np.add.reduceat(by_row, cols, axis=1)
    return count


def _outstanding(count: NDArray[np.float32]) -> list[Size]:
    """Pick the sizes that stand out in some block."""
    total: dict[tuple[int, int], float] = {}
    blocks: dict[tuple[int, int], Mask] = {}
    for row, col in np.ndindex(count.shape[:2]):
        plane = count[row, col]
        if plane.max() <= 0:
            continue
        usual = float(np.median(plane[plane >= 0])) + 4
        peaks = plane == cv2.dilate(plane, np.ones((3, 3), np.uint8))
        peaks &= plane > STANDS_OUT * usual
        for across, down in sorted(np.argwhere(peaks), key=lambda at: -plane[tuple(at)])[:3]:
            key = int(across), int(down)
            total[key] = total.get(key, 0.0) + float(plane[across, down])
            blocks.setdefault(key, np.zeros(count.shape[:2], np.uint8))[row, col] = 1
    best = sorted(total, key=lambda key: -total[key])[:MOST_SIZES]
    return [Size(*key, total[key], blocks[key]) for key in best]


def _regions(crosses: Mask, size: Size, step: int) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side.

    On a board every stretch of one tile holds one corner of a square; that density tells it
    from text and noise, where squares come by chance. It is cut at two levels: open tiles
    have fainter crosses than hidden ones, and noise around a board joins it at the lower level.
    """
    a, d = size.across, size.down
    pairs = crosses[:, :-a] & crosses[:, a:]
    corners = np.asarray(pairs[:-d] & pairs[d:], np.uint8)
    coarse = COARSE_PX // step
    height, width = corners.shape[0] // coarse, corners.shape[1] // coarse
    if not height or not width:
        return []
    fine = cv2.resize(corners, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    tile = max(1, round(a / coarse)), max(1, round(d / coarse))
    density = cv2.blur(fine, tile)
    block = BLOCK_PX // COARSE_PX
    blocks = size.blocks.repeat(block, 0).repeat(block, 1)[:height, :width]
    near = cv2.dilate(blocks, np.ones((2 * block + 1, 2 * block + 1), np.uint8))
    found = density[(blocks > 0) & (density > 0)]
    if not found.size:
        return []
    boxes: list[PixelBox] = []
    for share in (0.3, 0.65):
        dense = ((density >= share * np.quantile(found, 0.95)) & (near > 0)).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(dense)
        for x, y, w, h, _ in (COARSE_PX * stats[1:]).tolist():
            if w > 1.8 * step * a and h > 1.8 * step * d:
                boxes.append(PixelBox(x, y, x + w + step * a, y + h + step * d))
    return list(dict.fromkeys(boxes))

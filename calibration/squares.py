"""Where four crosses stand at the corners of a tile: parts of a frame worth fitting a lattice to.

Squares of crosses are counted for every size of tile, window by window of the frame, so that a
small board is not drowned by a busy desktop. Crosses are marked at half the frame's resolution,
64 of them in a word, which makes the count cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import Mask
from calibration.frame import PixelBox

STEP = 2
"""Pixels a step: crosses are counted at this resolution, and sizes of tiles are right to it."""
MIN_PITCH, MAX_PITCH = 11, 86
"""Sides of tiles looked for, in pixels."""
BLOCK = 64
"""Side of the blocks in which squares are counted, in steps: a word. Two by two are a window."""
COARSE = 4
"""Steps a pixel of the map in which regions are sought."""
STANDS_OUT = 3.0
"""A size counts where it has so many times the squares that sizes have there on average."""
MOST_SIZES = 16
"""Sizes of tiles tried on one frame."""

LEAST_SIDE = 2.6
"""Sides of a region over those of a tile, at least; on a board of 4x4 tiles it has 3."""


class Candidate(NamedTuple):
    """A part of the frame and the tile size that seems to be drawn there, right to `STEP`."""

    box: PixelBox
    across: float
    down: float


class _Size(NamedTuple):
    """A size of tile in steps, and the blocks in whose windows it stands out."""

    across: int
    down: int
    blocks: Mask


def candidates(crosses: Mask) -> Iterator[Candidate]:
    """Walk over the places where tiles of one size seem to lie, the likeliest first.

    That is where most squares are, and of a size and its multiples the size itself.

    ``crosses`` marks the crosses of a frame, 0 or 255, at its full resolution.
    """
    steps = np.asarray(
        cv2.dilate(crosses, np.ones((STEP, STEP), np.uint8))[::STEP, ::STEP], np.uint8
    )
    for size in _outstanding(*_count(steps)):
        for box in _regions(steps, size):
            yield Candidate(box, STEP * size.across, STEP * size.down)


def _count(crosses: Mask) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Count squares in each block, ``(block rows, block cols, across, down)``.

    The second array ``(across, down)`` says which sizes were tried: nearly square ones.
    """
    height, width = crosses.shape
    most = int(MAX_PITCH // STEP * 1.18) + 2
    tall, blocks_across = -(-height // BLOCK) * BLOCK, -(-width // BLOCK)
    bits = np.zeros((tall + most, (blocks_across + 1) * BLOCK // 8), np.uint8)
    packed = np.packbits(crosses, axis=1, bitorder="little")
    bits[:height, : packed.shape[1]] = packed
    words = bits.view("<u8").T
    marked = np.flatnonzero(words[:-1].any(axis=1))
    left, right = np.ascontiguousarray(words[marked]), np.ascontiguousarray(words[marked + 1])
    count = np.zeros((tall // BLOCK, blocks_across, MAX_PITCH // STEP + 1, most), np.float32)
    tried = np.zeros(count.shape[2:], np.bool_)
    first_rows = np.arange(0, tall, BLOCK)
    for across in range((MIN_PITCH + 1) // STEP, MAX_PITCH // STEP + 1):
        pairs = left & (left >> np.uint64(across) | right << np.uint64(64 - across))
        downs = slice(int(across * 0.85), int(across * 1.18) + 2)
        below = np.lib.stride_tricks.sliding_window_view(pairs, tall, axis=1)[:, downs]
        squares = np.bitwise_count(pairs[:, None, :tall] & below)
        by_block = np.add.reduceat(squares, first_rows, axis=2, dtype=np.uint16)
        count[:, marked, across, downs] = by_block.transpose(2, 0, 1)
        tried[across, downs] = True
    return count, tried


def _outstanding(count: NDArray[np.float32], tried: NDArray[np.bool_]) -> list[_Size]:
    """Pick the sizes that stand out in some window of two by two blocks."""
    padded = np.pad(count, ((0, 1), (0, 1), (0, 0), (0, 0)))
    count = padded[:-1, :-1] + padded[1:, :-1] + padded[:-1, 1:] + padded[1:, 1:]
    usual = np.median(count[:, :, tried], axis=2) + 4
    flat = np.ascontiguousarray(count.reshape(-1, count.shape[3]))
    highest = cv2.dilate(flat, np.ones((3, 3), np.uint8)).reshape(count.shape)
    peaks = (count == highest) & (count > STANDS_OUT * usual[:, :, None, None])
    places = np.argwhere(peaks)[np.argsort(-count[peaks], kind="stable")].tolist()
    total: dict[tuple[int, int], float] = {}
    blocks: dict[tuple[int, int], Mask] = {}
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, col, across, down in places:
        others = taken.setdefault((row, col), [])
        twin = any(max(abs(across - a), abs(down - d)) <= 1 for a, d in others)
        if twin or len(others) == 3:
            continue
        others.append((across, down))
        size = across, down
        total[size] = total.get(size, 0.0) + float(count[row, col, across, down])
        here = blocks.setdefault(size, np.zeros(count.shape[:2], np.uint8))
        here[row : row + 2, col : col + 2] = 1
    best = sorted(total, key=lambda size: -total[size])[:MOST_SIZES]
    best.sort(key=lambda size: -total[size] / size[0])
    return [_Size(*size, blocks[size]) for size in best]


def _regions(crosses: Mask, size: _Size) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side.

    On a board every stretch of one tile holds one corner of a square; that density tells it
    from text and noise, where squares come by chance. It is cut at two levels: open tiles
    have fainter crosses than hidden ones, and noise around a board joins it at the lower level.
    """
    a, d = size.across, size.down
    near = cv2.dilate(size.blocks, np.ones((3, 3), np.uint8))
    x, y, w, h = (BLOCK * value for value in cv2.boundingRect(near))
    part = crosses[y : y + h + d, x : x + w + a]
    pairs = part[:, :-a] & part[:, a:]
    corners = np.asarray(pairs[:-d] & pairs[d:], np.uint8)
    high, wide = corners.shape[0] // COARSE, corners.shape[1] // COARSE
    if not high or not wide:
        return []
    whole = corners[: high * COARSE, : wide * COARSE]
    fine = cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32)
    density = cv2.blur(fine, (-(-a // COARSE), -(-d // COARSE)))
    inner, outer = (
        _spread(mask[y // BLOCK :, x // BLOCK :], high, wide) for mask in (size.blocks, near)
    )
    found = density[inner & (density > 0)]
    if not found.size:
        return []
    usual = float(np.quantile(found, 0.95))
    boxes: list[PixelBox] = []
    for share in (0.3, 0.65):
        dense = ((density >= share * usual) & outer).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(dense)
        for left, top, across, down, _ in stats[1:].tolist():
            if across * COARSE > LEAST_SIDE * a and down * COARSE > LEAST_SIDE * d:
                x0, y0 = x + left * COARSE, y + top * COARSE
                x1, y1 = x0 + across * COARSE + a, y0 + down * COARSE + d
                boxes.append(PixelBox(*(STEP * edge for edge in (x0, y0, x1, y1))))
    return list(dict.fromkeys(boxes))


def _spread(blocks: Mask, high: int, wide: int) -> NDArray[np.bool_]:
    """Return a mask of blocks at the resolution of the regions' map."""
    side = BLOCK // COARSE
    return np.asarray(blocks.repeat(side, 0).repeat(side, 1)[:high, :wide] > 0)

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

Words = NDArray[np.uint64]
Count = NDArray[np.uint16]

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


class _Packed(NamedTuple):
    """Crosses in steps, 64 side by side in a word: ``(blocks across + 1, rows)``.

    Rows are filled up to whole blocks, with one more below, and words with one more column: a
    square that begins on the picture never leaves them.
    """

    words: Words
    shape: tuple[int, int]

    @classmethod
    def of(cls, crosses: Mask) -> _Packed:
        """Pack a mask of steps."""
        height, width = crosses.shape
        tall, wide = -(-height // BLOCK) + 1, -(-width // BLOCK) + 1
        bits = np.zeros((tall * BLOCK, wide * BLOCK // 8), np.uint8)
        packed = np.packbits(crosses, axis=1, bitorder="little")
        bits[:height, : packed.shape[1]] = packed
        return cls(np.ascontiguousarray(bits.view("<u8").T), (height, width))


def candidates(crosses: Mask) -> Iterator[Candidate]:
    """Walk over the places where tiles of one size seem to lie, the likeliest first.

    That is where most squares are, and of a size and its multiples the size itself.

    ``crosses`` marks the crosses of a frame, not 0, at its full resolution.
    """
    steps = np.asarray(
        cv2.dilate(crosses, np.ones((STEP, STEP), np.uint8))[::STEP, ::STEP], np.uint8
    )
    packed = _Packed.of(steps)
    for size in _outstanding(*_count(packed)):
        for box in _regions(packed, size):
            yield Candidate(box, STEP * size.across, STEP * size.down)


def _count(crosses: _Packed) -> tuple[Count, NDArray[np.bool_]]:
    """Count squares in each block, ``(block rows + 1, block cols + 1, across, down)``.

    The last blocks and the last sizes are empty. The second array ``(across, down)`` says which
    sizes were tried: nearly square ones. Few words hold two crosses side by side, even on a busy
    screen: only those are looked at.
    """
    columns, rows = crosses.words.shape[0], crosses.words.shape[1]
    sizes = MAX_PITCH // STEP + 2, int(MAX_PITCH // STEP * 1.18) + 3
    count = np.zeros((columns * rows // BLOCK, *sizes), np.uint16)
    tried = np.zeros(sizes, np.bool_)
    marked = np.flatnonzero(crosses.words[:-1])
    here, beside = crosses.words.ravel()[marked], crosses.words[1:].ravel()[marked]
    pairs = np.zeros(crosses.words.size, np.uint64)
    for across in range((MIN_PITCH + 1) // STEP, MAX_PITCH // STEP + 1):
        downs = np.arange(int(across * 0.85), int(across * 1.18) + 2)
        tried[across, downs] = True
        pairs[marked] = _pairs(here, beside, across)
        places = marked[pairs[marked] > 0]
        if places.size:
            squares = np.bitwise_count(pairs[places, None] & pairs[places[:, None] + downs])
            blocks, first = np.unique(places // BLOCK, return_index=True)
            count[blocks[:, None], across, downs] = np.add.reduceat(
                squares, first, axis=0, dtype=np.uint16
            )
    return count.reshape(columns, rows // BLOCK, *sizes).swapaxes(0, 1), tried


def _pairs(words: Words, beside: Words, across: int) -> Words:
    """Mark the crosses that have another one ``across`` steps to their right."""
    shifted = words >> np.uint64(across) | beside << np.uint64(BLOCK - across)
    return np.asarray(words & shifted)


def _outstanding(count: Count, tried: NDArray[np.bool_]) -> list[_Size]:
    """Pick the sizes that stand out in some window of two by two blocks."""
    upper = count[:-1] + count[1:]
    windows = upper[:, :-1] + upper[:, 1:]
    usual = np.median(windows[:, :, tried], axis=2) + 4
    at = np.nonzero(windows > (STANDS_OUT * usual)[:, :, None, None])
    squares = windows[at]
    higher = [
        windows[at[0], at[1], at[2] + i, at[3] + j]
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if i or j
    ]
    peaks = np.flatnonzero(squares >= np.max(higher, axis=0))
    peaks = peaks[np.argsort(-squares[peaks].astype(np.int32), kind="stable")]
    places = np.transpose(at)[peaks].tolist()
    total: dict[tuple[int, int], int] = {}
    blocks: dict[tuple[int, int], Mask] = {}
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, col, across, down in places:
        others = taken.setdefault((row, col), [])
        twin = any(max(abs(across - a), abs(down - d)) <= 1 for a, d in others)
        if twin or len(others) == 3:
            continue
        others.append((across, down))
        size = across, down
        total[size] = total.get(size, 0) + int(windows[row, col, across, down])
        here = blocks.setdefault(size, np.zeros(usual.shape, np.uint8))
        here[row : row + 2, col : col + 2] = 1
    best = sorted(total, key=lambda size: -total[size])[:MOST_SIZES]
    best.sort(key=lambda size: -total[size] / size[0])
    return [_Size(*size, blocks[size]) for size in best]


def _regions(crosses: _Packed, size: _Size) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side.

    On a board every stretch of one tile holds one corner of a square; that density tells it
    from text and noise, where squares come by chance. It is cut at two levels: open tiles
    have fainter crosses than hidden ones, and noise around a board joins it at the lower level.
    """
    a, d = size.across, size.down
    near = cv2.dilate(size.blocks, np.ones((3, 3), np.uint8))
    left, top, wide, high = cv2.boundingRect(near)
    x, y = left * BLOCK, top * BLOCK
    fine = _corners(crosses, size, PixelBox(left, top, left + wide, top + high))
    if not fine.size:
        return []
    density = cv2.blur(fine, (-(-a // COARSE), -(-d // COARSE)))
    inner, outer = (_spread(mask[top:, left:], *fine.shape) for mask in (size.blocks, near))
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


def _corners(crosses: _Packed, size: _Size, blocks: PixelBox) -> NDArray[np.float32]:
    """Map how dense the upper left corners of squares are in a rectangle of blocks."""
    rows = slice(blocks.y0 * BLOCK, (blocks.y1 + 1) * BLOCK)
    words = crosses.words[blocks.x0 : blocks.x1 + 1, rows]
    pairs = _pairs(words[:-1], words[1:], size.across)
    squares = pairs[:, :-BLOCK] & pairs[:, size.down : size.down - BLOCK]
    bits = np.unpackbits(np.ascontiguousarray(squares.T).view(np.uint8), axis=1, bitorder="little")
    # Squares whose lower right corner would lie beyond the picture cannot be.
    high = (min(blocks.y1 * BLOCK, crosses.shape[0] - size.down) - rows.start) // COARSE
    wide = (min(blocks.x1 * BLOCK, crosses.shape[1] - size.across) - blocks.x0 * BLOCK) // COARSE
    if high < 1 or wide < 1:
        return np.zeros((0, 0), np.float32)
    whole = bits[: high * COARSE, : wide * COARSE] * np.uint8(255)
    return cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32)


def _spread(blocks: Mask, high: int, wide: int) -> NDArray[np.bool_]:
    """Return a mask of blocks at the resolution of the regions' map."""
    side = BLOCK // COARSE
    return np.asarray(blocks.repeat(side, 0).repeat(side, 1)[:high, :wide] > 0)

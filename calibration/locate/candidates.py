"""Where four crosses stand at the corners of a tile: parts of a frame worth fitting a lattice to.

Squares of crosses are counted for every size of tile, window by window of the frame, so that a
small board is not drowned by a busy desktop. Crosses are marked at half the frame's resolution,
64 of them in a word, which makes the count cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bits import WORD, Bits, Words
from calibration.comb import Mask
from calibration.frame import PixelBox

STEP = 2
"""Pixels a step: crosses are counted at this resolution, and sizes of tiles are right to it."""
MIN_PITCH, MAX_PITCH = 11, 86
"""Sides of tiles looked for, in pixels."""

BLOCK = WORD
"""Side of the blocks in which squares are counted, in steps: a word. Two by two are a window."""
ALL = (1 << BLOCK) - 1
"""A word with every bit set."""
COARSE = 4
"""Steps a pixel of the map in which regions are sought."""
STANDS_OUT = 3.0
"""A size counts where it has so many times the squares that sizes have there on average."""
MOST_SIZES = 16
"""Sizes of tiles tried on one frame."""

LEAST_SIDE = 2.6
"""Sides of a region over those of a tile, at least; on a board of 4x4 tiles it has 3."""
BLOT_PX = 6
"""How far a cross may be marked from where its lines meet."""
FEWEST_SQUARES = 9
"""Squares that the smallest region has at least."""


class Candidate(NamedTuple):
    """A part of the frame and the tile size that seems to be drawn there, right to `STEP`."""

    box: PixelBox
    across: float
    down: float


def _sizes() -> Iterator[tuple[int, int]]:
    """List the sizes of tiles looked for, across and down in steps: nearly square ones."""
    for across in range((MIN_PITCH + 1) // STEP, MAX_PITCH // STEP + 1):
        for down in range(int(across * 0.85), int(across * 1.18) + 2):
            yield across, down


SIZES = tuple(_sizes())


def _alike() -> NDArray[np.intp]:
    """Return for each of `SIZES` the nine that differ by a step at most; itself where one lacks."""
    place = {size: index for index, size in enumerate(SIZES)}
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return np.array(
        [[place.get((a + i, d + j), place[a, d]) for i, j in steps] for a, d in SIZES], np.intp
    )


_ALIKE = _alike()


class _Size(NamedTuple):
    """A size of tile in steps, and the blocks in whose windows it stands out."""

    across: int
    down: int
    blocks: Mask


class Crosses(NamedTuple):
    """Crosses in steps, 64 side by side in a word: ``(blocks across + 1, rows)``.

    Rows are filled up to whole blocks, with one more below, and words with one more column: a
    square that begins on the picture never leaves them. ``beside`` marks, bit by bit, all that
    lies beside the boards found so far.
    """

    words: Words
    beside: Words
    shape: tuple[int, int]

    @classmethod
    def of(cls, crosses: Bits) -> Crosses:
        """Bring a mask of the frame's size to steps."""
        steps = crosses.halved()
        height, columns = len(steps.words), -(-steps.width // BLOCK) + 1
        words = np.zeros((columns, (-(-height // BLOCK) + 1) * BLOCK), np.uint64)
        words[:, :height] = steps.words[:, :columns].T
        return cls(words, np.full_like(words, ALL), (height, steps.width))

    def explain(self, box: PixelBox) -> None:
        """Take note that the lines in a box are those of a board that is found."""
        x0, y0 = max(0, box.x0 - BLOT_PX) // STEP, max(0, box.y0 - BLOT_PX) // STEP
        x1, y1 = (box.x1 + BLOT_PX) // STEP, (box.y1 + BLOT_PX) // STEP
        for column in range(x0 // BLOCK, min(x1 // BLOCK + 1, len(self.beside))):
            first = BLOCK * column
            low, high = max(x0 - first, 0), min(x1 + 1 - first, BLOCK)
            self.beside[column, y0 : y1 + 1] &= np.uint64(ALL ^ (1 << high) - (1 << low))


def candidates(crosses: Crosses) -> Iterator[Candidate]:
    """Walk over the places where tiles of one size seem to lie, the likeliest first.

    That is where most squares are, and of a size and its multiples the size itself. A size with
    squares only where boards found meanwhile explain them is passed over: such are the multiples
    of a board's own size, and those a pixel off.
    """
    for size in _outstanding(_count(crosses)):
        for box in _regions(crosses, size):
            yield Candidate(box, STEP * size.across, STEP * size.down)


def _count(crosses: Crosses) -> NDArray[np.uint16]:
    """Count squares of each of `SIZES` in each block, ``(block rows + 1, block cols + 1, size)``.

    The last blocks are empty. Few words hold two crosses side by side, even on a busy screen:
    only those are looked at.
    """
    columns, rows = crosses.words.shape
    count = np.zeros((columns * rows // BLOCK, len(SIZES)), np.uint16)
    marked = np.flatnonzero(crosses.words[:-1])
    here, beside = crosses.words.ravel()[marked], crosses.words[1:].ravel()[marked]
    pairs = np.zeros(crosses.words.size, np.uint64)
    done = 0
    for across, sizes in groupby(SIZES, key=itemgetter(0)):
        downs = np.array([down for _, down in sizes])
        pairs[marked] = _pairs(here, beside, across)
        places = marked[pairs[marked] > 0]
        if places.size:
            squares = np.bitwise_count(pairs[places, None] & pairs[places[:, None] + downs])
            blocks = places // BLOCK
            first = np.flatnonzero(np.append(True, blocks[1:] != blocks[:-1]))
            count[blocks[first], done : done + downs.size] = np.add.reduceat(
                squares, first, axis=0, dtype=np.uint16
            )
        done += downs.size
    return count.reshape(columns, rows // BLOCK, len(SIZES)).swapaxes(0, 1)


def _pairs(words: Words, beside: Words, across: int) -> Words:
    """Mark the crosses that have another one ``across`` steps to their right."""
    shifted = words >> np.uint64(across) | beside << np.uint64(BLOCK - across)
    return np.asarray(words & shifted)


def _outstanding(count: NDArray[np.uint16]) -> list[_Size]:
    """Pick the sizes that stand out in some window of two by two blocks."""
    upper = count[:-1] + count[1:]
    windows = upper[:, :-1] + upper[:, 1:]
    usual = np.median(windows, axis=2) + 4
    row, col, size = np.nonzero(windows > (STANDS_OUT * usual)[:, :, None])
    squares = windows[row, col, size]
    alike = windows[row[:, None], col[:, None], _ALIKE[size]]
    peaks = np.flatnonzero(squares == alike.max(axis=1))
    peaks = peaks[np.argsort(-squares[peaks].astype(np.int32), kind="stable")]
    total: dict[int, int] = {}
    blocks: dict[int, Mask] = {}
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for y, x, index, held in np.stack([row, col, size, squares], axis=1)[peaks].tolist():
        others = taken.setdefault((y, x), [])
        across, down = SIZES[index]
        twin = any(max(abs(across - a), abs(down - d)) <= 1 for a, d in others)
        if twin or len(others) == 3:
            continue
        others.append((across, down))
        total[index] = total.get(index, 0) + held
        blocks.setdefault(index, np.zeros(usual.shape, np.uint8))[y : y + 2, x : x + 2] = 1
    best = sorted(total, key=lambda index: -total[index])[:MOST_SIZES]
    best.sort(key=lambda index: -total[index] / SIZES[index][0])
    return [_Size(*SIZES[index], blocks[index]) for index in best]


def _regions(crosses: Crosses, size: _Size) -> list[PixelBox]:
    """Box the parts of the frame where squares of crosses of this size lie side by side.

    On a board every stretch of one tile holds one corner of a square; that density tells it
    from text and noise, where squares come by chance. It is cut at two levels: open tiles
    have fainter crosses than hidden ones, and noise around a board joins it at the lower level.
    """
    a, d = size.across, size.down
    near = cv2.dilate(size.blocks, np.ones((3, 3), np.uint8))
    left, top, wide, high = cv2.boundingRect(near)
    x, y = left * BLOCK, top * BLOCK
    blocks = PixelBox(left, top, left + wide, top + high)
    squares, beside = _squares(crosses, size, blocks)
    if beside < FEWEST_SQUARES:
        return []
    fine = _corners(crosses, size, blocks, squares)
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
        parts = stats[1:, :4]
        large = (parts[:, 2:] * COARSE > (LEAST_SIDE * a, LEAST_SIDE * d)).all(axis=1)
        for left, top, across, down in (parts[large] * COARSE).tolist():
            x0, y0 = x + left, y + top
            x1, y1 = x0 + across + a, y0 + down + d
            boxes.append(PixelBox(*(STEP * edge for edge in (x0, y0, x1, y1))))
    return list(dict.fromkeys(boxes))


def _squares(crosses: Crosses, size: _Size, blocks: PixelBox) -> tuple[Words, int]:
    """Mark the upper left corners of squares in some blocks, and count those not explained."""
    columns = slice(blocks.x0, blocks.x1 + 1)
    rows = slice(blocks.y0 * BLOCK, (blocks.y1 + 1) * BLOCK)
    words, beside = crosses.words[columns, rows], crosses.beside[columns, rows]
    pairs = _pairs(words[:-1], words[1:], size.across)
    squares = np.asarray(pairs[:, :-BLOCK] & pairs[:, size.down : size.down - BLOCK])
    return squares, int(np.bitwise_count(squares & beside[:-1, :-BLOCK]).sum())


def _corners(
    crosses: Crosses, size: _Size, blocks: PixelBox, squares: Words
) -> NDArray[np.float32]:
    """Map how dense the upper left corners of squares are in a rectangle of blocks."""
    bits = np.unpackbits(np.ascontiguousarray(squares.T).view(np.uint8), axis=1, bitorder="little")
    # Squares whose lower right corner would lie beyond the picture cannot be.
    high = (min(blocks.y1 * BLOCK, crosses.shape[0] - size.down) - blocks.y0 * BLOCK) // COARSE
    wide = (min(blocks.x1 * BLOCK, crosses.shape[1] - size.across) - blocks.x0 * BLOCK) // COARSE
    if high < 1 or wide < 1:
        return np.zeros((0, 0), np.float32)
    whole = bits[: high * COARSE, : wide * COARSE] * np.uint8(255)
    return cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32)


def _spread(blocks: Mask, high: int, wide: int) -> NDArray[np.bool_]:
    """Return a mask of blocks at the resolution of the regions' map."""
    side = BLOCK // COARSE
    return np.asarray(blocks.repeat(side, 0).repeat(side, 1)[:high, :wide] > 0)

"""Masks with 64 pixels in a word, to grow and shrink them in a quarter of the time arrays take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.comb import Mask

WORD = 64

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Bits:
    """A mask, packed: pixel ``x`` of a row is bit ``x % 64`` of its word ``x // 64``.

    ``words`` is ``(height, words)``, little-endian; each row ends in an empty word at least,
    which keeps what moves out of one row from the next. ``inside`` marks the pixels of a row.
    """

    words: Words
    width: int
    inside: Words

    @classmethod
    def empty(cls, height: int, width: int) -> Bits:
        """Make a mask of nothing."""
        words = np.zeros((height, width // WORD + 2), "<u8")
        return cls(words, width, _packed(np.ones((1, width), np.bool_), words.shape[1])[0])

    @classmethod
    def of(cls, mask: Mask) -> Bits:
        """Pack a mask ``(height, width)``, not 0 where it is set."""
        bits = cls.empty(*mask.shape)
        bits.fill(0, mask)
        return bits

    def fill(self, top: int, mask: Mask) -> None:
        """Set the rows from ``top`` on to those of a mask."""
        self.words[top : top + len(mask)] = _packed(mask, self.words.shape[1])

    def mask(self) -> NDArray[np.uint8]:
        """Unpack it: uint8 0 or 1, ``(height, width)``."""
        return np.unpackbits(self.words.view(np.uint8), axis=1, bitorder="little", count=self.width)

    def __and__(self, other: Bits) -> Bits:
        """Return what is set in both."""
        return self._with(self.words & other.words)

    def grown(self, y: int, x: int) -> Bits:
        """Return it with all set that lies up to ``y`` rows and ``x`` columns from what is set."""
        words = _spread(_spread(self.words, y, _moved_down), x, _moved_right)
        return self._with(words & self.inside if x else words)

    def shrunk(self, y: int, x: int) -> Bits:
        """Return it without all that lies so near to what is not set; beyond the mask all is."""
        return self._inverted().grown(y, x)._inverted()

    def _inverted(self) -> Bits:
        return self._with(self.words ^ self.inside)

    def _with(self, words: Words) -> Bits:
        return Bits(words, self.width, self.inside)

    def halved(self) -> Bits:
        """Return it at half the size: set where a pixel at twice the place, or before it, is.

        An odd column more is left out.
        """
        near = self.words | _moved_down(self.words, 1)
        near = near[::2] | _moved_right(near[::2], 1)
        half = Bits.empty(len(near), self.width // 2)
        low, high = (_even_bits(near[:, start::2]) for start in (0, 1))
        half.words[:, : low.shape[1]] = low
        half.words[:, : high.shape[1]] |= high << np.uint64(WORD // 2)
        return half._with(half.words & half.inside)


def _packed(mask: Mask, words: int) -> Words:
    """Pack rows of pixels into rows of so many words."""
    packed = np.packbits(mask, axis=1, bitorder="little")
    filled = np.zeros((len(mask), words * (WORD // 8)), np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view("<u8")


def _spread(words: Words, reach: int, moved: Callable[[Words, int], Words]) -> Words:
    """Spread what is set along one axis, each time as far as leaves no gap, at the rim neither."""
    done = 0
    while done < reach:
        step = min(reach - done, done + 1)
        words = words | moved(words, step) | moved(words, -step)
        done += step
    return words


def _moved_right(words: Words, pixels: int) -> Words:
    """Move all rows by less than a word; what leaves one goes to its empty word or is lost."""
    flat, out = words.ravel(), np.empty_like(words)
    by, rest = np.uint64(abs(pixels)), np.uint64(WORD - abs(pixels))
    moved = out.ravel()
    if pixels > 0:
        np.left_shift(flat, by, out=moved)
        moved[1:] |= flat[:-1] >> rest
    else:
        np.right_shift(flat, by, out=moved)
        moved[:-1] |= flat[1:] << rest
    return out


def _moved_down(words: Words, rows: int) -> Words:
    out = np.zeros_like(words)
    if rows > 0:
        out[rows:] = words[:-rows]
    else:
        out[:rows] = words[-rows:]
    return out


def _even_bits(words: Words) -> Words:
    """Bring bits 0, 2, 4, ... together in the lower half."""
    words = words & np.uint64(0x5555555555555555)
    for shift, keep in (
        (1, 0x3333333333333333),
        (2, 0x0F0F0F0F0F0F0F0F),
        (4, 0x00FF00FF00FF00FF),
        (8, 0x0000FFFF0000FFFF),
        (16, 0x00000000FFFFFFFF),
    ):
        words = (words | words >> np.uint64(shift)) & np.uint64(keep)
    return words

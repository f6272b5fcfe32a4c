"""Read counters written as text: ``22/99``, ``Mines: 10/10``, ``Marked: 4 / 40``.

A counter is a slash between two numbers, in any small anti-aliased font, dark on light or light
on dark. Digits are compared by shape with reference glyphs (`digits`); a counter
with one doubtful digit is not read at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.glyphs import normal_form
from calibration.indicators.counter_digits import match_digits
from calibration.points import PixelBox

LEAST_TEXT_PX, MOST_TEXT_PX = 6, 40
INK_CONTRAST = 36
"""Least difference between ink and the background around it, in grey levels."""

LEAST_LIKENESS = 0.72
"""Least correlation of a digit with its reference glyph."""

LEAST_MARGIN = 0.05
"""Least margin of the best digit over the next one."""


@dataclass(frozen=True)
class Fraction:
    """Two numbers with a slash between them; ``box`` holds the whole text."""

    flags: int
    total: int
    box: PixelBox


@dataclass(frozen=True)
class _Glyph:
    """One connected piece of ink: its box, and the contrast of its pixels to the background."""

    box: PixelBox
    ink: NDArray[np.float32]

    @property
    def height(self) -> int:
        return self.box.y1 - self.box.y0

    @property
    def width(self) -> int:
        return self.box.x1 - self.box.x0


class _Glyphs:
    """The glyphs in a picture; the pixels of one are cut out when it is asked for."""

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
        background = cv2.medianBlur(cv2.resize(grey, None, fx=0.25, fy=0.25), 9)
        background = cv2.resize(
            background, (grey.shape[1], grey.shape[0]), interpolation=cv2.INTER_LINEAR
        )
        self._contrast = cv2.absdiff(grey, background)
        # A threshold of half the strongest ink nearby separates letters joined by anti-aliasing.
        half = cv2.dilate(self._contrast, np.ones((9, 9), np.uint8)) // 2
        least = np.maximum(half, INK_CONTRAST).astype(np.uint8)
        mask = cv2.compare(self._contrast, least, cv2.CMP_GE)
        _, self._labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        fits = (
            (stats[:, cv2.CC_STAT_HEIGHT] >= LEAST_TEXT_PX)
            & (stats[:, cv2.CC_STAT_HEIGHT] <= MOST_TEXT_PX)
            & (stats[:, cv2.CC_STAT_WIDTH] <= 2 * MOST_TEXT_PX)
        )
        fits[0] = False
        self._labels_of_glyphs = np.flatnonzero(fits)
        self._stats = stats[self._labels_of_glyphs]

    def slashes(self) -> list[_Glyph]:
        """Return the glyphs that are one thin stroke rising to the right."""
        width, height = self._stats[:, cv2.CC_STAT_WIDTH], self._stats[:, cv2.CC_STAT_HEIGHT]
        area = self._stats[:, cv2.CC_STAT_AREA]
        slanted = (width >= 3) & (height >= 1.4 * width) & (height <= 4.5 * width)
        thin = area <= 0.6 * width * height
        glyphs = (self._glyph(index) for index in np.flatnonzero(slanted & thin).tolist())
        return [glyph for glyph in glyphs if _is_slash(glyph)]

    def beside(self, slash: _Glyph) -> list[_Glyph]:
        """Return the glyphs beside a slash that are as tall as a digit, from left to right."""
        top, height = self._stats[:, cv2.CC_STAT_TOP], self._stats[:, cv2.CC_STAT_HEIGHT]
        fits = (height >= 0.6 * slash.height) & (height <= 1.15 * slash.height)
        fits &= (top >= slash.box.y0 - 2) & (top + height <= slash.box.y1 + 2)
        glyphs = [self._glyph(index) for index in np.flatnonzero(fits).tolist()]
        return sorted((g for g in glyphs if g.box != slash.box), key=lambda g: g.box.x0)

    def _glyph(self, index: int) -> _Glyph:
        x, y, w, h = (int(value) for value in self._stats[index, :4])
        # Faint pixels of no other glyph belong to this one: anti-aliasing.
        part = self._labels[y : y + h, x : x + w]
        own = (part == self._labels_of_glyphs[index]) | (part == 0)
        ink = np.where(own, self._contrast[y : y + h, x : x + w], 0).astype(np.float32)
        return _Glyph(PixelBox(x, y, x + w, y + h), ink)


def find_fractions(pixels: NDArray[np.uint8]) -> list[Fraction]:
    """Find every ``a/b`` in RGB pixels ``(height, width, 3)``, from left to right."""
    glyphs = _Glyphs(pixels)
    fractions = (_fraction_around(slash, glyphs.beside(slash)) for slash in glyphs.slashes())
    return sorted((f for f in fractions if f is not None), key=lambda fraction: fraction.box)


def _is_slash(glyph: _Glyph) -> bool:
    rows, cols = np.nonzero(glyph.ink > 0.4 * glyph.ink.max())
    if len(rows) > 0.5 * glyph.ink.size:
        return False
    down, right = rows - rows.mean(), cols - cols.mean()
    return float(down @ right) < -0.8 * float(np.sqrt((down @ down) * (right @ right)))


def _fraction_around(slash: _Glyph, line: list[_Glyph]) -> Fraction | None:
    """Read the numbers on both sides of a slash among the glyphs of its line."""
    left = _digits(slash, [g for g in line[::-1] if g.box.x1 <= slash.box.x0 + 2])
    right = _digits(slash, [g for g in line if g.box.x0 >= slash.box.x1 - 2])
    if not left or not right:
        return None
    flags, total = _number(list(reversed(left))), _number(right)
    if flags is None or total is None:
        return None
    boxes = [glyph.box for glyph in (*left, slash, *right)]
    return Fraction(
        flags,
        total,
        PixelBox(
            min(box.x0 for box in boxes),
            min(box.y0 for box in boxes),
            max(box.x1 for box in boxes),
            max(box.y1 for box in boxes),
        ),
    )


def _digits(slash: _Glyph, outwards: list[_Glyph]) -> list[_Glyph]:
    """Return the digits from the slash outwards to a space; none if one has another height."""
    chain: list[_Glyph] = []
    edge, reach = slash.box, 0.75 * slash.height
    for glyph in outwards:
        gap = max(glyph.box.x0 - edge.x1, edge.x0 - glyph.box.x1)
        if gap > reach:
            break
        if chain and abs(glyph.height - chain[0].height) > 1:
            return []
        chain.extend(_split(glyph) if glyph.box.x0 > slash.box.x0 else reversed(_split(glyph)))
        edge, reach = glyph.box, 0.45 * slash.height
    return chain


def _split(glyph: _Glyph) -> list[_Glyph]:
    """Split two digits that touch, at the column with the least ink."""
    if glyph.width <= 0.95 * glyph.height:
        return [glyph]
    column = glyph.ink.sum(axis=0)
    third = glyph.width // 3
    cut = third + int(column[third : glyph.width - third].argmin())
    x0, y0, x1, y1 = glyph.box
    return [
        _Glyph(PixelBox(x0, y0, x0 + cut, y1), glyph.ink[:, :cut]),
        _Glyph(PixelBox(x0 + cut, y0, x1, y1), glyph.ink[:, cut:]),
    ]


def _number(digits: list[_Glyph]) -> int | None:
    """Read a number from its digits, left to right; None if one is in doubt."""
    if len(digits) > 4:
        return None
    forms = [normal_form(glyph.ink) for glyph in digits]
    if any(form is None for form in forms):
        return None
    likeness = match_digits(np.stack([form for form in forms if form is not None]))
    second, best = np.sort(likeness, axis=1)[:, -2:].T
    if (best < LEAST_LIKENESS).any() or (best - second < LEAST_MARGIN).any():
        return None
    return int("".join(map(str, likeness.argmax(axis=1))))

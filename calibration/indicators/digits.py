"""Read numbers beside a board: fractions written as text, and seven-segment displays.

A fraction is a slash between two numbers (``22/99``, ``Mines: 10/10``) in any small anti-aliased
font, dark on light or light on dark. Its digits are compared with reference glyphs by shape; a
fraction with one doubtful digit is not read at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise, product
from math import ceil
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.glyphs import FORM_SIDE, normal_form
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
    """The glyphs in a picture; the pixels of each are cut out on demand."""

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
    """Return the digits from the slash outwards up to a space; none if one has another height."""
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
    """Read a number from its digits, left to right; None if a digit is doubtful."""
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


# ---- which digit a glyph of text shows, whatever its font ----------------------------------------
# Glyphs are correlated with reference glyphs, drawn by strokes of a pen in a box 60 wide and 100
# high, y down. They are our own; a few strokes a digit, in several weights and widths, cover most
# fonts. No font file is needed.

Stroke = list[tuple[float, float]]
"""The points of one line of the pen."""


def arc(
    cx: float, cy: float, rx: float, ry: float, start: float = 0.0, end: float = 360.0
) -> Stroke:
    """Return points of an ellipse; degrees count clockwise from the right."""
    angles = np.radians(np.linspace(start, end, 25))
    return [
        (float(x), float(y))
        for x, y in zip(cx + rx * np.cos(angles), cy + ry * np.sin(angles), strict=True)
    ]


def _line(*points: tuple[float, float]) -> Stroke:
    return list(points)


PEN_STROKES: dict[int, tuple[list[Stroke], ...]] = {
    0: (
        [arc(30, 50, 25, 45)],
        [arc(30, 50, 22, 45)],
        [arc(30, 50, 25, 45), [(15, 80), (45, 20)]],  # slashed, to differ from an O
        [arc(30, 50, 25, 45), [(30, 45), (30, 55)]],
    ),
    1: (
        [_line((12, 24), (36, 5), (36, 95))],
        [_line((12, 24), (34, 5), (34, 95)), _line((8, 95), (58, 95))],
        [_line((18, 14), (34, 5), (34, 95)), _line((14, 95), (54, 95))],
        [_line((30, 5), (30, 95))],
        [_line((12, 8), (32, 8), (32, 95)), _line((6, 95), (58, 95))],
        [_line((14, 8), (30, 5), (30, 95)), _line((14, 95), (46, 95))],
    ),
    2: (
        [arc(30, 30, 25, 25, 185, 400) + _line((6, 95), (56, 95))],
        [arc(29, 29, 22, 24, 200, 420) + _line((6, 93), (56, 95))],
        [arc(30, 30, 25, 25, 180, 380) + _line((40, 60), (8, 88), (6, 95), (56, 95))],
        [_line((5, 5), (55, 5), (55, 50), (5, 50), (5, 95), (55, 95))],
    ),
    3: (
        [arc(28, 27, 22, 22, 205, 450), arc(28, 72, 26, 23, 270, 515)],
        [arc(27, 28, 25, 23, 220, 440), arc(27, 71, 27, 24, 280, 500)],
        [_line((6, 5), (54, 5), (28, 40)) + arc(28, 68, 26, 27, 275, 510)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95)), _line((12, 50), (55, 50))],
    ),
    4: (
        [_line((42, 95), (42, 5), (4, 70), (58, 70))],
        [_line((42, 95), (42, 5), (36, 5), (4, 62), (4, 72), (58, 72))],
        [_line((42, 95), (42, 5), (4, 70), (58, 70)), _line((26, 95), (56, 95))],
        [_line((52, 95), (52, 5), (4, 64), (52, 64))],
        [_line((10, 5), (6, 58), (58, 58)), _line((44, 30), (44, 95))],
        [_line((5, 5), (5, 50), (55, 50)), _line((55, 5), (55, 95))],
        [_line((5, 5), (5, 62), (55, 62)), _line((52, 5), (52, 95))],
    ),
    5: (
        [_line((52, 5), (12, 5), (9, 46)) + arc(29, 66, 27, 28, 225, 505)],
        [_line((52, 5), (10, 5), (10, 44)) + arc(27, 67, 28, 27, 245, 490)],
        [_line((50, 5), (14, 5), (8, 50)) + arc(28, 66, 26, 27, 215, 520)],
        [_line((55, 5), (5, 5), (5, 48), (55, 48), (55, 95), (5, 95))],
    ),
    6: (
        [arc(30, 67, 25, 27), arc(47, 60, 42, 55, 170, 272)],
        [arc(30, 68, 25, 26), arc(32, 50, 27, 45, 150, 310)],
        [arc(30, 66, 25, 28), _line((42, 5), (12, 50))],
        [arc(30, 66, 26, 28), arc(50, 64, 46, 59, 180, 265)],
        [_line((52, 5), (5, 5), (5, 95), (55, 95), (55, 48), (5, 48))],
        [_line((5, 5), (5, 95), (55, 95), (55, 50), (5, 50))],
    ),
    7: (
        [_line((5, 5), (55, 5), (22, 95))],
        [_line((5, 22), (5, 5), (55, 5), (24, 95))],
        [_line((5, 5), (55, 5)) + arc(70, 95, 44, 76, 245, 180)],
        [_line((5, 5), (55, 5), (55, 20), (28, 60), (28, 95))],
        [_line((5, 5), (55, 5), (55, 95))],
    ),
    8: (
        [arc(30, 27, 21, 22), arc(30, 72, 25, 23)],
        [arc(30, 27, 24, 22), arc(30, 72, 26, 23)],
        [_line((5, 5), (55, 5), (55, 95), (5, 95), (5, 5)), _line((5, 50), (55, 50))],
    ),
}
PEN_STROKES[9] = tuple(
    [[(60 - x, 100 - y) for x, y in line] for line in six] for six in PEN_STROKES[6][:4]
)

PEN_WIDTHS, BOX_WIDTHS = (7, 12, 17), (0.85, 1.0, 1.15)
"""The widths of the pen, and the factors for the width of the box, in which references are drawn.
"""


def match_digits(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Correlate normal forms ``(n, FORM_SIDE, FORM_SIDE)`` with the reference glyphs.

    Returns ``(n, 10)``: the best correlation with each digit.
    """
    references, digits = _references()
    correlation = features(forms) @ references.T
    return np.stack([correlation[:, digits == digit].max(axis=1) for digit in range(10)], axis=1)


@cache
def _references() -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Draw the reference glyphs: their features, a row each, and their digits."""
    drawn = [
        (digit, normal_form(draw(strokes, weight, width)))
        for digit, ways in PEN_STROKES.items()
        for strokes, weight, width in product(ways, PEN_WIDTHS, BOX_WIDTHS)
    ]
    forms = np.stack([form for _, form in drawn if form is not None])
    return features(forms), np.array([digit for digit, form in drawn if form is not None])


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring each row to mean 0 and length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(length, 1e-6), dtype=np.float32)


def features(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Describe normal forms ``(n, FORM_SIDE, FORM_SIDE)`` by their ink and its edges.

    The first part is the blurred ink. The second part is the strength of edges in eight directions,
    pooled over 5 by 5 pixels (as in histograms of oriented gradients, Dalal and Triggs 2005). Both
    parts have the same weight in a scalar product. Float32, one row a form.
    """
    count = len(forms)
    padded = np.pad(forms, ((0, 0), (2, 2), (2, 2))).reshape(-1, FORM_SIDE + 4)
    blurred = np.asarray(cv2.GaussianBlur(padded, (0, 0), 0.8), dtype=np.float32)
    across = cv2.Sobel(blurred, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(blurred, cv2.CV_32F, 0, 1)
    strength, angle = cv2.cartToPolar(across, down)
    sector = angle * (8 / (2 * np.pi))
    planes = []
    for direction in range(8):
        off = np.abs((sector - direction + 4) % 8 - 4)
        plane = cv2.blur(strength * np.clip(1 - off, 0, 1), (5, 5))
        planes.append(
            plane.reshape(count, FORM_SIDE + 4, FORM_SIDE + 4)[:, 2::4, 2::4].reshape(count, -1)
        )
    ink = blurred.reshape(count, FORM_SIDE + 4, FORM_SIDE + 4)[:, 2:-2:1, 2:-2:1].reshape(count, -1)
    return np.hstack([_unit(ink), _unit(np.hstack(planes))]) / np.float32(np.sqrt(2))


def draw(strokes: list[Stroke], weight: float, width: float) -> NDArray[np.float32]:
    """Draw strokes at half size, float32 ``(72, 72)``, 0..1.

    A heavy pen is moved inwards, so that the box keeps its size. ``weight`` is the width of the
    pen, ``width`` a factor for the width of the box.
    """
    canvas = np.zeros((72, 72), dtype=np.uint8)
    inset = weight / 2
    for stroke in strokes:
        points = np.array(stroke, dtype=np.float64)
        points[:, 0] = inset + points[:, 0] * (60 * width - weight) / 60
        points[:, 1] = inset + (points[:, 1] - 5) * (100 - weight) / 90
        fixed = np.round((points / 2 + 8) * 16).astype(np.int32)
        cv2.polylines(canvas, [fixed], False, 255, max(1, round(weight / 2)), cv2.LINE_AA, 4)
    return np.asarray(canvas / 255, dtype=np.float32)


# ---- seven-segment displays, as above many boards ------------------------------------------------
# Lit segments are found by colour and grouped into strings. Each string is decoded by scan lines
# that cross every segment of a digit, for all plausible digit widths and pitches. A string counts
# only if its background is dark, the gaps between its digits are empty, and all decodings with
# about the best score give the same number.

Mask = NDArray[np.bool_]
Boxes = NDArray[np.int32]
"""Left, top, right and bottom of boxes, ``(4, n)``."""

# Segments in the order a (top), b, c (right), d (bottom), e, f (left), g (middle).
_DIGIT_OF_SEGMENTS: dict[tuple[int, ...], str] = {
    (1, 1, 1, 1, 1, 1, 0): "0",
    (0, 1, 1, 0, 0, 0, 0): "1",
    (1, 1, 0, 1, 1, 0, 1): "2",
    (1, 1, 1, 1, 0, 0, 1): "3",
    (0, 1, 1, 0, 0, 1, 1): "4",
    (1, 0, 1, 1, 0, 1, 1): "5",
    (1, 0, 1, 1, 1, 1, 1): "6",
    (0, 0, 1, 1, 1, 1, 1): "6",
    (1, 1, 1, 0, 0, 0, 0): "7",
    (1, 1, 1, 0, 0, 1, 0): "7",
    (1, 1, 1, 1, 1, 1, 1): "8",
    (1, 1, 1, 1, 0, 1, 1): "9",
    (1, 1, 1, 0, 0, 1, 1): "9",
    (0, 0, 0, 0, 0, 0, 1): "-",
}

# Where a scan line crosses each segment, in shares of the digit's width and height:
# (x from, x to, y from, y to). Horizontal segments are crossed downwards, vertical ones sideways.
_SCAN_AREAS = (
    (0.40, 0.60, 0.00, 0.25),
    (0.60, 1.00, 0.20, 0.36),
    (0.60, 1.00, 0.64, 0.80),
    (0.40, 0.60, 0.75, 1.00),
    (0.00, 0.40, 0.64, 0.80),
    (0.00, 0.40, 0.20, 0.36),
    (0.40, 0.60, 0.36, 0.64),
)

MIN_HEIGHT_PX, MAX_HEIGHT_PX = 9, 90
MOST_DIGITS = 4


@dataclass(frozen=True)
class Display:
    """A number on a seven-segment display; ``box`` holds its lit segments."""

    value: int
    box: PixelBox


def find_displays(pixels: NDArray[np.uint8]) -> list[Display]:
    """Find all displays in RGB pixels, uint8 ``(height, width, 3)``, from left to right."""
    red, green, blue = cv2.split(pixels)
    brightest = cv2.max(red, cv2.max(green, blue))
    spread = cv2.subtract(brightest, cv2.min(red, cv2.min(green, blue)))
    # Lit segments have a dark background, unlike a colourful wallpaper beside the window.
    near_dark = cv2.dilate((brightest < 120).astype(np.uint8), np.ones((21, 21), np.uint8))
    vivid = (brightest >= 110) & (spread >= 90) & (near_dark > 0)
    displays = []
    for channels in _colour_families(pixels, vivid):
        for box in _strings(channels):
            display = _decode_string(pixels, channels, box)
            if display is not None:
                displays.append(display)
    return sorted(displays, key=lambda display: display.box)


def _colour_families(pixels: NDArray[np.uint8], vivid: Mask) -> Iterator[Mask]:
    """Split the vivid pixels by hue, so that a red display and a yellow smiley stay separate."""
    if not vivid.any():
        return
    hue = cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV)[..., 0]
    for centre in (0, 30, 60, 90, 120, 150):
        off = np.minimum(hue - np.uint8(centre), np.uint8(centre) - hue)
        family = vivid & (np.minimum(off, 180 - off) <= 15)
        if family.sum() >= 20:
            yield family


def _strings(lit: Mask) -> Iterator[PixelBox]:
    """Group lit segments into boxes that may hold strings of digits."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(lit.astype(np.uint8), connectivity=8)
    x, y, w, h = stats[1:, :4].T
    boxes = np.stack([x, y, x + w, y + h])[:, (w <= MAX_HEIGHT_PX) & (h <= MAX_HEIGHT_PX)]
    if not 0 < boxes.shape[1] <= 400:  # more are a wallpaper
        return
    for x0, y0, x1, y1 in _joined(boxes).T.tolist():
        height, width = y1 - y0, x1 - x0
        if MIN_HEIGHT_PX <= height <= MAX_HEIGHT_PX and 0.8 * height <= width <= 5 * height:
            yield PixelBox(x0, y0, x1, y1)


def _joined(boxes: Boxes) -> Boxes:
    """Join boxes that are close enough to belong to one string, until no two are."""
    while True:
        close = _are_close(boxes)
        group, before = np.arange(boxes.shape[1]), None
        while before is None or (group != before).any():
            before, group = group, np.where(close, group, boxes.shape[1]).min(axis=1)
        groups = np.unique(group)
        if groups.size == group.size:
            return boxes
        members = group == groups[:, None]
        low, high = boxes[:2, None], boxes[2:, None]
        far = np.iinfo(boxes.dtype).max
        boxes = np.concatenate(
            [np.where(members, low, far).min(axis=2), np.where(members, high, 0).max(axis=2)]
        )


def _are_close(boxes: Boxes) -> Mask:
    """Mark pairs of boxes side by side, or one above the other like the halves of a digit."""
    x0, y0, x1, y1 = boxes[:, :, None]
    x0_, y0_, x1_, y1_ = boxes[:, None]
    height, width = np.maximum(y1 - y0, y1_ - y0_), np.maximum(x1 - x0, x1_ - x0_)
    gap_x = np.maximum(x0, x0_) - np.minimum(x1, x1_)
    gap_y = np.maximum(y0, y0_) - np.minimum(y1, y1_)
    reach_x = 1.1 * np.maximum(height, 0.5 * np.minimum(width, height * 3))
    reach_y = 0.2 * np.maximum(height, np.minimum(width, 2 * height))
    return np.asarray((gap_x <= np.maximum(3.0, reach_x)) & (gap_y <= np.maximum(2.0, reach_y)))


def _decode_string(pixels: NDArray[np.uint8], family: Mask, box: PixelBox) -> Display | None:
    """Decode the digits in a box; None unless they are certainly a number on a dark background."""
    x0, y0, x1, y1 = box
    inside = pixels[y0:y1, x0:x1]
    level = inside.max(axis=2).astype(np.float32)
    lit = family[y0:y1, x0:x1] & (level >= 0.72 * level[family[y0:y1, x0:x1]].max())
    dark = level <= 0.55 * level[lit].mean()
    if (lit | dark).mean() < 0.9 or not 0.08 <= lit.mean() <= 0.75:
        return None
    decodings = [decoding for decoding in _decodings(lit) if decoding[0] >= 0.7]
    # A 1 and its neighbour can look like one wide digit, but one digit never like two with a gap.
    most = max((len(text) for _, text in decodings), default=0)
    decodings = [decoding for decoding in decodings if len(decoding[1]) == most]
    if not decodings:
        return None
    best, text = max(decodings)
    if any(other != text for score, other in decodings if score > best - 0.1):
        return None
    return Display(int(text), box)


def _decodings(lit: Mask) -> Iterator[tuple[float, str]]:
    """Decode with every plausible digit width and pitch: yield pairs (score 0..1, text)."""
    height, length = lit.shape
    used = [0, *np.cumsum(lit.any(axis=0)).tolist()]
    packed = _PackedMask.of(lit)
    for width in range(round(0.38 * height), round(0.8 * height) + 1):
        digit_at = cache(partial(_decode_digit, packed, width))
        for half_gaps in range(1, max(3, round(0.6 * width)) + 1):
            pitch = width + half_gaps / 2
            for digits in range(2, MOST_DIGITS + 1):
                # The last digit ends at the right edge; a first 1 is narrower than its place.
                starts = [length - width - pitch * (digits - 1 - n) for n in range(digits)]
                if not -0.9 * width <= starts[0] <= 0.12 * width:
                    continue
                ink = _ink_between(used, starts, width)
                read = [digit_at(round(start)) for start in starts] if ink <= 0.5 else []
                text = "".join(char for _, char in read)
                if len(text) == digits and text.lstrip("-").isdigit() and "-" not in text[1:]:
                    yield min(score for score, _ in read) - 0.5 * ink, text


def _ink_between(used: list[int], starts: list[float], width: int) -> float:
    """Return the largest share of lit columns in a gap between two digits.

    ``used[x]`` counts the lit columns before column ``x``.
    """
    gaps = [(round(start + width), round(after)) for start, after in pairwise(starts)]
    return max(((used[to] - used[at]) / (to - at) for at, to in gaps if to > at), default=0.0)


class _PackedMask(NamedTuple):
    """A mask as integers, one for each row and each column: bit ``n`` is its ``n``-th pixel.

    At this size, decoding a digit takes a tenth of the time that it takes with arrays.
    """

    rows: list[int]
    cols: list[int]

    @classmethod
    def of(cls, mask: Mask) -> _PackedMask:
        """Pack the rows and the columns of a mask."""
        return cls(_packed(mask), _packed(mask.T))

    def part(self, left: int, width: int) -> _PackedMask:
        """Return some columns; those left of the mask are empty, none may lie right of it."""
        whole = (1 << width) - 1
        rows = [(row >> left if left >= 0 else row << -left) & whole for row in self.rows]
        return _PackedMask(rows, [0] * -left + self.cols[max(0, left) : left + width])


def _packed(mask: Mask) -> list[int]:
    lines = np.packbits(mask, axis=1, bitorder="little")
    return [int.from_bytes(line.tobytes(), "little") for line in lines]


def _decode_digit(lit: _PackedMask, width: int, left: int) -> tuple[float, str]:
    """Decode the digit that begins at ``left``: its score, and its character or an empty string."""
    digit = lit.part(left, width)
    crossings = [_share_crossed(digit, *area) for area in _SCAN_AREAS]
    char = _DIGIT_OF_SEGMENTS.get(tuple(int(share > 0.5) for share in crossings))
    if char is None or not _fills_width(digit, char):
        return 0.0, ""
    return min(1.0, *(2 * abs(share - 0.5) for share in crossings)), char


def _fills_width(digit: _PackedMask, char: str) -> bool:
    """Whether the lit pixels fill the width of the digit as ``char`` does, without a gap."""
    if char == "-":
        return True
    width = len(digit.cols)
    if char == "1":
        return any(digit.cols[-max(2, width // 6) :]) and not any(digit.cols[: width // 3])
    lit = [x for x, column in enumerate(digit.cols) if column]
    slack = max(1.0, 0.15 * width)
    whole = max((b - a for a, b in pairwise(lit)), default=1) <= 1 + max(1.0, 0.06 * width)
    return lit[0] <= slack and lit[-1] >= width - 1 - slack and whole


def _share_crossed(digit: _PackedMask, x0: float, x1: float, y0: float, y1: float) -> float:
    """Return the share of the scan lines across a segment that meet a lit pixel."""
    across, down = _pixels(x0, x1, len(digit.cols)), _pixels(y0, y1, len(digit.rows))
    lines, along = (digit.rows[down], across) if y1 - y0 < 0.2 else (digit.cols[across], down)
    window = (1 << along.stop) - (1 << along.start)
    met = sum(1 for line in lines if line & window)
    return met / len(lines)


def _pixels(low: float, high: float, length: int) -> slice:
    first = int(low * length)
    return slice(first, max(first + 1, ceil(high * length)))

"""Read seven-segment displays: the red or green counters above many boards.

Lit segments are found by colour and grouped to strings. Each string is decoded by scan lines
that cross every segment of a digit, for all plausible digit widths and pitches. A string counts
only if its background is dark, the gaps between its digits are empty, and all decodings with
about the best score give the same number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.points import PixelBox

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
    # Lit segments have a dark background; a colourful wallpaper beside the window has not.
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
    """Join boxes that are close enough to belong to one string, until none are left."""
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

    Decoding a digit takes a tenth of the time that it takes with arrays of this size.
    """

    rows: list[int]
    cols: list[int]

    @classmethod
    def of(cls, mask: Mask) -> _PackedMask:
        """Pack the rows and the columns of a mask."""
        return cls(_packed(mask), _packed(mask.T))

    def part(self, left: int, width: int) -> _PackedMask:
        """Return some columns; those left of the mask are empty, and none may lie right of it."""
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
    """Tell whether the lit pixels fill the width of the digit as ``char`` does, without a gap."""
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

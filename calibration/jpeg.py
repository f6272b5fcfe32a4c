"""Check that a JPEG holds its whole picture, and nothing else.

A decoder fills the rest of a truncated picture with grey and reports no error. Therefore a
meaningless filler is put at each end of the coded data: a decoder that has all it needs does not
read it, and one that lacks data reads it as the rest. The picture is complete if it is the same
without the filler.

After a wrong bit, the decoder goes on in the middle of other codes, so that it often ends before
the data does. The picture decoded without the filler is therefore made taller: a decoder that has
used all data leaves the added rows grey, any other one draws the rest of the data there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.bounds import PICTURE_MARKERS, PICTURE_SCANS

FILLER = bytes((37 * number + 11) % 255 for number in range(64))
"""Bytes without a marker: they all differ, and none is 255."""

NEUTRAL = 128
"""The grey of a block without data; in a CMYK picture it becomes another grey."""

BLENDED_PX = 2
"""Rows and columns into which a decoder may smooth the colours of a neighbouring block."""

_SCAN, _END, _PROGRESSIVE = 0xDA, 0xD9, 0xC2
_RESTARTS = range(0xD0, 0xD8)
_INTERVAL, _FRAMES = 0xDD, (0xC0, 0xC1, _PROGRESSIVE)
_ALONE = {0x01, *_RESTARTS}
"""Markers without a length: restarts stand within the coded data."""

_NOTES = {*range(0xE0, 0xF0), 0xFE}
"""Markers of applications and comments."""

_KEPT = {0xE0: b"JFIF\0", 0xE1: b"Exif\0\0", 0xEE: b"Adobe"}
"""The kept ones, once each: the colours, and how the camera was held."""

_MARKER = re.compile(rb"(?:[^\xff]++|\xff++\x00)*+(\xff++[^\x00\xff])")
"""The next marker and the coded data before it, in which a 0 follows each 255."""

_TALLEST = 65_000
"""Greatest height that decoders accept, minus the rows that are added."""


@dataclass(frozen=True)
class Segment:
    """A marker, where it begins, and what its segment holds.

    Coded data stands between the end of a scan's segment and the next marker.
    """

    marker: int
    start: int
    body: slice


@dataclass(frozen=True)
class Jpeg:
    """A JPEG up to the end of its picture, without notes of applications."""

    data: bytes
    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, data: bytes) -> Jpeg:
        """Split a JPEG into its segments.

        Raises `ValueError` for one without an end, or with more markers than `solver.bounds`
        allows.
        """
        parts, kept, wanted = [data[:2]], set[int](), False
        at = count = 0
        for count, one in enumerate(_segments(data), start=1):
            if count > PICTURE_MARKERS:
                raise ValueError("the JPEG has too many markers")
            parts += [data[at : one.start]] if wanted else []
            at, wanted = one.start, _is_wanted(one, data, kept)
            if one.marker == _END:
                break
        if not count or one.marker != _END:
            raise ValueError("the JPEG has no end")
        bare = b"".join([*parts, bytes((255, _END))])
        return cls(bare, tuple(_segments(bare)))

    @property
    def is_damaged(self) -> bool:
        """Whether it has more scans than any encoder writes."""
        return sum(one.marker == _SCAN for one in self.segments) > PICTURE_SCANS

    @property
    def is_cut_off(self) -> bool:
        """Whether scans or restarts are missing. Raises `LookupError` or `ValueError`."""
        return self._lacks_scans() or self._lacks_restarts()

    def with_filler(self) -> bytes:
        """Return the JPEG with `FILLER` before every marker that ends coded data."""
        parts, at, in_scan = list[bytes](), 0, False
        for one in self.segments:
            parts += [self.data[at : one.start], FILLER] if in_scan else [self.data[at : one.start]]
            at = one.start
            in_scan = one.marker == _SCAN or (in_scan and one.marker in _ALONE)
        return b"".join([*parts, self.data[at:]])

    def taller(self) -> tuple[bytes, Taller | None]:
        """Return the JPEG with rows added below, and where they are.

        Only if it is coded in one piece, without restarts; otherwise it is returned unchanged.
        """
        marks = [one.marker for one in self.segments if one.marker in (_SCAN, *_RESTARTS)]
        frames = [one for one in self.segments if one.marker in _FRAMES]
        if marks != [_SCAN] or len(frames) != 1:
            return self.data, None
        frame = self.data[frames[0].body]
        scan = next(self.data[one.body] for one in self.segments if one.marker == _SCAN)
        if scan[0] != frame[5]:
            return self.data, None
        most_x, most_y = _most_samples(_factors(frame))
        unit_x, unit_y = (8, 8) if scan[0] == 1 else (8 * most_x, 8 * most_y)
        end = -(-int.from_bytes(frame[1:3]) // unit_y) * unit_y
        if end > _TALLEST or frame[0] != 8:
            return self.data, None
        at = frames[0].body.start + 1
        height = (end + 2 * unit_y).to_bytes(2)
        return self.data[:at] + height + self.data[at + 2 :], Taller(
            end, unit_x, unit_y, frame[5] == 4
        )

    def _lacks_scans(self) -> bool:
        """Whether a progressive JPEG ends between two scans, so that some bits are missing."""
        missing: dict[tuple[int, int], int] = {}
        for one in self.segments:
            body = self.data[one.body]
            if one.marker == _PROGRESSIVE:
                missing = {(one, k): 1 for one in body[6 : 6 + 3 * body[5] : 3] for k in range(64)}
            elif one.marker == _SCAN and missing:
                count = body[0]
                first, last, bits = body[1 + 2 * count : 4 + 2 * count]
                for part in body[1 : 1 + 2 * count : 2]:
                    missing |= {(part, k): bits & 15 for k in range(first, min(last, 63) + 1)}
        return any(missing.values())

    def _lacks_restarts(self) -> bool:
        """Whether restarts that its size requires are missing, or in a wrong order.

        A decoder fills up what lies between missing restarts.
        """
        interval = found = wanted = 0
        frame = b""
        for one in self.segments:
            if one.marker in _RESTARTS:
                if one.marker != _RESTARTS[found % len(_RESTARTS)]:
                    return True
                found += 1
                continue
            if found != wanted:
                return True
            body = self.data[one.body]
            if one.marker == _INTERVAL:
                interval = int.from_bytes(body[:2])
            elif one.marker in _FRAMES:
                frame = body
            elif one.marker == _SCAN:
                units = _units(frame, body) if interval else 0
                found, wanted = 0, max(0, -(-units // interval) - 1) if interval else 0
        return False


@dataclass(frozen=True)
class Taller:
    """Rows that were added to a JPEG: the first one, and the size of a unit of its code."""

    first: int
    unit_x: int
    unit_y: int
    is_cmyk: bool

    def hold_data(self, pixels: NDArray[np.uint8]) -> bool:
        """Whether these rows of the decoded picture show more than the last bits of the data.

        The bits that fill up the last byte may make a unit of their own.
        """
        rows = pixels[self.first + BLENDED_PX :]
        left = self.unit_x + BLENDED_PX
        upper, lower = rows[: self.unit_y - BLENDED_PX, left:], rows[self.unit_y :]
        neutral = pixels[-1, -1] if self.is_cmyk else NEUTRAL
        return bool((upper != neutral).any() or (lower != neutral).any())


def _is_wanted(one: Segment, data: bytes, kept: set[int]) -> bool:
    """Whether a segment belongs to the picture; notes that are ``kept`` count once."""
    if one.marker not in _NOTES:
        return True
    start = _KEPT.get(one.marker)
    if start is None or one.marker in kept or not data[one.body].startswith(start):
        return False
    kept.add(one.marker)
    return True


def _units(frame: bytes, scan: bytes) -> int:
    """Return how many units a scan codes: blocks of 8 pixels, or one block of each colour."""
    high, wide = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
    factors = _factors(frame)
    most_x, most_y = _most_samples(factors)
    x, y = (most_x, most_y) if scan[0] > 1 else factors[scan[1]]
    # The sides of what is coded, in units: one colour has fewer blocks where it is coarser.
    unit_x, unit_y = (8, 8) if scan[0] == 1 else (8 * most_x, 8 * most_y)
    across, down = -(-wide * x // most_x), -(-high * y // most_y)
    return int(-(-across // unit_x) * -(-down // unit_y))


def _factors(frame: bytes) -> dict[int, tuple[int, int]]:
    """Return how many samples of each colour a unit has, across and down."""
    return {one: divmod(both, 16) for one, both in zip(frame[6::3], frame[7::3], strict=False)}


def _most_samples(factors: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the most samples across and down. Raises `ValueError` where there are none."""
    most_x, most_y = (max(side) for side in zip(*factors.values(), strict=True))
    if min(most_x, most_y) < 1:
        raise ValueError("the colours of the JPEG have no samples")
    return most_x, most_y


def _segments(data: bytes) -> Iterator[Segment]:
    """Yield each segment up to the end of the picture."""
    at = 2
    while found := _MARKER.match(data, at):
        marker, start = found[1][-1], found.end()
        alone = marker in _ALONE or marker == _END
        at = start if alone else max(start + 2, start + int.from_bytes(data[start : start + 2]))
        yield Segment(marker, found.start(1), slice(min(start + 2, at), at))
        if marker == _END:
            return
